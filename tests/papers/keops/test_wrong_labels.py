"""The test of a speller's labels: it keeps its level, and finds the one that is wrong."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import data_fetch
from data_fetch import Dataset
from data_fetch.p300 import contradicted_flashes, parse_run, speller_dataset, with_audited_labels
from reprolib.papers.keops import wrong_labels
from reprolib.papers.keops.wrong_labels import LEVEL, contradicted, p_value_of


@pytest.fixture(scope="module")
def simulated():
    return data_fetch.load("embedded/p300")


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
    drawn = p_value_of(scores, labelled, np.random.default_rng(0), 20_000)
    assert drawn == pytest.approx(exact, abs=0.015)


def test_the_permutation_test_keeps_its_level_if_no_code_stands_out():
    rng = np.random.default_rng(0)
    n_tests = 300
    p = [p_value_of(rng.normal(size=(15, 6)), 2, rng, 1000) for _ in range(n_tests)]
    assert np.mean(np.array(p) < LEVEL) <= stats.binom.ppf(0.999, n_tests, LEVEL) / n_tests
    assert stats.kstest(p, "uniform").pvalue > 1e-3


def test_the_right_label_is_never_contradicted_by_its_own_response():
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores = rng.normal(size=(15, 6))
        scores[:, 2] += 1
        assert p_value_of(scores, 2, rng, 1000) > LEVEL


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
    monkeypatch.setattr(wrong_labels, "BLOCK", 36)


@pytest.mark.slow
@pytest.mark.usefixtures("coarse")
def test_a_character_with_a_wrong_label_is_named_and_the_others_are_not(simulated):
    (found,) = contradicted(respelled(simulated, 11, 2, "OQL"))
    assert found.p_value < LEVEL
    assert "run 011/02, character 2: labelled Q" in found.text
    assert "spell W (p = " in found.text


@pytest.mark.slow
@pytest.mark.usefixtures("coarse")
def test_shuffled_labels_of_the_flashes_contradict_no_character(simulated):
    y = np.random.default_rng(0).permutation(simulated.y)
    assert not contradicted(replace(simulated, y=y))


def test_audited_labels_leave_simulated_and_other_recordings_as_they_are(simulated):
    assert with_audited_labels(simulated) is simulated
    assert not contradicted_flashes(simulated).any()
    twonorm = data_fetch.load("embedded/twonorm", labels="audited")
    assert twonorm.y.tolist() == data_fetch.load("embedded/twonorm").y.tolist()


@pytest.mark.slow
@pytest.mark.needs_data("p300/iib")
def test_the_h_that_is_a_g_is_named_with_its_place_and_level():
    dataset = data_fetch.load("p300/iib")
    (found,) = contradicted(dataset)
    assert "run 011/02, character 1: labelled H, but column 2 got no response" in found.text
    assert found.text.endswith("spell G (p = 0.0018)")
    audited = data_fetch.load("p300/iib", labels="audited")
    assert "labels audited: 011/02 spells GAT" in audited.source_note
    changed = audited.y != dataset.y
    assert changed.sum() == 30
    assert set(np.flatnonzero(changed)) <= set(found.rows)
    assert any("run 011/02" in note for note in dataset.notes)
    assert audited.notes == dataset.notes
