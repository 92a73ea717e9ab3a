"""Figures of KEOPS show what the records say."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from data_fetch.embedded import p300 as simulation
from data_fetch.p300 import CHANNELS, speller_dataset
from reprolib.methods.keops import KEOPSClassifier, KernelTree
from reprolib.methods.keops.speller import features
from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.papers.keops import example, figures
from reprolib.papers.keops.methods import Method, regions
from reprolib.papers.keops.splits import draw_split
from reprolib.report.paper_figures import paper_figures
from reprolib.rerun import records as results


@pytest.fixture(scope="module")
def records():
    return results.load_paper("keops")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_cap_map_names_every_electrode_and_the_lobe_of_its_region():
    figure = example.cap_map()
    assert {text.get_text() for text in figure.axes[0].texts} == set(CHANNELS)
    lobes = {text.get_text() for text in figure.legends[0].get_texts()}
    assert lobes == {region.split()[0] for region in regions(CHANNELS)}


def test_frames_are_in_time_and_kept_electrodes_named(records):
    keops, *_ = figures.frame_images(records).axes
    assert [text.get_text() for text in keops.get_xticklabels()][:3] == ["0", "100", "200"]
    image = figures.median_relevance(figures.relevances(records, "keops"))
    kept = [CHANNELS[k] for k in np.flatnonzero(image.any(axis=1))]
    assert [text.get_text() for text in keops.get_yticklabels()] == kept


def test_readings_forest_compares_the_same_draws(records):
    axis = figures.readings_forest(records).axes[0]
    names = [text.get_text() for text in axis.get_yticklabels()]
    place = names.index("filtered window by window")
    points = [line.get_xydata()[0] for line in axis.lines if line.get_xydata().shape == (1, 2)]
    (difference,) = [x for x, y in points if y == pytest.approx(place + 0.2)]
    assert difference == pytest.approx(-2.6, abs=0.05)


def test_counts_along_costs_draws_mean_and_printed():
    columns = {"AUC": 80.0, "# Regions": 5.0, "# Channels": 10.0, "# Frames": 40.0}
    scan = pd.DataFrame(
        [{"draw": d, "cost": c, **columns, "AUC": 80.0 + d} for d in (0, 2) for c in (0.1, 1.0)]
    )
    axis = figures.counts_along_costs(scan).axes[0]
    lines = {line.get_label(): line for line in axis.lines}
    assert list(lines["mean"].get_ydata()) == [81.0, 81.0]
    assert list(lines["printed"].get_ydata()) == [85.8, 85.8]


def test_patterns_have_a_map_for_every_frame():
    patterns = {"one": np.ones((64, 14)), "two": np.random.default_rng(0).normal(size=(64, 14))}
    assert len(figures.pattern_maps(patterns, frames=(4, 6)).axes) == 4


def test_every_row_of_patterns_has_its_name_and_scale_and_the_first_the_times():
    patterns = {"one": np.ones((64, 14)), "two": np.random.default_rng(0).normal(size=(64, 14))}
    axes = figures.pattern_maps(patterns, frames=(4, 6)).axes
    assert [axis.get_title() for axis in axes] == ["200 ms", "300 ms", "", ""]
    assert [axis.get_ylabel() for axis in axes] == ["one", "", "two", ""]
    for line, pattern in enumerate(patterns.values()):
        largest = np.abs(pattern).max()
        for axis in axes[2 * line : 2 * line + 2]:
            assert axis.images[0].get_clim() == pytest.approx((-largest, largest))


def test_a_mean_over_draws_stands_where_half_of_them_reach():
    rows = pd.DataFrame(
        {
            "path": ["0.5 0.6 0.7", "0.7 0.8", "0.6", "0.6"],
            "chosen": [f'{{"electrodes": {k}}}' for k in ([1, 2, 3], [1, 2], [1], [1])],
        }
    )
    sizes, mean = figures.mean_by_size(rows)
    assert sizes == [1, 2]
    assert mean == pytest.approx([0.6, 0.7])


@pytest.fixture(scope="module")
def one_character():
    run = simulation.simulate_run(10, 1, "A", np.random.default_rng(0))
    return speller_dataset("embedded/one", [run], "embedded", "one character")


def test_responses_begin_a_tenth_of_a_second_before_the_flash_and_are_zero_there(one_character):
    found = example.responses(one_character)
    times = found["target"].times
    assert (times[0], times[-1]) == pytest.approx((-0.1, 0.65))
    assert len(times) == 181
    for evoked in found.values():
        before = evoked.data[:, times <= 0].mean(axis=1)
        np.testing.assert_allclose(before, 0, atol=1e-3 * np.abs(evoked.data).max())
    np.testing.assert_allclose(
        found["difference"].data, found["target"].data - found["other"].data, atol=1e-12
    )
    assert (found["target"].nave, found["other"].nave) == (30, 150)


def test_responses_are_drawn_in_milliseconds_and_units_of_the_converter(one_character):
    found = example.responses(one_character)
    for axis, channel in zip(example.response_at(found).axes, ("Pz", "Cz"), strict=True):
        assert axis.get_title() == channel
        for line, kind in zip(axis.lines, ("target", "other"), strict=True):
            expected = 1e6 * found[kind].get_data(picks=channel)[0]
            np.testing.assert_allclose(line.get_ydata(), expected)
            assert line.get_xdata()[[0, -1]] == pytest.approx([-100, 650])
        (span,) = axis.patches
        assert (span.get_x(), span.get_x() + span.get_width()) == (300, 400)


class Fixed:
    """Scores of the first channels alone; counts that tell the cost."""

    def __init__(self, cost):
        self.coef_ = np.arange(896.0) < 14
        self.n_selected_ = (1, 2, round(10 * cost))

    def fit(self, X, y):
        self.n_train = len(y)
        return self

    def decision_function(self, X):
        return X @ self.coef_


@pytest.fixture
def fixed(monkeypatch):
    monkeypatch.setitem(example.METHODS, "keops", Method(lambda X, tree, c: Fixed(c), (0.1,)))
    return simulation.load_embedded()


def test_a_scan_of_costs_has_the_auc_in_percent_and_the_counts(fixed):
    frame = example.scan_costs(fixed, [0, 3], [0.2, 0.3])
    assert frame[["draw", "cost"]].to_numpy().tolist() == [[0, 0.2], [0, 0.3], [3, 0.2], [3, 0.3]]
    assert frame[["# Regions", "# Channels", "# Frames"]].to_numpy().tolist() == 2 * [
        [1, 2, 2],
        [1, 2, 3],
    ]
    _, tests = draw_split(fixed, 3, by_character=False)
    scores = features(fixed)[tests[None]][:, :14].sum(axis=1)
    target = fixed.y[tests[None]] == 1
    above = (scores[target][:, None] > scores[~target][None]).mean()
    assert frame["AUC"].iloc[2] == pytest.approx(100 * above, abs=0.01)


def test_a_pattern_is_the_slope_of_every_feature_on_the_score(fixed):
    (pattern,) = example.patterns(fixed, {"keops": 0.1}, draw=1).values()
    assert pattern.shape == (64, 14)
    train, _ = draw_split(fixed, 1, by_character=False)
    X = features(fixed)[train]
    slopes = [np.polyfit(X[:, :14].sum(axis=1), X[:, j], 1)[0] for j in (0, 20, 895)]
    np.testing.assert_allclose(pattern.ravel()[[0, 20, 895]], slopes, rtol=1e-6)


def test_the_written_out_algorithm_takes_the_steps_of_the_classifier():
    rng = np.random.default_rng(0)
    tree = KernelTree.from_labels([np.repeat([0, 1], 6), np.repeat([0, 1, 2, 3], 3)])
    X = rng.normal(size=(60, 12))
    y = np.where(X[:, 0] + X[:, 4] - X[:, 7] + rng.normal(size=60) > 0, 1, -1)
    path = example.weight_path(X, y, tree, (1.0, 1.0, 1.0), 5.0, n_steps=4)
    assert [level.shape for level in path] == [(5, 2), (5, 4), (5, 12)]
    for level, n in zip(path, (2, 4, 12), strict=True):
        np.testing.assert_allclose(level[0], 1 / n)
    with pytest.warns(NotOptimalWarning):
        model = KEOPSClassifier(tree, 1.0, C=5.0, max_iter=4, decrease_tol=0.0).fit(X, y)
    for level, weights in zip(path, model.weights_, strict=True):
        np.testing.assert_allclose(level[4], weights, atol=1e-3)


@pytest.mark.parametrize(("smallest", "n_kept"), [(0.9e-6, 63), (1.1e-6, 64)])
def test_a_channel_below_a_millionth_of_the_largest_is_not_kept(smallest, n_kept):
    channels = np.full(64, 0.5)
    channels[3] = smallest * 0.5
    path = [np.full((2, 8), 0.125), np.stack([channels, channels])]
    names = [[f"region {k}" for k in range(8)], list(CHANNELS)]
    axes = example.at_step(path, names, 1).axes
    assert axes[2].get_title() == f"step 1: {n_kept} channels"


@pytest.mark.parametrize("tables", [(), ("electrodes",), ("spelling",), ("electrodes", "spelling")])
def test_a_figure_of_a_table_without_records_is_left_out(tables):
    needed = {figures.few_electrodes: "electrodes", figures.spelling: "spelling"}
    rows = [{"table": table, "status": "ok"} for table in ("table1", *tables)]
    rows += [{"table": table, "status": "failed: x"} for table in needed.values()]
    drawn = [figure.draw for figure in paper_figures("keops", pd.DataFrame(rows))]
    always = [figure.draw for figure in figures.FIGURES if figure.draw not in needed]
    assert drawn == [*always, *(draw for draw, table in needed.items() if table in tables)]


def test_colour_bars_are_shorter_than_their_panels(records):
    rng = np.random.default_rng(0)
    path = [rng.dirichlet(np.ones(n), size=2) for n in (8, 64)]
    names = [[f"region {k}" for k in range(8)], list(CHANNELS)]
    for figure in (
        figures.scalp_maps(records),
        figures.frame_images(records),
        figures.selection_frequency(records),
        example.at_step(path, names, 1),
    ):
        heights: dict[bool, list[float]] = {True: [], False: []}
        for axis in figure.axes:
            height = axis.get_position(original=True).height
            heights[axis.get_label() == "<colorbar>"].append(height)
        for bar in heights[True]:
            assert 0.3 * min(heights[False]) < bar < max(heights[False])
