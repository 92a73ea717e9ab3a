import warnings
from collections import Counter
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from data_fetch.embedded.p300 import load_embedded
from data_fetch.p300 import CHANNELS, codes_of
from reprolib.methods.keops import KernelTree, MKLClassifier
from reprolib.methods.keops.electrodes import region
from reprolib.papers.keops import beyond, figures, methods, splits
from reprolib.papers.keops import summaries as readings
from reprolib.papers.keops.beyond import correct_characters
from reprolib.papers.keops.experiment import PAPER_METHODS, PROTOCOL, RUN, run
from reprolib.papers.keops.methods import READINGS, regions
from reprolib.papers.keops.splits import (
    N_TRAIN,
    character_halves,
    draw_split,
    flash_pool,
    folds,
)
from reprolib.report.paper_figures import report_figures
from reprolib.rerun import records as results
from reprolib.rerun.records.rows import GAP, row_of
from reprolib.rerun.records.task import HEADLINE, Task
from reprolib.rerun.verdicts.printed import numbers


@pytest.fixture(scope="module")
def dataset():
    return load_embedded()


@pytest.fixture(scope="module")
def short_grids():
    """A choice for the tree norm alone, whose fits are the fastest; all methods choose alike."""
    with pytest.MonkeyPatch.context() as patch:
        for name, grid in [("keops", (0.1,)), ("mkl", (0.3,)), ("tree norm", (0.3, 0.1))]:
            old = methods.METHODS[name]
            patch.setitem(methods.METHODS, name, methods.Method(old.make, grid, old.sparse))
        yield


def measured(task, dataset):
    return {(m.metric, m.reading): m for m in run(task, dataset)}


# ---- regions


@pytest.mark.parametrize("grouping", ["lobes", "PO parietal", "random"])
def test_every_grouping_has_seventeen_regions(dataset, grouping):
    assert len(set(regions(CHANNELS, grouping))) == 17
    tree = methods.feature_tree(dataset, np.zeros((1, 896)), grouping)
    assert tree.n_nodes == (17, 64, 896)


def test_regions_of_the_readings():
    assert regions(["PO8"], "PO parietal") == ["parietal right"]
    shuffled = regions(CHANNELS, "random")
    assert shuffled != regions(CHANNELS)
    assert Counter(shuffled) == Counter(regions(CHANNELS))


# ---- splits and tasks


def test_flashes_are_drawn_from_the_training_sessions(dataset):
    train, tests = draw_split(dataset, 3, by_character=False)
    test = tests[None]
    assert len(train) == N_TRAIN
    assert sorted([*train, *test]) == list(range(2160))
    again, _ = draw_split(dataset, 3, by_character=False)
    np.testing.assert_array_equal(train, again)


def test_split_by_character_shares_no_character(dataset):
    train, tests = draw_split(dataset, 0, by_character=True)
    character = dataset.extra["flashes"]["character"].to_numpy()
    other, same = tests.values()
    assert not set(character[train]) & set(character[other])
    assert set(character[same]) == set(character[train])
    assert not set(train) & set(same)


def test_character_halves_take_turns(dataset):
    character = dataset.extra["flashes"]["character"].to_numpy()
    a, b = character_halves(dataset, 1)
    for train, same, other in (a, b):
        assert len(train) == N_TRAIN
        assert set(character[train]) == set(character[same])
        assert not set(character[train]) & set(character[other])
        assert sorted([*train, *same, *other]) == list(range(2160))
    assert set(character[a[2]]) == set(character[b[0]])


def test_pool_of_a_reading(dataset):
    assert len(flash_pool(dataset, {})) == 4 * 540
    assert len(flash_pool(dataset, {"test_session": True})) == 6 * 540
    assert 1102 not in dataset.groups[flash_pool(dataset, {"without_run": 1102})]


