"""The audit: silent at its stated rate where there is nothing, and finding what is there."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from scipy.special import softmax

import data_fetch
from data_fetch import Dataset
from data_fetch.auditing import columns, labels, rows, signals, speller
from data_fetch.auditing.finding import LEVEL, holm
from data_fetch.p300 import contradicted_flashes, parse_run, speller_dataset, with_audited_labels

TABLE = Path(__file__).parents[2] / "docs" / "audit.csv"


def made_up(X, y=None, splits=(), **fields) -> Dataset:
    y = np.zeros(len(X), dtype=int) if y is None else np.asarray(y)
    return Dataset("toy/made_up", np.asarray(X), y, "embedded", splits=splits, **fields)


@pytest.fixture(scope="module")
def simulated():
    return data_fetch.load("embedded/p300")


def checks(findings) -> dict[str, int]:
    return {finding.check: finding.count for finding in findings}


# Rows


@given(
    hnp.arrays(np.int64, st.tuples(st.integers(2, 8), st.just(2)), elements=st.integers(0, 2)),
    st.data(),
)
def test_repeated_and_conflicting_rows_are_those_of_a_loop_over_pairs(X, data):
    y = data.draw(hnp.arrays(np.int64, len(X), elements=st.integers(0, 1)))
    codes, dataset = rows.row_codes(X), made_up(X, y)
    equal = [(i, j) for i, j in itertools.combinations(range(len(X)), 2) if (X[i] == X[j]).all()]
    later = {j for _, j in equal}
    conflict = {k for i, j in equal if y[i] != y[j] for k in (i, j)}
    found = checks([*rows.repeated(codes), *rows.conflicting(dataset, codes)])
    assert found.get("repeated rows", 0) == len(later)
    groups = {tuple(x): {k for k in range(len(X)) if (X[k] == x).all()} for x in X}
    mixed = {k for g in groups.values() if len(set(y[list(g)])) > 1 for k in g}
    assert found.get("conflicting labels", 0) == len(mixed)
    assert conflict <= mixed


def test_minus_zero_is_zero():
    assert len(set(rows.row_codes(np.array([[0.0, 1.0], [-0.0, 1.0]])))) == 1


def test_a_test_row_that_stands_in_the_training_set_is_counted():
    X = np.array([[0], [1], [1], [2]])
    dataset = made_up(X, splits=[(np.array([0, 1]), np.array([2, 3]))])
    (found,) = rows.across_splits(dataset, rows.row_codes(X))
    assert found.count == 1
    assert "50.0 %" in found.text


@pytest.mark.parametrize("dimension", [2, 5, 20])
def test_nearly_equal_rows_are_found_and_a_smooth_density_has_none_too_many(dimension):
    alarms = 0
    for seed in range(40):
        X = np.random.default_rng(seed).normal(size=(300, dimension))
        alarms += bool(list(rows.nearly_equal(made_up(X), rows.row_codes(X))))
    assert alarms <= stats.binom.ppf(0.999, 40, LEVEL)
    X = np.vstack([X, X[:4] + 1e-6])
    (found,) = rows.nearly_equal(made_up(X), rows.row_codes(X))
    assert set(found.places) >= {0, 1, 2, 3, 300, 301, 302, 303}


# Columns


def test_columns_that_say_nothing_or_repeat_others_are_named():
    x = np.random.default_rng(0).normal(size=50)
    dataset = made_up(
        np.column_stack([x, np.ones(50), 3 - 2 * x, x**2]), feature_names=list("abcd")
    )
    assert [f.text for f in columns.constant(dataset)] == ["columns of one value: b"]
    (repeated,) = columns.duplicated(dataset)
    assert repeated.text.endswith("c = a")


def test_values_outside_the_published_range_and_not_finite_are_counted():
    X = np.array([[0.0, 5.0], [np.nan, 17.0], [1.0, 2.0]])
    assert checks(columns.out_of_range(made_up(X), (0, 16))) == {"values out of range": 2}
    assert not list(columns.out_of_range(made_up(X[[0, 2]]), (0, 16)))


def test_drift_is_silent_at_its_level_and_sees_a_shift():
    split = [(np.arange(150), np.arange(150, 300))]
    alarms = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(300, 10)), rng.integers(0, 3, 300)
        alarms += bool(list(columns.drift(made_up(X, y, split))))
    assert alarms <= stats.binom.ppf(0.999, 60, 2 * LEVEL)  # two tests: columns, classes
    X[150:, 4] += 1.5
    found = list(columns.drift(made_up(X, y, split)))
    assert found[0].places == [4]


# Labels of a table


def overlapping(rng):
    y = rng.integers(0, 2, 400)
    return rng.normal(size=(400, 10)) + np.where(y, 1, -1)[:, None] * 0.6, y


def rare_class(rng):
    y = (rng.random(400) < 0.06).astype(int)
    return rng.normal(size=(400, 4)) + 2 * y[:, None], y


def shuffled(rng):
    X, y = separable(rng)
    return X, rng.permutation(y)


def separable(rng):
    y = np.arange(400) % 4
    return rng.normal(size=(400, 8)) + 4 * np.eye(4, 8)[y], y


@pytest.mark.slow
@pytest.mark.parametrize("make", [overlapping, rare_class, shuffled])
def test_labels_of_clean_sets_are_contradicted_as_rarely_as_stated(make, monkeypatch):
    """With fewer trees, whose votes are noisier: labels that are too sure show all the more."""
    monkeypatch.setattr(labels, "N_TREES", 100)
    n_sets, alarms = 3, 0
    for seed in range(n_sets):
        X, y = make(np.random.default_rng(seed))
        alarms += holm(labels.label_p_values(X, y, seed=seed)).min() < LEVEL
    assert alarms <= stats.binom.ppf(0.999, n_sets, LEVEL)


@pytest.mark.parametrize("factor", [0.3, 1, 4])
def test_votes_that_are_too_sure_or_too_careful_contradict_no_more_labels(factor, monkeypatch):
    """Labels are drawn from known probabilities; the votes state others, to be calibrated."""
    n_sets, alarms, ours, exact = 40, 0, [], []
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        log_odds = rng.normal(scale=3, size=(400, 3))
        y = (log_odds + rng.gumbel(size=(400, 3))).argmax(axis=1)
        monkeypatch.setattr(labels, "held_out_votes", lambda *_, v=factor * log_odds: v)
        p_values = labels.label_p_values(log_odds, y)
        alarms += holm(p_values).min() < LEVEL
        share = softmax(log_odds, axis=1)
        rarer = share <= share[np.arange(400), y][:, None]
        ours.append(np.mean(p_values < LEVEL))
        exact.append(np.mean((share * rarer).sum(axis=1) < LEVEL))
    assert alarms <= stats.binom.ppf(0.999, n_sets, LEVEL)
    assert np.mean(ours) == pytest.approx(np.mean(exact), rel=0.1)


@pytest.mark.slow
def test_a_wrong_label_among_classes_that_others_separate_by_far_is_found():
    digits = data_fetch.load("embedded/optdigits")
    some = np.isin(digits.y, [0, 4, 6])
    dataset = replace(digits, X=digits.X[some], y=digits.y[some])
    votes = labels.held_out_votes(dataset.X, dataset.y)
    unanimous = (votes.argmax(axis=1) == dataset.y) & (np.sort(votes, axis=1)[:, -2] < -6)
    row = int(np.flatnonzero(unanimous)[0])
    y = dataset.y.copy()
    y[row] = 4 if y[row] == 0 else 0
    (found,) = labels.contradicted(replace(dataset, y=y), np.arange(len(y)))
    assert list(found.places) == [row]


# Labels of a speller


def every_arrangement(scores):
    """All ways to permute each repetition."""
    orders = list(itertools.permutations(range(scores.shape[1])))
    for choice in itertools.product(orders, repeat=len(scores)):
        yield np.array([row[list(order)] for row, order in zip(scores, choice, strict=True)])


def lead(scores, labelled):
    means = scores.mean(axis=0)
    return max(np.delete(means, labelled)) - means[labelled]


@pytest.mark.parametrize("labelled", [0, 2])
def test_the_permutation_test_agrees_with_all_permutations(labelled):
    scores = np.random.default_rng(1).normal(size=(4, 3))
    observed = lead(scores, labelled)
    all_leads = [lead(arranged, labelled) for arranged in every_arrangement(scores)]
    exact = np.mean([value >= observed - 1e-12 for value in all_leads])
    drawn = speller.p_value_of(scores, labelled, np.random.default_rng(0), 20_000)
    assert drawn == pytest.approx(exact, abs=0.015)


def test_the_permutation_test_keeps_its_level_if_no_code_stands_out():
    rng = np.random.default_rng(0)
    n_tests = 300
    p = [speller.p_value_of(rng.normal(size=(15, 6)), 2, rng, 1000) for _ in range(n_tests)]
    assert np.mean(np.array(p) < LEVEL) <= stats.binom.ppf(0.999, n_tests, LEVEL) / n_tests
    assert stats.kstest(p, "uniform").pvalue > 1e-3


def test_the_right_label_is_never_contradicted_by_its_own_response():
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores = rng.normal(size=(15, 6))
        scores[:, 2] += 1
        assert speller.p_value_of(scores, 2, rng, 1000) > LEVEL


def respelled(dataset: Dataset, session: int, run: int, word: str) -> Dataset:
    """The same recording with the labels of another word in one run."""
    runs = []
    for raw in dataset.extra["raws"]:
        s, r, known = raw.info["description"].split("/")
        file = f"AAS{int(s):03d}R{int(r):02d}/"
        stored = {k[len(file) :]: v for k, v in dataset.stored.items() if k.startswith(file)}
        told = word if (int(s), int(r)) == (session, run) else known
        runs.append(parse_run(int(s), int(r), stored, told))
    return speller_dataset(dataset.name, runs, dataset.source, dataset.source_note)


@pytest.fixture
def coarse(monkeypatch):
    """Features of 150 ms, a third of them; those of the real recording are 50 ms."""
    monkeypatch.setattr(speller, "BLOCK", 36)


@pytest.mark.slow
@pytest.mark.usefixtures("coarse")
def test_a_character_with_a_wrong_label_is_named_and_the_others_are_not(simulated):
    (found,) = speller.contradicted(respelled(simulated, 11, 2, "OQL"))
    assert found.p_value < LEVEL
    assert "run 011/02, character 2: labelled Q" in found.text
    assert found.text.endswith("spell W")


@pytest.mark.slow
@pytest.mark.usefixtures("coarse")
def test_shuffled_labels_of_the_flashes_contradict_no_character(simulated):
    y = np.random.default_rng(0).permutation(simulated.y)
    assert not list(speller.contradicted(replace(simulated, y=y)))


def test_audited_labels_leave_simulated_and_other_recordings_as_they_are(simulated):
    assert with_audited_labels(simulated) is simulated
    assert not contradicted_flashes(simulated).any()
    twonorm = data_fetch.load("embedded/twonorm", labels="audited")
    assert twonorm.y.tolist() == data_fetch.load("embedded/twonorm").y.tolist()
    with pytest.raises(ValueError, match="labels='right'; it must be 'published' or 'audited'"):
        data_fetch.load("embedded/twonorm", labels="right")


# Signals


def test_flat_and_clipped_channels_and_far_volumes_are_named(simulated):
    raws = [raw.copy() for raw in simulated.extra["raws"]]
    raws[0]._data[3] = 1e-6
    top = np.quantile(raws[0]._data[5], 0.9)
    raws[0]._data[5] = np.minimum(raws[0]._data[5], top)
    found = checks(signals.channels(replace(simulated, extra={**simulated.extra, "raws": raws})))
    assert found == {"flat channels": 1, "clipped channels": 1}
    X = np.random.default_rng(0).normal(size=(60, 40))
    X[10] += 5
    X[:30, 7] = 0.5
    scans = made_up(X, groups=np.repeat([1, 2], 30))
    texts = {f.check: f.text for f in signals.volumes(scans)}
    assert "7" in texts["dead voxels"]
    assert "volume 10 (run 1)" in texts["far volumes"]


# Real data


def at_hand(name: str) -> str:
    if not data_fetch.available(name):
        pytest.skip(f"{name} is not at hand")
    return name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "check", "told"),
    [
        ("raetsch/image", "repeated split", "realisation 10 has the rows of realisation 1"),
        ("raetsch/titanic", "repeated rows", "14 are different"),
        ("uci/letter", "repeated rows", "1332 of 20000 rows"),
    ],
)
def test_known_facts_are_found(name, check, told):
    dataset = data_fetch.load(at_hand(name))
    codes = rows.row_codes(dataset.X)
    found = [*rows.repeated(codes), *rows.across_splits(dataset, codes)]
    assert any(f.check == check and told in f.text for f in found)


@pytest.mark.slow
def test_the_h_that_is_a_g_is_named_with_its_place_and_level():
    dataset = data_fetch.load(at_hand("p300/iib"))
    (found,) = speller.contradicted(dataset)
    assert "run 011/02, character 1: labelled H" in found.text
    assert found.text.endswith("spell G")
    assert found.p_value < 0.01
    audited = data_fetch.load("p300/iib", labels="audited")
    assert "labels audited: 011/02 spells GAT" in audited.source_note
    changed = audited.y != dataset.y
    assert changed.sum() == 30
    assert set(np.flatnonzero(changed)) <= set(found.places)
    assert any("run 011/02" in note for note in dataset.notes)
    assert audited.notes == dataset.notes


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["raetsch/titanic", "raetsch/breast_cancer", "raetsch/image", "statlog/segment"]
)
def test_the_committed_table_says_what_the_audit_finds(name):
    table = pd.read_csv(TABLE).query("`data set` == @name")
    found = data_fetch.audit(at_hand(name)).to_frame()
    assert found[["check", "count"]].to_numpy().tolist() == (
        table[["check", "count"]].to_numpy().tolist()
    )


def test_the_committed_table_names_known_sets_and_checks():
    table = pd.read_csv(TABLE)
    assert set(table["data set"]) <= set(data_fetch.names())
    assert not table["finding"].isna().any()
