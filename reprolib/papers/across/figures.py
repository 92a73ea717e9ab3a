"""Tables and figures of the study across the papers, drawn from records."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reprolib.papers.across.protocol import ALL_COLUMNS, METHODS, N_CONFIGURATIONS
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
from reprolib.rerun.records import chosen, select
from reprolib.rerun.statistics import (
    RankComparison,
    bayesian_signed_rank,
    compare_ranks,
    corrected_interval,
    indistinct_groups,
    intervals_by_dataset,
)
from reprolib.rerun.task import HEADLINE

REFERENCE = "svc"
#: Differences in mean accuracy of at most one percentage point count as practically none.
ROPE = 1.0
#: One method for each idea, named before the results were seen: the paper's own version.
REPRESENTATIVES = (
    "kpm",
    "mkpm",
    "simplex rls",
    "sc-svm",
    "simplex sgd",
    "simplex boosting",
    "mkmmc",
    "svc",
    "gp",
    "gradient boosting",
    "neighbors",
    "logistic",
    "lda",
)


def report_figures(records: pd.DataFrame) -> dict[str, Figure]:
    """Every figure that the records allow, by caption."""
    figures: dict[str, Figure] = {}
    accuracy = accuracy_table(records)
    complete = comparable(accuracy)
    if accuracy.notna().to_numpy().any():
        caption = "Accuracy in percent by set and method; colour: points below the best of the set"
        figures[caption] = heat_table(records)
    if len(complete) > 1 and complete.shape[1] > 2:
        caption = (
            "Mean rank over the sets; a grey bar joins methods closer than the critical difference"
        )
        figures[caption] = rank_plot(compare_ranks(complete), source_text(records))
    if complete.size:
        caption = "Accuracy against computing time, tuning included"
        figures[caption] = accuracy_against_time(records)
    if len(signed_rank_table(records)):
        caption = (
            "Posterior probability that a method is most likely worse than, equivalent to, or "
            f"better than {METHODS[REFERENCE].label}"
        )
        figures[caption] = signed_rank_bars(records)
    return figures


def _rows(records: pd.DataFrame, metric: str, reading: str = HEADLINE) -> pd.DataFrame:
    return select(records, metric=metric, reading=reading)


def _in_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Methods as columns, in the order of `METHODS`; sets by family, as in the protocol."""
    return frame.reindex(columns=[key for key in METHODS if key in frame.columns])


def accuracy_table(records: pd.DataFrame, reading: str = HEADLINE) -> pd.DataFrame:
    """Mean accuracy over the trials in percent, sets by methods; NaN where a method is left out.

    A method that failed in some trial has no mean.
    """
    rows = _rows(records, "accuracy", reading)
    means = 100 * rows.pivot_table(index="dataset", columns="method", values="value")
    counts = rows.pivot_table(index="dataset", columns="method", values="value", aggfunc="count")
    # Rounded far below one test row, so that equal hits are a tie whatever the order of adding.
    return _in_order(means.where(counts == rows["trial"].nunique()).round(9))


def comparable(accuracy: pd.DataFrame, binary: bool = False) -> pd.DataFrame:
    """Complete blocks: all sets with the methods that go on all of them; or the binary sets.

    Parameters
    ----------
    accuracy : DataFrame
        Of `accuracy_table`.
    binary : bool
        Only the sets of two classes, with the methods for two classes, too.
    """
    special = [key for key in accuracy.columns if METHODS[key].binary_only]
    if binary:
        return accuracy.dropna(subset=special)
    return accuracy.drop(columns=special).dropna(axis=1)


def labels(keys) -> list[str]:
    """Names of methods as printed."""
    return [METHODS[str(key)].label for key in keys]


def time_ratios(records: pd.DataFrame) -> pd.DataFrame:
    """Seconds of a task over those of the fastest method on the set, sets by methods.

    Of each method the median over the trials, so that a task that compiled or loaded something
    does not count. Seconds are those of one run on one machine: only ratios are of use.
    """
    rows = _rows(records, "accuracy")
    seconds = rows.pivot_table(
        index="dataset", columns="method", values="seconds", aggfunc="median"
    )
    seconds = seconds.clip(lower=1e-3)
    return _in_order(seconds.div(seconds.min(axis=1), axis=0))