def test_the_character_with_the_wrong_label_is_left_out_or_thinned_to_one_in_42(dataset):
    """On simulated runs no label is wrong: one is made wrong, as the audit would see it."""
    wrong = (dataset.extra["flashes"]["character"] == 9).to_numpy()
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="raise"):
        patch.setattr(splits, "contradicted_flashes", lambda dataset: wrong)
        left_out = flash_pool(dataset, {"contradicted": "left out"})
        thinned = [flash_pool(dataset, {"contradicted": "one in 42"}, draw) for draw in (0, 1)]
    assert not wrong[left_out].any()
    assert len(left_out) == 11 * 180
    for pool in thinned:
        assert wrong[pool].mean() == pytest.approx(1 / 42, abs=1e-3)
        assert np.mean(dataset.y[pool][wrong[pool]] == 1) == pytest.approx(1 / 6)
    assert set(thinned[0]) != set(thinned[1])


def test_every_fold_has_both_classes_and_whole_characters(dataset):
    train, _ = draw_split(dataset, 0, by_character=True)
    character = dataset.extra["flashes"]["character"].to_numpy()
    drawn = folds(dataset.y, train, 0, character)
    character = character[train]
    for inside, outside in drawn:
        assert set(dataset.y[train][inside]) == set(dataset.y[train][outside]) == {-1, 1}
        assert not set(character[inside]) & set(character[outside])


def test_too_few_flashes_say_what_is_missing(dataset):
    one_run = flash_pool(dataset, {})[:540]
    with pytest.raises(ValueError, match="has 540 labelled flashes to draw from .* trains on 567"):
        draw_split(dataset, 0, by_character=False, pool=one_run)
    with pytest.raises(ValueError, match="flashes in half of the characters"):
        draw_split(dataset, 0, by_character=True, pool=one_run)


def test_one_flash_more_than_trained_on_is_enough(dataset):
    pool = flash_pool(dataset, {})
    _, tests = draw_split(dataset, 0, by_character=False, pool=pool[: N_TRAIN + 1])
    assert len(tests[None]) == 1
    with pytest.raises(ValueError, match="has 567 labelled flashes"):
        draw_split(dataset, 0, by_character=False, pool=pool[:N_TRAIN])


def test_characters_are_halved(dataset):
    character = dataset.extra["flashes"]["character"].to_numpy()
    train, tests = draw_split(dataset, 0, by_character=True)
    first, second = character_halves(dataset, 0)
    for part in (train, tests[None], first[0], first[2], second[0], second[2]):
        assert len(set(character[part])) == 6
    other, _ = draw_split(dataset, 1, by_character=True)
    assert set(character[train]) != set(character[other])


OF_THE_LABEL = {r.name for r in READINGS.values() if "contradicted" in r.changes}
#: Readings with tasks of their own.
VARIANTS = {reading.name for reading in READINGS.values() if reading.methods and not reading.beside}


def test_readings_that_leave_out_a_run_need_that_run(dataset):
    only = replace(dataset, groups=np.where(dataset.groups == 1102, 1103, dataset.groups))
    readings = {
        t.reading for t in PROTOCOL.stages[0].tasks("full", {"x": only}, results.to_frame([]))
    }
    assert VARIANTS - readings == {"without run 011/02", *OF_THE_LABEL}


def test_full_profile_has_ten_draws_of_the_papers_methods_and_all_readings(dataset):
    tasks = PROTOCOL.stages[0].tasks("full", {"p300/iib": dataset}, results.to_frame([]))
    count = Counter((t.method, t.reading) for t in tasks)
    assert all(count[m, HEADLINE] == 10 for m in PAPER_METHODS)
    # A simulated recording has no wrong label, so that there is nothing to leave out.
    assert {t.reading for t in tasks} == {HEADLINE, *VARIANTS} - OF_THE_LABEL
    assert len({task.id for task in tasks}) == len(tasks)


def test_every_printed_number_finds_a_method():
    assert {n.select["method"] for n in numbers("keops")} == set(PAPER_METHODS)


# ---- measurements


