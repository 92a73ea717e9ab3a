"""Figures of KPM show what the records say."""

from __future__ import annotations

import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.contour import ContourSet
from scipy import stats
from sklearn.metrics.pairwise import rbf_kernel

from reprolib.papers.kpm import example as kpm_example
from reprolib.papers.kpm import figures as kpm
from reprolib.papers.kpm import summaries
from reprolib.report.paper_figures import paper_figures
from reprolib.report.style import plane_grid
from reprolib.rerun import records as results
from reprolib.rerun.verdicts.errors import CORRELATION

FLARE_SOLAR = "raetsch/flare_solar"


@pytest.fixture(scope="module")
def records():
    return results.load_paper("kpm")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def headline(records, table, dataset, method, metric):
    wanted = {"table": table, "dataset": dataset, "method": method, "metric": metric}
    rows = results.select(records, reading="headline", setting="", **wanted)
    return rows.sort_values("trial")


def test_the_committed_records_have_every_figure(records):
    """They are drawn in `tests/report/test_figures.py`."""
    assert len(paper_figures("kpm", records)) == len(kpm.FIGURES)


def test_a_figure_without_its_records_is_left_out(records):
    """Figure 1 needs both methods, the selections a set of the paper, the maps theirs."""
    embedded = records[records["dataset"] == "embedded/twonorm"]
    assert len(paper_figures("kpm", embedded)) == 3
    one = records[(records["table"] == "figure1") & (records["method"] == "kpm")]
    assert len(paper_figures("kpm", pd.concat([embedded, one]))) == 3


def test_figure1_plots_the_mean_over_realisations(records):
    figure = kpm.figure1(records)
    rows = headline(records, "figure1", "raetsch/flare_solar", "kpm", "test error path")
    paths = np.array([path.split() for path in rows["path"]], dtype=float)
    D, errors = figure.axes[0].lines[0].get_data()
    assert list(D) == list(range(1, 31))
    np.testing.assert_allclose(errors, paths.mean(axis=0))
    C, _ = figure.axes[1].lines[0].get_data()
    assert (C[0], C[-1]) == (0.2, 20.0)


def test_selected_error_lies_on_the_path_that_is_drawn(records):
    """A table and a figure cannot tell two stories."""
    for dataset in ("raetsch/banana", "raetsch/heart"):
        paths = headline(records, "table2", dataset, "kpm", "test error path")["path"]
        errors = headline(records, "table2", dataset, "kpm", "test error")
        selected = errors["chosen"].str.extract(r'"D": (\d+)')[0].astype(int)
        on_path = [float(p.split()[D - 1]) for p, D in zip(paths, selected, strict=True)]
        np.testing.assert_allclose(errors["value"], on_path, atol=1e-6)


def test_paired_interval_is_that_of_claims(records):
    frame = kpm.paired_table(records)
    ours, theirs = (
        headline(records, "table2", "raetsch/german", m, "test error")["value"].to_numpy()
        for m in ("kpm", "svm")
    )
    plain = stats.ttest_rel(ours, theirs).confidence_interval()
    row, n = frame.loc["raetsch/german"], len(ours)
    stretched = np.sqrt(1 + n * CORRELATION / (1 - CORRELATION))
    assert row["high"] - row["low"] == pytest.approx(100 * stretched * (plain.high - plain.low))
    assert (row["high"] + row["low"]) / 2 == pytest.approx(100 * (ours - theirs).mean())


def test_paired_comparison_takes_the_reading_with_more_realisations_where_it_was_run(records):
    rows = records[records["reading"] == "headline"]
    assert kpm.paired_reading(rows) == "headline"
    both = pd.concat([rows, rows.assign(reading=kpm.PARTITIONS)])
    assert kpm.paired_reading(both) == kpm.PARTITIONS
    only_kpm = pd.concat([rows, rows[rows["method"] == "kpm"].assign(reading=kpm.PARTITIONS)])
    assert kpm.paired_reading(only_kpm) == "headline"


def test_selections_are_counted_and_the_printed_dimension_marked(records):
    figure = kpm.selected_dimensions(records)
    flare = next(axis for axis in figure.axes if axis.get_title() == "Flare Solar")
    rows = records[(records["table"] == "selection") & (records["dataset"] == FLARE_SOLAR)]
    rows = rows[rows["reading"] == "headline"]
    single, medians = flare.containers
    assert sum(bar.get_height() for bar in single) == (rows["metric"] == "selected D").sum()
    assert sum(bar.get_height() for bar in medians) == (rows["metric"] == "median D").sum()
    assert list(flare.lines[0].get_xdata()) == [6, 6]


def test_figure1_marks_the_printed_dimension(records):
    _, _, marked = kpm.figure1(records).axes[0].lines
    assert list(marked.get_xdata()) == [6, 6]


def test_losses_are_compared_on_the_same_realisations(records):
    frame = kpm.loss_differences(records)
    assert frame.groupby(level=0).size().eq(2).all()
    rows = records[(records["dataset"] == "raetsch/heart") & (records["table"] == "table2")]
    rows = results.select(rows, method="kpm", reading="headline", metric="test error")
    means = 100 * rows.groupby("setting")["value"].mean()
    found = frame.loc[("raetsch/heart", "square loss"), "difference"]
    assert found == pytest.approx(means["square loss"] - means[""])


