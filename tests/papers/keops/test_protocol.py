import warnings
from collections import Counter
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from data_fetch.embedded.p300 import load_embedded
from data_fetch.p300 import CHANNELS, codes_of
from reprolib.papers.keops import _methods as methods
from reprolib.papers.keops import _readings as readings
from reprolib.papers.keops import figures
from reprolib.papers.keops._regions import electrode_tree, region, regions
from reprolib.papers.keops._spelling import correct_characters
from reprolib.papers.keops._splits import (
    N_TRAIN,
    character_halves,
    draw_split,
    flash_pool,
    folds,
)
from reprolib.papers.keops.protocol import (
    PAPER_METHODS,
    VARIANTS,
    first_stage,
    run,
    second_stage,
)
from reprolib.rerun import records as results
from reprolib.rerun.printed import numbers, paper_entry
from reprolib.rerun.speller import features
from reprolib.rerun.task import HEADLINE, Task


@pytest.fixture(scope="module")
def dataset():
    return load_embedded()


@pytest.fixture(scope="module")
def short_grids():
    with pytest.MonkeyPatch.context() as patch:
        for name, grid in [("keops", (0.1, 0.3)), ("mkl", (0.3, 1.0)), ("tree norm", (0.3, 0.1))]:
            old = methods.METHODS[name]
            patch.setitem(methods.METHODS, name, methods.Method(old.make, grid, old.sparse))
        yield


def measured(task, dataset):
    return {(m.metric, m.reading): m for m in run(task, dataset)}


# ---- regions


@pytest.mark.parametrize("grouping", ["lobes", "PO parietal", "random"])
def test_every_grouping_has_seventeen_regions(grouping):
    found = regions(CHANNELS, grouping)
    assert len(set(found)) == 17
    assert electrode_tree(CHANNELS, 14, grouping).n_nodes == (17, 64, 896)


def test_regions_by_name():
    assert region("FCz") == region("Cz") == region("CPz") == "central midline"
    assert region("T9") == region("FT7") == "temporal left"
    assert region("PO8") == "occipital right"
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


def test_every_fold_has_both_classes_and_whole_characters(dataset):
    train, _ = draw_split(dataset, 0, by_character=True)
    character = dataset.extra["flashes"]["character"].to_numpy()[train]
    for inside, outside in folds(dataset, train, 0, by_character=True):
        assert set(dataset.y[train][inside]) == set(dataset.y[train][outside]) == {-1, 1}
        assert not set(character[inside]) & set(character[outside])


def test_too_few_flashes_say_what_is_missing(dataset):
    one_run = flash_pool(dataset, {})[:540]
    with pytest.raises(ValueError, match="has 540 labelled flashes to draw from .* trains on 567"):
        draw_split(dataset, 0, by_character=False, pool=one_run)
    with pytest.raises(ValueError, match="flashes in half of the characters"):
        draw_split(dataset, 0, by_character=True, pool=one_run)


def test_readings_that_leave_out_a_run_need_that_run(dataset):
    only = replace(dataset, groups=np.where(dataset.groups == 1102, 1103, dataset.groups))
    readings = {t.reading for t in first_stage("full", {"x": only}, results.to_frame([]))}
    assert set(VARIANTS) - readings == {"without run 011/02"}


def test_full_profile_has_ten_draws_of_the_papers_methods_and_all_readings(dataset):
    tasks = first_stage("full", {"p300/iib": dataset}, results.to_frame([]))
    count = Counter((t.method, t.reading) for t in tasks)
    assert all(count[m, HEADLINE] == 10 for m in PAPER_METHODS)
    assert {t.reading for t in tasks} == {HEADLINE, *VARIANTS}
    assert len(set(tasks_keys(tasks))) == len(tasks)
    quick = first_stage("quick", {"p300/iib": dataset}, results.to_frame([]))
    assert len(quick) == 6


def tasks_keys(tasks):
    return [t.key(1, "") for t in tasks]


def test_every_printed_number_finds_a_method():
    assert {n.select["method"] for n in numbers("keops")} == set(PAPER_METHODS)
    named = {r["name"] for r in paper_entry("keops")["readings"]}
    assert set(VARIANTS) <= named


# ---- measurements


@pytest.fixture(scope="module")
def records(dataset, short_grids):
    """Both stages of a small run: two draws of the paper's methods, spelling of one run."""
    rows = []
    tasks = [
        Task("keops", "table1", "embedded/p300", m, HEADLINE, draw)
        for m in PAPER_METHODS
        for draw in (0, 1)
    ]
    tasks.append(Task("keops", "table1", "embedded/p300", "lda", HEADLINE, 0))
    for task in tasks:
        rows += stored(task, run(task, dataset))
    later = second_stage("quick", {"embedded/p300": dataset}, results.to_frame(rows))
    for task in [t for t in later if t.trial == 0]:
        rows += stored(task, run(task, dataset))
    return results.to_frame(rows)


def stored(task, measurements):
    from reprolib.rerun.worker import row_of

    return [row_of(task, m, "embedded", 0.0) for m in measurements]


def test_methods_find_the_simulated_response(records):
    auc = records[(records["metric"] == "auc") & (records["table"] == "table1")]
    assert auc["value"].min() > 0.7
    kept = records[(records["metric"] == "channels") & (records["reading"] == HEADLINE)]
    mean = kept.groupby("method")["value"].mean()
    assert mean["keops"] < mean["mkl"]
    gaps = auc[auc["method"] != "keops"]["gap"].dropna()
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
    made = figures.report_figures(records)
    assert len(made) == 6
    for figure in made.values():
        figure.canvas.draw()
        plt.close(figure)
    table = figures.stability(records)
    assert table["Jaccard index"].between(0, 1).all()
    assert figures.paired_aucs(records)["minus KEOPS"]["KEOPS"] == 0


def test_other_readings_run(dataset, short_grids):
    for reading, method in [("split by character", "lda"), ("standardised", "lda")]:
        task = Task("keops", "table1", "x", method, reading, 0, VARIANTS[reading][1])
        found = measured(task, dataset)
        assert 0.6 < found["auc", None].value < 1
        assert found["auc", None].n_test > 800
    assert ("auc", "split by character, tested on the same characters") in measured(
        Task("keops", "table1", "x", "lda", "split by character", 0, {"by_character": True}),
        dataset,
    )


def test_causal_filter_delays_the_response(dataset):
    from reprolib.papers.keops.protocol import _filter

    y = dataset.y
    tasks = [Task("k", "t", "x", "lda", "r", 0, params) for params in ({}, {"zero_phase": False})]
    peak = [
        np.argmax((X[y == 1].mean(axis=0) - X[y == -1].mean(axis=0)).reshape(64, 14)[10])
        for X in (features(dataset, _filter(task)) for task in tasks)
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
