"""A real cluster of two worker processes: same tables, data sent once, killed workers replaced."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

import dask
import distributed

from reprolib.cli.main import main
from reprolib.rerun.records import Stage, Task
from reprolib.rerun.records.registry import get_protocol
from reprolib.rerun.tasks import cluster as connecting
from reprolib.rerun.tasks import runner, worker
from reprolib.rerun.tasks.cluster import Cluster, ClusterError
from reprolib.rerun.tasks.local import LostWorkError
from reprolib.rerun.tasks.store import RecordStore

pytestmark = pytest.mark.slow


def small_tasks(C, n_tasks, setting=""):
    return [
        Task("kpm", "table1", EMBEDDED, "svm", trial=i, params={"C": C}, setting=setting)
        for i in range(n_tasks)
    ]


def first_stage(profile, datasets, records):
    return small_tasks(1.0, 8)


def second_stage(profile, datasets, records):
    """Tasks that depend on the records of the first stage."""
    return small_tasks(float(records["value"].mean()), 4, "second")


EMBEDDED = "embedded/twonorm"
PROTOCOL = dataclasses.replace(
    get_protocol("kpm"),
    datasets=lambda profile: [EMBEDDED],
    stages=(Stage(first_stage), Stage(second_stage, reads=("table1",))),
)


@pytest.fixture(scope="module")
def local_cluster():
    """Scheduler and two worker processes, which have neither cache nor mirror.

    A lost worker is closed for good by a timer that starts when it is lost, if the worker happens
    to be restarting at that moment, for whatever reason: so a second loss within 15 seconds of the
    first would leave one worker. The timer gets longer than all the tests.
    """
    patient = dask.config.set({"distributed.deploy.lost-worker-timeout": "1 day"})
    with (
        patient,
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=":0",
            env={"REPROLIB_DATA": "/nonexistent", "REPROLIB_MIRROR": "/nonexistent"},
        ) as cluster,
    ):
        yield cluster


@pytest.fixture
def cluster(local_cluster):
    with Cluster(local_cluster.scheduler_address) as connection:
        yield connection


def run(folder, **options):
    store = RecordStore(folder)
    return runner.run_protocol(PROTOCOL, "quick", embedded=True, store=store, **options)


def values(outcome) -> pd.DataFrame:
    return outcome.records.drop(columns="seconds")


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Records made in this process, one task after the other."""
    return values(run(tmp_path_factory.mktemp("alone")))


def test_one_process_and_a_cluster_give_the_same_tables(alone, cluster, tmp_path):
    many = run(tmp_path / "cluster", workers=cluster)
    assert set(alone["status"]) == {"ok"}
    pd.testing.assert_frame_equal(alone, values(many))
    assert many.about["workers"] == "dask cluster of 2 workers"


def test_data_are_sent_to_every_worker_once(alone, cluster, tmp_path):
    during = {}

    def look(done, total, stage, stages):
        during.update(cluster.client.run(lambda: len(worker.held)))

    run(tmp_path, workers=cluster, progress=look)
    n_datasets = alone["dataset"].nunique()
    assert set(during.values()) == {n_datasets}
    assert len(during) == 2
    assert set(cluster.client.run(lambda: worker.loaded.cache_info().misses).values()) == {0}
    assert set(cluster.client.run(lambda: len(worker.held)).values()) == {0}


def test_killed_workers_are_replaced_and_nothing_is_lost_or_doubled(alone, cluster, tmp_path):
    """One of two in the first stage; in the second one both, so that all data are gone."""
    before = set(cluster.client.run(os.getpid).values())

    def kill(done, total, stage, stages):
        if (done, stage) in {(2, 1), (1, 2)}:
            pids = sorted(cluster.client.run(os.getpid).values())
            for pid in pids[:stage]:
                os.kill(pid, signal.SIGKILL)

    outcome = run(tmp_path, workers=cluster, progress=kill)
    pd.testing.assert_frame_equal(alone, values(outcome))
    cluster.client.wait_for_workers(2, timeout=60)
    after = set(cluster.client.run(os.getpid).values())
    assert len(after) == 2
    assert not before & after


def test_task_that_kills_its_workers_ends_with_an_error(cluster, local_cluster, monkeypatch):
    monkeypatch.setattr(local_cluster.scheduler, "allowed_failures", 0)
    with pytest.raises(LostWorkError, match="gave a task up.*--memory-limit"):
        list(cluster.results(os._exit, [(1,)]))
    cluster.client.wait_for_workers(2, timeout=60)


@pytest.fixture
def killable(tmp_path):
    """Address of a scheduler with one worker, and its process."""
    file = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "dask"]
    scheduler = subprocess.Popen(
        [*command, "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)],
        stderr=subprocess.DEVNULL,
    )
    worker = subprocess.Popen(
        [*command, "worker", "--scheduler-file", str(file), "--nthreads", "1", "--no-nanny"],
        stderr=subprocess.DEVNULL,
    )
    while not file.exists() or not file.read_text():
        time.sleep(0.1)
    yield json.loads(file.read_text())["address"], scheduler
    for process in (worker, scheduler):
        process.kill()
        process.wait()


def test_lost_scheduler_ends_with_an_error(killable):
    """All calls are given up when the scheduler goes; none is waited for."""
    address, scheduler = killable
    with Cluster(address) as connection:
        done = connection.results(time.sleep, [(0.0,), (600.0,)])
        next(done)
        scheduler.kill()
        with pytest.raises(LostWorkError, match="gave a task up.*scheduler-connection-lost"):
            next(done)


def test_error_of_a_call_is_raised_as_it_is(cluster):
    with pytest.raises(ValueError, match="negative"):
        list(cluster.results(time.sleep, [(-1.0,)]))


def test_calls_that_nobody_waits_for_are_cancelled(cluster):
    done = cluster.results(time.sleep, [(0.0,), *[(1.0,)] * 100])
    next(done)
    done.close()
    start = time.monotonic()
    list(cluster.results(os.getpid, [()]))
    assert time.monotonic() - start < 50, "half the seconds that the calls would have taken"


def test_single_worker_computes_in_its_own_process(local_cluster):
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=":0"
        ) as single,
        Cluster(single.scheduler_address) as connection,
    ):
        pids = list(connection.results(os.getpid, [()] * 3))
    assert len(set(pids)) == 1
    assert os.getpid() not in pids


def test_nothing_at_the_address(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(connecting, "CONNECT_TIMEOUT", 0.5)
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", "kpm", "--cluster", "tcp://127.0.0.1:9"]) == 2
    message = " ".join(capsys.readouterr().err.split())
    assert "no dask scheduler at --cluster tcp://127.0.0.1:9" in message
    assert "`dask scheduler`" in message


def test_scheduler_without_workers(monkeypatch):
    monkeypatch.setattr(connecting, "WORKER_TIMEOUT", 0.5)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        pytest.raises(ClusterError, match="no worker at tcp.*--nthreads 1"),
    ):
        Cluster(empty.scheduler_address)


def test_worker_with_threads_is_refused():
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"
        ) as threads,
        pytest.raises(ClusterError, match="has 2 threads.*--nthreads 1"),
    ):
        Cluster(threads.scheduler_address)


def test_worker_with_other_versions_is_refused(local_cluster, monkeypatch):
    other = {**connecting.versions(), "numpy": "1.0"}
    monkeypatch.setattr(connecting, "versions", lambda: other)
    with pytest.raises(ClusterError, match=r"worker tcp.* differs.*numpy .*, not 1\.0"):
        Cluster(local_cluster.scheduler_address)
