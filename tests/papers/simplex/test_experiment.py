from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import data_fetch
from data_fetch import Dataset
from reprolib.methods.simplex import SimplexRLSClassifierCV
from reprolib.papers.simplex import beyond, methods
from reprolib.papers.simplex import experiment as simplex
from reprolib.rerun.records import to_frame
from reprolib.rerun.records.registry import readings_of
from reprolib.rerun.records.rows import row_of
from reprolib.rerun.records.task import HEADLINE, Measurement, Task
from reprolib.rerun.verdicts.printed import numbers
from tests.naive import simplex as naive

SMALL = "embedded/optdigits"
ALL = (*simplex.SETS, "caltech101")


@pytest.fixture(scope="module")
def small():
    """A third of the bundled digits."""
    full = data_fetch.load(SMALL)
    rows = np.arange(600)
    return Dataset(SMALL, full.X[rows], full.y[rows], "embedded", "", [(rows[:400], rows[400:])])


def all_tasks(profile, datasets):
    """Tasks on data sets of these names, whatever is in them."""
    named = {name: SimpleNamespace(name=name) for name in datasets}
    (stage,) = simplex.PROTOCOL.stages
    return stage.tasks(profile, named, to_frame([]))


def test_every_printed_number_has_a_task_or_a_reason():
    tasks = all_tasks("full", ALL)
    covered = {(t.table, t.dataset, t.method) for t in tasks if t.reading == HEADLINE}
    for number in numbers("simplex"):
        key = (number.results, number.select["dataset"], number.select["method"])
        assert bool(number.not_run) != (key in covered)


def test_every_reading_is_explained():
    tasks = all_tasks("full", ALL)
    explained = set(readings_of("simplex"))
    also = {reading for t in tasks for reading in t.params.get("also", {})}
    assert {t.reading for t in tasks} | also | {"Nystrom only", "half the rounds"} == explained


def test_other_dictionaries_are_compared_on_the_same_splits():
    def rows(table, setting, level, values):
        task = Task("simplex", table, "caltech101", "s-ls", setting=setting, level=level)
        found = []
        for trial, value in enumerate(values):
            measured = Measurement("accuracy", value)
            found.append(row_of(replace(task, trial=trial), measured, "resampled", 0.0))
        return found

    own = rows("table2", "", None, [0.5, 0.7, 0.9])
    others = rows("dictionaries", "dictionary 1", 1, [0.6, 0.8, 0.1])
    others += rows("dictionaries", "dictionary 2", 2, [0.4, 0.2])
    found = to_frame(simplex.derive(to_frame(own + others))).set_index("trial")
    assert found["value"].to_dict() == pytest.approx({0: 0.6, 1: 0.7, 2: 0.3})
    assert set(found["table"]) == {"table2"}
    assert set(found["setting"]) == {""}
    assert not simplex.derive(to_frame(own))


def test_readings_have_as_many_runs_as_the_headline():
    tasks = all_tasks("full", simplex.SETS)
    runs = {}
    for t in tasks:
        if t.table == "table2":
            runs.setdefault((t.dataset, t.method, t.reading), set()).add(t.trial)
    for (name, method, reading), trials in runs.items():
        if "svm" not in method or "online" in method:
            assert trials >= runs[name, method, HEADLINE], (name, method, reading)


def test_s_ls_has_one_run_on_the_official_split_and_twenty_on_four_fifths(small):
    tasks = all_tasks("full", ["uci/landsat"])
    of_table = [t for t in tasks if t.table == "table2" and t.method == "s-ls"]
    (official,) = (t for t in of_table if t.reading == HEADLINE)
    parts = [t for t in of_table if t.reading == "four fifths"]
    assert [t.params["share"] for t in parts] == [0.8] * 20
    some = [official, *parts[:3]]
    values = [simplex.run(replace(t, dataset=SMALL), small)[0] for t in some]
    assert len({m.path for m in map(_with_tuple, values)}) == 4


