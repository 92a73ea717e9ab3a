"""Fits that tables share: found again by content, and without a trace in the records."""

from __future__ import annotations

import multiprocessing
import os
import secrets
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from data_fetch import Dataset
from reprolib.papers.kpm import methods as kpm
from reprolib.papers.mkmmc import methods as mkmmc
from reprolib.papers.mkmmc.splits import Trial
from reprolib.papers.mkpm import methods as mkpm
from reprolib.papers.simplex import beyond
from reprolib.papers.simplex import methods as simplex
from reprolib.papers.simplex.experiment import RUN
from reprolib.rerun.records import HEADLINE
from reprolib.rerun.records.task import Task
from reprolib.rerun.tasks.remembered import Remembered, shared_in
from reprolib.rerun.tasks.worker import LocalWorkers


def test_equal_contents_share_one_answer_and_others_have_their_own():
    X, calls = np.arange(6.0).reshape(3, 2), []
    answers = Remembered("answers", size=10)

    def ask(*what):
        return answers.of(what, lambda: calls.append(what) or len(calls))

    assert ask(X, SVC(C=2.0)) == ask(X.copy(), SVC(C=2.0)) == 1
    moved = X.copy()
    moved[2, 1] = np.nextafter(moved[2, 1], np.inf)
    others = [ask(moved, SVC(C=2.0)), ask(X, SVC(C=3.0)), ask(X.reshape(2, 3), SVC(C=2.0))]
    assert others == [2, 3, 4], "the last digit, a setting and the shape all count"


def test_only_the_latest_answers_are_kept():
    answers = Remembered("answers", size=2)
    for number in (1, 2, 1, 3):
        assert answers.of(number, lambda number=number: number) == number
    assert answers.of(1, lambda: "anew") == 1
    assert answers.of(2, lambda: "anew") == "anew"


def test_a_failure_is_not_remembered():
    answers = Remembered("answers", size=2)
    with pytest.raises(ZeroDivisionError):
        answers.of("a", lambda: 1 / 0)
    assert answers.of("a", lambda: 5) == 5


def test_processes_of_one_run_share_answers_and_another_run_has_none(tmp_path):
    def ask(name, folder):
        with shared_in(tmp_path / folder):
            made: list[str] = []
            answer = Remembered(name, size=1).of("x", lambda: made.append(name) or np.arange(3))
            return answer.tolist(), made

    for folder in ("run", "other run"):
        (tmp_path / folder).mkdir()
        assert ask("a", folder) == ([0, 1, 2], ["a"])
        assert ask("a", folder) == ([0, 1, 2], [])
        assert ask("b", folder) == ([0, 1, 2], ["b"]), "the same question, another kind of answer"


def test_an_interrupted_write_leaves_no_answer(tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    with shared_in(tmp_path):
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", stop)
            with pytest.raises(KeyboardInterrupt):
                Remembered("a", size=1).of("x", lambda: "half written")
        assert Remembered("a", size=1).of("x", lambda: "anew") == "anew"


def test_a_folder_that_cannot_be_written_costs_no_task(tmp_path):
    with shared_in(tmp_path / "gone"):
        assert Remembered("a", size=1).of("x", lambda: 3) == 3


def double(number: int, folder: Path) -> int:
    return Remembered("doubles", size=1).of(number, lambda: counted(number, folder) * 2)


def counted(number: int, folder: Path) -> int:
    """Leave a file for each call, with a name of its own.

    The folder is an argument: worker processes that an earlier test started have its environment.
    """
    folder.joinpath(f"{number}-{secrets.token_hex(8)}").touch()
    return number


def test_workers_of_this_machine_share_answers_and_leave_no_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    for name in ("calls", "tmp"):
        (tmp_path / name).mkdir()
    calls = [(number, tmp_path / "calls") for number in (1, 2, 3) for _ in range(20)]
    assert sorted(LocalWorkers(1).results(double, calls)) == sorted(2 * n for n, _ in calls)
    assert len(list((tmp_path / "calls").iterdir())) == 3
    assert not [p for p in (tmp_path / "tmp").iterdir() if p.name.startswith("reprolib-")]


def double_when_two_have_asked(number: int, folder: Path) -> int:
    folder.joinpath(f"asked-{secrets.token_hex(8)}").touch()

    def make() -> int:
        until = time.monotonic() + 60
        while len(list(folder.glob("asked-*"))) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.3)  # the other goes on from asking to making
        return 2 * counted(number, folder)

    return Remembered("doubles", size=1).of(number, make)


