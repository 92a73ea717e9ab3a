"""Figures of the study draw what its tables say."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from made_up import SETS, made_up
from reprolib.cli.main import main
from reprolib.report.paper_figures import report_figures
from reprolib.rerun.records import load_paper, load_run, load_tasks, write_results
from reprolib.rerun.tasks.experiment import Count, Experiment, Grid
from which_method import advice, experiment, figures, summaries
from which_method.methods import METHODS


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


def test_the_best_of_a_set_is_bold_and_what_is_far_below_is_white(records, monkeypatch):
    row = {"svc": 90.0, "lda": 89.6, "logistic": 76.0, "neighbors": 75.9, "mkl": np.nan}
    table = pd.DataFrame([row, {**row, "mkl": 90.0}], index=["uci/pendigits", "raetsch/heart"])
    monkeypatch.setattr(figures, "mean_table", lambda records: table)
    texts = figures.heat_table(records).axes[0].texts
    first, second = texts[:5], texts[5:]
    assert [t.get_text() for t in first] == ["90", "90", "76", "76", "–"]
    equal = "numbers that print the same as the best look as good"
    assert [t.get_fontweight() for t in first] == ["bold"] * 2 + ["normal"] * 3, equal
    assert [t.get_fontweight() for t in second] == ["bold"] * 2 + ["normal"] * 2 + ["bold"], equal
    white = [t.get_color() == "white" for t in texts]
    assert white == [False, False, False, True, False] * 2


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("all sets, mean rank", ["all sets,", "mean rank", ""]),
        ("two abcdefghi", ["two abcdefghi", "", ""]),
        ("two abcdefghij", ["two", "abcdefghij", ""]),
        ("without degenerate sets", ["without", "degenerate", "sets"]),
    ],
)
def test_titles_of_panels_have_three_lines(title, lines):
    assert figures._wrapped(title).split("\n") == lines


def test_places_are_drawn_one_panel_a_view_in_the_order_of_the_first(records):
    found = [summaries.ordered(records, view) for view in summaries.CHOICES[:3]]
    figure = figures.place_panels(found, records)
    assert len(figure.axes) == 3
    assert "partial" in figure.get_supxlabel()
    keys = list(found[0].places.sort_values(["place", "low"], kind="stable").index)
    for axis, view in zip(figure.axes, found, strict=True):
        dots = axis.collections[-1].get_offsets()
        np.testing.assert_allclose(dots[:, 0], view.places.loc[keys, "place"])
        assert list(axis.get_xticks()) == [1, 3, 6]


def test_only_choices_that_have_sets_are_panels(records):
    rows = records[records["dataset"] != "faces/yale"]
    titles = {axis.get_title().replace("\n", " ") for axis in figures.places(rows).axes}
    named = (*summaries.CHOICES, *summaries.KINDS)
    drawn = {v.name for v in named if any(title.startswith(v.name) for title in titles)}
    assert {view.name for view in named} - drawn == {"wide sets"}
    assert len(titles) == len(named) - 1


def test_differences_are_drawn_with_their_intervals(records):
    axis = figures.difference_plot(records).axes[0]
    found = summaries.differences(records)
    drawn = [np.asarray(line.get_xdata(), float) for line in axis.lines]
    intervals = {tuple(x.round(6)) for x in drawn if len(x) == 2}
    for line in found.values():
        assert (round(line.low, 6), round(line.high, 6)) in intervals


def test_the_decision_is_drawn_from_the_records_of_all_sets():
    records = load_paper("which_method")
    upper, lower = figures.decision(records).axes
    assert sum(len(line.get_xdata()) for line in upper.lines) == 68
    gain = advice.gains(records)["balance"]
    assert sorted(lower.lines[-1].get_ydata()) == pytest.approx(sorted(gain))


def test_the_outermost_sets_of_a_comparison_are_named():
    axis = figures.paired_differences(load_paper("which_method"), "lda").axes[0]
    names = [text.get_text() for text in axis.get_yticklabels()]
    assert len(names) == 2 * figures.N_NAMED
    assert {"haxby", "banana"} <= set(names)


def test_curves_end_at_the_rows_that_there_are(records):
    axis = figures.learning_curves(records).axes[0]
    ends = {max(line.get_xdata()) for line in axis.lines if len(line.get_xdata())}
    assert {round(end / 750) for end in ends} == {1}, "curves stand side by side at their last size"
    assert [label.get_text() for label in axis.get_xticklabels()][-1] == "750"
    assert axis.get_title() == "german (partial)"


@pytest.mark.parametrize(("n_sets", "shape"), [(1, (1, 1)), (2, (1, 2)), (3, (2, 2))])
def test_curves_have_two_sets_a_line_and_one_legend(records, n_sets, shape):
    curves = records[records["table"] == "curves"]
    every = pd.concat([curves.assign(dataset=f"a/{i}") for i in range(n_sets)])
    axes = figures.learning_curves(every).axes
    grid = axes[0].get_subplotspec().get_gridspec()
    assert (grid.nrows, grid.ncols) == shape
    assert [axis.get_visible() for axis in axes] == [i < n_sets for i in range(len(axes))]
    legends = [axis.get_legend() is not None for axis in axes]
    assert legends == [i == n_sets - 1 for i in range(len(axes))]


def test_areas_that_boxes_have_in_common():
    box = (0.0, 0.0, 4.0, 3.0)
    assert figures._overlap(box, (1.0, 2.0, 9.0, 9.0)) == 3.0
    assert figures._overlap((1.0, 2.0, 9.0, 9.0), box) == 3.0
    assert figures._overlap(box, (1.0, 1.0, 2.0, 2.0)) == 1.0
    for apart in ((4.0, 0.0, 5.0, 3.0), (1.0, 3.5, 2.0, 5.0), (6.0, 5.0, 9.0, 9.0)):
        assert figures._overlap(box, apart) == 0.0


def test_a_name_stands_right_of_its_point_and_gives_way_to_the_next_point():
    figure, axis = plt.subplots(figsize=(6, 4))
    axis.set(xlim=(0, 10), ylim=(0, 10))
    x, y = [5.0, 5.6, 1.0], [5.0, 5.0, 1.0]
    figures._name_points(axis, ["first point", "second", "alone"], x, y)
    figure.canvas.draw()
    first, second, alone = axis.texts
    assert [text.get_ha() for text in axis.texts] == ["right", "left", "left"]
    assert first.get_position() == pytest.approx((-6.0, -4.5))
    assert second.get_position() == alone.get_position() == pytest.approx((6.0, -4.5))
    boxes = [text.get_window_extent() for text in axis.texts]
    assert not any(a.overlaps(b) for a, b in [(boxes[0], boxes[1]), (boxes[1], boxes[2])])


def test_every_figure_of_the_report_is_drawn(records):
    drawn = report_figures("which_method", records)
    assert len(drawn) == 5
    assert all(figure.axes for figure in drawn.values())


def test_figures_are_drawn_of_whatever_methods_and_sets_there_are(records):
    for some in (records[records["dataset"] == SETS[0]], records[records["method"] == "svc"]):
        assert all(figure.axes for figure in report_figures("which_method", some).values())
    assert report_figures("which_method", made_up().iloc[:0]) == {}


@pytest.mark.parametrize(
    ("column", "left_out", "missing"),
    [
        ("dataset", SETS[1:], {"Place"}),
        ("method", [k for k in METHODS if k != "svc"], {"Place", "Mean difference", "Time"}),
        ("method", [k for k in METHODS if k not in ("svc", "logistic")], set()),
        ("method", ["svc"], {"Mean difference", "Time"}),
        ("table", ["curves"], {"Learning"}),
    ],
)
def test_figures_that_compare_need_something_to_compare(records, column, left_out, missing):
    captions = report_figures("which_method", records[~records[column].isin(left_out)])
    begin = ("Accuracy", "Place", "Mean difference", "Time", "Learning")
    drawn = {word for word in begin if any(text.startswith(word) for text in captions)}
    if column == "dataset":
        missing = missing | {"Learning"}
    assert drawn == set(begin) - missing


def test_report_has_a_section_on_the_study_and_no_verdicts_on_it(tmp_path):
    path = tmp_path / "report.html"
    assert main(["report", "which_method", "--output", str(path)]) == 0
    text = path.read_text(encoding="utf-8")
    assert "every classifier on every set" in text
    assert text.count("<figure>") >= 5


@pytest.mark.parametrize(
    ("n_sets", "methods", "n_figures"),
    [
        (1, ["svc"], 1),
        (1, ["svc", "kpm", "lda"], 3),
        (3, ["kpm"], 1),
        (2, ["svc", "lda"], 4),
    ],
)
def test_a_comparison_of_few_leaves_the_report_standing(tmp_path, n_sets, methods, n_figures):
    records, tasks = load_paper("which_method"), load_tasks("which_method")
    sets = sorted(set(records["dataset"]))[:n_sets]
    records = records[records["dataset"].isin(sets) & records["method"].isin(methods)]
    tasks = tasks[tasks["task"].isin(records["task"])]
    write_results(records, tmp_path / "which_method", tasks, load_run("which_method"))
    path = tmp_path / "report.html"
    words = ["report", "which_method", "--results", str(tmp_path), "--output", str(path)]
    assert main(words) == 0
    text = path.read_text(encoding="utf-8")
    assert "cannot be drawn" not in text
    assert text.count("<figcaption>") == n_figures


def test_a_report_without_records_says_what_makes_them(tmp_path, capsys):
    records, tasks = load_paper("which_method").iloc[:0], load_tasks("which_method").iloc[:0]
    write_results(records, tmp_path / "which_method", tasks, load_run("which_method"))
    words = ["report", "which_method", "--results", str(tmp_path)]
    assert main([*words, "--output", str(tmp_path / "report.html")]) == 2
    message = " ".join(capsys.readouterr().err.split())
    assert "no results of which_method" in message
    assert "`reprolib reproduce` makes some" in message


def test_the_command_for_tables_says_that_there_are_none(tmp_path, capsys):
    assert main(["tables", "which_method", "--output", str(tmp_path)]) == 2
    message = " ".join(capsys.readouterr().err.split())
    assert "prints no tables; `reprolib figures which_method` writes figures" in message


def test_reproduce_runs_the_study_without_a_scoreboard(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REPROLIB_RECORDS", str(tmp_path / "records"))
    sets = ("embedded/twonorm", "embedded/optdigits")
    grid = Grid("accuracy", ("svc", "logistic", "lda", "neighbors"), Count(2, quick=2))
    few = Experiment("which_method", sets, [grid], experiment.run).protocol()
    monkeypatch.setattr(experiment, "PROTOCOL", few)
    assert main(["reproduce", "which_method", "--jobs", "1"]) == 0
    assert "Verdicts of" not in capsys.readouterr().out
    assert len(list((tmp_path / "build" / "figures" / "which_method").glob("*.png"))) == 4
    written = load_paper("which_method", tmp_path / "build" / "results")
    assert set(written["source"]) == {"embedded"}