@pytest.fixture(scope="module")
def records(dataset, short_grids):
    """Both stages of a small run: two draws of the paper's methods, spelling of one run.

    Without the slowest table; `test_every_character_is_scored_by_classifiers_that_never_saw_it`.
    """
    rows = []
    tasks = [
        Task("keops", "table1", "embedded/p300", m, HEADLINE, draw)
        for m in PAPER_METHODS
        for draw in (0, 1)
    ]
    tasks.append(Task("keops", "table1", "embedded/p300", "lda", HEADLINE, 0))
    for task in tasks:
        rows += stored(task, run(task, dataset))
    later = PROTOCOL.stages[1].tasks("quick", {"embedded/p300": dataset}, results.to_frame(rows))
    for task in [t for t in later if t.trial == 0 and t.table != "characters"]:
        rows += stored(task, run(task, dataset))
    return results.to_frame(rows)


def stored(task, measurements):

    return [row_of(task, m, "embedded", 0.0) for m in measurements]


def test_methods_find_the_simulated_response(records):
    auc = records[(records["metric"] == "auc") & (records["table"] == "table1")]
    assert auc["value"].min() > 0.7
    kept = records[(records["metric"] == "channels") & (records["reading"] == HEADLINE)]
    mean = kept.groupby("method")["value"].mean()
    assert mean["keops"] < mean["mkl"]
    gaps = auc[auc["method"] != "keops"][GAP].dropna()
    assert gaps.max() < 2e-3


def test_relevance_sits_where_the_simulation_put_it(records):
    stack = figures.relevances(records, "keops")
    np.testing.assert_allclose(stack.sum(axis=(1, 2)), 1.0, rtol=1e-4)
    frames = stack.sum(axis=(0, 1))
    assert np.argmax(frames) in (4, 5, 6)
    best = CHANNELS[int(np.argmax(stack.sum(axis=(0, 2))))]
    assert region(best).split()[0] in ("central", "parietal", "occipital")


def test_runs_and_leak_are_measured_for_every_method(records):
    aucs = readings.aucs_by_run(records)
    assert list(aucs.columns) == ["010/01", "010/02", "011/01", "011/02"]
    assert len(aucs) == 4
    assert aucs.to_numpy().min() > 60
    assert (readings.leak(records)["draws"] >= 1).all()


def test_a_reading_cuts_the_optimisation_short(dataset, short_grids):
    params = {"max_iter": 2}
    for method in ("keops", "mkl"):
        task = Task("keops", "table1", "x", method, "stopped", 0, params)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = measured(task, dataset)
        assert found["frames", None].value > 400


def test_few_electrodes_are_ranked_by_relevance(records):
    rows = records[(records["table"] == "electrodes") & (records["method"] == "keops")]
    paths = {
        r: [float(v) for v in p.split()] for r, p in zip(rows["reading"], rows["path"], strict=True)
    }
    assert paths[HEADLINE][0] > paths["random electrodes"][0] - 0.05
    assert paths["random electrodes"][-1] > 0.7


def test_figures_are_drawn_from_the_records(records):
    made = report_figures("keops", records)
    assert len(made) == 6
    for figure in made.values():
        figure.canvas.draw()
        plt.close(figure)


def test_other_readings_run(dataset, short_grids):
    for reading, method in [("split by character", "lda"), ("standardised", "lda")]:
        task = Task("keops", "table1", "x", method, reading, 0, READINGS[reading].changes)
        found = measured(task, dataset)
        assert 0.6 < found["auc", None].value < 1
        assert found["auc", None].n_test > 800
    assert ("auc", "split by character, tested on the same characters") in measured(
        Task("keops", "table1", "x", "lda", "split by character", 0, {"by_character": True}),
        dataset,
    )


def test_causal_filter_delays_the_response(dataset, monkeypatch):
    """Of the features that a task is given, by the parameters of its reading."""
    given = []
    monkeypatch.setitem(RUN, "table1", lambda task, dataset, X: given.append(X))
    for params in ({}, {"zero_phase": False}):
        run(Task("keops", "table1", "x", "lda", "r", 0, params), dataset)
    y = dataset.y
    peak = [
        np.argmax((X[y == 1].mean(axis=0) - X[y == -1].mean(axis=0)).reshape(64, 14)[10])
        for X in given
    ]
    assert peak[1] > peak[0]


# ---- spelling