def budget_table(records: pd.DataFrame) -> pd.DataFrame:
    """What every method was given and took: configurations, fits, failures to converge, time."""
    tasks = _rows(records, "fits").groupby("method")
    fits, failed, out = (
        _rows(records, metric).groupby("method")["value"]
        for metric in ("fits", "fits not converged", "configurations not converged")
    )
    broken = records[(records["status"] != "ok") & (records["reading"] == HEADLINE)]
    frame = pd.DataFrame(
        {
            "sets": tasks["dataset"].nunique(),
            "trials": tasks.size(),
            "configurations": N_CONFIGURATIONS,
            "fits per trial": fits.median().round().astype(int),
            "fits": fits.sum().astype(int),
            "not converged": failed.sum().astype(int),
            "configurations out": out.sum().astype(int),
            "failed trials": broken.groupby("method").size(),
            "time ratio": np.exp(np.log(time_ratios(records)).mean()),
        }
    )
    frame["failed trials"] = frame["failed trials"].fillna(0).astype(int)
    return frame.loc[[key for key in METHODS if key in frame.index]]


def rank_table(accuracy: pd.DataFrame) -> pd.DataFrame:
    """Mean rank, mean accuracy, and on how many sets a method is best or within two points."""
    best = accuracy.max(axis=1)
    below = accuracy.rsub(best, axis=0)
    comparison = compare_ranks(accuracy)
    frame = pd.DataFrame(
        {
            "mean rank": comparison.mean_ranks,
            "mean accuracy": accuracy.mean(),
            "best": (below <= 1e-9).sum(),
            "within 2 points": (below <= 2.0).sum(),
            "largest loss": below.max(),
        }
    )
    return frame.sort_values("mean rank")


def signed_rank_table(records: pd.DataFrame, reference: str = REFERENCE) -> pd.DataFrame:
    """Posterior of every method against the reference, over the sets that both went on.

    The probability of an outcome is that of being the likeliest of the three, not the share of
    sets on which it is to be expected; see `reprolib.rerun.statistics.bayesian_signed_rank`.
    Sets are the independent units, the mean over the trials is the score on a set. Methods with
    fewer than two sets are left out.
    """
    accuracy = accuracy_table(records)
    lines = {}
    others = accuracy.columns.drop(reference) if reference in accuracy.columns else ()
    for key in others:
        both = accuracy[[key, reference]].dropna()
        if len(both) < 2:
            continue
        differences = both[key] - both[reference]
        posterior = bayesian_signed_rank(differences, ROPE)
        lines[key] = {
            "sets": len(both),
            "median difference": differences.median(),
            "worse": posterior.worse,
            "equivalent": posterior.equivalent,
            "better": posterior.better,
        }
    columns = ["sets", "median difference", "worse", "equivalent", "better"]
    return pd.DataFrame(list(lines.values()), index=list(lines), columns=columns)


def paired_table(records: pd.DataFrame, method: str, reference: str = REFERENCE) -> pd.DataFrame:
    """Method minus reference on every set: percentage points, with the corrected interval."""
    rows = _rows(records, "accuracy")
    overlap = _rows(records, "test overlap").groupby("dataset")["value"].first()
    table = intervals_by_dataset(
        rows, method, reference, lambda name, a, b: corrected_interval(a, b, float(overlap[name]))
    )
    return table.drop(columns=[method, reference])


def columns_table(records: pd.DataFrame) -> pd.DataFrame:
    """Trees on principal components and on all columns of the wide sets, the same trials."""
    whole = _rows(records, "accuracy", ALL_COLUMNS)
    trials, sets, methods = (set(whole[name]) for name in ("trial", "dataset", "method"))
    reduced = _rows(records, "accuracy")
    reduced = reduced[
        reduced["trial"].isin(trials)
        & reduced["dataset"].isin(sets)
        & reduced["method"].isin(methods)
    ]
    both = {"components": reduced, ALL_COLUMNS: whole}
    tables = {
        name: 100 * rows.pivot_table(index="dataset", columns="method", values="value")
        for name, rows in both.items()
    }
    return pd.concat(tables, axis=1).swaplevel(axis=1).sort_index(axis=1, ascending=[True, False])


