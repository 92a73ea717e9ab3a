from dataclasses import replace

import numpy as np
import pytest

import data_fetch
from data_fetch import Dataset
from reprolib.methods.simplex import SimplexRLSClassifierCV
from reprolib.papers.simplex import _beyond, _classes, _common, _table2
from reprolib.papers.simplex import protocol as simplex
from reprolib.rerun.printed import numbers, paper_entry
from reprolib.rerun.records import to_frame
from reprolib.rerun.registry import get_protocol
from reprolib.rerun.task import HEADLINE, Task

SMALL = "embedded/optdigits"


@pytest.fixture(scope="module")
def small():
    """A third of the bundled digits."""
    full = data_fetch.load(SMALL)
    rows = np.arange(600)
    return Dataset(SMALL, full.X[rows], full.y[rows], "embedded", "", [(rows[:400], rows[400:])])


def all_tasks(profile, datasets):
    frame = to_frame([])
    return [t for stage in get_protocol("simplex").stages for t in stage(profile, datasets, frame)]


def test_every_printed_number_has_a_task_or_a_reason():
    names = simplex.SETS
    tasks = all_tasks("full", dict.fromkeys(names))
    covered = {(t.table, t.dataset, t.method) for t in tasks if t.reading == HEADLINE}
    for number in numbers("simplex"):
        key = (number.results, number.select["dataset"], number.select["method"])
        assert bool(number.not_run) != (key in covered)


def test_every_reading_is_explained():
    tasks = all_tasks("full", dict.fromkeys(simplex.SETS))
    explained = {entry["name"] for entry in paper_entry("simplex")["readings"]}
    also = {reading for t in tasks for reading in t.params.get("also", {})}
    assert {t.reading for t in tasks} | also | {"Nystrom only"} == explained


def test_readings_have_as_many_runs_as_the_headline():
    tasks = all_tasks("full", dict.fromkeys(simplex.SETS))
    runs = {}
    for t in tasks:
        if t.table == "table2":
            runs.setdefault((t.dataset, t.method, t.reading), set()).add(t.trial)
    for (name, method, reading), trials in runs.items():
        assert trials == runs[name, method, HEADLINE], (name, method, reading)


def test_runs_of_linear_s_ls_after_the_first_take_four_fifths(small):
    tasks = all_tasks("full", {"uci/landsat": None})
    runs = [t for t in tasks if t.method == "s-ls" and t.reading == HEADLINE]
    assert [t.params.get("share", 1) for t in runs] == [1, 0.8, 0.8, 0.8, 0.8]
    values = [simplex.run(replace(t, dataset=SMALL), small)[0] for t in runs]
    assert len({m.path for m in map(_with_tuple, values)}) == 5


def test_random_splits_are_marked_as_resampled_and_keep_the_sizes(small):
    task = Task("simplex", "table2", SMALL, "s-ls", params={"seed": 1, "resample": True})
    (measurement,) = simplex.run(task, small)
    assert (measurement.source, measurement.n_test) == ("resampled", 200)
    assert measurement.value > 0.8


def test_mean_over_classes_weighs_classes_alike(small):
    train, test = small.splits[0]
    few = np.concatenate([test[small.y[test] != 8], test[small.y[test] == 8][:2]])
    uneven = Dataset(SMALL, small.X, small.y, "embedded", "", [(train, few)])
    task = Task("simplex", "table2", SMALL, "s-ls", params={"seed": 0, "mean_over_classes": True})
    (measurement,) = simplex.run(task, uneven)
    model = SimplexRLSClassifierCV().fit(small.X[train], small.y[train])
    correct = model.predict(small.X[few]) == small.y[few]
    by_class = [correct[small.y[few] == q].mean() for q in np.unique(small.y[few])]
    assert measurement.value == pytest.approx(np.mean(by_class))


def _with_tuple(measurement):
    return replace(measurement, path=tuple(measurement.path))


@pytest.mark.parametrize(
    ("reading", "passes"),
    [("library Pegasos, 4 passes", 4), ("SC + SH, library Pegasos, 1 pass", 1)],
)
def test_the_library_schedule_has_a_path_over_passes(small, reading, passes):
    (task,) = (
        replace(t, dataset=SMALL)
        for t in all_tasks("full", {"uci/landsat": None})
        if (t.method, t.reading, t.trial) == ("sc-svm online", reading, 0)
    )
    (measurement,) = simplex.run(task, small)
    assert len(measurement.path) == passes
    assert measurement.path[-1] == measurement.value > 0.6


def test_a_fixed_c_is_that_of_the_reading(small):
    task = Task("simplex", "table2", SMALL, "svm ova", params={"seed": 0, "C": 1e-3})
    (measurement,) = simplex.run(task, small)
    assert measurement.chosen["C"] == 1e-3


def test_tasks_are_distinct():
    tasks = all_tasks("full", dict.fromkeys(simplex.SETS))
    assert len({task.key(1, "") for task in tasks}) == len(tasks)


@pytest.mark.parametrize("method", ["s-ls", "s-ls online", "sh-svm online", "svm rbf ova"])
def test_methods_of_table_2_classify_digits(small, method):
    (task,) = (t for t in all_tasks("quick", {SMALL: small}) if t.method == method)
    (measurement,) = simplex.run(task, small)
    assert measurement.metric == "accuracy"
    assert measurement.value > 0.7
    assert measurement.n_test == 200


