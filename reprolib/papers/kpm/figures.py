"""Figures of the KPM paper, drawn from records."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reprolib.report.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    RED,
    figure_grid,
    interval_plot,
    note_source,
    source_text,
)
from reprolib.rerun.records import chosen, ok, path_matrix, select
from reprolib.rerun.statistics import intervals_by_dataset, paired_interval
from reprolib.rerun.task import HEADLINE


def report_figures(records: pd.DataFrame) -> dict[str, Figure]:
    """Every figure that the records allow, by caption."""
    figures = {}
    records = ok(records)
    if set(records.loc[records["table"] == "figure1", "method"]) == {"kpm", "svm"}:
        caption = "Figure 1 of the paper redrawn: risk against D (KPM) and against C (SVM)"
        figures[caption] = figure1(records)
    caption = "Test error against D, mean and middle 80 % over realisations; SVM for comparison"
    figures[caption] = error_against_dimension(records)
    caption = "KPM minus SVM, test error of the same realisation (5-fold cross-validation in each)"
    figures[caption] = paired_differences(records)
    if (records["table"] == "selection").any():
        caption = "Selected D: single realisations, and the medians of five under other fold seeds"
        figures[caption] = selected_dimensions(records)
    return figures


def figure1(records: pd.DataFrame) -> Figure:
    """Risk (solid) and empirical risk (dashed) against D and against C, as in the paper."""
    rows = records[records["table"] == "figure1"]
    figure, axes = figure_grid(1, 2, size=(4.6, 3.6))
    C = np.array(chosen(select(rows, method="svm"), "C").iloc[0])
    for axis, method, label in [(axes[0], "kpm", "dimension D"), (axes[1], "svm", "C")]:
        test = path_matrix(select(rows, method=method, metric="test error path"))
        train = path_matrix(select(rows, method=method, metric="training error path"))
        x = C if method == "svm" else np.arange(1, test.shape[1] + 1)
        axis.plot(x, test.mean(axis=0), color=BLUE, label="test error")
        axis.plot(x, train.mean(axis=0), color=BLACK, ls="--", label="training error")
        axis.set_xlabel(label)
    axes[0].set(title="KPM", ylabel="error")
    axes[1].set(title="SVM")
    axes[0].legend()
    note_source(figure, source_text(rows))
    return figure


def error_against_dimension(records: pd.DataFrame) -> Figure:
    """Test error against D for every data set: mean, and middle 80 % of the realisations."""
    rows = select(records, table="table2", reading=HEADLINE, setting="")
    names = list(rows["dataset"].unique())
    n_columns = min(4, len(names))
    figure, axes = figure_grid(-(-len(names) // n_columns), n_columns)
    for axis, name in zip(axes, names, strict=False):
        _draw_band(axis, rows[rows["dataset"] == name], name)
    for axis in axes[len(names) :]:
        axis.set_visible(False)
    axes[0].legend(fontsize=8)
    note_source(figure, source_text(rows))
    return figure


def _draw_band(axis, rows: pd.DataFrame, name: str) -> None:
    test = 100 * path_matrix(select(rows, method="kpm", metric="test error path"))
    train = 100 * path_matrix(select(rows, method="kpm", metric="training error path"))
    D = np.arange(1, test.shape[1] + 1)
    axis.fill_between(D, *np.percentile(test, [10, 90], axis=0), color=BLUE, alpha=0.18, lw=0)
    axis.plot(D, test.mean(axis=0), color=BLUE, label="KPM, test")
    axis.plot(D, train.mean(axis=0), color=BLACK, ls=":", label="KPM, training")
    svm = rows[(rows["method"] == "svm") & (rows["metric"] == "test error")]
    if not svm.empty:
        axis.axhline(100 * svm["value"].mean(), color=RED, ls="--", lw=1.2, label="SVM, test")
    axis.set(title=f"{name} ({rows['source'].iloc[0]})", xlabel="D", ylabel="error in %")
    axis.title.set_fontsize(9)


def paired_table(records: pd.DataFrame, reading: str = HEADLINE) -> pd.DataFrame:
    """KPM minus SVM per realisation: mean difference with its 95 % t interval.

    Values are percentage points of test error; negative means that KPM is better.
    """
    rows = select(records, table="table2", reading=reading, setting="", metric="test error")
    table = intervals_by_dataset(rows, "kpm", "svm", lambda _, kpm, svm: paired_interval(kpm, svm))
    return table.rename(columns={"kpm": "KPM", "svm": "SVM"})


def losses_table(records: pd.DataFrame) -> pd.DataFrame:
    """Mean test error (percent) and median selected D for every loss on the same components."""
    rows = select(records, table="table2", reading=HEADLINE, method="kpm")
    rows = rows.assign(loss=rows["setting"].str.removesuffix(" loss").replace("", "hinge"))
    errors = select(rows, metric="test error").assign(value=lambda r: 100 * r["value"])
    selected = select(rows, metric="selected D")
    return pd.concat(
        {
            "test error": errors.pivot_table(index="dataset", columns="loss", values="value"),
            "median D": selected.pivot_table(
                index="dataset", columns="loss", values="value", aggfunc="median"
            ),
        },
        axis=1,
    )


def paired_differences(records: pd.DataFrame) -> Figure:
    """Interval of the paired difference for every data set."""
    frame = paired_table(records).iloc[::-1]
    labels = [f"{name} ({row.source}, {row.trials})" for name, row in frame.iterrows()]
    x_label = "KPM minus SVM, percentage points of test error (negative: KPM better)"
    return interval_plot(frame, labels, x_label)


def selected_dimensions(records: pd.DataFrame) -> Figure:
    """Selected D over realisations and fold seeds, and the medians of five that Table 1 uses."""
    rows = select(records, table="selection", method="kpm", reading=HEADLINE)
    names = list(rows["dataset"].unique())
    figure, (axis,) = figure_grid(1, 1, size=(7.0, 0.9 + 0.5 * len(names)))
    for y, name in enumerate(names):
        group = rows[rows["dataset"] == name]
        single = group[group["metric"] == "selected D"]["value"].to_numpy(float)
        medians = group[group["metric"] == "median D"]["value"].to_numpy(float)
        jitter = np.linspace(-0.28, 0.28, len(single))
        axis.plot(single, y + jitter, ".", color=ORANGE, alpha=0.5, ms=5)
        axis.plot(medians, np.full(len(medians), y), "|", color=GREEN, ms=18, mew=2)
    axis.plot([], [], ".", color=ORANGE, label="one realisation, one fold seed")
    axis.plot([], [], "|", color=GREEN, ms=12, mew=2, label="median of five realisations")
    axis.set_yticks(range(len(names)), names)
    axis.invert_yaxis()
    axis.set_xlabel("selected D")
    axis.legend(fontsize=8)
    note_source(figure, source_text(rows))
    return figure
