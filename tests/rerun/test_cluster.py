"""Tasks on dask workers: the same tables; a worker that would compute something else is refused."""

from __future__ import annotations

import dataclasses
import os
import signal

import joblib
import pandas as pd
import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

import distributed

from reprolib.cli.main import main
from reprolib.rerun.records import Stage, Task
from reprolib.rerun.records.tables import load_paper
from reprolib.rerun.records.task import get_protocol
from reprolib.rerun.tasks import cluster, runner
from reprolib.rerun.tasks.store import RecordStore
from reprolib.rerun.tasks.worker import LocalWorkers

EMBEDDED = "embedded/twonorm"


def first_stage(profile, datasets, records):
    return [Task("kpm", "table1", EMBEDDED, "svm", trial=i, params={"C": 1.0}) for i in range(6)]


def second_stage(profile, datasets, records):
    """A task that depends on the records of the first stage."""
    C = float(records["value"].mean())
    return [Task("kpm", "table1", EMBEDDED, "svm", params={"C": C}, setting="second")]


PROTOCOL = dataclasses.replace(
    get_protocol("kpm"),
    datasets=lambda profile: [EMBEDDED],
    stages=(Stage(first_stage), Stage(second_stage, reads=("table1",))),
)


@pytest.fixture(scope="module")
def local_cluster():
    """Scheduler and two worker processes."""
    workers = {"n_workers": 2, "threads_per_worker": 1}
    with distributed.LocalCluster(**workers, dashboard_address=None) as started:
        yield started


@pytest.fixture
def workers(local_cluster):
    """What a user writes."""
    with distributed.Client(local_cluster), joblib.parallel_config(backend="dask"):
        yield LocalWorkers()


def values(folder) -> pd.DataFrame:
    store = RecordStore(folder)
    run = runner.run_protocol(PROTOCOL, "quick", embedded=True, store=store)
    assert set(run.records["status"]) == {"ok"}
    return run.records.drop(columns="seconds")


@pytest.mark.slow
def test_one_process_and_a_cluster_give_the_same_tables(tmp_path, request):
    alone = values(tmp_path / "alone")
    pids = set(request.getfixturevalue("workers").results(os.getpid, [()] * 4))
    assert os.getpid() not in pids
    pd.testing.assert_frame_equal(alone, values(tmp_path / "cluster"))


@pytest.mark.slow
def test_task_that_kills_its_workers_ends_with_an_error(workers, local_cluster, monkeypatch):
    monkeypatch.setattr(local_cluster.scheduler, "allowed_failures", 0)
    with pytest.raises(cluster.ClusterError, match=r"gave a task up.*--memory-limit"):
        list(workers.results(os._exit, [(1,)]))


@pytest.mark.slow
@pytest.mark.parametrize("other", ["code", "numpy", "the paper toy"])
def test_a_worker_with_other_code_or_without_the_paper_is_refused(workers, other, monkeypatch):
    """Here, where the code of one process is that of the other, our own side is changed."""
    here = {**cluster.environment(), other: "1.0"}
    found = workers.results(os.getpid, [()])
    monkeypatch.setattr(cluster, "environment", cluster_side := _Environment(here))
    with pytest.raises(cluster.ClusterError, match=rf"worker tcp.* differs.*{other} .*, not 1\.0"):
        list(found)
    assert cluster_side.asked == 1


class _Environment:
    """Answers here; workers unpickle the module's own function."""

    def __init__(self, here):
        self.here = here
        self.asked = 0

    def __call__(self):
        self.asked += 1
        return self.here

    def __reduce__(self):
        return getattr, (cluster, "environment")


@pytest.mark.slow
def test_worker_with_two_threads_is_refused():
    options = {"n_workers": 1, "threads_per_worker": 2, "processes": False}
    with (
        distributed.LocalCluster(**options, dashboard_address=None) as threads,
        distributed.Client(threads),
        joblib.parallel_config(backend="dask"),
        pytest.raises(cluster.ClusterError, match=r"has 2 threads.*--nthreads 1"),
    ):
        list(LocalWorkers().results(os.getpid, [()]))


def test_every_difference_of_a_worker_is_named_with_the_remedy():
    expected = {"Python": "3.12", "code": "ab", "the paper toy": "cd"}
    assert cluster.unfit(expected, dict(expected), 1) == ""
    assert cluster.unfit(expected, {"Python": "3.11", "code": "ab"}, 1) == (
        "differs from this process: Python 3.11, not 3.12, the paper toy missing, not cd; install "
        "both from one checkout and its lock file; name the folder of the paper in REPROLIB_PAPERS "
        "there, or install it"
    )


@pytest.mark.slow
def test_reproduce_through_a_scheduler_survives_a_worker_that_is_killed(tmp_path, monkeypatch):
    """What docs/reproduce.md promises: tasks of a lost worker go to the other, and agree."""
    monkeypatch.setenv("REPROLIB_RECORDS", str(tmp_path / "alone"))
    words = ["reproduce", "kpm", "--embedded", "--only", f"*/{EMBEDDED}/svm", "--output"]
    assert main([*words, str(tmp_path / "serial"), "--jobs", "1"]) == 0
    monkeypatch.setenv("REPROLIB_RECORDS", str(tmp_path / "store"))
    put, pids = RecordStore.put, []

    def put_and_kill(self, *arguments):
        if not pids:  # the first task is finished, the others run or wait
            pids.extend(distributed.get_client().run(os.getpid).values())
            os.kill(pids[0], signal.SIGKILL)
        put(self, *arguments)

    monkeypatch.setattr(RecordStore, "put", put_and_kill)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as two:
        assert main([*words, str(tmp_path / "cluster"), "--scheduler", two.scheduler_address]) == 0
        assert len(pids) == 2
    serial, through = (
        load_paper("kpm", tmp_path / name / "results").drop(columns="seconds")
        for name in ("serial", "cluster")
    )
    pd.testing.assert_frame_equal(serial, through)


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch, capsys):
    monkeypatch.setattr(cluster, "TIMEOUT", 1)
    assert main(["reproduce", "kpm", "--scheduler", "tcp://127.0.0.1:1"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "no scheduler answers at --scheduler tcp://127.0.0.1:1" in said
    assert "`dask scheduler`" in said