def edges_table(records: pd.DataFrame) -> pd.DataFrame:
    """Share of the trials, in percent, whose chosen value lies at an end of its range.

    Of every hyperparameter with an order; a large share says that the budget was too narrow.
    """
    by_method = dict(iter(_rows(records, "accuracy").groupby("method")))
    lines = {}
    for key, method in METHODS.items():
        if key not in by_method:
            continue
        for name in method.grid[0]:
            values = {config[name] for config in method.grid}
            if not any(isinstance(value, str) for value in values):
                taken = chosen(by_method[key], name).to_numpy()
                lines[key, name] = {
                    "lowest": min(values),
                    "at lowest": 100 * np.mean(taken == min(values)),
                    "highest": max(values),
                    "at highest": 100 * np.mean(taken == max(values)),
                }
    frame = pd.DataFrame.from_dict(lines, orient="index")
    return frame.rename_axis(["method", "hyperparameter"])


def heat_table(records: pd.DataFrame) -> Figure:
    """Accuracy as numbers, coloured by the distance to the best method of the set."""
    accuracy = accuracy_table(records)
    below = accuracy.rsub(accuracy.max(axis=1), axis=0)
    size = (3.4 + 0.47 * accuracy.shape[1], 1.9 + 0.29 * len(accuracy))
    figure, (axis,) = figure_grid(1, 1, size=size)
    image = axis.imshow(below, cmap="YlOrRd", vmin=0, vmax=20, aspect="auto")
    values, lost = accuracy.to_numpy(float), below.to_numpy(float)
    for i, j in np.ndindex(*values.shape):
        axis.text(
            j,
            i,
            "–" if np.isnan(values[i, j]) else f"{values[i, j]:.0f}",
            ha="center",
            va="center",
            fontsize=8,
            color="white" if lost[i, j] > 14 else BLACK,
            fontweight="bold" if lost[i, j] <= 1e-9 else "normal",
        )
    axis.set_xticks(range(accuracy.shape[1]), labels(accuracy.columns), rotation=60, ha="right")
    sources = records.groupby("dataset")["source"].first()
    axis.set_yticks(range(len(accuracy)), [f"{name} ({sources[name]})" for name in accuracy.index])
    axis.tick_params(labelsize=8, length=0)
    axis.grid(False)
    figure.colorbar(image, label="points below the best", extend="max", fraction=0.03, pad=0.01)
    return figure


def rank_plot(comparison: RankComparison, source: str = "") -> Figure:
    """Mean ranks, the critical difference, and the groups that it does not tell apart."""
    ranks = comparison.mean_ranks
    order = [str(key) for key in ranks.index]
    y = np.arange(len(ranks))
    figure, (axis,) = figure_grid(1, 1, size=(7.2, 1.5 + 0.28 * len(ranks)))
    for key, rank, height in zip(ranks.index, ranks, y, strict=True):
        colour = BLUE if METHODS[str(key)].ours else ORANGE
        axis.plot(rank, height, "o", color=colour, ms=7)
    groups = indistinct_groups(comparison)
    for number, group in enumerate(groups):
        x = ranks.max() + 0.6 + 0.35 * number
        first, last = order.index(group[0]), order.index(group[-1])
        axis.plot([x, x], [first - 0.25, last + 0.25], color="#999999", lw=4, solid_capstyle="butt")
    start = ranks.min()
    axis.plot([start, start + comparison.critical_difference], [-1.1, -1.1], color=BLACK, lw=2)
    axis.text(
        start + comparison.critical_difference / 2,
        -1.35,
        f"critical difference {comparison.critical_difference:.1f} ({comparison.n_cases} sets)",
        ha="center",
        fontsize=9,
    )
    axis.set_yticks(y, labels(ranks.index), fontsize=9)
    axis.set_ylim(len(ranks) - 0.4, -2.1)
    axis.set_xlabel("mean rank (1 is best)")
    axis.plot([], [], "o", color=BLUE, label="in the package")
    axis.plot([], [], "o", color=ORANGE, label="usual choice")
    axis.legend(fontsize=8, loc="lower left")
    note_source(figure, source)
    return figure


