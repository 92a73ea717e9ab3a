"""The MKPM protocol on small data: what it selects, and on which data it looks."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from data_fetch import Dataset
from data_fetch.embedded import haxby as simulated
from reprolib.methods.mkpm import MKPMClassifier
from reprolib.papers.mkpm import _extras, _haxby, figures
from reprolib.papers.mkpm._common import (
    CROSS_VALIDATED,
    TRAINING_SIZE,
    draw,
    folds,
)
from reprolib.papers.mkpm.protocol import PROTOCOL
from reprolib.rerun import records as results
from reprolib.rerun.task import HEADLINE, Measurement, Task
from reprolib.rerun.worker import row_of


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
        for task in stage(profile, datasets, results.to_frame(rows)):
            measurements = PROTOCOL.run(task, datasets[task.dataset])
            rows += [row_of(task, m, "embedded", 0.0) for m in measurements]
    return results.to_frame(rows)


@pytest.fixture(scope="module")
def quick_records(statlog, fmri):
    return run_all("quick", {statlog.name: statlog, fmri.name: fmri})


def test_headline_takes_the_smallest_d_of_least_training_error(statlog):
    train, test = folds(statlog)[0]
    task = Task("mkpm", "table1", statlog.name, "mkpm")
    measured = {(m.reading, m.metric): m.value for m in PROTOCOL.run(task, statlog)}
    model = MKPMClassifier(1500, gamma=2.0**-6).fit(statlog.X[train], statlog.y[train])
    errors = np.mean(model.predict_path(statlog.X[train]) != statlog.y[train, None], axis=0)
    d = int(np.flatnonzero(errors == errors.min())[0])
    assert measured[HEADLINE, "d"] == d
    predicted = model.predict_path(statlog.X[test])[:, d]
    assert measured[HEADLINE, "accuracy"] == np.mean(predicted == statlog.y[test])


def test_draws_come_from_the_training_file(statlog):
    train, test = draw(statlog, trial=3, n_train=60)
    np.testing.assert_array_equal(test, folds(statlog)[0][1])
    assert len(train) == 60
    assert set(train) <= set(folds(statlog)[0][0])
    unsplit = Dataset("statlog/segment", statlog.X, statlog.y, source="embedded")
    train, test = draw(unsplit, trial=3, n_train=60)
    assert set(train) | set(test) == set(range(150))
    assert len(folds(unsplit)) == 10


def test_held_out_run_is_never_trained_on(fmri):
    fold = _haxby.prepare(fmri, 4, runs=10)
    assert 4 not in fold["groups"]
    assert set(fold["groups"]) == set(range(10)) - {4}
    assert len(fold["y_test"]) == 12
    twelve = _haxby.prepare(fmri, 4, runs=12)
    assert set(twelve["groups"]) == set(range(12)) - {4}


def test_conditions_of_the_voxels(fmri):
    scored = _haxby.z_score_runs(fmri.X, fmri.groups)
    for run in range(12):
        np.testing.assert_allclose(scored[fmri.groups == run].mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(scored[fmri.groups == run].std(axis=0), 1, atol=1e-9)
    centred = _haxby.prepare(fmri, 0, condition=_haxby.CENTRED)
    np.testing.assert_allclose(centred["X"].mean(axis=0), 0, atol=1e-9)
    assert np.abs(centred["X_test"].mean(axis=0)).max() > 1e-3
    fold = _haxby.prepare(fmri, 0, condition=_haxby.SCALED)
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
    one_d = quick_records[quick_records["reading"] == _haxby.ONE_D]
    assert one_d[one_d["metric"] == "d"]["value"].nunique() == 1


def test_every_reading_and_extra_runs(statlog, fmri):
    datasets = {statlog.name: statlog, fmri.name: fmri}
    first, _ = PROTOCOL.stages
    seen, rows = set(), []
    for task in first("full", datasets, results.to_frame([])):
        kind = (task.table, task.dataset, task.method, task.setting, task.reading)
        if kind in seen or task.params.get("rank", 50) > 50 or task.params.get("v", 0) != 0:
            continue
        seen.add(kind)
        if task.setting == _haxby.CRAMMER_SINGER and _haxby.warns_at_random():
            with pytest.raises(RuntimeError, match=r"needs scikit-learn 1\.9\.1"):
                PROTOCOL.run(task, datasets[task.dataset])
            continue
        measurements = PROTOCOL.run(task, datasets[task.dataset])
        assert measurements
        rows += [row_of(task, m, "embedded", 0.0) for m in measurements]
    records = results.to_frame(rows)
    assert {"gamma", "path", "ablation", "losses", "haxby", "bases"} <= set(records["table"])
    assert {CROSS_VALIDATED, TRAINING_SIZE} <= set(records["reading"])
    for figure in figures.report_figures(records).values():
        assert isinstance(figure, Figure)
    assert figures.ablation_table(records)["trials"].eq(1).all()
    assert not figures.losses_table(records).isna().to_numpy().any()
    assert figures.kernel_table(records).shape[0] == 1
    assert len(figures.haxby_table(records)) == 10 - _haxby.warns_at_random()


def test_ablation_records_what_it_spent(statlog):
    task = Task("mkpm", "ablation", statlog.name, "one-vs-all")
    for m in PROTOCOL.run(task, statlog):
        assert sum(m.chosen["allocation"]) == m.chosen["d"]
        if m.setting == "equal dimensions":
            assert len(set(m.chosen["allocation"])) == 1


def test_kernel_of_the_best_accuracy():
    rows = [
        row_of(
            Task("mkpm", "gamma", "statlog/dna", "mkpm", trial=trial, setting=f"v = {v}"),
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


def test_weights_land_in_the_grid():
    dataset = simulated.load_embedded()
    volumes = figures.category_weights(dataset, 60)
    assert set(volumes) == set(simulated.CATEGORIES)
    for volume in volumes.values():
        np.testing.assert_array_equal(np.isfinite(volume), dataset.extra["mask"])
    assert isinstance(figures.weight_maps(volumes, dataset.extra["affine"]), Figure)


def three_blobs():
    X, y = make_blobs(60, 5, centers=3, cluster_std=2.0, random_state=0)
    fold = {"X": X[:40], "y": y[:40], "X_test": X[40:], "y_test": y[40:]}
    return fold, [(np.arange(20), np.arange(20, 40))]


@pytest.mark.parametrize("size", [20, 40])
def test_a_cost_whose_solver_does_not_converge_is_out(size, monkeypatch):
    """On a fold of 20 volumes, or on all 40."""
    fold, splits = three_blobs()
    _, first = _haxby._linear_svm(_haxby.ONE_VS_ONE, fold, splits)
    fit = _haxby._fit_converged

    def fit_others(setting, C, X, y):
        if first["C"] == C and len(y) == size:
            raise ConvergenceWarning("stopped")
        return fit(setting, C, X, y)

    monkeypatch.setattr(_haxby, "_fit_converged", fit_others)
    accuracy, chosen = _haxby._linear_svm(_haxby.ONE_VS_ONE, fold, splits)
    assert chosen["C"] in set(_haxby.RELATIVE_C) - {first["C"]}
    assert 0.0 <= accuracy <= 1.0


def test_no_cost_whose_solver_converges_is_an_error(monkeypatch):
    def fit_none(setting, C, X, y):
        raise ConvergenceWarning("stopped")

    monkeypatch.setattr(_haxby, "_fit_converged", fit_none)
    with pytest.raises(ConvergenceWarning, match="stopped"):
        _haxby._linear_svm(_haxby.ONE_VS_ONE, *three_blobs())


def test_allocations_to_choose_from_are_those_of_every_total_and_of_every_dimension():
    X, y = make_blobs(60, centers=3, random_state=0)
    model = MKPMClassifier(6, gamma=0.5).fit(X, y)
    found = _extras._candidates(model, 6)
    np.testing.assert_array_equal(found["shared budget"], model.allocation_path_[:7])
    assert [sum(row) for row in found["shared budget"]] == list(range(7))
    largest = model.allocation_path_.max()
    np.testing.assert_array_equal(
        found["equal dimensions"], [[d, d, d] for d in range(largest + 1)]
    )
