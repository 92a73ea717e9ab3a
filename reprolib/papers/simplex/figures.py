"""Figures of the simplex coding paper, drawn from records."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reprolib.report.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    figure_grid,
    note_source,
    source_text,
)
from reprolib.rerun.printed import numbers
from reprolib.rerun.records import machine_names, number_in, paths, select
from reprolib.rerun.task import HEADLINE

COLOURS = (BLUE, RED, GREEN, ORANGE, PURPLE, SKY)
BOOSTING = {HEADLINE: "GD-MCBoost (headline)", "coordinate boosting": "CD-MCBoost"}


def report_figures(records: pd.DataFrame) -> dict[str, Figure]:
    """Every figure that the records allow, by caption."""
    records = select(records, metric="accuracy")
    figures = {
        "Table 2: printed accuracies and ours under the headline reading": accuracies(records),
        "Leave-one-out accuracy of S-LS along the 100 values of lambda": loo_paths(records),
    }
    if (records["method"] == "boosting").any():
        figures["Test accuracy of simplex boosting against the number of rounds"] = boosting_paths(
            records
        )
    if (records["table"] == "classes").any():
        figures["Cost of training and tuning against the number of classes"] = cost_by_classes(
            records
        )
    return figures


def accuracies(records: pd.DataFrame) -> Figure:
    """Our accuracy (every seed a dot) beside the printed one, by data set and method."""
    rows = records[(records["table"] == "table2") & (records["reading"] == HEADLINE)]
    methods = list(dict.fromkeys(n.select["method"] for n in numbers("simplex")))
    printed = {(n.select["dataset"], n.select["method"]): n.value for n in numbers("simplex")}
    names = sorted(rows["dataset"].unique())
    figure, axes = figure_grid(1, len(names), size=(2.5, 3.4), sharey=True)
    for axis, name in zip(axes, names, strict=True):
        for y, method in enumerate(methods):
            ours = 100 * rows[(rows["dataset"] == name) & (rows["method"] == method)]["value"]
            axis.plot(ours, np.full(len(ours), y), ".", color=BLUE, ms=9)
            if (name, method) in printed:
                axis.plot(printed[name, method], y, "|", color=RED, ms=16, mew=2)
        axis.set_title(name, fontsize=10)
        axis.set_xlabel("accuracy in %")
    axes[0].set_yticks(range(len(methods)), methods)
    axes[0].invert_yaxis()
    axes[0].plot([], [], ".", color=BLUE, ms=9, label="ours")
    axes[0].plot([], [], "|", color=RED, ms=12, mew=2, label="printed")
    axes[0].legend(fontsize=8, loc="lower left")
    note_source(figure, source_text(rows))
    return figure


def loo_paths(records: pd.DataFrame) -> Figure:
    """Leave-one-out accuracy of S-LS, linear and rbf, from the largest lambda to the smallest."""
    rows = records[(records["table"] == "table2") & (records["reading"] == HEADLINE)]
    rows = rows[rows["method"].isin(["s-ls", "s-ls rbf"]) & (rows["path"] != "")]
    names = sorted(rows["dataset"].unique())
    figure, axes = figure_grid(1, len(names), size=(2.5, 2.6), sharey=True)
    for axis, name in zip(axes, names, strict=True):
        for method, colour in [("s-ls", BLUE), ("s-ls rbf", ORANGE)]:
            for path in paths(select(rows, dataset=name, method=method)):
                values = 100 * path
                axis.plot(np.arange(1, len(values) + 1), values, color=colour, label=method)
                best = int(np.argmax(values))
                axis.plot(best + 1, values[best], "o", color=BLACK, ms=4)
        axis.set_title(name, fontsize=10)
        axis.set_xlabel("lambda, from large to small")
    axes[0].set_ylabel("leave-one-out accuracy in %")
    axes[0].legend(fontsize=8)
    note_source(figure, source_text(rows))
    return figure


def boosting_paths(records: pd.DataFrame) -> Figure:
    """Test accuracy of boosting after every round, by algorithm; a cross is the printed value."""
    rows = records[(records["method"] == "boosting") & (records["table"] == "table2")]
    printed = {
        n.select["dataset"]: n.value for n in numbers("simplex") if n.select["method"] == "boosting"
    }
    readings = [r for r in BOOSTING if (rows["reading"] == r).any()]
    figure, axes = figure_grid(1, len(readings), size=(4.8, 3.6), sharey=True)
    colours = dict(zip(sorted(rows["dataset"].unique()), COLOURS, strict=False))
    for axis, reading in zip(axes, readings, strict=True):
        part = rows[rows["reading"] == reading]
        for name, path in zip(map(str, part["dataset"]), paths(part), strict=True):
            values = 100 * path
            axis.plot(np.arange(1, len(values) + 1), values, color=colours[name], label=name)
            if name in printed:
                axis.plot(len(values) + 8, printed[name], "x", color=colours[name], mew=2)
        axis.set_title(BOOSTING[reading], fontsize=10)
        axis.set_xlabel("rounds")
    axes[0].set_ylabel("test accuracy in %")
    axes[0].legend(fontsize=8)
    note_source(figure, source_text(rows))
    return figure


def cost_table(records: pd.DataFrame) -> pd.DataFrame:
    """Seconds of training and tuning by number of classes (rows) and method (columns)."""
    rows = records[records["table"] == "classes"]
    rows = rows.assign(T=rows["setting"].map(number_in))
    table = rows.pivot_table(index="T", columns="method", values="seconds")
    return table[table.loc[table.index[-1]].sort_values().index]


def cost_by_classes(records: pd.DataFrame) -> Figure:
    """Cost of every method over the cost of S-RLS on two classes."""
    table = cost_table(records)
    relative = table / table.to_numpy()[0, 0]
    figure, (axis,) = figure_grid(1, 1, size=(6.0, 3.4))
    for method, colour in zip(relative.columns, (BLUE, ORANGE, GREEN), strict=False):
        axis.loglog(relative.index, relative[method], marker=".", color=colour, label=method)
    axis.set(xlabel="number of classes T", ylabel="cost, S-RLS at T = 2 is 1")
    axis.set_xticks(relative.index, [str(T) for T in relative.index])
    axis.minorticks_off()
    axis.legend(fontsize=8)
    note_source(figure, source_text(records[records["table"] == "classes"]))
    return figure


def accuracy_table(records: pd.DataFrame, table: str) -> pd.DataFrame:
    """Accuracy in percent of every method (rows) on every data set (columns)."""
    rows = select(records, table=table, reading=HEADLINE, metric="accuracy")
    rows = rows.assign(method=machine_names(rows))
    return 100 * rows.pivot_table(index="method", columns="dataset", values="value")


def gap_table(records: pd.DataFrame, table: str) -> pd.DataFrame:
    """Certified relative duality gap of every stored QP result, by method and data set."""
    rows = records[(records["table"] == table) & records["gap"].notna()]
    text = rows.assign(
        method=machine_names(rows), gap=rows["gap"].map(lambda gap: f"{float(gap):.0e}")
    )
    return text.pivot_table(index="method", columns="dataset", values="gap", aggfunc="first")


def seed_table(records: pd.DataFrame) -> pd.DataFrame:
    """Online methods: mean and standard deviation over seeds, by reading, in percent."""
    rows = records[(records["table"] == "table2") & records["method"].str.endswith("online")]
    rows = select(rows, metric="accuracy")
    grouped = 100 * rows.groupby(["method", "reading", "dataset"])["value"].agg(["mean", "std"])
    text = grouped["mean"].map("{:.1f}".format) + " ± " + grouped["std"].map("{:.1f}".format)
    return text.str.replace(" ± nan", "").unstack("dataset").fillna("–")
