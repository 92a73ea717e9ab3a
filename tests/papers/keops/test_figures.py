"""Figures of KEOPS show what the records say."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from data_fetch.embedded import p300 as simulation
from data_fetch.p300 import CHANNELS, speller_dataset
from reprolib.methods.keops.speller import features
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


def test_cap_map_names_every_electrode_and_the_tree_its_lobes_from_front_to_back():
    cap, tree = example.cap_map().axes
    assert {text.get_text() for text in cap.texts} == set(CHANNELS)
    told = [text.get_text() for text in tree.texts]
    lobes = [text for text in told if text in {name.split()[0] for name in regions(CHANNELS)}]
    assert lobes == ["prefrontal", "frontal", "temporal", "central", "parietal", "occipital"]
    dots = [len(line.get_xdata()) for line in tree.lines if line.get_marker() == "."]
    assert (len(dots), sum(dots)) == (64, 896)


def test_channels_that_the_paper_names_are_ringed_and_kept_ones_black(records):
    *_, keops, _, _, _, _ = figures.scalp_maps(records).axes
    assert keops.get_xlabel().endswith("the paper names for KEOPS")
    (rings,) = [dots for dots in keops.collections if len(dots.get_offsets()) == 7]
    xy = figures.head_positions(figures.electrode_info())
    printed = [CHANNELS.index(name) for name in figures.PRINTED_CHANNELS]
    assert set(map(tuple, rings.get_offsets())) == set(map(tuple, xy[printed]))
    kept = {text.get_text() for text in keops.texts if text.get_color() == figures.BLACK}
    assert kept == {"C1", "CP1", "PO7", "PO8"}
    assert {text.get_text() for text in keops.texts} == kept | set(figures.PRINTED_CHANNELS)


def test_frames_are_in_time_and_kept_electrodes_named(records):
    keops, *_ = figures.frame_images(records).axes
    assert [text.get_text() for text in keops.get_xticklabels()][:3] == ["0", "200", "400"]
    image = figures.median_relevance(figures.relevances(records, "keops"))
    drawn = keops.images[0].get_array()
    named = [text.get_text() for text in keops.get_yticklabels()]
    assert set(named) == {CHANNELS[k] for k in np.flatnonzero(image.any(axis=1))}
    for line, name in zip(keops.get_yticks(), named, strict=True):
        np.testing.assert_allclose(drawn[int(line)].filled(0.0), image[CHANNELS.index(name)])
    assert named.index("C1") < named.index("CP1") < named.index("PO8"), "front first"
    (bands,) = keops.child_axes
    middles = [float(tick) for tick in bands.get_yticks()]
    names = [text.get_text() for text in bands.get_yticklabels()]
    for line, name in zip(keops.get_yticks(), named, strict=True):
        nearest = names[int(np.argmin(np.abs(np.array(middles) - line)))]
        assert nearest == regions([name])[0].split()[0]


def test_the_turned_picture_tells_the_means_and_marks_printed_values(records):
    picture = figures.auc_and_channels(records)
    rows = results.select(records, table="table1", reading="headline", method="keops", setting="")
    means = rows.groupby("metric")["value"].mean()
    told = f"KEOPS {100 * means['auc']:.1f} % with {means['channels']:.1f} channels"
    assert told in repr(picture.at(labels="as in Table 1"))
    assert picture.svg.count("<circle") == 30, "ten draws of three methods"


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


def test_a_pattern_is_the_slope_of_every_feature_on_the_score(fixed):
    (pattern,) = example.patterns(fixed, {"keops": 0.1}, draw=1).values()
    assert pattern.shape == (64, 14)
    train, _ = draw_split(fixed, 1, by_character=False)
    X = features(fixed)[train]
    slopes = [np.polyfit(X[:, :14].sum(axis=1), X[:, j], 1)[0] for j in (0, 20, 895)]
    np.testing.assert_allclose(pattern.ravel()[[0, 20, 895]], slopes, rtol=1e-6)


@pytest.mark.parametrize("tables", [(), ("electrodes",), ("spelling",), ("electrodes", "spelling")])
def test_a_figure_of_a_table_without_records_is_left_out(tables):
    needed = {figures.few_electrodes: "electrodes", figures.spelling: "spelling"}
    rows = [{"table": table, "status": "ok"} for table in ("table1", *tables)]
    rows += [{"table": table, "status": "failed: x"} for table in needed.values()]
    drawn = [figure.draw for figure in paper_figures("keops", pd.DataFrame(rows))]
    always = [figure.draw for figure in figures.FIGURES if figure.draw not in needed]
    assert drawn == [*always, *(draw for draw, table in needed.items() if table in tables)]