def test_spelling_adds_scores_over_repetitions():
    rows = [
        {"character": 0, "letter": "K", "repetition": r, "code": c}
        for r in (1, 2, 3)
        for c in range(1, 13)
    ]
    flashes = pd.DataFrame(rows)
    scores = np.where(flashes["code"].isin(codes_of("K")), 1.0, 0.0)
    scores[(flashes["repetition"] == 1) & (flashes["code"] == 1)] = 1.5
    np.testing.assert_array_equal(correct_characters(scores, flashes), [0, 1, 1])


@pytest.mark.parametrize("letter", ["A", "F", "5", "_"])
@pytest.mark.parametrize("higher", [0, 1])
def test_columns_and_rows_are_told_apart_at_the_corners_of_the_matrix(letter, higher):
    """Whichever of the two codes has the higher score."""
    flashes = pd.DataFrame({"code": range(1, 13), "character": 0, "letter": letter})
    scores = np.zeros(12)
    scores[np.array(codes_of(letter)) - 1] = 1.0
    scores[codes_of(letter)[higher] - 1] = 2.0
    np.testing.assert_array_equal(correct_characters(scores, flashes.assign(repetition=1)), [1])


# ---- what is measured beyond the paper, on one feature for each channel


@pytest.fixture(scope="module")
def narrow(dataset):
    X = np.random.default_rng(0).normal(size=(len(dataset.y), 64))
    return X + 0.4 * dataset.y[:, None]


def beyond_task(table, method="lda", trial=2, **params):
    return Task("keops", table, "embedded/p300", method, HEADLINE, trial, params)


def test_electrodes_are_given_in_the_order_of_the_ranking(dataset, narrow):
    task = beyond_task("electrodes", ranking=[5, 3, 9, 60])
    ranked, at_random = beyond.electrodes(task, dataset, narrow)
    assert ranked.chosen == {"electrodes": [1, 2, 3, 4]}
    assert at_random.chosen == {"electrodes": list(beyond.N_ELECTRODES)}
    train, tests = draw_split(dataset, 2, by_character=False)
    order = np.random.default_rng(2).permutation(64)
    for found, first in ((ranked, 5), (at_random, order[0])):
        alone = roc_auc_score(dataset.y[tests[None]], narrow[tests[None], first])
        assert found.path[0] == pytest.approx(alone)
        assert found.n_test == 2160 - 567
        assert len(found.path) == len(found.chosen["electrodes"])
        assert (np.diff(found.path) > 0).all()


def test_every_run_is_tested_apart(dataset, narrow):
    found = beyond.aucs_by_run(beyond_task("runs", value=0.0), dataset, narrow)
    assert [m.setting for m in found] == [f"run {code}" for code in (1001, 1002, 1101, 1102)]
    train, tests = draw_split(dataset, 2, by_character=False)
    lda = methods.shrinkage_lda().fit(narrow[train], dataset.y[train])
    for m in found:
        rows = [i for i in tests[None] if f"run {dataset.groups[i]}" == m.setting]
        assert m.n_test == len(rows)
        expected = roc_auc_score(dataset.y[rows], lda.decision_function(narrow[rows]))
        assert m.value == pytest.approx(expected)


class FirstFeature:
    """Scores are the first feature."""

    def decision_function(self, X):
        return X[:, 0]


@pytest.fixture
def parts(monkeypatch):
    """Rows that each classifier was trained on; all of them score by the first feature."""
    found = []
    monkeypatch.setattr(
        beyond, "_fitted", lambda task, data, X, train: found.append(train) or FirstFeature()
    )
    return found


def test_a_run_is_spelled_by_classifiers_of_the_others(dataset, narrow, parts):
    X = np.column_stack([dataset.y, narrow])
    found = beyond.spelling(beyond_task("spelling", trial=1, value=0.0), dataset, X)
    codes = beyond.run_codes(dataset)
    single, *ensemble = parts
    assert (len(single), len(set(single))) == (567, 567)
    assert codes[1] not in dataset.groups[single]
    assert [set(dataset.groups[part]) for part in ensemble] == [
        {code} for code in np.delete(codes, 1)
    ]
    assert all(len(part) == 540 for part in ensemble)
    for m in found:
        if m.metric == "auc":
            assert (m.value, m.n_test) == (1.0, 540)
        else:
            assert (m.path, m.n_test) == (15 * [3.0], 3)
    spelled = [m.reading for m in found if m.metric == "correct characters"]
    audited = ["spelled, as the EEG says", "ensemble, as the EEG says"]
    assert spelled == [None, audited[0], "ensemble", audited[1]]


