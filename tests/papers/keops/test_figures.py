"""Figures of KEOPS show what the records say."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from data_fetch.p300 import CHANNELS
from reprolib.papers.keops import example, figures
from reprolib.papers.keops._regions import regions
from reprolib.rerun import records as results


@pytest.fixture(scope="module")
def records():
    return results.load_paper("keops")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_cap_map_names_every_region_and_electrode():
    texts = {text.get_text().replace("\n", " ") for text in example.cap_map().axes[0].texts}
    assert texts == set(CHANNELS) | set(regions(CHANNELS))


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


def test_spelling_interval_is_wilsons():
    low, high = figures._wilson(0.5, 18)
    assert (low, high) == pytest.approx((0.2903, 0.7097), abs=1e-3)


def test_patterns_have_a_map_for_every_frame():
    patterns = {"one": np.ones((64, 14)), "two": np.random.default_rng(0).normal(size=(64, 14))}
    assert len(figures.pattern_maps(patterns, frames=(4, 6)).axes) == 4
