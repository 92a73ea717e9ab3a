"""Figures of the study, drawn from records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from reprolib.report.paper_figures import PaperFigure
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
    small_multiples,
    source_text,
)
from reprolib.rerun.printed.schema import MARGIN
from reprolib.rerun.verdicts.errors import paired
from which_method import advice
from which_method.aid import HIT
from which_method.experiment import CURVE_METHODS, TABLE
from which_method.methods import METHODS
from which_method.summaries import (
    CHOICES,
    DEGENERATE,
    KINDS,
    REFERENCE,
    Ordered,
    curve_rows,
    differences,
    everywhere,
    labels,
    mean_table,
    ordered,
    paired_table,
    seconds_table,
    short_name,
    tuned_for_accuracy,
)

#: Sets that are named at either end of a picture of all sets.
N_NAMED = 4
#: Methods of the decision picture, and their colours.
DECIDED = {REFERENCE: "#777777", "extra trees": ORANGE, "lda": BLUE}
#: Colour of every learning curve.
CURVE_COLOURS = dict(zip(CURVE_METHODS, (BLUE, ORANGE, GREEN, RED, PURPLE, SKY), strict=True))


def places(records: pd.DataFrame) -> Figure:
    """Place of every method under each choice of sets and measure that the records allow."""
    methods, names = everywhere(records), set(mean_table(records).index)
    views = [view for view in (*CHOICES, *KINDS) if any(map(view.has, names))]
    return place_panels([ordered(records, view, methods) for view in views], records)


def heat_table(records: pd.DataFrame) -> Figure:
    """Accuracy as numbers, coloured by the distance to the best method of the set."""
    accuracy = tuned_for_accuracy(mean_table(records[records["table"] == TABLE]))
    below = accuracy.rsub(accuracy.max(axis=1), axis=0)
    size = (3.4 + 0.47 * accuracy.shape[1], 1.9 + 0.29 * len(accuracy))
    figure, (axis,) = figure_grid(1, 1, size=size)
    image = axis.imshow(below, cmap="YlOrRd", vmin=0, vmax=20, aspect="auto")
    values, lost = accuracy.to_numpy(float), below.to_numpy(float)
    shown = values.round()
    leading = shown == np.nanmax(shown, axis=1, keepdims=True)  # also what prints the same
    for i, j in np.ndindex(*values.shape):
        axis.text(
            j,
            i,
            "–" if np.isnan(values[i, j]) else f"{values[i, j]:.0f}",
            ha="center",
            va="center",
            fontsize=8,
            color="white" if lost[i, j] > 14 else BLACK,
            fontweight="bold" if leading[i, j] else "normal",
        )
    axis.set_xticks(range(accuracy.shape[1]), labels(accuracy.columns), rotation=60, ha="right")
    sources = records.groupby("dataset")["source"].first()
    axis.set_yticks(
        range(len(accuracy)), [f"{set_label(name)} ({sources[name]})" for name in accuracy.index]
    )
    axis.tick_params(labelsize=8, length=0)
    axis.grid(False)
    figure.colorbar(image, label="points below the best", extend="max", fraction=0.03, pad=0.01)
    return figure


def set_label(name: str) -> str:
    """Short name of a set; a star marks those with few distinct rows."""
    return short_name(name) + ("*" if name in DEGENERATE else "")


def place_panels(views: Sequence[Ordered], records: pd.DataFrame) -> Figure:
    """Place and its interval of every method, one panel for each view, methods in one order.

    The records are those behind the views; their sources are named below.
    """
    first = views[0].places
    keys = list(first.sort_values(["place", "low"], kind="stable").index)
    y = np.arange(len(keys))
    figure, axes = figure_grid(1, len(views), size=(1.02, 1.6 + 0.24 * len(keys)), sharey=True)
    for axis, view in zip(axes, views, strict=True):
        table = view.places.loc[keys]
        colours = [_colour(key) for key in keys]
        axis.hlines(y, table["low"], table["high"], color=colours, lw=3, alpha=0.45)
        axis.scatter(table["place"], y, color=colours, s=16, zorder=3)
        n_sets = len(view.scores.sets)
        axis.set_title(_wrapped(view.view.name) + f"\n({n_sets} sets)", fontsize=8)
        axis.set_xlim(0.5, len(keys) + 0.5)
        axis.set_xticks([1, len(keys) // 2, len(keys)])
        axis.tick_params(labelsize=8, length=0)
    axes[0].set_yticks(y, labels(keys), fontsize=8)
    axes[0].invert_yaxis()
    figure.supxlabel(
        f"place among {len(keys)} methods, with 95 % interval; blue: of the package\n"
        f"{source_text(records)}",
        fontsize=9,
    )
    return figure


def _wrapped(title: str) -> str:
    """Three lines: words joined while they fit into the width of a panel."""
    lines = [""]
    for word in title.split():
        fits = len(lines[-1]) + len(word) < 13
        lines[-1:] = [f"{lines[-1]} {word}".strip()] if fits else [lines[-1], word]
    return "\n".join(line for line in lines if line) + "\n" * (3 - len(lines))


def difference_plot(records: pd.DataFrame, reference: str = REFERENCE) -> Figure:
    """Mean difference over the sets from a reference, its interval, and the margin."""
    found = differences(records, reference=reference)
    order = sorted(found, key=lambda key: found[key].mean)
    most = max(len(line.words) for line in found.values())
    figure, (axis,) = figure_grid(1, 1, size=(5.8, 1.7 + 0.27 * len(order)))
    axis.axvspan(-MARGIN, MARGIN, color="#000000", alpha=0.08, lw=0)
    for y, key in enumerate(order):
        line = found[key]
        axis.plot([line.low, line.high], [y, y], color=_colour(key), lw=3, alpha=0.5)
        axis.plot(line.mean, y, "o", color=_colour(key), ms=6)
    axis.axvline(0, color=BLACK, lw=1)
    fewer = [f" ({n} sets)" if (n := len(found[key].words)) < most else "" for key in order]
    axis.set_yticks(range(len(order)), [a + b for a, b in zip(labels(order), fewer, strict=True)])
    axis.tick_params(axis="y", labelsize=10)
    axis.set_xlabel(f"points of accuracy minus {METHODS[reference].label}")
    _explain_colours(axis, "lower center", bbox_to_anchor=(0.5, 1), ncols=2)
    note_source(figure, source_text(records))
    return figure


def _colour(key: str) -> str:
    return BLUE if METHODS[key].ours else ORANGE


def _explain_colours(axis, place: str, **options) -> None:
    axis.plot([], [], "o", color=BLUE, label="of the papers")
    axis.plot([], [], "o", color=ORANGE, label="usual choice")
    axis.legend(fontsize=9, loc=place, **options)


def learning_curves(records: pd.DataFrame) -> Figure:
    """Accuracy against the number of training rows: mean over the trials, with its interval."""
    rows = curve_rows(records)
    sets = sorted(set(rows["dataset"]))
    figure, axes = small_multiples(len(sets), size=(3.4, 2.9))
    for axis, name in zip(axes, sets, strict=True):
        _curves_of_set(axis, rows[rows["dataset"] == name])
        axis.set_title(f"{set_label(name)} ({rows[rows['dataset'] == name]['source'].iloc[0]})")
    axes[0].set_ylabel("accuracy in percent")
    axes[-1].legend(fontsize=7, loc="lower right")
    return figure


def _curves_of_set(axis, rows: pd.DataFrame) -> None:
    sizes = sorted(set(rows["n"]))
    for place, (key, colour) in enumerate(CURVE_COLOURS.items()):
        own = rows[rows["method"] == key]
        if not len(own):
            continue
        by_size = 100 * own.set_index("n")["value"]
        mean = by_size.groupby(level=0).mean()
        widths = [paired(by_size.loc[[n]].to_numpy()).half_width() for n in mean.index]
        half = np.nan_to_num(np.array(widths), posinf=0.0)
        # Side by side, so that no interval hides another.
        x = mean.index * 1.035 ** (place - (len(CURVE_COLOURS) - 1) / 2)
        axis.errorbar(
            *(x, mean, half), color=colour, marker="o", ms=3, lw=1.2, elinewidth=0.8, alpha=0.85
        )
        axis.plot([], [], color=colour, marker="o", ms=3, label=METHODS[key].label)
    axis.set_xscale("log")
    apart = [n for n, more in zip(sizes, [*sizes[1:], np.inf], strict=True) if more > 1.3 * n]
    axis.set_xticks(apart, [str(n) for n in apart])
    axis.minorticks_off()
    axis.tick_params(labelsize=8)
    axis.set_xlabel("training rows")


def accuracy_against_time(records: pd.DataFrame) -> Figure:
    """Difference from the reference over the sets, with its interval, against multiples of time."""
    keys = everywhere(records)
    found = {key: d for key, d in differences(records).items() if key in keys}
    mean = pd.Series({key: found[key].mean if key in found else 0.0 for key in keys})
    half = pd.Series({key: found[key].error.half_width() if key in found else 0.0 for key in keys})
    ratio = np.exp(np.log(seconds_table(records, "accuracy")[keys]).mean())
    figure, (axis,) = figure_grid(1, 1, size=(5.8, 5.2))
    axis.set_xscale("log")
    axis.axhline(0, color=BLACK, lw=0.8)
    for key in keys:
        ends = mean[key] + half[key] * np.array([-1, 1])
        axis.plot([ratio[key]] * 2, ends, color=_colour(key), lw=2, alpha=0.3)
        axis.plot(ratio[key], mean[key], "o", color=_colour(key))
    axis.margins(x=0.3, y=0.05)
    axis.set_xlabel("time of tuning, fit and prediction over the fastest method's")
    axis.set_ylabel(f"points of accuracy minus {METHODS[REFERENCE].label}")
    _explain_colours(axis, "lower right")
    _name_points(axis, labels(keys), ratio, mean)
    note_source(figure, source_text(records))
    return figure


def _name_points(axis, names, x, y) -> None:
    """Write names beside points, from the top, inside, where they cover the least of the others."""
    axis.figure.draw_without_rendering()
    pixels = axis.figure.dpi / 72
    width, height, gap = 4.5 * pixels, 9.0 * pixels, 6.0 * pixels
    inside = axis.get_window_extent()
    points = axis.transData.transform(np.column_stack([x, y]))
    taken = [(px - 5, py - 5, px + 5, py + 5) for px, py in points]
    listed = zip(names, points, zip(x, y, strict=True), strict=True)
    for name, (px, py), xy in sorted(listed, key=lambda line: -line[1][1]):
        length = width * len(name)
        offsets = [
            (dx, dy)
            for dy in height * np.array([-0.5, 0.2, -1.2, 0.8, -1.8, 1.5])
            for dx in (gap, -gap - length)
        ]
        boxes = [(px + dx, py + dy, px + dx + length, py + dy + height) for dx, dy in offsets]
        outside = [length * height - _overlap(box, inside.extents) for box in boxes]
        covered = [sum(_overlap(box, other) for other in taken) for box in boxes]
        best = min(range(len(boxes)), key=lambda i: (covered[i] + 3 * outside[i], i))
        taken.append(boxes[best])
        dx, dy = offsets[best]
        axis.annotate(
            name,
            xy,
            xytext=(np.sign(dx) * gap / pixels, dy / pixels),
            textcoords="offset points",
            ha="left" if dx > 0 else "right",
            fontsize=8,
            annotation_clip=False,
        ).set_in_layout(False)


def _overlap(one, other) -> float:
    """Area that two boxes (left, bottom, right, top) have in common."""
    sides = [min(one[i + 2], other[i + 2]) - max(one[i], other[i]) for i in (0, 1)]
    return max(sides[0], 0.0) * max(sides[1], 0.0)


def paired_differences(records: pd.DataFrame, method: str, reference: str = REFERENCE) -> Figure:
    """Corrected interval of the difference for every set, in order; the outermost are named."""
    frame = paired_table(records, method, reference).sort_values("difference")
    figure, (axis,) = figure_grid(1, 1, size=(5.8, 1.5 + 0.11 * len(frame)))
    y = np.arange(len(frame))
    axis.axvspan(-MARGIN, MARGIN, color="#000000", alpha=0.08, lw=0)
    axis.hlines(y, frame["low"], frame["high"], color=_colour(method), lw=1.5, alpha=0.4)
    axis.plot(frame["difference"], y, "o", color=_colour(method), ms=3.5)
    axis.axvline(0, color=BLACK, lw=1)
    outer = [i for i in range(len(y)) if i < N_NAMED or i >= len(y) - N_NAMED]
    axis.set_yticks(outer, [set_label(str(frame.index[i])) for i in outer], fontsize=8)
    axis.set_xlabel(f"{METHODS[method].label} minus {METHODS[reference].label}, points of accuracy")
    note_source(figure, source_text(records))
    return figure


def decision(records: pd.DataFrame) -> Figure:
    """Where which method is best, with what the advice says there; and what balance gains.

    Above, sets by columns and classes. Dots: grey where the SVM is within a point of the best of
    three methods, else the colour of the best. Ground: what `advice.predict` advises for 200 rows
    and classes of one size. Below, the balanced accuracy that balanced classes gain the SVM.
    """
    accuracy = mean_table(records)[list(DECIDED)]
    known, w = advice.facts(records), advice.weights(records)
    figure, (upper, lower) = figure_grid(2, 1, size=(5.8, 4.4))
    x, y = np.meshgrid(np.linspace(1, 13.5, 160), np.linspace(0.6, 5, 80))
    wanted = {"training rows": np.full(x.size, np.log2(200)), "columns": x.ravel()}
    wanted |= {"classes": y.ravel(), "largest class": 10 / 2 ** y.ravel()}
    told = advice.predict(accuracy, known, w, pd.DataFrame(wanted)).argmax(axis=1)
    shades = ListedColormap(["#bbbbbb", *(c for c in list(DECIDED.values())[1:])])
    upper.pcolormesh(2**x, 2**y, told.reshape(x.shape), cmap=shades, alpha=0.25, vmin=0, vmax=2)
    best = accuracy.idxmax(axis=1).where(
        accuracy.max(axis=1) - accuracy[REFERENCE] > HIT, REFERENCE
    )
    jitter = np.random.default_rng(0).uniform(-0.22, 0.22, len(accuracy))
    for key, colour in DECIDED.items():
        own = (best == key).to_numpy()
        at = known.loc[accuracy.index[own]]
        upper.plot(
            *(2 ** at["columns"], 2 ** (at["classes"] + jitter[own]), "o"),
            color=colour,
            ms=6,
            mec="white",
            mew=0.6,
            label=METHODS[key].label,
        )
    upper.set(xscale="log", yscale="log", xlabel="columns", ylabel="classes")
    upper.set_xticks([2, 10, 100, 1000], ["2", "10", "100", "1000"])
    upper.set_yticks([2, 3, 5, 10, 20], ["2", "3", "5", "10", "20"])
    upper.minorticks_off()
    figure.legend(
        fontsize=9,
        loc="outside upper center",
        ncols=len(DECIDED),
        title="best of three; the SVM where it is within a point",
    )
    gain = advice.gains(records)["balance"].loc[known.index]
    lower.axhline(0, color=BLACK, lw=1)
    lower.plot(10 * known["largest class"], gain, "o", color=BLACK, ms=6, mec="white", mew=0.6)
    lower.set(xlabel="percent of rows in the largest class", ylabel="points of balanced accuracy")
    lower.set_title("balanced SVM minus SVM")
    note_source(figure, source_text(records))
    return figure


def _has_accuracies(records: pd.DataFrame) -> bool:
    return bool(mean_table(records).notna().to_numpy().any())


def _compares_methods_on_sets(records: pd.DataFrame) -> bool:
    several = len(everywhere(records)) > 1 and len(mean_table(records)) > 1
    return _has_accuracies(records) and several


def _compares_with_the_reference(records: pd.DataFrame) -> bool:
    accuracy = mean_table(records)
    return _has_accuracies(records) and REFERENCE in accuracy.columns and accuracy.shape[1] > 1


def _compares_with_everything(records: pd.DataFrame) -> bool:
    methods = mean_table(records).columns
    known = {*DECIDED, "svc balanced"} <= set(methods)
    return known and len(advice.facts(records)) > 2 * len(advice.FACTS)


def _has_curves(records: pd.DataFrame) -> bool:
    return _has_accuracies(records) and len(curve_rows(records)) > 0


#: Figures of the report, in its order.
FIGURES = (
    PaperFigure(
        "Accuracy in percent by set and method; colour: points below the best of the set",
        heat_table,
        alt=(
            "Table of accuracies, sets by methods, coloured by the points lost against the best "
            "method of the set. Linear machines lose twenty points and more on banana and "
            "ringnorm; trees and neighbours lose most on Yale and Haxby."
        ),
        fits=_has_accuracies,
    ),
    PaperFigure(
        "Place of every method under every choice of sets and measure, with its interval",
        places,
        fits=_compares_methods_on_sets,
    ),
    PaperFigure(
        f"Mean difference from {METHODS[REFERENCE].label} over the sets, with its interval",
        difference_plot,
        alt=(
            "Mean difference from the SVM with its interval, a line a method, over a grey band of "
            "1.5 points on either side of zero. The intervals of KPM, MKPM, SC-SVM, MKL and extra "
            "trees lie in the band or reach its edge; those of the linear simplex machines, "
            "nearest neighbours, gradient boosting and the random forest lie below zero."
        ),
        fits=_compares_with_the_reference,
    ),
    PaperFigure(
        "Where which method is best, and what balanced classes gain",
        decision,
        alt=(
            "Two panels. Above, sets by columns and classes on logarithmic axes: most dots are "
            "grey, the SVM is within a point of the best; orange dots of extra trees and blue "
            "dots of LDA lie among them without an order. Below, the gain of a balanced SVM in "
            "balanced accuracy: mostly near zero up to 65 percent in the largest class, then up "
            "to 20."
        ),
        fits=_compares_with_everything,
    ),
    PaperFigure(
        "Time of tuning, fit and prediction, and the mean difference from the SVM",
        accuracy_against_time,
        alt=(
            "Mean difference from the SVM, with its interval, against the relative time of tuning, "
            "fit and prediction. Simplex RLS and the SVM are accurate and fast; extra trees, which "
            "need no tuning, take the longest of the methods that are as accurate."
        ),
        fits=_compares_with_the_reference,
    ),
    PaperFigure(
        "Learning curves of six methods",
        learning_curves,
        alt=(
            "Six panels of accuracy against the number of training rows, six methods each. On DNA "
            "gradient boosting leads up to 800 rows, on segment the trees do from 100 rows on; on "
            "Haxby LDA leads at every size; on the two clinical sets the curves cannot be told "
            "apart."
        ),
        fits=_has_curves,
    ),
)