def accuracy_against_time(records: pd.DataFrame) -> Figure:
    """Mean accuracy over all sets against the computing time as a multiple of the fastest."""
    accuracy = comparable(accuracy_table(records)).mean()
    ratio = np.exp(np.log(time_ratios(records)[accuracy.index]).mean())
    figure, (axis,) = figure_grid(1, 1, size=(8.2, 5.2))
    axis.set_xscale("log")
    for key, value in accuracy.items():
        axis.plot(ratio[key], value, "o", color=BLUE if METHODS[str(key)].ours else ORANGE, ms=7)
    axis.plot([], [], "o", color=BLUE, label="in the package")
    axis.plot([], [], "o", color=ORANGE, label="usual choice")
    axis.margins(x=0.3, y=0.08)
    axis.set_xlabel("time of tuning, training and prediction, over the fastest method's")
    axis.set_ylabel("mean accuracy in percent")
    axis.legend(fontsize=8, loc="lower left")
    note_source(figure, source_text(records))
    _name_points(axis, labels(accuracy.index), ratio, accuracy)
    return figure


def _name_points(axis, names, x, y) -> None:
    """Write a name beside every point, where it covers the least of other names and points."""
    axis.figure.draw_without_rendering()
    pixels = axis.figure.dpi / 72
    width, height, gap = 4.5 * pixels, 9.0 * pixels, 6.0 * pixels
    points = axis.transData.transform(np.column_stack([x, y]))
    taken = [(px - 5, py - 5, px + 5, py + 5) for px, py in points]
    for name, (px, py), xy in zip(names, points, zip(x, y, strict=True), strict=True):
        length = width * len(name)
        offsets = [
            (dx, dy)
            for dy in height * np.array([-0.5, 0.2, -1.2, 0.8, -1.8])
            for dx in (gap, -gap - length)
        ]
        boxes = [(px + dx, py + dy, px + dx + length, py + dy + height) for dx, dy in offsets]
        best = min(range(len(boxes)), key=lambda i: (sum(_overlap(boxes[i], t) for t in taken), i))
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


def signed_rank_bars(records: pd.DataFrame, reference: str = REFERENCE) -> Figure:
    """Probability of each outcome against the reference to be the likeliest, one bar a method."""
    frame = signed_rank_table(records, reference)
    frame = frame.sort_values(["better", "worse"], ascending=[True, False])
    figure, (axis,) = figure_grid(1, 1, size=(7.6, 1.3 + 0.28 * len(frame)))
    left = np.zeros(len(frame))
    shares = [("worse", RED), ("equivalent", "#cccccc"), ("better", GREEN)]
    for name, colour in shares:
        axis.barh(range(len(frame)), frame[name], left=left, color=colour, label=name)
        left += frame[name].to_numpy()
    names = [f"{label} ({n})" for label, n in zip(labels(frame.index), frame["sets"], strict=True)]
    axis.set_yticks(range(len(frame)), names, fontsize=9)
    axis.set_xlim(0, 1)
    axis.set_xlabel(
        f"posterior probability to be the likeliest, against {METHODS[reference].label}"
    )
    axis.grid(False)
    axis.legend(fontsize=8, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    note_source(figure, source_text(records))
    return figure


def paired_differences(records: pd.DataFrame, method: str, reference: str = REFERENCE) -> Figure:
    """Corrected interval of the difference for every set."""
    frame = paired_table(records, method, reference).iloc[::-1]
    names = [f"{name} ({row.source}, {row.trials})" for name, row in frame.iterrows()]
    x_label = f"{METHODS[method].label} minus {METHODS[reference].label}, points of accuracy"
    return interval_plot(frame, names, x_label)


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with methods printed by their labels."""
    printed = {key: method.label for key, method in METHODS.items()}
    return frame.rename(index=printed, columns=printed)
