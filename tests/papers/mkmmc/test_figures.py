"""Tables and figures of MKMMC on records of a small simulated run."""

import dataclasses
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

from data_fetch.embedded.faces import load_embedded
from reprolib.papers.mkmmc import example, figures
from reprolib.papers.mkmmc.experiment import PROTOCOL, READINGS, derive, run
from reprolib.papers.mkmmc.methods import OWN
from reprolib.report.paper_figures import report_figures
from reprolib.rerun import records as results
from reprolib.rerun.records import path_matrix, select
from reprolib.rerun.records.rows import row_of
from reprolib.rerun.records.task import HEADLINE


@pytest.fixture(scope="module")
def records():
    data = load_embedded()
    keep = data.y <= 5
    data = dataclasses.replace(data, X=data.X[keep], y=data.y[keep])
    named = {"embedded/faces": data}

    def measure(tasks):
        return [row_of(task, m, "embedded", 0.0) for task in tasks for m in run(task, data)]

    rows = measure(PROTOCOL.stages[0].tasks("quick", named, results.to_frame([])))
    rows += derive(results.to_frame(rows))
    return results.to_frame(rows)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_columns_and_labels(records):
    labels = [figures.column_label(column) for column in figures.columns(records)]
    assert labels == ["simulated, 2 train", "simulated, 3 train", "simulated, 4 train"]


def test_accuracies_are_percentages_of_every_trial(records):
    frame = figures.accuracies(records)
    assert frame.loc[("mmc", HEADLINE)].shape[1] == 3
    assert np.nanmax(frame) <= 100
    assert np.nanmax(frame) > 1
    assert list(frame.index[frame["simulated, 2 train"].isna()].unique("method")) == ["mmc_cv"]
    own = figures.accuracies(records, OWN)
    assert set(own.index) == set(frame.index)


def test_published_accuracies_are_the_printed_ones():
    frame = figures.published_accuracies()
    assert frame.shape == (5, 9)
    assert frame.loc["MKMMC", "Coil20, 8 train"] == 93.32
    assert frame.loc["PCA", "ORL, 2 train"] == 70.67


def test_learned_weights_are_means_of_simplex_points(records):
    frame = figures.learned_weights(records)
    measured = READINGS.measured("mkmmc", HEADLINE)
    assert set(measured) <= set(frame.index)
    assert list(frame.index) == [reading for reading in READINGS if reading in frame.index]
    np.testing.assert_allclose(frame[list(range(-5, 6))].sum(axis=1), 1, atol=1e-3)
    assert frame["single kernel"].between(0, 1).all()


def test_pictures_of_shares_name_readings_as_the_text_does():
    records = results.ok(results.load_paper("mkmmc"))
    figure = figures.weights_figure(records)
    labels = " ".join(label.get_text() for label in figure.axes[0].get_yticklabels())
    assert "as printed (" in labels
    assert "whitened with ridge (" in labels
    assert not any(name in labels for name in (HEADLINE, "within weight", "n_i", "ridge 0.1"))


def test_the_turned_picture_tells_the_scan_and_its_gain():
    records = results.ok(results.load_paper("mkmmc"))
    picture = figures.accuracy_at_weight(records)
    scan = figures.scan_accuracies(figures.scan_paths(records, "linear weight scan"))
    for column in ("ORL, 2 train", "Coil20, 8 train"):
        own = scan[column]
        told = repr(picture.at(column=column, weight=10))
        accuracy, gain, low, high = (float(n) for n in re.findall(r"-?\d+\.\d", told))
        assert accuracy == pytest.approx(own[10], abs=0.05)
        assert gain == pytest.approx(own[10] - own[1], abs=0.05)
        assert low < gain < high
    assert "the paper's weight" in repr(picture.at(weight=1))


def test_no_dimension_is_better_than_the_oracle(records):
    """In a dimension that is the same for all splits; their own ones may be better."""
    keys = ["method", "reading", "setting"]
    oracle = select(records, metric="accuracy").groupby(keys)["value"].mean()
    for key, rows in select(records, metric=OWN).groupby(keys):
        assert path_matrix(rows).mean(axis=0).max() == pytest.approx(oracle[key], abs=1e-5)


def test_every_report_figure_is_drawn(records):
    drawn = report_figures("mkmmc", records)
    assert len(drawn) == 4
    assert all(isinstance(figure, plt.Figure) for figure in drawn.values())
    first = drawn["Mean test accuracy against the dimension; dots: printed"]
    assert len(first.axes) == 3
    assert len(first.axes[0].lines) >= 5


@pytest.fixture
def scan():
    """Two splits, two weights 1 and 2, two dimensions, in one printed column."""
    accuracy = np.array([[[50.0, 60.0], [80.0, 70.0]], [[50.0, 80.0], [70.0, 70.0]]])
    weights = [float(mu) for mu in range(1, 21)]
    return {("faces/orl", "2 train"): (weights, np.repeat(accuracy, 10, axis=1))}


def test_scan_takes_the_best_mean_dimension_for_every_weight(scan):
    table = figures.scan_accuracies(scan)["ORL, 2 train"]
    assert table[1] == 70
    assert table[20] == 75


def test_scan_distance_is_that_to_the_printed_row(scan):
    distances = figures.scan_distances(figures.scan_accuracies(scan))
    assert distances.loc[20, "MKMMC"] == pytest.approx(abs(75 - 79.09))


def test_a_reading_is_drawn_for_the_methods_that_have_it(records):
    axis = figures.accuracy_by_dimension(records, "whitened").axes[0]

    def mean_path(method, reading):
        wanted = {"dataset": "embedded/faces", "setting": "2 train", "metric": figures.OWN}
        rows = results.select(records, method=method, reading=reading, **wanted)
        return 100 * np.mean(results.paths(rows), axis=0)

    for line, method in zip(axis.lines[::2], figures.METHOD_NAMES, strict=True):
        reading = "whitened" if method in ("kmmc_cv", "mkmmc") else HEADLINE
        expected = mean_path(method, reading)
        np.testing.assert_allclose(line.get_ydata(), expected)
    assert not np.allclose(axis.lines[8].get_ydata(), mean_path("mkmmc", HEADLINE))


def test_every_image_has_its_place_and_every_row_its_name():
    rows = {"r": np.arange(16.0).reshape(4, 4), "s": 100.0 + np.arange(8).reshape(2, 4)}
    axes = example.image_grid(rows, (2, 2)).axes
    shown = [axis.images[0].get_array().max() if axis.images else None for axis in axes]
    assert shown == [3, 7, 11, 15, 103, 107, None, None]
    names = [[text.get_text() for text in axis.texts] for axis in axes]
    assert names == [["r"], [], [], [], ["s"], [], [], []]
