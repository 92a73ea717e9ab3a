"""Figures and tables of the MKMMC paper, drawn from records."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reprolib.papers.mkmmc._methods import (
    EXPONENTS,
    MKMMC_READINGS,
    OWN,
    WITHIN_WEIGHTS,
)
from reprolib.papers.mkmmc.protocol import EXPERIMENTS
from reprolib.report.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    figure_grid,
    note_source,
    source_text,
)
from reprolib.rerun.printed import numbers
from reprolib.rerun.records import chosen, ok, path_matrix, select
from reprolib.rerun.statistics import RankComparison, compare_ranks, paired_interval
from reprolib.rerun.task import HEADLINE

#: Methods of the paper as it names them.
METHOD_NAMES = {
    "pca": "PCA",
    "kpca_cv": "KPCA_cv",
    "mmc": "MMC",
    "kmmc_cv": "KMMC_cv",
    "mkmmc": "MKMMC",
}
_COLOURS = dict(zip(METHOD_NAMES, (BLACK, ORANGE, BLUE, GREEN, RED), strict=True))
_CONSTRAINT_COLOURS = {"coefficient": BLUE, "function": GREEN, "whitened": RED}


def columns(records: pd.DataFrame) -> list[tuple[str, str]]:
    """Columns of the tables that the records cover: (data set, "2 train")."""
    present = set(records["dataset"])
    return [
        (name, f"{n} train")
        for name, (_, sizes) in EXPERIMENTS.items()
        if name in present
        for n in sizes
    ]


def column_label(column: tuple[str, str]) -> str:
    """Short name of a column, such as "ORL, 2 train"."""
    short = {"orl": "ORL", "yale": "Yale", "coil20": "COIL-20", "faces": "simulated"}
    return f"{short[column[0].split('/')[1]]}, {column[1]}"


def published_accuracies() -> pd.DataFrame:
    """Printed accuracies in per cent: one row a method, one column a printed column."""
    printed = [n for n in numbers("mkmmc") if n.kind == "mean"]
    frame = pd.DataFrame(
        [
            (n.row, column_label((n.select["dataset"], n.select["setting"])), n.value)
            for n in printed
        ],
        columns=["method", "column", "value"],
    )
    return frame.pivot_table(index="method", columns="column", values="value", sort=False)


def accuracies(records: pd.DataFrame, metric: str = "accuracy") -> pd.DataFrame:
    """Accuracy in per cent of every trial.

    Returns
    -------
    DataFrame
        Indexed by (method, reading, trial); one column a printed column, see `column_label`.
    """
    rows = select(records, metric=metric, setting=[size for _, size in columns(records)])
    keys = [column_label(column) for column in zip(rows["dataset"], rows["setting"], strict=True)]
    frame = rows.assign(value=100 * rows["value"], column=keys).pivot_table(
        index=["method", "reading", "trial"], columns="column", values="value", sort=False
    )
    labels = [column_label(column) for column in columns(records)]
    return frame[[label for label in labels if label in frame.columns]]


def deviation_table(records: pd.DataFrame, published: str, methods: Sequence[str]) -> pd.DataFrame:
    """Our mean minus a printed row, for every reading of some methods, nearest reading first.

    Returns
    -------
    DataFrame
        Indexed by (method, reading); one column a printed column, in percentage points, and
        the root mean square of them.
    """
    means = accuracies(records).groupby(level=["method", "reading"], sort=False).mean()
    means = means[means.index.get_level_values("method").isin(methods)]
    deviation = means - published_accuracies().loc[published, list(means.columns)]
    deviation["rms"] = np.sqrt((deviation**2).mean(axis=1))
    return deviation.sort_values("rms")


def dimension_table(records: pd.DataFrame, method: str, readings: Sequence[str]) -> pd.DataFrame:
    """Best dimension of every column under some readings of a method, below the printed ones."""
    printed = {
        column_label((n.select["dataset"], n.select["setting"])): int(n.value)
        for n in numbers("mkmmc")
        if n.kind == "selected" and n.select["method"] == method
    }
    rows = {"printed": printed}
    for reading in readings:
        own = select(records, method=method, reading=reading, metric="accuracy")
        best = chosen(own, "n_components")
        labels = [
            column_label(column) for column in zip(own["dataset"], own["setting"], strict=True)
        ]
        rows[reading] = dict(zip(labels, best, strict=True))
    return pd.DataFrame(rows).T[list(printed)]


def oracle_bandwidths(records: pd.DataFrame) -> pd.DataFrame:
    """Best mean test accuracy of kernel MMC over the eleven bandwidths, by constraint and mu.

    In c - 1 dimensions. No rule that takes one bandwidth for all splits can do better; one that
    chooses on every split can.
    """
    rows: dict[str, dict[str, float]] = {}
    for column in columns(records):
        for reading, paths in _paths_by_bandwidth(records, column).items():
            best = 100 * paths.mean(axis=0).max()
            rows.setdefault(reading, {})[column_label(column)] = best
    return pd.DataFrame.from_dict(rows, orient="index")


def learned_weights(records: pd.DataFrame) -> pd.DataFrame:
    """Mean learned weight of every bandwidth (exponent k) by reading, and how often a vertex."""
    rows = select(records, method="mkmmc", metric=OWN)
    frame = pd.DataFrame(list(chosen(rows, "weights")), columns=list(EXPONENTS))
    frame["single kernel"] = chosen(rows, "single_kernel").astype(float).to_numpy()
    means = frame.groupby(rows["reading"].to_numpy()).mean()
    known = [reading for reading in MKMMC_READINGS if reading in means.index]
    return means.loc[[*known, *means.index.difference(known)]]


def method_ranks(records: pd.DataFrame, reading: str = HEADLINE) -> RankComparison:
    """Ranks of the paper's five methods over the columns of its tables."""
    means = accuracies(records).groupby(level=["method", "reading"], sort=False).mean()
    scores = pd.DataFrame(
        {
            name: means.loc[(method, reading if _has(records, method, reading) else HEADLINE)]
            for method, name in METHOD_NAMES.items()
        }
    )
    return compare_ranks(scores)


