import numpy as np
import pandas as pd

from reprolib.papers.simplex import figures


def records():
    rows = []
    for dataset in ("uci/landsat", "uci/letter"):
        for method, path in [
            ("s-ls", "0.5 0.7 0.6"),
            ("s-ls rbf", "0.8 0.9 0.7"),
            ("boosting", "0.1 0.2"),
        ]:
            rows.append((dataset, method, "headline", 0, 0.7, path, np.nan))
        rows += [
            (dataset, "sc-svm online", "headline", t, 0.6 + t / 100, "", np.nan) for t in (0, 1)
        ]
    frame = pd.DataFrame(
        rows, columns=["dataset", "method", "reading", "trial", "value", "path", "gap"]
    )
    return frame.assign(
        table="table2", metric="accuracy", status="ok", source="original", setting=""
    )


def test_report_has_a_figure_per_question():
    drawn = figures.report_figures(records())
    assert len(drawn) == 3


def test_printed_values_are_drawn_beside_ours():
    axis = figures.accuracies(records()).axes[0]
    lines = [line.get_xdata() for line in axis.lines if line.get_color() == figures.RED]
    assert 65.15 in np.concatenate(lines)


def test_boosting_is_drawn_by_algorithm_with_the_printed_value():
    both = pd.concat([records(), records().assign(reading="coordinate boosting")])
    axes = figures.boosting_paths(both).axes
    assert [axis.get_title() for axis in axes] == ["GD-MCBoost (headline)", "CD-MCBoost"]
    for axis in axes:
        printed = [line.get_ydata()[0] for line in axis.lines if line.get_marker() == "x"]
        assert sorted(printed) == [59.65, 86.65]


def test_best_lambda_is_marked():
    axis = figures.loo_paths(records()).axes[0]
    marks = [tuple(line.get_xydata()[0]) for line in axis.lines if line.get_marker() == "o"]
    assert marks == [(2.0, 70.0), (2.0, 90.0)]


def test_seed_table_shows_the_spread():
    table = figures.seed_table(records())
    assert table.loc[("sc-svm online", "headline"), "uci/landsat"] == "60.5 ± 0.7"


def test_gap_table_shows_every_gap():
    frame = records().iloc[:2].assign(table="batch_svm", gap=[1e-4, 2e-3])
    assert set(figures.gap_table(frame, "batch_svm").to_numpy().ravel()) == {"1e-04", "2e-03"}
    assert figures.accuracy_table(frame, "batch_svm").to_numpy().max() == 70.0


def test_cost_is_relative_to_s_rls_on_two_classes():
    rows = [
        ("uci/letter", method, f"{T} classes", seconds)
        for method, costs in [("one-vs-all", (4.0, 8.0)), ("simplex rls", (2.0, 3.0))]
        for T, seconds in zip((2, 4), costs, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "setting", "seconds"])
    frame = frame.assign(table="classes", source="original")
    assert list(figures.cost_table(frame).columns) == ["simplex rls", "one-vs-all"]
    lines = figures.cost_by_classes(frame).axes[0].lines
    assert [list(line.get_ydata()) for line in lines] == [[1.0, 1.5], [2.0, 4.0]]