def test_every_character_is_scored_by_classifiers_that_never_saw_it(dataset, narrow, parts):
    X = np.column_stack([dataset.y, narrow])
    found = beyond.characters_apart(beyond_task("characters", trial=0, value=0.0), dataset, X)
    flashes = dataset.extra["flashes"]
    of = flashes["character"].to_numpy()
    for character, train in enumerate(parts):
        assert character not in of[train]
        assert len(train) == 567
    assert [m.value for m in found if m.metric == "auc"] == 18 * [1.0]
    for m in found:
        if m.metric == "score of a code":
            letter = flashes["letter"][of == m.level].iloc[0]
            assert m.setting == f"character {m.level} ({letter})"
            assert {k + 1 for k, score in enumerate(m.path) if score > 0} == set(codes_of(letter))


# ---- the methods, and what a reading changes of them


@pytest.fixture(scope="module")
def small_tree():
    """Two regions of two channels of three frames."""
    return KernelTree.from_labels([np.repeat([0, 1], 6), np.repeat([0, 1, 2, 3], 3)])


@pytest.fixture(scope="module")
def small_data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12))
    return X, np.where(X[:, 0] + X[:, 4] - X[:, 7] + rng.normal(size=60) > 0, 1, -1)


def test_alternation_solves_the_problem_of_the_quadratic_programme(small_tree, small_data):
    X, y = small_data
    exact = MKLClassifier(C=0.05).fit(X, y)
    changed = methods.by_alternation(MKLClassifier(C=0.05, gap_tol=1e-4), small_tree)
    np.testing.assert_array_equal(changed.groups, np.repeat([0, 1, 2, 3], 3))
    other = changed.fit(X, y)
    assert 0 < exact.selected_.sum() < 12
    np.testing.assert_allclose(other.coef_, exact.coef_, atol=0.02 * np.abs(exact.coef_).max())


@pytest.mark.parametrize(
    ("name", "n_weights"),
    [("keops", 12 * 4 * 2), ("keops, convex", (12 * 4 * 2) ** (1 / 3)), ("mkl", 12), ("svm", 1)],
)
def test_cost_is_relative_to_the_kernel_of_uniform_weights(name, n_weights, small_tree, small_data):
    X, _ = small_data
    C = methods.METHODS[name].make(X, small_tree, 0.3).C
    assert pytest.approx(0.3) == C * np.mean([x @ x for x in X]) / n_weights


def test_scores_of_the_grid_are_auc_and_accuracy_where_zero_is_the_negative_class(small_tree):
    X = np.array([[0.0], [1.0], [2.0], [-1.0], [0.0], [-2.0], [3.0], [0.5]])
    y = np.array([-1, 1, -1, -1, 1, -1, 1, 1])

    class Scaled(FirstFeature):
        def __init__(self, sign):
            self.sign = sign

        def fit(self, X, y):
            return self

        def decision_function(self, X):
            return self.sign * X[:, 0]

    method = methods.Method(lambda X, tree, sign: Scaled(sign), (1.0, -1.0))
    halves = [(np.arange(4), np.arange(4, 8)), (np.arange(4, 8), np.arange(4))]
    auc, accuracy = methods.cross_validated_scores(method, small_tree, X, y, halves)
    np.testing.assert_allclose(auc, [(1 + 2 / 3) / 2, (0 + 1 / 3) / 2])
    np.testing.assert_allclose(accuracy, [(3 / 4 + 3 / 4) / 2, (0 + 2 / 4) / 2])
    one = methods.Method(method.make, (1.0,))
    for scores in methods.cross_validated_scores(one, small_tree, X, y, halves):
        np.testing.assert_array_equal(scores, [0.0])