def paired_table(records: pd.DataFrame, first, second, metric: str = "accuracy") -> pd.DataFrame:
    """Paired difference of two (method, reading) pairs over the same splits, per column."""
    frame = accuracies(records, metric)
    rows = {}
    for column in frame.columns:
        pairs = pd.concat([frame.loc[first, column], frame.loc[second, column]], axis=1).dropna()
        rows[str(column)] = paired_interval(pairs.iloc[:, 0], pairs.iloc[:, 1])
    return pd.DataFrame.from_dict(rows, orient="index", columns=["difference", "low", "high"])


def own_dimension_table(records: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy in the oracle dimension, in the training set's own, and the difference."""
    oracle = accuracies(records).groupby(level=["method", "reading"], sort=False).mean()
    own = accuracies(records, OWN).groupby(level=["method", "reading"], sort=False).mean()
    pairs = [(m, r) for m in METHOD_NAMES for r in (HEADLINE, "whitened") if (m, r) in own.index]
    frame = pd.concat({"oracle": oracle.loc[pairs], "own": own.loc[pairs]}, names=["dimension"])
    order = [(m, r, d) for m, r in pairs for d in ("oracle", "own")]
    return frame.reorder_levels(["method", "reading", "dimension"]).loc[order]


def report_figures(records: pd.DataFrame) -> dict[str, Figure]:
    """Every figure that the records allow, by caption."""
    records = ok(records)
    return {
        "Mean test accuracy against the dimension; dots: printed": accuracy_by_dimension(records),
        "Kernel MMC against the bandwidth, by constraint": accuracy_by_bandwidth(records),
        "Linear MMC against the weight of the within-class scatter": accuracy_by_weight(records),
        "Learned kernel weights, by reading": weights_figure(records),
    }


def _mean_path(records, method, reading, column):
    dataset, setting = column
    wanted = {"method": method, "reading": reading, "dataset": dataset, "setting": setting}
    return path_matrix(select(records, metric=OWN, **wanted)).mean(axis=0)


def accuracy_by_dimension(records: pd.DataFrame, reading: str = HEADLINE) -> Figure:
    """Mean accuracy of the five methods against the dimension, and the printed optima."""
    listed = columns(records)
    printed = {
        (n.row, n.select["dataset"], n.select["setting"], n.select["metric"]): n.value
        for n in numbers("mkmmc")
    }
    figure, axes = figure_grid(len(listed) // 3, 3, size=(3.3, 2.5))
    for axis, column in zip(axes, listed, strict=True):
        for method, colour in _COLOURS.items():
            shown = reading if _has(records, method, reading) else HEADLINE
            path = 100 * _mean_path(records, method, shown, column)
            axis.plot(np.arange(1, len(path) + 1), path, color=colour, lw=1.4)
            name = METHOD_NAMES[method]
            at = printed.get((name, *column, "dimension"))
            value = printed.get((name, *column, "accuracy"))
            axis.plot(at or [], value or [], "o", color=colour, mec="white", ms=7)
        axis.set(title=column_label(column), xscale="log")
        axis.set_ylim(bottom=max(axis.get_ylim()[0], 20))
    _label_outer(axes, 3, "dimension", "accuracy (%)")
    handles = [plt.Line2D([], [], color=c, label=METHOD_NAMES[m]) for m, c in _COLOURS.items()]
    axes[0].legend(handles=handles, fontsize=7)
    note_source(figure, source_text(records))
    return figure


def _has(records, method: str, reading: str) -> bool:
    return bool(((records["method"] == method) & (records["reading"] == reading)).any())


def _paths_by_bandwidth(records, column) -> dict[str, np.ndarray]:
    rows = select(records, dataset=column[0], setting=column[1], metric="accuracy by bandwidth")
    return {
        str(reading): path_matrix(group) for reading, group in rows.groupby("reading", sort=False)
    }


def accuracy_by_bandwidth(records: pd.DataFrame) -> Figure:
    """Kernel MMC in c - 1 dimensions against the bandwidth, with the printed accuracies."""
    listed = columns(records)
    printed = published_accuracies()
    figure, axes = figure_grid(len(listed) // 3, 3, size=(3.3, 2.5), sharex=True)
    for axis, column in zip(axes, listed, strict=True):
        paths = _paths_by_bandwidth(records, column)
        for constraint, colour in _CONSTRAINT_COLOURS.items():
            mean = 100 * paths[f"{constraint}, mu = 1"].mean(axis=0)
            axis.plot(EXPONENTS, mean, color=colour, label=constraint)
        for name, colour, style in [("KMMC_cv", BLACK, ":"), ("MKMMC", PURPLE, "--")]:
            if column_label(column) in printed:
                value = printed.loc[name, column_label(column)]
                axis.axhline(value, color=colour, ls=style, label=f"printed {name}")
        axis.set_title(column_label(column))
    _label_outer(axes, 3, "width 2^k σ₀²: k", "accuracy (%)")
    axes[0].legend(fontsize=7)
    note_source(figure, source_text(records))
    return figure


def accuracy_by_weight(records: pd.DataFrame) -> Figure:
    """Linear MMC in c - 1 dimensions against mu, with the printed accuracies."""
    listed = columns(records)
    printed = published_accuracies()
    figure, axes = figure_grid(len(listed) // 3, 3, size=(3.3, 2.5), sharex=True)
    for axis, column in zip(axes, listed, strict=True):
        rows = select(
            records, dataset=column[0], setting=column[1], metric="accuracy by within weight"
        )
        means = 100 * path_matrix(rows).mean(axis=0)
        axis.plot(range(len(WITHIN_WEIGHTS)), means, "o-", color=BLUE, ms=4)
        for name, colour, style in [
            ("MMC", BLUE, "-."),
            ("KMMC_cv", BLACK, ":"),
            ("MKMMC", PURPLE, "--"),
        ]:
            if column_label(column) in printed:
                value = printed.loc[name, column_label(column)]
                axis.axhline(value, color=colour, ls=style, lw=1.2, label=f"printed {name}")
        axis.set_title(column_label(column))
        axis.set_xticks(range(len(WITHIN_WEIGHTS)), [f"{mu:g}" for mu in WITHIN_WEIGHTS])
    _label_outer(axes, 3, "weight μ of the within-class scatter", "accuracy (%)")
    if axes[0].get_legend_handles_labels()[0]:
        axes[0].legend(fontsize=7)
    note_source(figure, source_text(records))
    return figure


def weights_figure(records: pd.DataFrame) -> Figure:
    """Mean learned weights: one row a reading, one column a bandwidth."""
    frame = learned_weights(records)
    figure, axis = plt.subplots(figsize=(7.4, 0.9 + 0.34 * len(frame)))
    image = axis.imshow(frame[list(EXPONENTS)], cmap="Blues", vmin=0, vmax=1, aspect="auto")
    labels = [
        f"{name}  (single kernel: {100 * share:.0f} %)"
        for name, share in frame["single kernel"].items()
    ]
    axis.set_yticks(range(len(frame)), labels, fontsize=8)
    axis.set_xticks(range(len(EXPONENTS)), [str(k) for k in EXPONENTS])
    axis.set_xlabel("width 2^k σ₀²: k")
    axis.grid(False)
    figure.colorbar(image, label="mean weight")
    note_source(figure, source_text(records))
    return figure


def deviations_figure(table: pd.DataFrame, title: str, source: str = "") -> Figure:
    """Ours minus printed as a coloured table, nearest reading first."""
    listed = [column for column in table.columns if column != "rms"]
    figure, axis = plt.subplots(figsize=(9.0, 1.2 + 0.3 * len(table)))
    limit = 10.0
    axis.imshow(table[listed], cmap="RdBu", vmin=-limit, vmax=limit, aspect="auto")
    for i, (_, row) in enumerate(table.iterrows()):
        for j, column in enumerate(listed):
            colour = "white" if abs(row[column]) > 0.7 * limit else BLACK
            axis.text(j, i, f"{row[column]:+.1f}", ha="center", va="center", size=8, color=colour)
    axis.set_yticks(
        range(len(table)),
        [f"{m}: {r}  ({rms:.1f})" for m, r, rms in table["rms"].reset_index().to_numpy()],
        fontsize=8,
    )
    axis.set_xticks(range(len(listed)), listed, fontsize=8, rotation=30)
    axis.set_title(title)
    axis.grid(False)
    note_source(figure, source)
    return figure


def ranks_figure(comparison: RankComparison, source: str = "") -> Figure:
    """Mean ranks on a line, with the critical difference of Nemenyi's test."""
    ranks = comparison.mean_ranks
    figure, axis = plt.subplots(figsize=(6.4, 0.6 + 0.4 * len(ranks)))
    axis.plot(ranks, range(len(ranks)), "o", color=BLUE, ms=8)
    best = float(ranks.iloc[0])
    critical = comparison.critical_difference
    axis.axvspan(best, best + critical, color=BLUE, alpha=0.12)
    axis.set_yticks(range(len(ranks)), ranks.index)
    axis.invert_yaxis()
    axis.set_xlabel(
        f"mean rank over {comparison.n_cases} columns (shaded: not told apart from the first)"
    )
    note_source(figure, source)
    return figure


def _label_outer(axes, n_columns: int, x_label: str, y_label: str) -> None:
    for i, axis in enumerate(axes):
        if i % n_columns == 0:
            axis.set_ylabel(y_label)
        if i >= len(axes) - n_columns:
            axis.set_xlabel(x_label)
