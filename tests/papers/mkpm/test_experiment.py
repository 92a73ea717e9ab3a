"""The MKPM protocol on small data: what it selects, and on which data it looks."""

from __future__ import annotations

import json

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import make_blobs, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from data_fetch import Dataset
from data_fetch.embedded import haxby as simulated
from reprolib.methods.mkpm import MKPMClassifier
from reprolib.papers.mkpm import figures, methods
from reprolib.papers.mkpm.experiment import PROTOCOL
from reprolib.papers.mkpm.methods import CROSS_VALIDATED, HELD_OUT, TRAINING_SIZE, first_best
from reprolib.papers.mkpm.splits import (
    CENTRED,
    SCALED,
    draw,
    fold,
    n_folds,
    prepare,
    z_score_runs,
)
from reprolib.report.paper_figures import report_figures
from reprolib.rerun import records as results
from reprolib.rerun.records.rows import row_of
from reprolib.rerun.records.task import HEADLINE, Measurement, Task


@pytest.fixture(scope="module")
def statlog():
    X, y = make_blobs(150, centers=3, n_features=4, cluster_std=6.0, random_state=0)
    split = [(np.arange(100), np.arange(100, 150))]
    return Dataset("statlog/dna", X / 4, y, source="embedded", splits=split)


@pytest.fixture(scope="module")
def fmri():
    whole = simulated.load_embedded()
    rows = np.flatnonzero(np.isin(whole.y, ["face", "house", "cat"]) & (whole.extra["onset"] > 4))
    X = whole.X[rows][:, ::30]
    return Dataset("embedded/haxby", X, whole.y[rows], source="embedded", groups=whole.groups[rows])


def run_all(profile, datasets):
    """Records of all tasks of the first stage, with the second stage's."""
    rows = []
    for stage in PROTOCOL.stages:
        for task in stage.tasks(profile, datasets, results.to_frame(rows)):
            measurements = PROTOCOL.run(task, datasets[task.dataset])
            rows += [row_of(task, m, "embedded", 0.0) for m in measurements]
    return results.to_frame(rows)


@pytest.fixture(scope="module")
def quick_records(statlog, fmri):
    return run_all("quick", {statlog.name: statlog, fmri.name: fmri})


def test_headline_takes_the_smallest_d_of_least_training_error(statlog):
    train, test = fold(statlog, 0)
    task = Task("mkpm", "table1", statlog.name, "mkpm")
    measured = {(m.reading, m.metric): m.value for m in PROTOCOL.run(task, statlog)}
    model = MKPMClassifier(1500, gamma=2.0**-6).fit(statlog.X[train], statlog.y[train])
    errors = np.mean(model.predict_path(statlog.X[train]) != statlog.y[train, None], axis=0)
    d = int(np.flatnonzero(errors == errors.min())[0])
    assert measured[HEADLINE, "d"] == d
    predicted = model.predict_path(statlog.X[test])[:, d]
    assert measured[HEADLINE, "accuracy"] == np.mean(predicted == statlog.y[test])


def test_accuracy_of_the_svm_is_that_of_scikit_learn_on_the_test_points(statlog):
    (train, test), X, y = fold(statlog, 0), statlog.X, statlog.y
    C, exponent = methods.SVM["dna"]
    svm = SVC(C=C, gamma=2.0**exponent).fit(X[train], y[train])
    (found,) = PROTOCOL.run(Task("mkpm", "table1", statlog.name, "svm"), statlog)
    assert found.value == pytest.approx(svm.score(X[test], y[test]))
    assert (found.value > 0, found.n_test) == (True, len(test))


def test_linear_svm_does_not_depend_on_the_order_of_the_images():
    """As on other round-off: stopped at 1e-3, the solver's answer does."""
    X, y = make_classification(2100, 10, n_informative=6, n_classes=4, random_state=0)
    X, y, X_test, y_test = X[:100], y[:100], X[100:], y[100:]
    orders = [np.random.default_rng(seed).permutation(len(y)) for seed in range(4)]
    found = [
        methods._svm_accuracies([1.0], X[o], y[o], X_test, y_test, methods.PRINTED_TOL)
        for o in orders
    ]
    assert found == found[:1] * len(orders)