def test_of_two_processes_that_ask_at_once_one_makes_the_answer(tmp_path):
    calls = [(4, tmp_path)] * 2
    answers = LocalWorkers(2).results(double_when_two_have_asked, calls)
    assert list(answers) == [8, 8]
    assert len(list(tmp_path.glob("asked-*"))) == 2, "both asked"
    assert len(list(tmp_path.glob("4-*"))) == 1, "one made it, the other waited"


def ask_and_die(folder: Path) -> None:
    with shared_in(folder):
        Remembered("a", size=1).of("x", lambda: os._exit(1))


def test_a_process_that_dies_while_it_makes_an_answer_keeps_nobody_waiting(tmp_path):
    process = multiprocessing.get_context("spawn").Process(target=ask_and_die, args=(tmp_path,))
    process.start()
    process.join()
    assert process.exitcode == 1
    assert list(tmp_path.iterdir()), "it has left its lock"
    with shared_in(tmp_path):
        assert Remembered("a", size=1).of("x", lambda: 3) == 3


def classes(n_features: int, n_classes: int):
    """Training and test points, overlapping classes."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % n_classes
    X = rng.normal(size=(120, n_features)) + y[:, None]
    return X[:80], y[:80], X[80:], y[80:]


@pytest.mark.parametrize("table2_first", [True, False])
def test_kpm_selects_the_same_dimension_before_and_after_table_2(table2_first, monkeypatch):
    params = {"fold_seed": 0}
    of_table2 = Task("kpm", "table2", "raetsch/heart", "kpm", "headline", 0, params)
    of_selection = Task("kpm", "selection", "raetsch/heart", "kpm", "headline", 0, params)
    split = classes(3, 2)
    monkeypatch.setattr(kpm, "_SELECTED", Remembered("selected", size=10))
    before = [] if table2_first else kpm.selected_dimension(of_selection, *split)
    measured = {m.metric: m for m in kpm.cross_validated(of_table2, *split)}
    (found,) = before or kpm.selected_dimension(of_selection, *split)
    assert found.value == measured["selected D"].value
    assert found.gap == measured["test error"].gap


def forget(monkeypatch):
    """Begin like a new process."""
    for name, value in list(vars(simplex).items()):
        if isinstance(value, Remembered):
            monkeypatch.setattr(simplex, name, Remembered(name, size=10))


def measured(task: Task, split):
    """Measurements with paths that compare."""
    return [replace(m, path=list(m.path)) for m in RUN[task.table](task, *split)]


def shared_tasks(method: str) -> tuple[Task, list[Task]]:
    """The task of the disagreement, and those of table 2 that make the same fits."""
    compared = Task("simplex", "disagreement", "uci/landsat", method)
    table2 = replace(compared, table="table2", params={"seed": 0, "n_estimators": 6})
    if method == "boosting":
        return compared, [table2]
    tasks = []
    for reading in beyond.READINGS.of_tasks("table2", "", method):
        others = beyond.READINGS.measured(method, reading.name)
        also = {name: c["grid"] for name, c in others.items() if name != reading.name}
        params = {"seed": 0, "also": also, **reading.changes}
        tasks.append(replace(table2, reading=reading.name, params=params))
    return compared, tasks


@pytest.mark.parametrize(
    ("method", "largest"), [("s-ls rbf", 80), ("s-ls rbf", 79), ("boosting", 80)]
)
@pytest.mark.parametrize("table2_first", [True, False])
def test_disagreement_and_table_2_are_the_same_alone_and_in_one_process(
    method, largest, table2_first, monkeypatch
):
    split = classes(3, 4)
    monkeypatch.setattr(simplex, "LARGEST_EXACT", largest)
    monkeypatch.setattr(simplex, "N_LANDMARKS", 40)
    monkeypatch.setattr(beyond, "N_ROUNDS", 6)
    compared, table2 = shared_tasks(method)
    tasks = [*table2, compared] if table2_first else [compared, *table2]
    alone = []
    for task in tasks:
        forget(monkeypatch)
        alone.append(measured(task, split))
    forget(monkeypatch)
    assert [measured(task, split) for task in tasks] == alone


@pytest.mark.parametrize(
    ("method", "largest"), [("s-ls rbf", 80), ("s-ls rbf", 79), ("boosting", 80)]
)
def test_a_fit_of_table_2_is_not_made_again_for_the_disagreement(method, largest, monkeypatch):
    split = classes(3, 4)
    monkeypatch.setattr(simplex, "LARGEST_EXACT", largest)
    monkeypatch.setattr(simplex, "N_LANDMARKS", 40)
    monkeypatch.setattr(beyond, "N_ROUNDS", 6)
    compared, table2 = shared_tasks(method)
    forget(monkeypatch)
    for task in table2:
        simplex.table2(task, *split)
    for name in ("SimplexRLSClassifier", "SimplexRLSClassifierCV", "SimplexBoostingClassifier"):
        monkeypatch.setattr(simplex, name, None)
    assert beyond.run_disagreement(compared, *split)


def test_seeds_of_an_svm_that_choose_the_same_cost_share_the_fit_on_all_data(monkeypatch):
    split, refits = classes(3, 4), []

    class Counted(OneVsRestClassifier):
        def fit(self, X, y):
            refits.extend([self.estimator.C] * (len(X) == len(split[0])))
            return super().fit(X, y)

    monkeypatch.setattr(simplex, "OneVsRestClassifier", Counted)
    task = Task("simplex", "table2", "uci/landsat", "svm rbf ova")
    tasks = [replace(task, trial=seed, params={"seed": seed}) for seed in range(6)]
    alone = []
    for task in tasks:
        forget(monkeypatch)
        alone += measured(task, split)
    refits.clear()
    forget(monkeypatch)
    assert [m for task in tasks for m in measured(task, split)] == alone
    assert sorted(refits) == sorted({m.chosen["C"] for m in alone})
    assert 1 < len(refits) < len(tasks), "some seeds agree, and not all"


@pytest.mark.parametrize("method", beyond.BY_CLASSES)
def test_methods_whose_times_are_compared_find_nothing_made_already(method, monkeypatch):
    monkeypatch.setattr(beyond, "N_TRAIN", 30)
    monkeypatch.setattr(Remembered, "of", None)
    task = Task("simplex", "classes", "uci/letter", method, params={"seed": 0, "n_classes": 3})
    assert measured(task, classes(3, 4))


def test_mkpm_disagrees_as_before_without_cross_validating_again(monkeypatch):
    X, y, X_test, y_test = classes(3, 3)
    rows = np.arange(120)
    data = Dataset(
        "statlog/dna",
        np.vstack([X, X_test]),
        np.concatenate([y, y_test]),
        source="embedded",
        splits=[(rows[:80], rows[80:])],
    )
    compared = Task("mkpm", "disagreement", data.name, "mkpm")
    of_table1 = Task("mkpm", "table1", data.name, "mkpm", mkpm.CROSS_VALIDATED)

    def disagreement():
        return [(m.reading, m.value) for m in mkpm.statlog(compared, data)]

    monkeypatch.setattr(mkpm, "_CROSS_VALIDATED_D", Remembered("d", size=10))
    alone = disagreement()
    monkeypatch.setattr(mkpm, "_CROSS_VALIDATED_D", Remembered("d", size=10))
    mkpm.statlog(of_table1, data)
    monkeypatch.setattr(mkpm.MKPMClassifierCV, "fit", None)
    assert disagreement() == alone != []


@pytest.mark.parametrize("changes", [{}, {"criterion": "all dimensions"}])
def test_kernel_pca_of_another_reading_has_the_same_records_and_fits_one_kernel(
    changes, monkeypatch
):
    split = classes(12, 4)

    def kpca(reading, changes):
        (found,) = mkmmc.kpca(Trial(*split), {reading: changes})
        return found.value, found.chosen, list(found.path)

    monkeypatch.setattr(mkmmc, "_LEFT_OUT", Remembered("left out", size=10))
    alone = kpca("a", changes)
    monkeypatch.setattr(mkmmc, "_LEFT_OUT", Remembered("left out", size=10))
    kpca(HEADLINE, {})
    fits, make = [], mkmmc._pca_coefficients
    monkeypatch.setattr(mkmmc, "_pca_coefficients", lambda *a: fits.append(a) or make(*a))
    assert kpca("a", changes) == alone
    assert len(fits) == 1