def test_disagreement_is_the_share_on_which_one_of_two_runs_is_right(small):
    train, test = small.splits[0]
    (task,) = (
        t
        for t in all_tasks("full", ["uci/landsat"])
        if t.table == "disagreement" and t.method == "s-ls"
    )
    measured = {m.reading: m.value for m in simplex.run(replace(task, dataset=SMALL), small)}
    hits = []
    for constant in (0, 1):
        X = np.column_stack([small.X, np.full(len(small.X), constant)])
        model = SimplexRLSClassifierCV(methods.rls_grid("log")).fit(X[train], small.y[train])
        hits.append(model.predict(X[test]) == small.y[test])
    assert measured["intercept"] == pytest.approx(np.mean(hits[0] != hits[1]))
    assert HEADLINE not in measured
    assert all(0 <= share < 0.5 for share in measured.values())


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
        for t in all_tasks("full", ["uci/landsat"])
        if (t.method, t.reading, t.trial) == ("sc-svm online", reading, 0)
    )
    (measurement,) = simplex.run(task, small)
    assert len(measurement.path) == passes
    assert measurement.path[-1] == measurement.value > 0.6


def test_a_fixed_c_is_that_of_the_reading(small):
    task = Task("simplex", "table2", SMALL, "svm ova", params={"seed": 0, "C": 1e-3})
    (measurement,) = simplex.run(task, small)
    assert measurement.chosen["C"] == 1e-3


def test_the_linear_svm_searches_five_costs(small):
    (found,) = simplex.run(Task("simplex", "table2", SMALL, "svm ova", params={"seed": 0}), small)
    assert len(found.path) == 5


def test_tasks_are_distinct():
    tasks = all_tasks("full", (*ALL, "pubfig83/features"))
    assert len({task.id for task in tasks}) == len(tasks)


@pytest.mark.parametrize("method", ["s-ls", "s-ls online", "sh-svm online", "svm rbf ova"])
def test_methods_of_table_2_classify_digits(small, method):
    task = next(t for t in all_tasks("quick", [SMALL]) if t.method == method)
    (measurement,) = simplex.run(task, small)
    assert measurement.metric == "accuracy"
    assert measurement.value > 0.7
    assert measurement.n_test == 200


def test_the_path_of_boosting_ends_at_its_accuracy(small):
    task = next(t for t in all_tasks("quick", [SMALL]) if t.method == "boosting")
    params = {**task.params, "n_estimators": 5}
    (found,) = simplex.run(replace(task, params=params), small)
    assert len(found.path) == 5
    assert found.path[-1] == pytest.approx(found.value)


@pytest.mark.parametrize(
    ("grid", "largest", "middle"), [("log", 2.0, 0.2), ("linear", 2.0, 1.01), ("gram", 200.0, 20.0)]
)
def test_grids_of_lambda_span_the_spectrum_as_they_say(grid, largest, middle):
    alphas = methods.rls_grid(grid)(np.array([2.0, 20.0, 200.0]), 100)
    assert len(alphas) == 100
    assert alphas[0] == pytest.approx(largest)
    assert alphas[0] / alphas[-1] == pytest.approx(100.0)
    assert np.interp(49.5, np.arange(100), alphas) == pytest.approx(middle, rel=0.01)


def test_features_of_the_readings():
    X, X_test = np.array([[1.0], [3.0]]), np.array([[5.0]])
    params = {"standardise": True, "intercept": True}
    train, test = methods.features(params, X, X_test)
    np.testing.assert_allclose(train, [[-1, 1], [1, 1]])
    np.testing.assert_allclose(test, [[3, 1]])


def rbf_tasks():
    listed = [t for t in all_tasks("full", ["uci/landsat"]) if t.table == "table2"]
    whole = [t for t in listed if t.method == "s-ls rbf" and "sizes" not in t.params]
    return [replace(t, dataset=SMALL) for t in whole]


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
        gamma = methods.rbf_gamma(X, task.params.get("gamma_factor", 1.0))
        model = SimplexRLSClassifierCV(methods.rls_grid(grid), kernel="rbf", gamma=gamma).fit(X, y)
        expected = methods.with_loo(model, small.X[test], small.y[test])
        assert list(m.path) == list(expected.path)
        assert replace(m, path=()) == replace(expected, path=(), reading=m.reading)


def test_both_grids_on_nystrom_features(small, monkeypatch):
    monkeypatch.setattr(methods, "LARGEST_EXACT", 100)
    monkeypatch.setattr(methods, "N_LANDMARKS", 200)
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
    monkeypatch.setattr(beyond, "BATCH_ITERATIONS", {"linear": 10, "rbf": 10})
    task = Task("simplex", "batch_svm", SMALL, method, params={"seed": 0}, setting=kernel)
    (measurement,) = simplex.run(task, small)
    assert measurement.gap is not None
    assert measurement.chosen["optimal"] == (measurement.gap <= 1.01 * beyond._tolerance(task))


