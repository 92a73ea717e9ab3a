"""Figures and derived tables of the MKPM paper, drawn from records."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reprolib.papers.mkpm import summaries
from reprolib.papers.mkpm.preparations import RECORDED
from reprolib.papers.mkpm.splits import FMRI
from reprolib.report.paper_figures import PaperFigure, has_table
from reprolib.report.style import (
    ABREAST,
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    RED,
    WIDTH,
    figure_grid,
    interval_plot,
    legend_above,
    note_source,
    small_multiples,
    source_text,
)
from reprolib.report.theme import BAND
from reprolib.report.turning import Box, Turning, legend
from reprolib.rerun.records import HEADLINE, chosen, levels, machine_names, n_points, paths, select
from reprolib.rerun.verdicts.errors import CORRELATION, corrected_interval
from reprolib.rerun.verdicts.printed import in_printed_order, numbers

PATH_SETS = ("statlog/segment", "statlog/dna", "statlog/satimage", "haxby/subj1")
BUDGETS = ("shared budget", "equal dimensions", "independent dimensions")
BASES = {"kernel_pca": "exact kernel PCA", "nystrom": "Nyström", "cholesky": "pivoted Cholesky"}

#: Classes of the StatLog sets, as their documentation names the labels 1, 2, ... of the files.
CLASSES = {
    "statlog/segment": ("brickface", "sky", "foliage", "cement", "window", "path", "grass"),
    "statlog/dna": ("exon to intron", "intron to exon", "neither"),
    "statlog/satimage": (
        "red soil",
        "cotton crop",
        "grey soil",
        "damp grey soil",
        "stubble",
        "very damp grey soil",
    ),
}


def paper_name(dataset: str) -> str:
    """Name of a data set as the paper prints it."""
    return {n.select["dataset"]: n.row for n in numbers("mkpm")}.get(dataset, dataset)


def class_name(dataset: str, label: str) -> str:
    """Name of a class from its label in the records, such as "class 2"."""
    text = label.removeprefix("class ")
    names = CLASSES.get(dataset)
    return names[int(text) - 1] if names else text


def _curve(rows: pd.DataFrame, **wanted: str) -> tuple[np.ndarray, np.ndarray]:
    """Total dimensions, and the values there, of one record's path."""
    row = select(rows, **wanted).iloc[:1]
    return np.array(chosen(row, "d").iloc[0]), paths(row)[0]