def test_the_map_tells_the_error_of_a_measured_place(records):
    picture = kpm.dimension_and_cost(records)
    wide = summaries.error_maps(records, "raetsch/heart")
    error, svm = wide[10, 1.0].mean(), wide[summaries.ALL, 1.0].mean()
    told = f"Heart, D = 10, C = 1: {error:.1f} %, {error - svm:+.1f} ±"
    assert repr(picture.at(dataset="Heart", D=10, C=1.0)).startswith(told)
    assert f">{error:.1f}</text>" in picture.svg
    assert "the SVM itself" in repr(picture.at(D=summaries.ALL))
    assert "not measured" in repr(picture.at(D=100, C=np.inf)), "a path of KPM ends before"


def test_source_is_printed_on_figures(records):
    texts = kpm.figure1(records)._supxlabel.get_text()
    assert "data: flare_solar (resampled)" in texts


def test_every_panel_shows_the_component_of_its_title():
    """Largest value on the plane, by an eigendecomposition of scikit-learn's kernel matrix."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    gamma, shown = 0.5, [1, 2, 3, 6]
    axes = kpm_example.components(X, np.where(X[:, 0] > 0, 1, -1), gamma, shown).axes
    assert [axis.get_title() for axis in axes] == [f"component {j}" for j in shown]
    eigenvalues, vectors = np.linalg.eigh(rbf_kernel(X, gamma=gamma))
    points = plane_grid(X)[2]
    for axis, j in zip(axes, shown, strict=True):
        values = rbf_kernel(points, X, gamma=gamma) @ vectors[:, -j] / eigenvalues[-j]
        (contours,) = (a for a in axis.collections if isinstance(a, ContourSet))
        largest = max(contours.zmax, -contours.zmin)
        assert largest == pytest.approx(np.abs(values).max(), rel=1e-6), j


def test_a_set_that_is_there_twice_is_counted_once(records):
    """Twonorm is embedded in the package, and one of Rätsch's; readers count the lines."""
    for frame in (kpm.paired_table(records, kpm.PARTITIONS), kpm.loss_differences(records)):
        names = [kpm.paper_name(name) for name in frame.index.get_level_values(0).unique()]
        assert len(names) == len(set(names)) == 13
    alone = records[records["dataset"] == "embedded/twonorm"]
    assert list(kpm.paired_table(alone).index) == ["embedded/twonorm"]


def test_the_rise_is_measured_on_all_partitions_from_the_dimension_of_cross_validation(records):
    """Fewer partitions, or a D chosen on the test points, would flatter it."""
    rises = summaries.rises(records)
    rows = results.select(records, table="table2", dataset="raetsch/heart", method="kpm")
    rows = results.select(rows, reading=kpm.PARTITIONS, setting="").set_index("trial")
    last = results.path_matrix(results.select(rows, metric="test error path"))[:, 59]
    at_chosen = results.select(rows, metric="test error")["value"]
    assert (rises.loc["raetsch/heart", "last D"], len(at_chosen)) == (60, 100)
    found = rises.loc["raetsch/heart", "difference"]
    assert found == pytest.approx(100 * (last.mean() - at_chosen.mean()))
    low, high = rises["low"], rises["high"]
    wider = summaries.rises(records, correlation=0.3)
    assert ((wider["low"] < low) & (wider["high"] > high)).all()


def test_the_rise_ends_at_the_last_dimension_that_all_paths_reach(records):
    rows = results.select(records, table="table2", dataset="raetsch/image", method="kpm")
    rows = results.select(rows, reading=kpm.PARTITIONS, setting="", metric="test error path")
    rows = rows.sort_values("trial")
    for partitions in (10, 20):
        shortest = results.path_matrix(rows[:partitions]).shape[1]
        last = summaries.rises(records, partitions=partitions).loc["raetsch/image", "last D"]
        assert last == (45 if shortest >= 45 else 30)


def test_lines_through_the_peak_have_gaps_where_rounding_decides(monkeypatch):
    D, lines = [1, 2, 3], []
    for metric, setting, path in (
        ("label weight path", "", [0.5, 0.2, 0.1]),
        ("training loss path", "", [0.6, 0.3, 0.0]),
        ("training error path", "least mean square", [0.3, 0.1, 0.0]),
        ("norm path", "least mean square", [1.0, np.nan, 5.0]),
        ("norm path", "least norm", [1.0, np.nan, 4.0]),
        ("test error path", "least mean square", [0.3, np.nan, 0.25]),
        ("test error path", "least norm", [0.3, np.nan, 0.2]),
    ):
        lines.append(
            {
                **dict.fromkeys(results.COLUMNS, ""),
                "table": "peak",
                "dataset": "raetsch/image",
                "method": "kpm",
                "status": "ok",
                "source": "resampled",
                "trial": 0,
                "setting": setting,
                "metric": metric,
                "chosen": json.dumps({"D": D}),
                "path": " ".join(map(str, path)),
            }
        )
    axes = kpm.through_the_peak(pd.DataFrame(lines)).axes
    drawn = [line.get_ydata() for line in axes[2].lines]
    np.testing.assert_allclose(drawn, [[30, np.nan, 25], [30, np.nan, 20]])
    np.testing.assert_allclose(axes[1].lines[1].get_ydata(), [1, np.nan, 4])
