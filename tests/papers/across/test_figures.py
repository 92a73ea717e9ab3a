"""Figures of the study across the papers draw what its tables say."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from reprolib.cli.main import main
from reprolib.papers.across import figures, summaries, views
from reprolib.papers.across import protocol as across
from reprolib.papers.across.protocol import METHODS
from reprolib.report import page as report
from reprolib.rerun import records as results
from tests.papers.across.made_up import SETS, made_up


@pytest.fixture(scope="module")
def records():
    return made_up()


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_heat_table_prints_every_accuracy(records):
    axis = figures.heat_table(records).axes[0]
    table = summaries.mean_table(records)
    assert len(axis.texts) == table.size
    assert sum(text.get_text() == "–" for text in axis.texts) == table.isna().to_numpy().sum()
    starred = [text.get_text() for text in axis.get_yticklabels() if "*" in text.get_text()]
    assert starred == ["titanic* (partial)"]


def test_places_are_drawn_one_panel_a_view_in_the_order_of_the_first(records):
    found = [views.ordered(records, view) for view in views.CHOICES[:3]]
    figure = figures.place_panels(found, records)
    assert len(figure.axes) == 3
    assert "partial" in figure.get_supxlabel()
    keys = list(found[0].places.sort_values(["place", "low"], kind="stable").index)
    for axis, view in zip(figure.axes, found, strict=True):
        dots = axis.collections[-1].get_offsets()
        np.testing.assert_allclose(dots[:, 0], view.places.loc[keys, "place"])


def test_differences_are_drawn_with_their_intervals(records):
    axis = figures.difference_plot(records).axes[0]
    found = summaries.differences(records)
    drawn = [np.asarray(line.get_xdata(), float) for line in axis.lines]
    intervals = {tuple(x.round(6)) for x in drawn if len(x) == 2}
    for line in found.values():
        assert (round(line.low, 6), round(line.high, 6)) in intervals


def test_curves_end_at_the_rows_that_there_are(records):
    axis = figures.learning_curves(records).axes[0]
    ends = {max(line.get_xdata()) for line in axis.lines}
    assert ends == {750}
    assert axis.get_title() == "german (partial)"


def test_every_figure_of_the_report_is_drawn(records):
    drawn = figures.report_figures(records)
    assert len(drawn) == 5
    assert all(figure.axes for figure in drawn.values())


def test_figures_are_drawn_of_whatever_methods_and_sets_there_are(records):
    for some in (records[records["dataset"] == SETS[0]], records[records["method"] == "svc"]):
        assert all(figure.axes for figure in figures.report_figures(some).values())
    assert figures.report_figures(made_up().iloc[:0]) == {}


def test_report_has_a_section_on_the_study_and_no_verdicts_on_it(records, tmp_path):
    meta = {
        "paper": "across",
        "profile": "full",
        "protocol_version": across.PROTOCOL.version,
        "date": "2026-01-01",
        "wall_seconds": 1.0,
        "source_notes": dict.fromkeys(SETS, ""),
        "data_digests": dict.fromkeys(SETS, "0" * 64),
        **results.environment(),
    }
    results.write_tables(records, tmp_path / "across", meta)
    path = report.write_report(["across"], tmp_path, tmp_path / "r.html", title="t")
    text = path.read_text(encoding="utf-8")
    assert "every classifier on every set" in text
    assert text.count("<figure>") >= 5


@pytest.fixture
def four_methods():
    """The study with four methods; put back in their order, which the figures have."""
    every = dict(METHODS)
    for key in every.keys() - {"svc", "logistic", "lda", "neighbors"}:
        del METHODS[key]
    yield
    METHODS.clear()
    METHODS.update(every)


@pytest.mark.usefixtures("four_methods")
def test_reproduce_runs_the_study_without_a_scoreboard(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REPROLIB_RECORDS", str(tmp_path / "records"))
    monkeypatch.setattr(across, "QUICK_SETS", ("embedded/twonorm", "embedded/optdigits"))
    assert main(["reproduce", "across", "--jobs", "1"]) == 0
    assert "Scoreboard" not in capsys.readouterr().out
    assert len(list((tmp_path / "build" / "figures" / "across").glob("*.png"))) == 4
    written = pd.read_csv(tmp_path / "build" / "results" / "across" / "accuracy.csv")
    assert set(written["source"]) == {"embedded"}