def accuracy_along_path(records: pd.DataFrame) -> Figure:
    """Accuracy by total dimension, our d-hat and the printed one; shaded: what is searched."""
    rows = select(records, table="path")
    names = in_printed_order("mkpm", rows["dataset"].unique())
    printed = {n.select["dataset"]: n.value for n in numbers("mkpm") if n.column == "d-hat"}
    figure, axes = small_multiples(len(names), size=(WIDTH / 2, 2.4))
    for axis, name in zip(axes, names, strict=True):
        own = rows[rows["dataset"] == name]
        d, test = _curve(own, metric="test accuracy path")
        _, train = _curve(own, metric="training accuracy path")
        axis.plot(d, train, color=BLACK, ls="--", lw=1.2)
        axis.plot(d, test, color=BLUE)
        # Up to N of Table 1.
        axis.axvspan(0, 577 if name in FMRI else 1500, color=BAND, zorder=0)
        k, beside = len(d) * 3 // 5, {"textcoords": "offset points", "ha": "center"}
        axis.annotate("training", (d[k], train[k]), (0, 4), **beside)
        axis.annotate("test", (d[k], test[k]), (0, -13), **beside, color=BLUE)
        ours = select(records, table="table1", dataset=name, metric="d", reading=HEADLINE)
        marked = {"printed": printed.get(name, np.nan), "ours": ours["value"].mean()}
        for line, (whose, colour) in enumerate({"printed": RED, "ours": GREEN}.items()):
            if np.isfinite(marked[whose]):
                axis.axvline(marked[whose], color=colour, lw=1.4)
                at = np.nanmax(list(marked.values())), 0.05 + 0.12 * line
                text = f" {whose}: {marked[whose]:.0f}"
                axis.text(*at, text, color=colour, transform=axis.get_xaxis_transform())
        bottom = min(test[len(test) // 4 :].min(), test.max() - 0.25) - 0.05
        axis.set(title=paper_name(name), xlabel="total dimension d", ylim=(bottom, 1.08))
    for axis in axes[::ABREAST]:
        axis.set_ylabel("accuracy")
    note_source(figure, source_text(rows))
    return figure


def allocation_along_path(records: pd.DataFrame) -> Figure:
    """Dimensions of every class's predictor as the shared budget grows."""
    rows = records[records["table"] == "path"]
    names = in_printed_order("mkpm", rows["dataset"].unique())
    figure, axes = small_multiples(len(names), 1, size=(WIDTH, 2.6))
    for axis, name in zip(axes, names, strict=True):
        own = rows[rows["dataset"] == name]
        classes = list(select(own, metric="allocation path")["setting"].unique())
        colours = mpl.colormaps["tab10"](np.arange(10))
        for colour, label in zip(colours, classes, strict=False):
            d, allocated = _curve(own, metric="allocation path", setting=label)
            axis.plot(d, allocated, color=colour, lw=1.2, label=class_name(name, label))
        axis.plot(d, d / len(classes), color=BLACK, ls=":", lw=1.0, label="equal")
        axis.set(title=paper_name(name), xlabel="total dimension d")
        axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    axes[0].set_ylabel("dimensions of the class")
    note_source(figure, source_text(rows))
    return figure


def accuracy_at_budget(records: pd.DataFrame) -> Turning:
    """One measured path at one budget: accuracy with its error, and every class's dimensions."""
    own = {paper_name(name): select(records, table="path", dataset=name) for name in PATH_SETS}
    curves, shares, boxes = {}, {}, {}
    for name, rows in own.items():
        dataset = rows["dataset"].iloc[0]
        grid, test = _curve(rows, metric="test accuracy path")
        _, train = _curve(rows, metric="training accuracy path")
        kept = grid <= 1600  # it searches to 1500
        n_test = int(
            n_points(select(records, table="ablation", dataset=dataset, reading=HEADLINE)).iloc[0]
        )
        error = 1.96 * np.sqrt(test * (1 - test) / n_test)
        curves[name] = [part[kept] for part in (grid, test, train, error)]
        labels = select(rows, metric="allocation path")["setting"].unique()
        shares[name] = {
            class_name(dataset, str(label)): _curve(rows, metric="allocation path", setting=label)
            for label in labels
        }
        boxes[name] = Box((0, 1600), (np.floor(20 * (test.max() - 0.25)) / 20, 1.02), bottom=220)
    printed = {
        n.row: {m.column: m.value for m in numbers("mkpm") if m.row == n.row}
        for n in numbers("mkpm")
    }

    def place(dataset: str, d: int) -> int:
        return int(np.abs(curves[dataset][0] - d).argmin())

    def paths_of(dataset: str) -> str:
        box, (grid, test, train, error) = boxes[dataset], curves[dataset]
        ticks = {v: f"{v:.2f}" for v in np.arange(np.ceil(10 * box.y[0]) / 10, 1.01, 0.1)}
        across = {v: f"{v}" for v in (0, 400, 800, 1200, 1600)}
        at = printed[dataset]["d-hat"], printed[dataset]["MKPM"]
        return "".join(
            [
                box.axes(across, ticks, "budget d", "accuracy"),
                box.area(grid, np.clip(test - error, *box.y), np.clip(test + error, *box.y), BLUE),
                box.line(grid, np.clip(train, *box.y), BLACK, 1.5, 'stroke-dasharray="6 4"'),
                box.line(grid, np.clip(test, *box.y), BLUE),
                box.mark(*at, RED, "D", 8),
                legend({"test": BLUE, "training (dashed)": BLACK, "printed": RED}, 285, 3),
            ]
        )

    def marks(dataset: str, d: int) -> str:
        box, (grid, test, *_) = boxes[dataset], curves[dataset]
        k, found = place(dataset, d), shares[dataset]
        here = {name: paths[k] for name, (_, paths) in found.items()}
        rows = Box((0, max(here.values()) * 1.25), (len(here), 0), 190, top=310, bottom=520)
        parts = [
            box.line((grid[k], grid[k]), box.y, GREEN, 1.5),
            box.mark(grid[k], max(test[k], box.y[0]), GREEN, size=6),
        ]
        for i, (name, share) in enumerate(here.items()):
            parts.append(rows.text(0, i + 0.65, name, anchor="end", shift=(-6, 0)))
            parts.append(rows.rectangle((0, share), (i + 0.8, i + 0.2), BLUE))
            parts.append(rows.text(share, i + 0.65, f"{share:.0f}", anchor="start", shift=(5, 0)))
        equal = grid[k] / len(here)
        return "".join([*parts, rows.line((equal, equal), rows.y, BLACK, 1)])

    def told(dataset: str, d: int) -> str:
        grid, test, train, error = (part[place(dataset, d)] for part in curves[dataset])
        return (
            f"{dataset}, d = {grid}: test accuracy {test:.3f} ± {error:.3f}, training {train:.3f}. "
            "Below: dimensions of each class (line: equal shares)."
        )

    choices: dict[str, list] = {
        "dataset": list(own),
        "d": [50, 100, 200, 390, 439, 690, 1000, 1492],
    }
    return Turning(choices, [paths_of, marks], told, height=535, start={"d": 439})


def paired_table(wide: pd.DataFrame, first: str, correlation: float) -> pd.DataFrame:
    """First column minus every other one, paired over rows, in percentage points.

    The intervals are those by which claims are judged: rows share training data, so that their
    differences are correlated. A single row has none.
    """
    columns = ["difference", "low", "high"]
    if len(wide) < 2:
        gains = 100 * (wide.drop(columns=first).rsub(wide[first], axis=0)).mean()
        return gains.to_frame("difference").reindex(columns=columns)
    lines = {
        other: corrected_interval(100 * wide[first], 100 * wide[other], correlation)
        for other in wide.columns.drop(first)
    }
    return pd.DataFrame.from_dict(lines, orient="index", columns=columns)


def correlation_of(dataset: str, n_trials: int) -> float:
    """Correlation of two trials: 1/J for J runs left out in turn, else that of random draws."""
    return 1 / n_trials if dataset in FMRI and n_trials > 1 else CORRELATION


def sharing_gains(records: pd.DataFrame) -> pd.DataFrame:
    """Shared budget minus the other two, paired over draws or runs, in points of accuracy.

    Returns
    -------
    DataFrame
        Indexed by data set, code and the other budget: difference, low and high of the 95 %
        interval, in printed order.
    """
    rows = select(records, table="ablation", reading=HEADLINE)
    parts = {}
    for name in in_printed_order("mkpm", rows["dataset"].unique()):
        for code, group in rows[rows["dataset"] == name].groupby("method"):
            wide = group.pivot_table(index="trial", columns="setting", values="value")
            gains = paired_table(wide, BUDGETS[0], correlation_of(name, len(wide)))
            parts[paper_name(name), str(code)] = gains.loc[list(BUDGETS[1:])]
    return pd.concat(parts, names=["data set", "code", "minus"])


def sharing_figure(records: pd.DataFrame) -> Figure:
    """Intervals of `sharing_gains`, fMRI with its larger noise on an axis of its own."""
    gains = sharing_gains(records)
    on_fmri = gains.index.get_level_values(0).isin([paper_name(name) for name in FMRI])
    parts = [part for part in (gains[~on_fmri], gains[on_fmri]) if len(part)]
    figure, axes = figure_grid(
        len(parts), 1, size=(WIDTH, 2.6), height_ratios=[len(part) for part in parts]
    )
    for axis, part in zip(axes, parts, strict=True):
        lines = list(dict.fromkeys((name, code) for name, code, _ in part.index))
        for shift, (other, colour, sign) in enumerate(
            zip(BUDGETS[1:], (RED, GREEN), "s^", strict=True)
        ):
            own = part.xs(other, level=2).loc[lines]
            error = (own[["low", "high"]].sub(own["difference"], axis=0).abs()).to_numpy().T
            at = np.arange(len(lines)) + 0.24 * (shift - 0.5)
            axis.errorbar(
                own["difference"], at, xerr=error, fmt=sign, color=colour, label=f"minus {other}"
            )
        axis.axvline(0, color=BLACK, lw=0.8)
        axis.set_yticks(range(len(lines)), [", ".join(line) for line in lines])
        axis.invert_yaxis()
    legend_above(axes[0])
    axes[-1].set_xlabel("shared budget minus the other, percentage points of accuracy")
    note_source(figure, source_text(select(records, table="ablation", reading=HEADLINE)))
    return figure


def haxby_differences(records: pd.DataFrame) -> pd.DataFrame:
    """Linear MKPM minus each other machine on the same runs, in points, with 95 % intervals."""
    rows = select(records, table="haxby")
    rows = rows.assign(method=machine_names(rows))
    lines = {}
    for condition, group in rows.groupby("reading"):
        wide = group.pivot_table(index="trial", columns="method", values="value")
        kept = [c for c in wide.columns if c == "mkpm, linear" or not c.startswith("mkpm")]
        correlation = correlation_of(str(group["dataset"].iloc[0]), len(wide))
        for other, row in paired_table(wide[kept], "mkpm, linear", correlation).iterrows():
            lines[condition, other] = row
    frame = pd.DataFrame.from_dict(lines, orient="index")
    frame.index.names = ["condition", "MKPM minus"]
    return frame


def paired_differences(records: pd.DataFrame) -> Figure:
    """Intervals of `haxby_differences`."""
    frame = haxby_differences(records).iloc[::-1]
    labels = [f"{condition}:\n{other}" for condition, other in frame.index]
    x_label = "MKPM minus the other, points of accuracy"
    figure = interval_plot(frame, labels, x_label)
    note_source(figure, source_text(records[records["table"] == "haxby"]))
    return figure


def preparations(records: pd.DataFrame) -> Figure:
    """MKPM minus the SVM in every preparation of the scans, sorted; Table 1's is marked."""
    frame = 100 * summaries.prepared_differences(records)[["difference", "low", "high"]]
    frame["recorded"] = frame.index == RECORDED.name
    holds = frame["low"] > 0
    figure, (axis,) = figure_grid(1, 1, size=(WIDTH, 3.4))
    place = np.arange(len(frame))
    groups = (
        (holds & ~frame["recorded"], GREEN, "MKPM ahead"),
        (~holds & ~frame["recorded"], BLUE, "undecided"),
        (frame["recorded"], RED, "values as recorded, ten runs (Table 1)"),
    )
    for chosen_ones, colour, label in groups:
        own, at = frame[chosen_ones], place[chosen_ones.to_numpy()]
        half = (own["high"] - own["low"]) / 2
        axis.errorbar(
            at, own["difference"], yerr=half, fmt="o", ms=3, lw=1, color=colour, label=label
        )
    axis.axhline(0, color=BLACK, lw=1)
    axis.set_xticks([])
    held = f"it holds that MKPM is ahead in {int(holds.sum())} of {len(frame)}"
    axis.set(xlabel=f"preparations, sorted: {held}", ylabel="MKPM minus SVM, points")
    legend_above(axis, ncols=3)
    note_source(figure, source_text(select(records, table="preparations", dataset=FMRI)))
    return figure


def low_rank_bases(records: pd.DataFrame) -> Figure:
    """Best accuracy along the path, and seconds of fit and scoring, by rank of the basis."""
    rows = records[records["table"] == "bases"]
    rows = rows.assign(rank=levels(rows))
    names = list(rows["dataset"].unique())
    figure, axes = figure_grid(len(names), 2, size=(WIDTH / 2, 2.2), sharex=True)
    colours = dict(zip(BASES, (BLACK, BLUE, ORANGE), strict=True))
    for name, left, right in zip(names, axes[::2], axes[1::2], strict=True):
        for basis, label in BASES.items():
            own = rows[(rows["dataset"] == name) & (rows["method"] == basis)].groupby("rank")
            for axis, value in ((left, "value"), (right, "seconds")):
                axis.plot(own[value].median(), marker=".", color=colours[basis], label=label)
        left.set(title=paper_name(name), ylabel="best accuracy")
        right.set_ylabel("seconds")
    ranks = sorted(rows["rank"].unique())
    for axis in axes[-2:]:
        axis.set(xlabel="rank", xscale="log")
        axis.set_xticks(ranks, [str(rank) for rank in ranks])
        axis.minorticks_off()
    axes[0].legend()
    note_source(figure, source_text(rows))
    return figure


#: Figures of the report, in its order.
FIGURES = (
    PaperFigure(
        "Accuracy along the whole path, with our d-hat and the printed one",
        accuracy_along_path,
        alt=(
            "Four panels, accuracy against the total dimension. Segment rises to 0.97 and falls "
            "to 0.94, dna and satimage stay flat, fMRI falls from 0.8 to 0.26. Our d-hat is three "
            "times the printed one on segment, twice on dna, near it on satimage."
        ),
        fits=has_table("path"),
    ),
    PaperFigure(
        "How the budget is shared among the classes",
        allocation_along_path,
        alt=(
            "Dimensions of every class against the total dimension on four sets, with a dotted "
            "line for equal shares."
        ),
        fits=has_table("path"),
    ),
    PaperFigure(
        "One shared budget minus other ways to spend dimensions, by output code",
        sharing_figure,
        alt=(
            "Shared budget minus equal and minus independent dimensions, with 95 % intervals, for "
            "three codes on four sets. All include zero; those of fMRI are much wider."
        ),
        fits=has_table("ablation"),
    ),
    PaperFigure(
        "fMRI: MKPM minus each SVM, accuracy on the same held-out run",
        paired_differences,
        alt=(
            "Linear MKPM minus other machines on the same runs, with intervals. Only that of "
            "simplex RLS on raw voxels, which is ahead, excludes zero."
        ),
        fits=has_table("haxby"),
    ),
    PaperFigure(
        "fMRI: MKPM minus the SVM, points of accuracy, in every preparation of the scans",
        preparations,
        alt=(
            "Sorted differences with 95 % intervals, one for each preparation. All but a few lie "
            "above zero; the whole interval does in some. That of Table 1 is marked, and "
            "includes zero."
        ),
        fits=has_table("preparations"),
    ),
    PaperFigure(
        "Low-rank bases: best accuracy and seconds by rank",
        low_rank_bases,
        alt=(
            "Best accuracy and seconds against the rank for exact kernel PCA, Nyström and pivoted "
            "Cholesky on three sets. Nyström is the fastest and nearly as accurate."
        ),
        fits=has_table("bases"),
    ),
)