def test_peers_tune_on_equal_grids(small):
    rls, ridge = (
        simplex.run(Task("simplex", "peers", SMALL, method, params={"seed": 0}), small)[0]
        for method in ("simplex rls", "one-vs-all ridge")
    )
    assert abs(rls.value - ridge.value) < 0.05


def test_cost_tasks_keep_the_number_of_examples_and_test_on_their_classes(small, monkeypatch):
    monkeypatch.setattr(beyond, "N_TRAIN", 90)
    for method in beyond.BY_CLASSES:
        task = Task("simplex", "classes", SMALL, method, params={"n_classes": 3, "seed": 0})
        (measurement,) = simplex.run(task, small)
        test = small.splits[0][1]
        assert measurement.n_test == np.sum(small.y[test] < 3)
        assert measurement.value > 0.8


def test_cost_tasks_need_the_letters():
    assert not [t for t in all_tasks("full", [SMALL]) if t.table == "classes"]
    listed = all_tasks("full", ["uci/letter"])
    counts = {t.params["n_classes"] for t in listed if t.table == "classes"}
    assert counts == {2, 4, 8, 13, 20, 26}


@pytest.mark.parametrize("reading", ["no intercept", "coordinate boosting"])
def test_readings_change_the_method(small, reading):
    (task,) = (
        replace(
            t,
            dataset=SMALL,
            params={**t.params, "n_estimators": 3} if "n_estimators" in t.params else t.params,
        )
        for t in all_tasks("full", ["uci/landsat"])
        if t.reading == reading and t.trial == 0
    )
    headline = replace(
        task, params={k: v for k, v in task.params.items() if k not in ("svm_intercept", "update")}
    )
    values = [(m.value, m.path) for t in (task, headline) for m in simplex.run(t, small)]
    assert values[0] != values[1]


def test_no_reading_takes_the_mean_of_the_paper_with_other_features():
    for task in all_tasks("full", simplex.SETS):
        if task.method in methods.ONLINE_LOSSES and task.params.get("average"):
            assert not {"intercept", "standardise"} & set(task.params), task.id


READINGS_OF_ONE_RUN = [
    {},
    {"standardise": True},
    {"average": True},
    {"loss": "cone_halfspace", "average": True},
    *({"library": True, "passes": passes} for passes in (1, 4, 10)),
]


@pytest.mark.parametrize("changes", READINGS_OF_ONE_RUN)
@pytest.mark.parametrize("method", sorted(methods.ONLINE_LOSSES))
def test_an_online_reading_has_the_record_of_a_run_of_its_own(changes, method, small):
    train, test = small.splits[0]
    params = {"seed": 2, **changes}
    X, X_test = methods.features(params, small.X[train], small.X[test])
    data = X, small.y[train], X_test, small.y[test]
    value, alpha, path = naive.online(methods.ONLINE_LOSSES[method], params, *data)
    for _ in range(2):  # made, and remembered
        task = Task("simplex", "table2", SMALL, method, params=params)
        (measurement,) = simplex.run(task, small)
        assert (measurement.value, list(measurement.path)) == (value, path)
        assert measurement.chosen == {"alpha": methods.rounded(alpha)}


def three_groups(n=36):
    """Three well separated classes in four dimensions."""
    rng, y = np.random.default_rng(0), np.arange(n) % 3
    return rng.normal(size=(n, 4)) + 4.0 * np.eye(3, 4)[y], y


@pytest.mark.parametrize("method", beyond.PEERS)
def test_peers_tune_over_ten_costs_that_are_those_of_each_other(method):
    X, y = three_groups()
    task = Task("simplex", "peers", SMALL, method, params={"seed": 0})
    (found,) = simplex.run(task, Dataset(SMALL, X, y, "embedded", "", [(np.arange(36),) * 2]))
    costs = np.geomspace(1e-4, 10.0, 10) / 4
    ridges = {"simplex rls": 1 / (2 * costs * 36), "one-vs-all ridge": 1 / (2 * costs)}
    name, grid = ("alpha", ridges[method]) if method in ridges else ("C", costs)
    assert np.isclose(grid, found.chosen[name], rtol=1e-5, atol=0).sum() == 1
    assert found.value > 0.9
    assert len(found.path) == (0 if method == "one-vs-all ridge" else 10)
    if method in ("sc-svm", "linear svm, one-vs-rest"):
        assert found.gap <= 1e-8
    else:
        assert found.gap is None