def test_draws_come_from_the_training_file(statlog):
    train, test = draw(statlog, trial=3, n_train=60)
    np.testing.assert_array_equal(test, fold(statlog, 0)[1])
    assert len(train) == 60
    assert set(train) <= set(fold(statlog, 0)[0])
    unsplit = Dataset("statlog/segment", statlog.X, statlog.y, source="embedded")
    train, test = draw(unsplit, trial=3, n_train=60)
    assert set(train) | set(test) == set(range(150))
    assert (n_folds(unsplit), n_folds(statlog)) == (10, 1)


def test_held_out_run_is_never_trained_on(fmri):
    fold = prepare(fmri, 4, runs=10)
    assert 4 not in fold["groups"]
    assert set(fold["groups"]) == set(range(10)) - {4}
    assert len(fold["y_test"]) == 12
    twelve = prepare(fmri, 4, runs=12)
    assert set(twelve["groups"]) == set(range(12)) - {4}


def test_conditions_of_the_voxels(fmri):
    scored = z_score_runs(fmri.X, fmri.groups)
    for run in range(12):
        np.testing.assert_allclose(scored[fmri.groups == run].mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(scored[fmri.groups == run].std(axis=0), 1, atol=1e-9)
    centred = prepare(fmri, 0, condition=CENTRED)
    np.testing.assert_allclose(centred["X"].mean(axis=0), 0, atol=1e-9)
    assert np.abs(centred["X_test"].mean(axis=0)).max() > 1e-3
    fold = prepare(fmri, 0, condition=SCALED)
    both = np.vstack([fold["X"], fold["X_test"]])
    np.testing.assert_allclose([both.min(axis=0), both.max(axis=0)], [[0] * 15, [1] * 15])


def test_quick_profile_measures_the_table(quick_records):
    assert (quick_records["status"] == "ok").all()
    table = quick_records[quick_records["table"] == "table1"]
    assert {"mkpm", "svm"} == set(table["method"])
    accuracy = table[table["metric"] == "accuracy"]["value"]
    assert accuracy.between(0, 1).all()


def test_pooled_choices_are_best_over_all_folds(quick_records, fmri):
    costs = quick_records[quick_records["table"] == "svm_cost"]
    mean = np.mean([np.array(path.split(), float) for path in costs["path"]], axis=0)
    svm = quick_records[
        (quick_records["table"] == "table1")
        & (quick_records["method"] == "svm")
        & (quick_records["dataset"] == fmri.name)
    ]
    assert svm["value"].mean() == pytest.approx(mean.max(), abs=1e-6)
    one_d = quick_records[quick_records["reading"] == methods.ONE_D]
    assert one_d[one_d["metric"] == "d"]["value"].nunique() == 1


def test_every_reading_and_extra_runs(statlog, fmri):
    datasets = {statlog.name: statlog, fmri.name: fmri}
    first, _ = PROTOCOL.stages
    seen, rows = set(), []
    for task in first.tasks("full", datasets, results.to_frame([])):
        kind = (task.table, task.dataset, task.method, task.setting, task.reading)
        if kind in seen or task.params.get("rank", 50) > 50 or task.params.get("v", 0) != 0:
            continue
        seen.add(kind)
        if task.setting == methods.CRAMMER_SINGER and methods.warns_at_random():
            with pytest.raises(RuntimeError, match=r"needs scikit-learn 1\.9\.1"):
                PROTOCOL.run(task, datasets[task.dataset])
            continue
        measurements = PROTOCOL.run(task, datasets[task.dataset])
        assert measurements
        rows += [row_of(task, m, "embedded", 0.0) for m in measurements]
    records = results.to_frame(rows)
    assert {"gamma", "path", "ablation", "losses", "haxby", "bases"} <= set(records["table"])
    assert {CROSS_VALIDATED, TRAINING_SIZE} <= set(records["reading"])
    for figure in report_figures("mkpm", records).values():
        assert isinstance(figure, Figure)
    assert figures.sharing_gains(records)["low"].isna().all(), "one trial has no interval"
    machines = results.machine_names(results.select(records, table="haxby"))
    assert machines.nunique() == 10 - methods.warns_at_random()


def test_ablation_records_what_it_spent(statlog):
    task = Task("mkpm", "ablation", statlog.name, "one-vs-all")
    for m in PROTOCOL.run(task, statlog):
        assert sum(m.chosen["allocation"]) == m.chosen["d"]
        if m.setting == "equal dimensions":
            assert len(set(m.chosen["allocation"])) == 1


def test_kernel_of_the_best_accuracy():
    rows = [
        row_of(
            Task("mkpm", "gamma", "statlog/dna", "mkpm", trial=trial, setting=f"v = {v}", level=v),
            Measurement("accuracy", value, {"d": 3}),
            "original",
            0.0,
        )
        for v, values in [(-1, (0.8, 0.9)), (0, (0.7, 0.7)), (2, (0.85, 0.85))]
        for trial, value in enumerate(values)
    ]
    (row,) = PROTOCOL.derive(results.to_frame(rows))
    assert (row["table"], row["metric"], row["setting"]) == ("table1", "log2 gamma", "")
    assert row["value"] == -6 + 1


def three_blobs():
    X, y = make_blobs(60, 5, centers=3, cluster_std=2.0, random_state=0)
    fold = {"X": X[:40], "y": y[:40], "X_test": X[40:], "y_test": y[40:]}
    return fold, [(np.arange(20), np.arange(20, 40))]


@pytest.mark.parametrize("size", [20, 40])
def test_a_cost_whose_solver_does_not_converge_is_out(size, monkeypatch):
    """On a fold of 20 volumes, or on all 40."""
    fold, splits = three_blobs()
    _, first = methods._linear_svm(methods.ONE_VS_ONE, fold, splits)
    fit = methods._fit_converged

    def fit_others(setting, C, X, y):
        if first["C"] == C and len(y) == size:
            raise ConvergenceWarning("stopped")
        return fit(setting, C, X, y)

    monkeypatch.setattr(methods, "_fit_converged", fit_others)
    accuracy, chosen = methods._linear_svm(methods.ONE_VS_ONE, fold, splits)
    assert chosen["C"] in set(methods.RELATIVE_C) - {first["C"]}
    assert 0.0 <= accuracy <= 1.0


# ---- what the profiles list, and the settings of the methods


# ---- folds, draws and choices


def test_every_partition_deals_all_rows_to_ten_folds_anew():
    unsplit = Dataset("statlog/segment", np.zeros((40, 1)), np.arange(40) % 4, source="embedded")
    first, second = (
        [tuple(fold(unsplit, 10 * partition + k)[1]) for k in range(10)] for partition in (0, 1)
    )
    assert sorted(sum(first, ())) == sorted(sum(second, ())) == list(range(40))
    assert set(first) != set(second)


def test_disagreement_compares_choices_of_d_on_the_same_path(statlog):
    measured = PROTOCOL.run(Task("mkpm", "disagreement", statlog.name, "mkpm"), statlog)
    shares = {m.reading: m.value for m in measured}
    assert set(shares) == {HELD_OUT, CROSS_VALIDATED}
    assert all(0 <= share <= 1 for share in shares.values())


@pytest.mark.parametrize(("n_pool", "n_train"), [(100, 66), (150, 100)])
def test_no_more_than_two_thirds_of_the_points_are_drawn(statlog, n_pool, n_train):
    splits = list(statlog.splits) if n_pool == 100 else ()
    dataset = Dataset("statlog/x", statlog.X, statlog.y, source="embedded", splits=splits)
    train, test = draw(dataset, trial=0)
    assert (len(train), len(test)) == (n_train, 50)
    assert (np.diff(train) > 0).all()
    assert not set(train) & set(test)
    assert set(train) != set(draw(dataset, trial=1)[0])


def test_first_of_the_scores_that_differ_by_rounding_is_best():
    assert first_best([0.5, 0.9 - 0.5e-9, 0.9]) == 1
    assert first_best([0.5, 0.9 - 2e-9, 0.9]) == 2
    assert first_best([0.9, 0.5, 0.9]) == 0


@pytest.mark.parametrize(
    ("accuracies", "best"),
    [
        ({-1: 0.9, 0: 0.9, 2: 0.9}, 0),
        ({-2: 0.9, 1: 0.9, 2: 0.9}, 1),
        ({-1: 0.9, 1: 0.9}, -1),
        ({0: 0.9, 2: 0.9 + 4e-7}, 0),
        ({0: 0.9, 2: 0.9 + 2e-6}, 2),
    ],
)
def test_of_tied_kernels_the_nearest_to_the_middle_one_is_taken(accuracies, best):
    rows = [
        row_of(
            Task("mkpm", "gamma", "statlog/segment", "mkpm", trial=2, setting=f"v = {v}", level=v),
            Measurement("accuracy", value, {"d": 3}),
            "original",
            0.0,
        )
        for v, value in accuracies.items()
    ]
    (row,) = PROTOCOL.derive(results.to_frame(rows))
    assert (row["value"], row["trial"]) == (-3 - best, 0)
    assert set(json.loads(row["chosen"])) == {str(v) for v in accuracies}


# ---- paths and budgets


def test_path_is_thinned_from_nothing_to_its_end(statlog, monkeypatch):
    monkeypatch.setattr(methods, "PATH_POINTS", 7)
    found = PROTOCOL.run(Task("mkpm", "path", statlog.name, "mkpm"), statlog)
    d = found[0].chosen["d"]
    assert len(d) == 7
    assert d[0] == 0
    assert all(m.chosen == {"d": d} for m in found)
    allocated = {m.setting: m.path for m in found if m.metric == "allocation path"}
    assert list(allocated) == ["class 0", "class 1", "class 2"]
    np.testing.assert_array_equal(sum(allocated.values()), d)
    train, test = draw(statlog, 0)
    model = MKPMClassifier(gamma=2.0**-6).fit(statlog.X[train], statlog.y[train])
    assert d[-1] == model.n_components_
    for m, rows in zip(found, (test, train), strict=False):
        right = model.predict_path(statlog.X[rows]) == statlog.y[rows, None]
        np.testing.assert_allclose(m.path, right.mean(axis=0)[d])


def test_independent_dimensions_have_the_least_risk_of_their_bit_over_the_folds(statlog):
    found = PROTOCOL.run(Task("mkpm", "ablation", statlog.name, "one-vs-all"), statlog)
    by_budget = {m.setting: m for m in found}
    assert set(by_budget) == ({"shared budget", "equal dimensions", "independent dimensions"})
    train, _ = draw(statlog, 0)
    X, y = statlog.X[train], statlog.y[train]
    *_, splits = methods._data(Task("mkpm", "ablation", statlog.name, "one-vs-all"), statlog)
    risks = []
    for inside, outside in splits:
        model = MKPMClassifier(gamma=2.0**-6, rank=600, random_state=0).fit(X[inside], y[inside])
        risks.append(model.bit_risk_path(X[outside], y[outside]) * len(outside))
    total = sum(risk[:, : min(r.shape[1] for r in risks)] for risk in risks)
    allocation = by_budget["independent dimensions"].chosen["allocation"]
    assert allocation == list(np.argmin(total, axis=1))
    assert np.ptp(total, axis=1).min() > 1


# ---- voxels


def test_voxels_are_scored_whatever_their_size_and_constant_ones_are_zero():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=12), 1e-3 * rng.normal(size=12), np.full(12, 5.0)])
    scored = z_score_runs(X, np.repeat([0, 1], 6))
    for rows in (slice(0, 6), slice(6, 12)):
        np.testing.assert_allclose(scored[rows].std(axis=0), [1, 1, 0], atol=1e-12)
        np.testing.assert_allclose(scored[rows].mean(axis=0), 0, atol=1e-12)


def test_small_and_constant_voxels_are_scaled(fmri):
    X = 1e-3 * fmri.X
    X[:, 0] = 7.0
    small = Dataset(fmri.name, X, fmri.y, source="embedded", groups=fmri.groups)
    fold = prepare(small, 0, condition=SCALED)
    both = np.vstack([fold["X"], fold["X_test"]])
    np.testing.assert_allclose(both.min(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(both.max(axis=0), [0] + [1] * 14)


def test_folds_of_the_ablation_keep_runs_together(fmri):
    *_, options, splits = methods._data(Task("mkpm", "ablation", fmri.name, "random"), fmri)
    assert options == {"kernel": "linear"}
    assert len(splits) == 5
    groups = prepare(fmri, 0)["groups"]
    for train, test in splits:
        assert not set(groups[train]) & set(groups[test])
