import numpy as np
import pandas as pd

from reprolib.papers.simplex import figures
from reprolib.report.paper_figures import report_figures
from reprolib.rerun import records as results


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
    drawn = report_figures("simplex", records())
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


def online_records():
    both = {"sc-svm online": list(figures.PASS_BY_PASS)}
    rows = [
        (dataset, method, reading, trial, 0.6, f"0.5 0.{6 + trial}")
        for dataset in ("uci/landsat", "uci/letter")
        for method in figures.ONLINE
        for reading in both.get(method, list(figures.PASS_BY_PASS)[:1])
        for trial in (0, 2)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "reading", "trial", "value", "path"])
    return frame.assign(table="table2", status="ok", source="original", metric="accuracy")


def test_passes_show_mean_range_and_the_printed_value():
    axes = figures.online_passes(online_records()).axes
    assert [axis.get_ylabel() for axis in axes[::3]] == ["Landsat, %", "Letter, %"]
    (sc_svm,) = [axis for axis in axes[:3] if axis.get_title() == "SC-SVM Online"]
    assert [line.get_label() for line in sc_svm.lines] == ["printed loss", "SC + SH", "printed"]
    np.testing.assert_allclose(sc_svm.lines[0].get_ydata(), [50, 70])
    assert sc_svm.lines[2].get_ydata()[0] == 65.15
    assert list(sc_svm.get_xticks()) == [1, 4, 10]
    band = sc_svm.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == (50, 80)


def test_online_means_set_the_sum_of_the_losses_beside_its_parents():
    frame = online_records()
    frame.loc[frame["reading"].str.startswith("SC + SH"), "value"] = 0.7
    table = figures.online_means(frame, "library Pegasos, 10 passes")
    assert set(table.index) == {"S-LS", "SC-SVM", "SH-SVM", "SC + SH"}
    np.testing.assert_allclose(table.loc["SC + SH"], 70)
    np.testing.assert_allclose(table.loc["SC-SVM"], 60)


def test_printed_rows_have_the_columns_of_numbers_or_all():
    """The printed winner loses on the five sets of numbers and not on all seven."""
    run, printed = figures.printed_rows(), figures.printed_rows(all_columns=True)
    assert list(printed.columns) == [*run.columns, "Ctech", "Pubfig83"]
    pd.testing.assert_frame_equal(printed[run.columns], run)


def test_accuracy_table_is_in_percent():
    frame = records().iloc[:2].assign(table="batch_svm")
    assert figures.accuracy_table(frame, "batch_svm").to_numpy().max() == 70.0


def spread_records():
    """Two sets, three seeds: SC-SVM 60, 61, 62 and SC + SH five points above it."""
    rows = [
        (dataset, "sc-svm online", reading, trial, (above + 60 + trial) / 100)
        for dataset in ("uci/landsat", "uci/letter")
        for reading, above in (("averaged", 0), ("SC + SH, averaged", 5))
        for trial in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "method", "reading", "trial", "value"])
    return frame.assign(table="table2", status="ok", source="original", metric="accuracy")


def test_distance_to_print_has_the_interval_of_one_more_seed():
    table = figures.from_print(spread_records(), "averaged", "SC-SVM Online (ho)")
    np.testing.assert_allclose(table.loc[("SC-SVM", "Landsat"), "difference"], 61 - 65.15)
    np.testing.assert_allclose(table["half"], 4.302653 * np.sqrt(4 / 3), rtol=1e-5)
    distance = figures.distances(spread_records(), "averaged").loc["SC + SH", "SC-SVM Online (ho)"]
    np.testing.assert_allclose(distance, np.sqrt((0.85**2 + 13.18**2) / 2))


def test_seeds_without_spread_leave_one_test_point():
    same = spread_records().assign(value=0.6)
    table = figures.from_print(same, "averaged", "SC-SVM Online (ho)")
    np.testing.assert_allclose(table.loc["SC-SVM", "half"], [100 / 2000, 100 / 4000])


def test_line_up_draws_every_loss_against_the_printed_row():
    figure = figures.line_up(spread_records(), "averaged", "SC-SVM Online (ho)")
    (axis,), (legend,) = figure.axes, figure.legends
    assert axis.get_title() == "printed row SC-SVM Online; averaged"
    assert "root mean square" in legend.get_title().get_text()
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == ["SC + SH (9.3)", "SC-SVM (6.5)"]
    points = [line for line in axis.lines if line.get_marker() in ("v", "D")]
    np.testing.assert_allclose(
        np.asarray(points[0].get_ydata(), dtype=float), [66 - 65.15, 66 - 52.82]
    )


def test_the_turned_line_up_tells_the_distances():
    records = results.load_paper("simplex")
    told = repr(figures.losses_minus_print(records).at(row="SC-SVM"))
    far = figures.distances(records, figures.LINE_UP)["SC-SVM Online (ho)"]
    assert all(f"{loss} {distance:.1f}" in told for loss, distance in far.items())


COST_COLUMNS = ["dataset", "method", "setting", "level", "seconds"]


def test_cost_is_relative_to_s_rls_on_two_classes():
    rows = [
        ("uci/letter", method, f"{T} classes", T, seconds)
        for method, costs in [("one-vs-all", (4.0, 8.0)), ("simplex rls", (2.0, 3.0))]
        for T, seconds in zip((2, 4), costs, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=COST_COLUMNS)
    frame = frame.assign(table="classes", source="original")
    assert list(figures.cost_table(frame).columns) == ["simplex rls", "one-vs-all"]
    axis = figures.cost_by_classes(frame).axes[0]
    assert [list(line.get_ydata()) for line in axis.lines] == [[1.0, 1.5], [2.0, 4.0]]
    ends = {text.get_text(): text.xy for text in axis.texts}
    assert ends == {"S-LS": (4, 1.5), "one-against-all": (4, 4.0)}


def test_methods_stand_in_the_order_of_their_cost_at_the_most_classes():
    costs = {"a": (1.0, 3.0, 3.0), "b": (2.0, 2.0, 1.0), "c": (3.0, 1.0, 2.0)}
    rows = [
        ("uci/letter", method, f"{T} classes", T, second)
        for method, seconds in costs.items()
        for T, second in zip((2, 4, 26), seconds, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=COST_COLUMNS)
    table = figures.cost_table(frame.assign(table="classes", source="original"))
    assert (list(table.index), list(table.columns)) == ([2, 4, 26], ["b", "c", "a"])
