"""Figures and tables of the MKMMC paper, drawn from records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reprolib.papers.mkmmc.experiment import EXPERIMENTS, READINGS
from reprolib.papers.mkmmc.methods import OWN, WITHIN_WEIGHTS
from reprolib.papers.mkmmc.splits import EXPONENTS
from reprolib.report.paper_figures import PaperFigure
from reprolib.report.style import (
    ABREAST,
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    SMALL,
    WIDTH,
    figure_grid,
    note_source,
    small_multiples,
    source_text,
)
from reprolib.report.turning import Box, Turning, legend
from reprolib.rerun.records import HEADLINE, chosen, path_matrix, select
from reprolib.rerun.verdicts.errors import corrected_interval
from reprolib.rerun.verdicts.printed import numbers

#: Methods of the paper as it names them.
METHOD_NAMES = {
    "pca": "PCA",
    "kpca_cv": "KPCA_cv",
    "mmc": "MMC",
    "kmmc_cv": "KMMC_cv",
    "mkmmc": "MKMMC",
}
_COLOURS = dict(zip(METHOD_NAMES, (BLACK, ORANGE, BLUE, GREEN, RED), strict=True))
#: Curves of the weight scan by method.
SCANS = {"linear weight scan": "linear MMC", "wide kernel weight scan": "one wide kernel"}
#: Printed rows that the scan is compared with.
SCANNED_ROWS = ("MMC", "KMMC_cv", "MKMMC")
_REDRAWS = 100
#: Weights of the scan that every column has.
_SCANNED_WEIGHTS = range(1, 21)
#: Those at which an interval is drawn.
_BARRED_WEIGHTS = (4, 8, 12, 16, 20)
#: Colour and line style of printed accuracies.
_PRINTED_STYLES = {"MMC": (GREEN, "-."), "KMMC_cv": (BLACK, ":"), "MKMMC": (PURPLE, "--")}
_CONSTRAINT_COLOURS = {"coefficient": BLUE, "function": GREEN, "whitened": RED}
#: Constraints that a picture names otherwise than the records.
_CONSTRAINT_NAMES = {"coefficient": "as printed"}
#: Parts of the names of readings that a picture names otherwise than the records.
_READING_NAMES = {
    HEADLINE: "as printed",
    "within weight 10": "μ = 10",
    "S_b without n_i": "μ = $n_k$",
    "whitened, ridge 0.1": "whitened with ridge",
}


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
    short = {"orl": "ORL", "yale": "Yale", "coil20": "Coil20", "faces": "simulated"}
    return f"{short[column[0].split('/')[1]]}, {column[1]}"


def published_accuracies() -> pd.DataFrame:
    """Printed accuracies in per cent: one row a method, one column a printed column."""
    printed = [n for n in numbers("mkmmc") if n.quantity == "performance"]
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


def learned_weights(records: pd.DataFrame) -> pd.DataFrame:
    """Mean learned weight of every bandwidth (exponent k) by reading, and how often a vertex."""
    rows = select(records, method="mkmmc", metric=OWN)
    rows = rows[rows["chosen"].str.contains('"weights"')]
    frame = pd.DataFrame(list(chosen(rows, "weights")), columns=list(EXPONENTS))
    frame["single kernel"] = chosen(rows, "single_kernel").astype(float).to_numpy()
    means = frame.groupby(rows["reading"].to_numpy()).mean()
    return means.loc[[reading for reading in READINGS if reading in means.index]]


#: Weights, and accuracies in per cent of shape (n_trials, n_weights, n_dimensions), by column.
ScanPaths = Mapping[tuple[str, str], tuple[list[float], np.ndarray]]


def scan_paths(records: pd.DataFrame, method: str) -> ScanPaths:
    """One curve of the weight scan: ``method`` is one of `SCANS`."""
    found = {}
    for dataset, setting in columns(records):
        rows = select(records, table="weights", method=method, dataset=dataset, setting=setting)
        weights = list(chosen(rows, "within_weights").iloc[0])
        paths = path_matrix(rows).reshape(len(rows), len(weights), -1)
        found[dataset, setting] = (weights, 100 * paths)
    return found


def scan_accuracies(paths: ScanPaths, redraw=None) -> pd.DataFrame:
    """Accuracy by weight: mean over the splits, in the dimension that is best for the weight.

    Parameters
    ----------
    paths : dict
        See `scan_paths`.
    redraw : numpy Generator, optional
        Draws as many splits anew with replacement, in every column.

    Returns
    -------
    DataFrame
        In per cent; one row a weight from 1 to 20, one column a printed column.
    """
    found = {}
    for column, (weights, accuracy) in paths.items():
        if redraw is not None:
            accuracy = accuracy[redraw.integers(len(accuracy), size=len(accuracy))]
        best = pd.Series(accuracy.mean(axis=0).max(axis=1), index=weights)
        found[column_label(column)] = best[list(_SCANNED_WEIGHTS)]
    return pd.DataFrame(found)


def scan_distances(scan: pd.DataFrame) -> pd.DataFrame:
    """Root mean square distance of a weight scan to the printed rows, in points.

    Parameters
    ----------
    scan : DataFrame
        See `scan_accuracies`.

    Returns
    -------
    DataFrame
        One row a weight, one column a printed row.
    """
    printed = published_accuracies()[list(scan.columns)]
    return pd.DataFrame(
        {row: np.sqrt(((scan - printed.loc[row]) ** 2).mean(axis=1)) for row in SCANNED_ROWS}
    )


def scan_figure(records: pd.DataFrame) -> Figure:
    """Distance of MMC to the printed rows against the weight of S_w: the scan as a picture."""
    figure, axes = figure_grid(len(SCANS), 1, size=(WIDTH, 2.9), sharex=True)
    for axis, (method, curve) in zip(axes, SCANS.items(), strict=True):
        distances = scan_distances(scan_accuracies(scan_paths(records, method)))
        for row, colour in zip(SCANNED_ROWS, (BLUE, GREEN, RED), strict=True):
            of_row = distances[row]
            axis.plot(of_row.index, of_row, color=colour, label=f"to the printed {row}")
            lowest = int(np.argmin(of_row))
            axis.plot(of_row.index[lowest], of_row.iloc[lowest], "o", color=colour, ms=7, zorder=5)
        axis.set_title(curve)
        axis.set_xticks([1, 5, 10, 15, 20])
        axis.set_ylim(bottom=0)
    axes[-1].set_xlabel("weight μ of the within-class scatter")
    figure.supylabel("distance to the printed row, points", fontsize="medium")
    handles, _ = axes[0].get_legend_handles_labels()
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    note_source(figure, source_text(select(records, table="weights")))
    return figure


def accuracy_by_dimension(records: pd.DataFrame, reading: str = HEADLINE) -> Figure:
    """Mean accuracy of the five methods against the dimension, and the printed optima."""
    listed = columns(records)
    printed = {
        (n.row, n.select["dataset"], n.select["setting"], n.select["metric"]): n.value
        for n in numbers("mkmmc")
    }
    figure, axes = small_multiples(len(listed), size=(WIDTH / 2, 2.2))
    for axis, column in zip(axes, listed, strict=True):
        for method, colour in _COLOURS.items():
            of_method = select(records, method=method)
            shown = reading if (of_method["reading"] == reading).any() else HEADLINE
            of_column = {"reading": shown, "dataset": column[0], "setting": column[1]}
            path = 100 * path_matrix(select(of_method, metric=OWN, **of_column)).mean(axis=0)
            axis.plot(np.arange(1, len(path) + 1), path, color=colour, lw=1.4)
            name = METHOD_NAMES[method]
            at = printed.get((name, *column, "dimension"))
            value = printed.get((name, *column, "accuracy"))
            axis.plot(at or [], value or [], "o", color=colour, mec="white", ms=7)
        axis.set(title=column_label(column), xscale="log")
        axis.set_ylim(bottom=max(axis.get_ylim()[0], 20))
    _label_outer(axes, "dimension", "accuracy (%)")
    handles = [plt.Line2D([], [], color=c, label=METHOD_NAMES[m]) for m, c in _COLOURS.items()]
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    note_source(figure, source_text(records))
    return figure


def mean_or_origin(records: pd.DataFrame) -> Figure:
    """Accuracy of MMC on Yale with S_b about the mean, as in the text, and about the origin."""
    listed = [column for column in columns(records) if column[0] == "faces/yale"]
    figure, axes = figure_grid(1, len(listed), size=(WIDTH / len(listed), 2.9))
    for axis, column in zip(axes, listed, strict=True):
        place = {"method": "mmc", "metric": OWN, "dataset": column[0], "setting": column[1]}
        ends = []
        for reading, colour, label in (
            ("S_b about the origin", BLUE, "from the origin (as found)"),
            (HEADLINE, ORANGE, "from the overall mean (as the text says)"),
        ):
            path = 100 * path_matrix(select(records, reading=reading, **place)).mean(axis=0)
            axis.plot(np.arange(1, len(path) + 1), path, ".-", color=colour, label=label)
            ends.append(path.max())
        printed = float(published_accuracies().T["MMC"][column_label(column)])
        axis.axhline(printed, color=BLACK, ls=":", label="printed")
        axis.set_title(column_label(column))
        axis.set_xlabel(f"dimension\nprinted {printed:.2f}\nfrom the mean {ends[1]:.2f}")
        axis.set_ylim(bottom=path.max() - 14)
    axes[0].set_ylabel("accuracy (%)")
    handles = axes[0].get_legend_handles_labels()[0]
    figure.legend(handles=handles, loc="outside upper center", ncols=1)
    note_source(figure, source_text(select(records, dataset="faces/yale")))
    return figure


def accuracy_by_bandwidth(records: pd.DataFrame) -> Figure:
    """Kernel MMC in c - 1 dimensions against the bandwidth, with the printed accuracies."""
    listed = columns(records)
    figure, axes = small_multiples(len(listed), size=(WIDTH / 2, 2.2))
    for axis, column in zip(axes, listed, strict=True):
        rows = select(records, dataset=column[0], setting=column[1], metric="accuracy by bandwidth")
        paths = {str(name): path_matrix(group) for name, group in rows.groupby("reading")}
        for constraint, colour in _CONSTRAINT_COLOURS.items():
            mean = 100 * paths[f"{constraint}, mu = 1"].mean(axis=0)
            axis.plot(
                EXPONENTS, mean, color=colour, label=_CONSTRAINT_NAMES.get(constraint, constraint)
            )
        _draw_printed(axis, column, ("KMMC_cv", "MKMMC"))
        axis.set_title(column_label(column))
    _label_outer(axes, "width 2^k σ₀²: k", "accuracy (%)")
    handles, _ = axes[0].get_legend_handles_labels()
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    note_source(figure, source_text(records))
    return figure


def accuracy_at_weight(records: pd.DataFrame) -> Turning:
    """Measured accuracy against mu in every printed column, and the gain over mu = 1.

    Mean over the splits, in the dimension that is best for the weight.
    """
    places = {column_label(place): place for place in columns(records)}
    by_weight: dict[tuple[str, str], pd.DataFrame] = {}
    for method, curve in SCANS.items():
        paths = scan_paths(records, method)
        for label, place in places.items():
            weights, accuracy = paths[place]
            best = accuracy.mean(axis=0).argmax(axis=1)
            found = pd.DataFrame(accuracy[:, np.arange(len(weights)), best], columns=weights)
            by_weight[label, curve] = found[list(_SCANNED_WEIGHTS)]
    printed = published_accuracies()
    colours = dict(zip(SCANS.values(), (BLUE, ORANGE), strict=True))
    boxes = {}
    for label in places:
        lines = [by_weight[label, curve].mean() for curve in colours]
        lines += [printed.loc[list(SCANNED_ROWS), label]] if label in printed else []
        ends = np.concatenate(lines)
        boxes[label] = Box((0, 21), (np.floor(ends.min()) - 1, np.ceil(ends.max()) + 1), bottom=290)

    def curves(column: str) -> str:
        box = boxes[column]
        low, high = box.y
        ticks = {v: f"{v:g}" for v in np.arange(np.ceil(low / 5) * 5, high, 5)}
        across = {v: str(v) for v in (1, *_BARRED_WEIGHTS)}
        parts = [box.axes(across, ticks, "weight μ of the within-class scatter", "accuracy, %")]
        for curve, colour in colours.items():
            means = by_weight[column, curve].mean()
            parts.append(box.line(means.index, means, colour))
        for name in SCANNED_ROWS if column in printed else ():
            value, dashed = printed.loc[name, column], 'stroke-dasharray="6 4"'
            parts.append(box.line(box.x, (value, value), _PRINTED_STYLES[name][0], 1.2, dashed))
        names = {f"printed {name}": _PRINTED_STYLES[name][0] for name in SCANNED_ROWS}
        return "".join(parts) + legend({**colours, **names}, 355)

    def marks(column: str, weight: float) -> str:
        return "".join(
            boxes[column].mark(weight, by_weight[column, curve][weight].mean(), colour, size=7)
            for curve, colour in colours.items()
        )

    def told(column: str, weight: float) -> str:
        own = by_weight[column, "linear MMC"]
        start = f"{column}, μ = {weight:g}: linear MMC {own[weight].mean():.1f} %"
        if weight == 1:
            return f"{start}, at the paper's weight."
        gain, low, high = corrected_interval(own[weight], own[1])
        return f"{start}, a gain of {gain:.1f} ({low:.1f} to {high:.1f}) over μ = 1."

    choices: dict[str, list] = {"column": list(places), "weight": [1, 2, 4, 6, 8, 10, 12, 15, 20]}
    return Turning(choices, [curves, marks], told, height=405, start={"weight": 10})


def accuracy_by_weight(records: pd.DataFrame) -> Figure:
    """Linear MMC in c - 1 dimensions against mu, with the printed accuracies."""
    listed = columns(records)
    n_columns = min(3, len(listed))
    figure, axes = figure_grid(-(-len(listed) // n_columns), n_columns, size=(WIDTH / 3, 1.75))
    for axis, column in zip(axes, listed, strict=False):
        rows = select(
            records, dataset=column[0], setting=column[1], metric="accuracy by within weight"
        )
        means = 100 * path_matrix(rows).mean(axis=0)
        axis.plot(range(len(WITHIN_WEIGHTS)), means, ".-", color=BLUE, label="our MMC")
        for weight, mark, label in [
            (1.0, "o", "our MMC at the paper's μ = 1"),
            (10.0, "s", "our MMC at μ = 10"),
        ]:
            place = WITHIN_WEIGHTS.index(weight)
            axis.plot(place, means[place], mark, color=BLUE, ms=8, label=label)
        _draw_printed(axis, column, SCANNED_ROWS)
        axis.margins(y=0.12)
        axis.set_title(column_label(column))
        axis.set_xticks(range(len(WITHIN_WEIGHTS)), [f"{weight:g}" for weight in WITHIN_WEIGHTS])
    for axis in axes[len(listed) :]:
        axis.remove()
    for axis in axes[::n_columns]:
        axis.set_ylabel("accuracy (%)")
    for axis in axes[-n_columns:]:
        axis.set_xlabel("weight μ")
    if handles := axes[0].get_legend_handles_labels()[0]:
        figure.legend(handles=handles, loc="outside upper center", ncols=2)
    note_source(figure, source_text(records))
    return figure


def weights_figure(records: pd.DataFrame) -> Figure:
    """Mean learned shares of the kernels: one row a reading, one column a bandwidth."""
    frame = learned_weights(records)
    figure, axis = plt.subplots(figsize=(WIDTH, 1.5 + 0.24 * len(frame)))
    image = axis.imshow(frame[list(EXPONENTS)], cmap="Blues", vmin=0, vmax=1, aspect="auto")
    labels = []
    for reading, share in frame["single kernel"].items():
        name = str(reading)
        for recorded, shown in _READING_NAMES.items():
            name = name.replace(recorded, shown)
        labels.append(f"{name} ({100 * share:.0f} %)")
    axis.set_yticks(range(len(frame)), labels, fontsize=SMALL)
    axis.set_xticks(range(len(EXPONENTS)), [str(k) for k in EXPONENTS])
    axis.set_xlabel("width 2^k σ₀²: k")
    axis.grid(False)
    figure.colorbar(image, label="mean share", location="top", aspect=40)
    note_source(figure, source_text(records))
    return figure


def _draw_printed(axis, column: tuple[str, str], methods: Sequence[str]) -> None:
    """Draw the printed accuracies of a column as lines across; none for data of our own."""
    printed, label = published_accuracies(), column_label(column)
    for name in methods if label in printed else ():
        colour, style = _PRINTED_STYLES[name]
        value = printed.loc[name, label]
        axis.axhline(value, color=colour, ls=style, lw=1.2, label=f"printed {name}")


def _label_outer(axes, x_label: str, y_label: str) -> None:
    for axis in axes[::ABREAST]:
        axis.set_ylabel(y_label)
    for axis in axes[-ABREAST:]:
        axis.set_xlabel(x_label)


#: Figures of the report, in its order.
FIGURES = (
    PaperFigure(
        "MMC on Yale: class means measured from the overall mean, and from the origin",
        mean_or_origin,
        alt=(
            "Three panels. From the origin the curve ends in 15 dimensions on the dotted line of "
            "the printed accuracy; from the overall mean it stays one to two points below."
        ),
        fits=lambda records: bool((records["dataset"] == "faces/yale").any()),
    ),
    PaperFigure(
        "Distance to the printed rows against the weight of the within-class scatter",
        scan_figure,
        alt=(
            "The distance to the printed MMC has its minimum at weight 1, that to KMMC at 2, that "
            "to MKMMC at 7 without a kernel, in a flat valley from 5 to 13, and at 10 with one."
        ),
        fits=lambda records: set(published_accuracies().columns).issuperset(
            map(column_label, columns(records))
        ),
    ),
    PaperFigure(
        "Mean test accuracy against the dimension; dots: printed",
        accuracy_by_dimension,
    ),
    PaperFigure(
        "Kernel MMC against the bandwidth, by constraint",
        accuracy_by_bandwidth,
        alt=(
            "In nine panels the printed constraint peaks at a medium width below the printed "
            "rows; the whitened one reaches them on the faces."
        ),
    ),
    PaperFigure(
        "Linear MMC against the weight of the within-class scatter",
        accuracy_by_weight,
    ),
    PaperFigure(
        "Learned shares of the kernels, by reading",
        weights_figure,
        alt=(
            "Heat map, one row a reading. The printed step gives all to k = -2 to 0, mostly to -1; "
            "the minimising step all to k = 5."
        ),
    ),
)
