"""The study: paired splits, equal budgets, tuning by definition."""

from __future__ import annotations

import dataclasses
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import label_binarize

import data_fetch
import naive
from data_fetch import Dataset
from reprolib.methods.keops import MKLClassifier
from reprolib.methods.kpm import KPMClassifier, components
from reprolib.methods.shared.solution import NotOptimalError, NotOptimalWarning
from reprolib.rerun.records import load_paper, to_frame
from reprolib.rerun.records.task import HEADLINE, Task
from which_method import advice, estimators, experiment, methods, splits, summaries, tuning
from which_method.estimators import ConstantRLS, KernelBank, NearestVote, OneVsRestKPM
from which_method.experiment import BEYOND, run
from which_method.methods import METHODS, N_CONFIGURATIONS, Method, Setting
from which_method.splits import (
    MAX_TEST,
    MAX_TRAIN,
    draw_curve_rows,
    draw_rows,
    make_split,
    prepared,
)
from which_method.tuning import shared_fits, tune


def blobs(n_classes=3, n=240, p=4, groups=None, name="test/blobs", seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    centres = np.sqrt(2.0) * np.eye(n_classes, p)
    return Dataset(name, rng.normal(size=(n, p)) + centres[y], y, "embedded", groups=groups)


def list_tasks(profile, datasets):
    (stage,) = experiment.PROTOCOL.stages
    return stage.tasks(profile, datasets, to_frame([]))


@pytest.fixture(scope="module")
def split():
    return make_split(blobs(), 0)


# ---- the sets


def test_every_set_is_in_the_catalogue_and_none_twice():
    assert set(experiment.SETS) <= set(data_fetch.names())
    assert len(experiment.SETS) == len(set(experiment.SETS)) == 19
    assert set(experiment.QUICK_SETS) <= set(experiment.SETS)


def test_the_added_sets_are_others_in_a_table_of_few_trials():
    assert set(experiment.MORE_SETS) <= set(data_fetch.names())
    assert not set(experiment.MORE_SETS) & set(experiment.SETS)
    real = {*experiment.SETS, *experiment.MORE_SETS} - set(summaries.GENERATED)
    assert len(real) >= 60
    data = blobs(name=experiment.MORE_SETS[0])
    full, quick = (list_tasks(profile, {data.name: data}) for profile in ("full", "quick"))
    assert {task.table for task in full} == {experiment.MORE}
    assert Counter(task.method for task in full)["svc"] == experiment.MORE_TRIALS
    assert not {task.method for task in full} & set(experiment.DEAR)
    assert quick == [], "a first look takes no longer than before"


def test_three_trials_of_a_set_widen_an_interval_over_sets_by_a_fifth():
    """The number of trials follows from the deviations between sets and within their trials."""
    rows = summaries.main_rows(load_paper("which_method"), "accuracy")
    rows = rows[rows["dataset"].isin(experiment.SETS)]
    wide = 100 * rows.pivot_table(index=["dataset", "trial"], columns="method", values="value")
    points = (wide["extra trees"] - wide["svc"]).groupby(level="dataset")
    between, within = points.mean().std(), np.sqrt(points.var().mean())
    assert (between, within) == pytest.approx((2.0, 2.3), abs=0.05)
    assert np.sqrt(1 + (within / between) ** 2 / experiment.MORE_TRIALS) == pytest.approx(
        1.2, abs=0.01
    )
    assert pytest.approx((2.3 / 2.0) ** 2, abs=0.03) == advice.WITHIN


def test_no_method_that_is_left_out_is_better_than_the_svm():
    found = summaries.differences(load_paper("which_method"))
    left_out = set(experiment.DEAR) & set(found)
    assert len(left_out) == len(experiment.DEAR) - 1  # one has fewer trials: test_peers
    assert all(found[key].word != "better" for key in left_out)
    assert all(len(found[key].words) <= len(experiment.SETS) for key in left_out)


def test_sets_keep_the_rules_by_which_they_were_taken():
    about = pd.read_csv(advice.SETS_FILE, index_col="dataset")
    assert set(about.index) == {*experiment.SETS, *experiment.MORE_SETS}
    added = about.loc[list(experiment.MORE_SETS)]
    assert (added["rows"] >= 100).all()
    assert (added["smallest"] >= 20).all()
    assert (added["largest"] < 0.99).all()
    for name, line in about.iterrows():
        info = data_fetch.info(str(name))
        assert info.n_features == line["columns"]
        assert info.n_samples == line["rows"] or name.startswith(("p300", "haxby"))


@pytest.mark.needs_data("keel/sonar", "keel/wine_white", "series/covid")
@pytest.mark.parametrize("name", ["keel/sonar", "keel/wine_white", "series/covid"])
def test_facts_of_a_set_are_those_of_its_rows(name):
    y = data_fetch.load(name).y
    line = pd.read_csv(advice.SETS_FILE, index_col="dataset").loc[name]
    counts = np.bincount(y)
    assert (line["classes"], line["smallest"]) == (len(counts), counts.min())
    assert line["largest"] == pytest.approx(counts.max() / len(y), abs=1e-4)


@pytest.mark.needs_data("uci/landsat", "statlog/satimage", "raetsch/image", "statlog/segment")
def test_sets_left_out_hold_the_rows_of_others():
    landsat, satimage = (data_fetch.load(f"{n}") for n in ("uci/landsat", "statlog/satimage"))
    for one, other in zip(landsat.X.T, satimage.X.T, strict=True):
        assert np.corrcoef(np.sort(one), np.sort(other))[0, 1] > 0.999
    segment = np.unique(data_fetch.load("statlog/segment").y, return_counts=True)[1]
    image = np.unique(data_fetch.load("raetsch/image").y, return_counts=True)[1]
    assert sorted(image) == [3 * segment[0], 4 * segment[0]]


def test_balanced_machines_are_tuned_by_the_mean_recall_of_the_classes():
    """As scikit-learn has it, fold by fold weighted by the rows of each class."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [90, 30])
    X = rng.normal(size=(120, 3)) + 0.8 * y[:, None]
    split = prepared(Dataset("a/b", X, y, "embedded"), 0, np.arange(120), np.arange(120))
    method = METHODS["lda equal priors"]
    found = tune(method, split).cv_accuracy
    for config, value in zip(method.grid, found, strict=True):
        model = method.make(Setting.of(split.X, split.y), **config)
        predicted = cross_val_predict(model, split.X, split.y, cv=split.folds)
        assert value == pytest.approx(metrics.balanced_accuracy_score(split.y, predicted))


# ---- the budget


def test_every_method_has_the_same_number_of_different_configurations():
    untuned = {key for key, method in METHODS.items() if list(method.grid) == [{}]}
    assert untuned == {"extra trees", "random forest", "gradient boosting untuned"}
    for key in set(METHODS) - untuned - set(experiment.BEYOND):
        assert len({str(config) for config in METHODS[key].grid}) == N_CONFIGURATIONS


def test_methods_beyond_the_budget_have_more_of_the_same_in_fewer_trials():
    wide, narrow = ({str(c) for c in METHODS[key].grid} for key in ("svc wide", "svc"))
    assert narrow < wide
    rounds = {
        key: {config["rounds"] for config in METHODS[key].grid}
        for key in ("gradient boosting", "gradient boosting 500")
    }
    assert max(rounds["gradient boosting 500"]) == 500 > max(rounds["gradient boosting"])
    tasks = list_tasks("full", {"raetsch/heart": blobs(name="raetsch/heart")})
    trials = Counter(task.method for task in tasks if task.table == experiment.TABLE)
    assert all(trials[key] < trials["svc"] for key in experiment.BEYOND)


def test_long_boosting_ends_where_hardly_a_prediction_moves(split):
    """By the training loss, which costs no rows."""
    setting = Setting.of(split.X, split.y)
    model = METHODS["gradient boosting 500"].make(setting, learning_rate=0.3, rounds=500)
    n_rounds = model.fit(split.X, split.y).n_iter_
    assert n_rounds < 500
    whole = model.set_params(early_stopping=False).fit(split.X, split.y)
    stages = list(whole.staged_predict(split.X_test))
    assert len(stages) == 500
    assert np.mean(stages[n_rounds - 1] == stages[-1]) > 0.95


@pytest.mark.parametrize("key", METHODS)
def test_grids_begin_in_the_middle_and_end_at_the_ends(key):
    grid = METHODS[key].grid
    for name in grid[0]:
        values = list(dict.fromkeys(config[name] for config in grid))
        if not isinstance(values[0], str):
            assert values[0] == sorted(values)[len(values) // 2]
            assert set(values[-2:]) == {min(values), max(values)}


def test_machines_with_a_kernel_width_are_given_the_same_widths():
    widths = {
        tuple(sorted({config["gamma"] for config in method.grid}))
        for key, method in METHODS.items()
        if "gamma" in method.grid[0] and key not in experiment.BEYOND
    }
    assert widths == {(1 / 64, 1 / 8, 1.0)}


@pytest.mark.parametrize("key", METHODS)
def test_every_method_runs_on_its_whole_budget(key):
    # Weights of kernels are dear, and 40 rows tell them as well.
    data = blobs(2, n=80 if key == "mkl" else 140)
    found = {m.metric: m for m in run(Task("which_method", "accuracy", data.name, key), data)}
    assert found["accuracy"].value > 0.7
    assert found["accuracy"].chosen in list(METHODS[key].grid)
    assert found["fits not converged"].value == 0
    tuned = len(METHODS[key].grid) > 1
    assert found["fits"].value == 3 * tuned * len(shared_fits(METHODS[key])) + 1
    assert ("cross-validated accuracy" in found) == tuned


#: What the middle configuration becomes on 100 rows of 128 columns, in three classes, with a sum of
#: variances of 8: widths are 1/8 of 1/8, and n alpha = 1 / (2 C).
WIDTHS = [1 / 512, 1 / 64, 1 / 8]
LEAST_SQUARES = {"alpha": 1 / 2000, "gamma": 1 / 64}
ONLINE = {"alpha": 0.08, "max_iter": 20, "average": True, "random_state": 0}
HANDED = {
    "kpm": {"n_components": 10, "loss": "hinge", "gamma": 1 / 64},
    "kpm square": {"n_components": 10, "loss": "square", "gamma": 1 / 64},
    "mkpm": {"n_components": 96, "gamma": 1 / 64},
    "simplex rls": {"kernel": "rbf", **LEAST_SQUARES},
    "simplex rls constant": LEAST_SQUARES,
    "simplex rls linear": {"kernel": "linear", "alpha": 0.08},
    "sc-svm": {"C": 10.0, "gamma": 1 / 64, "tol": 1e-9, "max_iter": 300},
    "simplex sgd": {"loss": "cone", **ONLINE},
    "simplex sgd sc+sh": {"loss": "cone_halfspace", **ONLINE},
    "mkl": {"C": 1.0, "gammas": WIDTHS, "tol": 0.01},
    "mmc": {"within_weight": 0.4, "n_neighbors": 7},
    "kmmc": {"gamma": 1 / 64, "constraint": "whitened", "ridge": 0.1, "n_neighbors": 7},
    "mkmmc": {
        "gammas": WIDTHS,
        "constraint": "function",
        "ridge": 0.0,
        "normalization": "trace",
        "tol": 1e-3,
        "max_iter": 100,
        "n_neighbors": 7,
    },
    "svc": {"C": 10.0, "gamma": 1 / 64},
    "svc balanced": {"C": 10.0, "gamma": 1 / 64, "class_weight": "balanced"},
    "gp": {"kernel": ConstantKernel(10.0) * RBF(np.sqrt(32.0)), "optimizer": None},
    "gradient boosting": {
        "learning_rate": 0.1,
        "max_iter": 15,
        "max_leaf_nodes": 8,
        "min_samples_leaf": 5,
        "max_bins": 32,
        "max_features": 0.5,
        "early_stopping": False,
        "random_state": 0,
    },
    "extra trees": {"n_estimators": 300, "random_state": 0},
    "random forest": {"n_estimators": 100, "random_state": 0},
    "neighbors": {"n_neighbors": 8},
    "logistic": {"C": 1.0, "max_iter": 2000},
    "lda": {"solver": "lsqr", "shrinkage": 0.2},
}


def handed(key, n_features=128, **config):
    setting = Setting(100, 3, n_features, 8.0)
    made = METHODS[key].make(setting, **{**METHODS[key].grid[0], **config})
    steps = [step for _, step in made.steps] if isinstance(made, Pipeline) else [made]
    return {name: value for step in steps for name, value in vars(step).items()}


@pytest.mark.parametrize("key", HANDED)
def test_configurations_are_on_the_scale_of_the_data(key):
    found = {name: value for name, value in handed(key).items() if name in HANDED[key]}
    if "gammas" in found:
        found["gammas"] = list(found["gammas"])
    assert found == HANDED[key]


def test_only_the_whitened_constraint_has_a_ridge():
    ridges = {name: handed("mkmmc", constraint=name)["ridge"] for name in methods.CONSTRAINTS}
    assert ridges == {"whitened": 0.1, "function": 0.0, "coefficient": 0.0}


@pytest.mark.parametrize(("n_features", "share"), [(63, 1.0), (64, 1.0), (65, 64 / 65)])
def test_boosting_looks_at_sixty_four_features_where_there_are_more(n_features, share):
    assert handed("gradient boosting", n_features)["max_features"] == share


def test_rounds_after_the_last_one_are_the_last_one():
    class Staged:
        def staged_predict(self, X):
            return iter([X + 1, X + 2, X + 3])

    assert METHODS["gradient boosting"].path.predict(Staged(), 0, [1, 2, 3, 4, 45]) == [
        1,
        2,
        3,
        3,
        3,
    ]


def test_methods_that_are_for_two_classes_or_for_more_are_run_there_alone():
    two, three = blobs(2, name="a/two"), blobs(3, name="a/three")
    tasks = list_tasks("quick", {"a/two": two, "a/three": three})
    counts = Counter((task.dataset, task.method) for task in tasks)
    assert len(set(counts.values())) == 1
    missing = {
        n: set(METHODS) - {m for name, m in counts if name == n} for n in ("a/two", "a/three")
    }
    assert missing == {
        "a/two": {"svc one-vs-rest", *BEYOND},
        "a/three": {"kpm", "kpm square", "mkl", "gp", *BEYOND},
    }


def test_only_trees_on_wide_sets_are_run_on_all_columns():
    wide = blobs(p=201, name="a/wide")
    tasks = list_tasks("full", {"a/wide": wide, "a/narrow": blobs(name="a/narrow")})
    others = [task for task in tasks if task.reading != HEADLINE]
    assert {(t.dataset, t.method) for t in others} == {("a/wide", key) for key in experiment.TREES}
    assert make_split(wide, 0).X.shape[1] == 100
    assert make_split(wide, 0, all_columns=True).X.shape[1] == 201


@pytest.mark.parametrize(("reading", "whole"), [(HEADLINE, False), (experiment.ALL_COLUMNS, True)])
def test_a_method_is_given_all_columns_in_that_reading_alone(reading, whole):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 201)) * 10.0
    data = Dataset("a/wide", X, np.arange(120) % 3, "embedded")
    measured = run(
        Task("which_method", experiment.TABLE, data.name, "random forest", reading), data
    )
    split = make_split(data, 0, all_columns=whole)
    expected = tune(METHODS["random forest"], split).model.predict(split.X_test)
    hits = {m.metric: m.value for m in measured}["accuracy"]
    assert hits == np.mean(expected == split.y_test)


def test_two_hundred_columns_are_all_kept():
    narrow = blobs(p=200, name="a/narrow")
    tasks = list_tasks("full", {"a/narrow": narrow})
    assert {task.reading for task in tasks} == {HEADLINE}
    assert make_split(narrow, 0).X.shape[1] == 200


def test_components_are_no_more_than_the_rows_span():
    assert make_split(blobs(n=60, p=201), 0).X.shape == (30, 29)


# ---- paired splits


def test_a_trial_is_the_same_for_every_method_and_differs_between_trials():
    one, again, other = (make_split(blobs(), seed) for seed in (3, 3, 4))
    for part in ("X", "y", "X_test", "y_test"):
        assert np.array_equal(getattr(one, part), getattr(again, part))
    for fold, same in zip(one.folds, again.folds, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(fold, same, strict=True))
    assert not np.array_equal(one.X, other.X)


@pytest.mark.parametrize(
    ("n", "n_train", "n_test"), [(90, 45, 45), (91, 45, 46), (5000, MAX_TRAIN, MAX_TEST)]
)
def test_rows_are_disjoint_capped_and_in_the_proportions_of_the_classes(n, n_train, n_test):
    rng = np.random.default_rng(0)
    data = Dataset("a/b", rng.normal(size=(n, 2)), rng.choice(3, n, p=[0.6, 0.3, 0.1]), "embedded")
    train, test = draw_rows(data, 1)
    assert (len(train), len(test)) == (n_train, n_test)
    assert not np.intersect1d(train, test).size
    for rows in (train, test):
        share = np.bincount(data.y[rows]) / len(rows)
        np.testing.assert_allclose(share, np.bincount(data.y) / n, atol=1.5 / len(rows) + 0.01)


def test_groups_never_straddle_training_and_test_nor_two_folds():
    data = blobs(groups=np.repeat(np.arange(12), 20))
    train, test = draw_rows(data, 2)
    assert not np.intersect1d(data.groups[train], data.groups[test]).size
    for inner, held_out in make_split(data, 2).folds:
        groups = data.groups[train]
        assert not np.intersect1d(groups[inner], groups[held_out]).size


@pytest.mark.parametrize(("n_groups", "n_train"), [(12, 6), (5, 2)])
def test_half_of_the_groups_are_for_training(n_groups, n_train):
    data = blobs(groups=np.arange(240) % n_groups)
    for train, test in (draw_rows(data, 0), draw_curve_rows(data, 0, 10_000)):
        assert len(np.unique(data.groups[train])) == n_train
        assert len(np.unique(data.groups[test])) == n_groups - n_train


@pytest.mark.parametrize(
    ("counts", "size", "expected"),
    [
        ([5, 3, 2], 4, [2, 1, 1]),
        ([6, 3, 1], 10, [6, 3, 1]),
        ([1, 1, 1], 2, [1, 1, 0]),
        ([50, 30, 20], 7, [4, 2, 1]),
    ],
)
def test_shares_of_the_classes_go_to_the_largest_remainders(counts, size, expected):
    assert list(splits._proportional(np.array(counts), size)) == expected


def test_overlap_is_the_share_of_all_rows_that_is_tested():
    assert make_split(blobs(n=240), 0).test_overlap == 0.5
    assert make_split(blobs(n=2500), 0).test_overlap == 0.4
    assert splits.make_curve_split(blobs(n=240), 0, 50).test_overlap == 0.25


def test_p300_is_drawn_at_its_own_class_ratio():
    data = data_fetch.load("embedded/p300")
    split = make_split(data, 0)
    share = np.mean(data.y == np.unique(data.y)[0])
    for y in (split.y, split.y_test):
        assert np.mean(y == np.unique(y)[0]) == pytest.approx(share, abs=0.02)
    assert split.test_overlap == 0.5
    assert make_split(data, 0, all_columns=True).X.shape[1] == 896


def test_test_rows_have_no_say_in_the_preparation_of_the_training_rows():
    data = blobs()
    _, test = draw_rows(data, 0)
    X = data.X.copy()
    X[test] += 100.0
    changed = make_split(dataclasses.replace(data, X=X), 0)
    np.testing.assert_array_equal(changed.X, make_split(data, 0).X)
    np.testing.assert_allclose(changed.X.mean(axis=0), 0.0, atol=1e-12)


# ---- tuning


@pytest.mark.parametrize(
    "key", ["kpm", "kpm square", "mkpm", "gradient boosting", "mmc", "kmmc", "svc", "extra trees"]
)
def test_tuning_along_a_path_is_the_plain_grid_search(key, split):
    method, setting = METHODS[key], Setting.of(split.X, split.y)
    tuned = tune(method, split)
    config, hits, model = naive.grid_search(
        lambda c: method.make(setting, **c), method.grid, split.X, split.y, split.folds
    )
    assert tuned.n_failed == 0
    assert tuned.config == config
    if len(method.grid) > 1:
        assert np.nanmax(tuned.cv_accuracy) == pytest.approx(hits / len(split.y))
    np.testing.assert_array_equal(tuned.model.predict(split.X_test), model.predict(split.X_test))


class _Stubborn(ClassifierMixin, BaseEstimator):
    """Predicts class 0; complains on demand."""

    fits = 0

    def __init__(self, how="converges", n=0):
        self.how = how
        self.n = n

    def fit(self, X, y):
        type(self).fits += 1
        if self.how == "warns" or (self.how == "warns on all rows" and len(X) == self.n):
            warnings.warn("no", NotOptimalWarning, stacklevel=2)
        if self.how == "raises":
            raise NotOptimalError("no")
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


def _stubborn(*hows):
    grid = [{"how": how} for how in hows]
    return Method("s", lambda setting, how: _Stubborn(how, setting.n_rows), grid)


@pytest.mark.parametrize("how", ["warns", "raises"])
def test_configurations_that_do_not_converge_are_out_and_counted(how, split):
    _Stubborn.fits = 0
    tuned = tune(_stubborn(how, "converges"), split)
    assert tuned.config == {"how": "converges"}
    assert (tuned.n_fits, tuned.n_failed) == (7, 3)
    assert _Stubborn.fits == tuned.n_fits
    assert list(np.isnan(tuned.cv_accuracy)) == [True, False]


def test_last_fit_that_does_not_converge_gives_way_to_the_next_best(split):
    tuned = tune(_stubborn("warns on all rows", "converges"), split)
    assert tuned.config == {"how": "converges"}
    assert (tuned.n_fits, tuned.n_failed) == (8, 1)


def test_nothing_converges_is_an_error_not_a_number(split):
    with pytest.raises(RuntimeError, match="none of 2 configurations converged"):
        tune(_stubborn("warns", "raises"), split)
    with pytest.raises(RuntimeError, match="none of 1 configurations converged"):
        tune(_stubborn("warns"), split)


def test_seconds_are_those_of_the_last_fit_and_of_the_prediction(split, monkeypatch):
    class Clock:
        """Every look at the clock takes twice as long as the one before."""

        now = 1.0

        def process_time(self):
            self.now *= 2
            return self.now

    monkeypatch.setattr(tuning, "time", Clock())
    tuned = tune(_stubborn("warns on all rows", "converges"), split)
    assert tuned.seconds == 8.0 - 4.0
    monkeypatch.setattr(experiment, "time", Clock())
    measured = {m.metric: m for m in experiment.performance(tuned, split)}
    assert measured["prediction"].seconds == 4.0 - 2.0


def test_no_convergence_warning_leaks(split):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        tune(_stubborn("warns", "converges"), split)


# ---- estimators


def test_one_kpm_serves_two_classes_and_one_each_more():
    two, three = make_split(blobs(2), 0), make_split(blobs(3), 0)
    wrapped = OneVsRestKPM(8, gamma=0.2).fit(two.X, two.y)
    plain = KPMClassifier(8, gamma=0.2).fit(two.X, two.y)
    np.testing.assert_array_equal(wrapped.predict(two.X_test), plain.predict(two.X_test))
    wrapped = OneVsRestKPM(8, gamma=0.2).fit(three.X, three.y)
    scores = [
        KPMClassifier(8, gamma=0.2).fit(three.X, three.y == c).decision_function(three.X_test)
        for c in range(3)
    ]
    np.testing.assert_array_equal(wrapped.predict(three.X_test), np.argmax(scores, axis=0))


def test_kpm_takes_what_rank_there_is():
    X = np.repeat([[0.0], [1.0], [2.0]], 10, axis=0)
    y = np.repeat([0, 1, 1], 10)
    assert OneVsRestKPM(45, gamma=1.0).fit(X, y).n_components_ == 3


def test_kpm_equal_rows_with_both_labels_equally_often_go_to_the_first_class():
    X = np.repeat(np.random.default_rng(0).normal(size=(12, 2)), 4, axis=0)
    y = np.tile([0, 1, 1, 0], 12)
    y[:4] = 1
    model = OneVsRestKPM(12, loss="square", gamma=0.1).fit(X, y)
    np.testing.assert_array_equal(model.predict(X[::4]), np.arange(12) == 0)


def test_kpm_ends_where_rounding_may_change_decisions(monkeypatch):
    split = make_split(blobs(2), 0)
    plain = KPMClassifier(8, gamma=0.2).fit(split.X, split.y)
    norm = plain.path_.norm
    assert norm[:3].max() < norm[3]
    monkeypatch.setattr(components, "MAX_NORM", 0.5 * (norm[2] + norm[3]))
    ended = OneVsRestKPM(8, gamma=0.2).fit(split.X, split.y).predict_at(split.X_test, [2, 4, 8])
    expected = plain.decision_path(split.X_test)[:, [1, 2, 2]] > 0
    np.testing.assert_array_equal(np.column_stack(ended), expected)


def test_kernel_bank_learns_a_combination():
    split = make_split(blobs(2), 0)
    model = KernelBank(1.0, gammas=[0.1, 1.0]).fit(split.X, split.y)
    assert model.model_.kernel_weights_.shape == (3,)
    assert np.mean(model.predict(split.X_test) == split.y_test) > 0.75


@pytest.fixture
def machine(monkeypatch):
    """MKL that learns nothing, ends with the status of the class, and keeps its Gram matrices."""

    class Machine(MKLClassifier):
        ends = "optimal"

        def fit(self, Ks, y):
            self.Ks_, self.classes_, self.status_, self.n_iter_ = Ks, np.unique(y), self.ends, 17
            return self

    monkeypatch.setattr(estimators, "MKLClassifier", Machine)
    return Machine


@pytest.mark.usefixtures("machine")
def test_kernels_of_the_bank_have_unit_spread_on_the_training_rows():
    split = make_split(blobs(2), 0)
    model = KernelBank(1.0, gammas=[0.1, 1.0]).fit(split.X, split.y)
    scaled = model.model_.Ks_
    C = np.eye(len(split.y)) - 1 / len(split.y)
    np.testing.assert_allclose([np.mean(np.diag(C @ K @ C)) for K in scaled], 1.0)
    raw = [split.X @ split.X.T, *(rbf_kernel(split.X, gamma=g) for g in (0.1, 1.0))]
    np.testing.assert_allclose(scaled, model.scale_[:, None, None] * raw, atol=1e-12)


@pytest.mark.parametrize("status", ["optimal", "inaccurate", "max_iter"])
def test_a_bank_that_did_not_settle_says_so(machine, status):
    machine.ends = status
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        KernelBank(gammas=[1.0]).fit(np.eye(4), np.array([0, 1, 0, 1]))
    said = ["the kernel weights were not settled after 17 steps"] * (status == "max_iter")
    assert [str(w.message) for w in caught] == said
    assert all(w.filename == __file__ for w in caught), "the line of the caller is shown"


def test_simplex_rls_is_kernel_ridge_on_class_indicators(split):
    """Why kernel ridge is no method of its own in the study."""
    setting = Setting.of(split.X, split.y)
    for config in METHODS["simplex rls"].grid:
        ours = METHODS["simplex rls"].make(setting, **config).fit(split.X, split.y)
        ridge = KernelRidge(alpha=ours.alpha * len(split.X), kernel="rbf", gamma=ours.gamma).fit(
            split.X, label_binarize(split.y, classes=[0, 1, 2])
        )
        expected = np.argmax(ridge.predict(split.X_test), axis=1)
        np.testing.assert_array_equal(ours.predict(split.X_test), expected)


def test_a_constant_is_one_more_feature(split):
    """The kernel k + 1 is ridge regression with a column of ones among the features."""
    ours = ConstantRLS(0.02, gamma=0.3).fit(split.X, split.y)
    K, K_new = (rbf_kernel(X, split.X, gamma=0.3) for X in (split.X, split.X_test))
    n_alpha = 0.02 * len(split.X)
    targets = label_binarize(split.y, classes=[0, 1, 2])
    expected = (K_new + 1) @ np.linalg.solve(K + 1 + n_alpha * np.eye(len(K)), targets)
    np.testing.assert_array_equal(ours.predict(split.X_test), np.argmax(expected, axis=1))


def test_the_constant_is_one_in_training_and_in_prediction(monkeypatch):
    seen = []

    class Records:
        classes_ = np.array([0, 1])

        def __init__(self, alpha, *, kernel):
            seen.append((alpha, kernel))

        def fit(self, K, y):
            seen.append(K)

        def predict(self, K):
            seen.append(K)

    monkeypatch.setattr(estimators, "SimplexRLSClassifier", Records)
    X = np.array([[0.0], [1.0]])
    ConstantRLS(0.5, gamma=np.log(4.0)).fit(X, [0, 1]).predict(np.array([[1.0], [50.0]]))
    made, K, cross = seen
    assert made == (0.5, "precomputed")
    np.testing.assert_allclose(K, [[2.0, 1.25], [1.25, 2.0]])
    np.testing.assert_allclose(cross, [[1.25, 2.0], [1.0, 1.0]])


# ---- columns


def test_components_do_not_hang_on_the_signs_that_the_solver_gives(monkeypatch):
    """Trees see signs, and libraries turn them otherwise."""

    class Turned(PCA):
        def fit(self, X):
            super().fit(X)
            self.components_[::2] *= -1
            return self

    rng = np.random.default_rng(0)
    data = Dataset("a/b", rng.normal(size=(60, 250)), np.arange(60) % 2, "embedded")
    rows = np.arange(40), np.arange(40, 60)
    plain = prepared(data, 0, *rows)
    monkeypatch.setattr(splits, "PCA", Turned)
    turned = prepared(data, 0, *rows)
    np.testing.assert_allclose(turned.X, plain.X, atol=1e-10)
    np.testing.assert_allclose(turned.X_test, plain.X_test, atol=1e-10)


# ---- learning curves


@pytest.mark.parametrize("groups", [None, np.repeat(np.arange(12), 20)])
def test_curves_test_the_same_rows_at_every_size(groups):
    data = blobs(groups=groups)
    small, large, whole = (draw_curve_rows(data, 1, size) for size in (30, 90, 10_000))
    for train, test in (small, large, whole):
        np.testing.assert_array_equal(test, small[1])
        assert not np.intersect1d(train, test).size
        if groups is not None:
            assert not np.intersect1d(groups[train], groups[test]).size
    assert (len(small[0]), len(large[0])) == (30, 90)
    assert len(whole[0]) + len(whole[1]) == len(data.y)


def test_curves_are_run_on_their_sets_only_and_in_the_full_profile_only():
    datasets = {name: blobs(name=name) for name in ("raetsch/german", "raetsch/heart")}
    quick, full = (list_tasks(profile, datasets) for profile in ("quick", "full"))
    assert {task.table for task in quick} == {"accuracy"}
    curves = [task for task in full if task.table == experiment.CURVES]
    assert {task.dataset for task in curves} == {"raetsch/german"}
    assert {task.method for task in curves} == set(experiment.CURVE_METHODS)
    settings = {task.setting for task in curves}
    assert settings == {"50 rows", "100 rows", "10000 rows"}  # 180 rows are not tested
    n_trials = len({task.trial for task in curves})
    assert len(curves) == len(experiment.CURVE_METHODS) * len(settings) * n_trials


@pytest.mark.parametrize(("n", "sizes"), [(133, [50, 10_000]), (134, [50, 100, 10_000])])
def test_a_curve_has_the_sizes_below_all_its_rows(n, sizes):
    """A quarter is tested: 33 rows."""
    tasks = list_tasks("full", {"raetsch/german": blobs(n=n, name="raetsch/german")})
    settings = dict.fromkeys(t.setting for t in tasks if t.table == experiment.CURVES)
    assert list(settings) == [f"{size} rows" for size in sizes]


def test_a_curve_uses_as_many_rows_as_its_setting_says():
    data = blobs(name="raetsch/german")
    for size, rows in ((50, 50), (10_000, 180)):
        task = Task(
            "which_method", experiment.CURVES, data.name, "lda", setting=f"{size} rows", level=size
        )
        assert {m.metric: m.value for m in run(task, data)}["fit"] == rows


# ---- records


@pytest.mark.parametrize("key", ["svc", "neighbors", "lda"])
def test_measures_are_those_of_scikit_learn(key):
    data = blobs(3)
    split = make_split(data, 2)
    found = {
        m.metric: m for m in run(Task("which_method", "accuracy", data.name, key, trial=2), data)
    }
    model = tune(METHODS[key], split).model
    y, predicted = split.y_test, model.predict(split.X_test)
    assert found["accuracy"].value == pytest.approx(metrics.accuracy_score(y, predicted))
    balanced = metrics.balanced_accuracy_score(y, predicted)
    assert found["balanced accuracy"].value == pytest.approx(balanced)
    f1 = metrics.f1_score(y, predicted, average="macro")
    assert found["macro F1"].value == pytest.approx(f1)
    assert ("log loss" in found) == hasattr(model, "predict_proba")
    if key == "lda":
        loss = metrics.log_loss(y, model.predict_proba(split.X_test))
        assert found["log loss"].value == pytest.approx(loss, rel=0.05)
    assert (found["fit"].value, found["prediction"].value) == (len(split.y), len(y))
    assert found["fit"].seconds >= 0
    assert found["prediction"].seconds >= 0
    assert found["accuracy"].seconds is None


def test_a_probability_of_zero_costs_no_more_than_the_least_one():
    p = np.array([[1.0, 0.0], [0.25, 0.75]])
    found = experiment.clipped_log_loss(np.array(["b", "b"]), p, np.array(["a", "b"]))
    assert found == pytest.approx(-np.mean(np.log([experiment.LEAST_PROBABILITY, 0.75])))


@pytest.mark.parametrize(("method", "round_off"), [("mmc", 1e-14), ("kmmc", 1e-7), ("mkmmc", 1e-7)])
def test_votes_among_equal_rows_do_not_hang_on_last_digits(method, round_off):
    """Kernel MMC on Flare Solar divides by an eigenvalue of 2e-10 times the largest."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, size=(90, 2)).astype(float), rng.integers(0, 3, size=90)
    new = X + np.array([0.25, 0.0])
    make, config = methods.METHODS[method].make, dict(methods.METHODS[method].grid[0])
    for k in (1, 5, 15):
        vote = make(methods.Setting.of(X, y), **{**config, "k": k})[-1]
        expected = vote.fit(X, y).predict(new)
        for seed in range(10):
            noise = 1 + round_off * np.random.default_rng(seed).normal(size=X.shape)
            np.testing.assert_array_equal(vote.fit(X * noise, y).predict(new), expected)


def test_votes_are_those_of_the_nearest_neighbour_classifier():
    rng = np.random.default_rng(0)
    X, y, new = rng.normal(size=(60, 3)), rng.integers(0, 4, size=60), rng.normal(size=(80, 3))
    for k in (1, 5, 15):
        theirs = KNeighborsClassifier(k).fit(X, y).predict(new)
        np.testing.assert_array_equal(NearestVote(k).fit(X, y).predict(new), theirs)