@pytest.mark.parametrize(
    ("grid", "largest", "middle"), [("log", 2.0, 0.2), ("linear", 2.0, 1.01), ("gram", 200.0, 20.0)]
)
def test_grids_of_lambda_span_the_spectrum_as_they_say(grid, largest, middle):
    alphas = _table2._grid(grid)(np.array([2.0, 20.0, 200.0]), 100)
    assert len(alphas) == 100
    assert alphas[0] == pytest.approx(largest)
    assert alphas[0] / alphas[-1] == pytest.approx(100.0)
    assert np.interp(49.5, np.arange(100), alphas) == pytest.approx(middle, rel=0.01)


def test_features_of_the_readings():
    X, X_test = np.array([[1.0], [3.0]]), np.array([[5.0]])
    params = {"standardise": True, "intercept": True}
    task = Task("simplex", "table2", SMALL, "s-ls", params=params)
    train, test = _table2._features(task, X, X_test)
    np.testing.assert_allclose(train, [[-1, 1], [1, 1]])
    np.testing.assert_allclose(test, [[3, 1]])


def test_a_large_set_selects_lambda_on_nystrom_features(small, monkeypatch):
    monkeypatch.setattr(_table2, "LARGEST_EXACT", 100)
    monkeypatch.setattr(_table2, "N_LANDMARKS", 200)
    task = Task("simplex", "table2", SMALL, "s-ls rbf", params={"seed": 0})
    exact, nystrom = simplex.run(task, small)
    assert exact.chosen["alpha"] == nystrom.chosen["alpha"]
    assert nystrom.reading == "Nystrom only"
    assert exact.value > 0.88


def rbf_tasks():
    tasks = all_tasks("full", {"uci/landsat": None})
    return [replace(t, dataset=SMALL) for t in tasks if t.method == "s-ls rbf"]


def test_one_task_measures_both_grids_of_a_gaussian_kernel(small):
    train, test = small.splits[0]
    X, y = small.X[train], small.y[train]
    measured = [(t, m) for t in rbf_tasks() for m in simplex.run(t, small)]
    assert [m.reading for _, m in measured] == [
        HEADLINE,
        "lambda on the spectrum of K",
        "exp(-d^2/sigma^2)",
        "lambda on the spectrum of K, exp(-d^2/sigma^2)",
    ]
    for (task, m), grid in zip(measured, ["log", "gram"] * 2, strict=True):
        gamma = _common.rbf_gamma(X, task.params.get("gamma_factor", 1.0))
        model = SimplexRLSClassifierCV(_table2._grid(grid), kernel="rbf", gamma=gamma).fit(X, y)
        expected = _common.with_loo(model, small.X[test], small.y[test])
        assert list(m.path) == list(expected.path)
        assert replace(m, path=()) == replace(expected, path=(), reading=m.reading)


def test_both_grids_on_nystrom_features(small, monkeypatch):
    monkeypatch.setattr(_table2, "LARGEST_EXACT", 100)
    monkeypatch.setattr(_table2, "N_LANDMARKS", 200)
    headline, wide = rbf_tasks()
    exact, nystrom, gram = simplex.run(headline, small)
    assert exact.chosen["alpha"] == nystrom.chosen["alpha"] < gram.chosen["alpha"]
    assert "loo" not in exact.chosen
    assert nystrom.chosen["loo"] == pytest.approx(max(nystrom.path))
    readings = [m.reading for m in simplex.run(wide, small)]
    assert readings == ["exp(-d^2/sigma^2)", "lambda on the spectrum of K, exp(-d^2/sigma^2)"]


@pytest.mark.parametrize(
    ("method", "kernel"), [("sc-svm", "rbf"), ("sh-svm without hull", "linear")]
)
def test_batch_svms_carry_their_gap(small, method, kernel, monkeypatch):
    monkeypatch.setattr(_beyond, "BATCH_ITERATIONS", {"linear": 10, "rbf": 10})
    task = Task("simplex", "batch_svm", SMALL, method, params={"seed": 0}, setting=kernel)
    (measurement,) = simplex.run(task, small)
    assert measurement.gap is not None
    assert measurement.chosen["optimal"] == (measurement.gap <= 1.01 * _beyond._tolerance(task))


def test_peers_tune_on_equal_grids(small):
    rls, ridge = (
        simplex.run(Task("simplex", "peers", SMALL, method, params={"seed": 0}), small)[0]
        for method in ("simplex rls", "one-vs-all ridge")
    )
    assert abs(rls.value - ridge.value) < 0.05


def test_cost_tasks_keep_the_number_of_examples_and_test_on_their_classes(small, monkeypatch):
    monkeypatch.setattr(_classes, "N_TRAIN", 90)
    for method in _classes.METHODS:
        task = Task("simplex", "classes", SMALL, method, params={"n_classes": 3, "seed": 0})
        (measurement,) = simplex.run(task, small)
        test = small.splits[0][1]
        assert measurement.n_test == np.sum(small.y[test] < 3)
        assert measurement.value > 0.8


def test_cost_tasks_need_the_letters():
    assert not [t for t in all_tasks("full", {SMALL: None}) if t.table == "classes"]
    counts = {t.params["n_classes"] for t in all_tasks("full", {"uci/letter": None})[-18:]}
    assert counts == {2, 4, 8, 13, 20, 26}


@pytest.mark.parametrize("reading", ["no intercept", "coordinate boosting"])
def test_readings_change_the_method(small, reading):
    (task,) = (
        replace(
            t,
            dataset=SMALL,
            params={**t.params, "n_estimators": 3} if "n_estimators" in t.params else t.params,
        )
        for t in all_tasks("full", {"uci/landsat": None})
        if t.reading == reading and t.trial == 0
    )
    headline = replace(
        task, params={k: v for k, v in task.params.items() if k not in ("svm_intercept", "update")}
    )
    values = [(m.value, m.path) for t in (task, headline) for m in simplex.run(t, small)]
    assert values[0] != values[1]
