"""Figures of the KPM paper, drawn from records."""

from __future__ import annotations

from collections.abc import Iterable

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reprolib.papers.kpm import peak, summaries
from reprolib.papers.kpm.beyond import COSTS, DIMENSIONS
from reprolib.papers.kpm.experiment import PARTITIONS
from reprolib.report.paper_figures import PaperFigure, has_table
from reprolib.report.style import (
    ABREAST,
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    RED,
    SMALL,
    WIDTH,
    figure_grid,
    interval_plot,
    legend_above,
    note_source,
    small_multiples,
    source_text,
)
from reprolib.report.turning import Box, Turning
from reprolib.rerun.records import HEADLINE, chosen, path_matrix, select, sources
from reprolib.rerun.verdicts.errors import corrected_interval, intervals_by_dataset
from reprolib.rerun.verdicts.printed import in_printed_order, numbers

#: Colour of every method, in all figures.
KPM, SVM = BLUE, RED
#: Losses beside the hinge loss, as settings.
_LOSSES = ("square loss", "logistic loss")
#: Data sets of the picture that turns.
BEYOND_SHOWN = {
    "Heart": "raetsch/heart",
    "Banana": "raetsch/banana",
    "German": "raetsch/german",
    "Image": "raetsch/image",
}
#: Errors on the axes of Figure 1, as printed.
PRINTED_ERRORS = {"kpm": (0.30, 0.46), "svm": (0.32, 0.35)}


def paper_name(dataset: str) -> str:
    """Name of a data set as the paper prints it; for others the last part of ours."""
    printed = {number.select["dataset"]: number.row for number in numbers("kpm")}
    return printed.get(dataset, dataset.split("/")[-1].capitalize())


def _sets_once(names: Iterable[str]) -> list[str]:
    """Names in printed order, without an embedded set where Rätsch's of the same name is there."""
    ordered = in_printed_order("kpm", names)
    own = {paper_name(name) for name in ordered if not name.startswith("embedded/")}
    return [n for n in ordered if not (n.startswith("embedded/") and paper_name(n) in own)]


def printed_dimensions() -> dict[str, float]:
    """D that Table 1 prints, by data set."""
    return {n.select["dataset"]: n.value for n in numbers("kpm") if n.column == "selected D"}


def figure1(records: pd.DataFrame) -> Figure:
    """Risk (solid) and empirical risk (dashed) against D and against C, on the printed axes."""
    rows = records[records["table"] == "figure1"]
    figure, axes = figure_grid(1, 2, size=(WIDTH / 2, 2.9))
    C = np.array(chosen(select(rows, method="svm"), "C").iloc[0])
    panels = [(axes[0], "kpm", "dimension D", -6), (axes[1], "svm", "C", len(C) // 2)]
    for axis, method, label, k in panels:
        test = path_matrix(select(rows, method=method, metric="test error path"))
        train = path_matrix(select(rows, method=method, metric="training error path"))
        x = C if method == "svm" else np.arange(1, test.shape[1] + 1)
        for errors, name, colour, style in [
            (test.mean(axis=0), "test error", SVM if method == "svm" else KPM, "-"),
            (train.mean(axis=0), "training error", BLACK, "--"),
        ]:
            axis.plot(x, errors, color=colour, ls=style)
            above = {"xytext": (0, 7), "textcoords": "offset points", "ha": "center"}
            axis.annotate(name, (x[k], errors[k]), **above, color=colour)
        axis.set(title=method.upper(), xlabel=label, ylim=PRINTED_ERRORS[method])
    printed = printed_dimensions()[rows["dataset"].iloc[0]]
    axes[0].axvline(printed, color=BLACK, ls=":", lw=1.2)
    axes[0].text(printed + 0.6, 0.45, f"printed D = {printed:g}")
    axes[0].set(ylabel="error", yticks=np.arange(0.30, 0.47, 0.04))
    axes[1].set_yticks(np.arange(0.32, 0.355, 0.01))
    note_source(figure, source_text(rows))
    return figure


def error_against_dimension(records: pd.DataFrame) -> Figure:
    """Test error against D for every data set: mean, and middle 80 % of the realisations."""
    rows = select(records, table="table2", reading=HEADLINE, setting="")
    names = _sets_once(rows["dataset"].unique())
    figure, axes = small_multiples(len(names), size=(WIDTH / 2, 2.2))
    for axis, name in zip(axes, names, strict=True):
        _draw_band(axis, rows[rows["dataset"] == name], name)
    axes[0].legend()
    note_source(figure, source_text(rows))
    return figure


def _draw_band(axis, rows: pd.DataFrame, name: str) -> None:
    test = 100 * path_matrix(select(rows, method="kpm", metric="test error path"))
    train = 100 * path_matrix(select(rows, method="kpm", metric="training error path"))
    D = np.arange(1, test.shape[1] + 1)
    axis.fill_between(D, *np.percentile(test, [10, 90], axis=0), color=KPM, alpha=0.18, lw=0)
    axis.plot(D, test.mean(axis=0), color=KPM, label="KPM, test")
    axis.plot(D, train.mean(axis=0), color=BLACK, ls=":", label="KPM, training")
    svm = rows[(rows["method"] == "svm") & (rows["metric"] == "test error")]
    if not svm.empty:
        axis.axhline(100 * svm["value"].mean(), color=SVM, ls="--", lw=1.2, label="SVM, test")
    title = f"{paper_name(name)} ({rows['source'].iloc[0]})"
    axis.set(title=title, xlabel="D", ylabel="error in %")
    axis.title.set_fontsize(SMALL)


def paired_reading(records: pd.DataFrame) -> str:
    """Reading under which pairs are compared: that of most realisations, where both were run."""
    rows = select(records, table="table2", reading=PARTITIONS, metric="test error")
    return PARTITIONS if set(rows["method"]) == {"kpm", "svm"} else HEADLINE


def paired_table(records: pd.DataFrame, reading: str = HEADLINE) -> pd.DataFrame:
    """KPM minus SVM per realisation: mean difference with the 95 % interval of one set.

    Values are percentage points of test error; negative means that KPM is better. The sets of the
    paper are first.
    """
    rows = select(records, table="table2", reading=reading, setting="", metric="test error")
    table = intervals_by_dataset(rows, "kpm", "svm")
    table = table.loc[_sets_once(table.index)]
    return table.rename(columns={"kpm": "KPM", "svm": "SVM"})


def loss_differences(records: pd.DataFrame) -> pd.DataFrame:
    """Error with the square and the logistic loss minus that with the hinge loss, in points.

    Returns
    -------
    DataFrame
        Difference, low and high of the 95 % interval of one set, trials and source, by data set and
        loss.
    """
    rows = select(records, table="table2", reading=HEADLINE, method="kpm", metric="test error")
    first_source = sources(rows).groupby(rows["dataset"]).first()
    wide = 100 * rows.pivot_table(index=["dataset", "trial"], columns="setting", values="value")
    lines = {}
    for name in _sets_once(first_source.index):
        for loss in _LOSSES:
            both = wide.loc[name, ["", loss]].dropna()
            ends = corrected_interval(both[loss], both[""])
            lines[name, loss] = (*ends, len(both), first_source[name])
    columns = ["difference", "low", "high", "trials", "source"]
    return pd.DataFrame(list(lines.values()), pd.MultiIndex.from_tuples(lines), columns)


def losses_compared(records: pd.DataFrame) -> Figure:
    """Interval of every line of `loss_differences`."""
    frame = loss_differences(records).iloc[::-1]
    lines = zip(frame.index.tolist(), frame["source"], frame["trials"], strict=True)
    labels = [f"{paper_name(name)}, {loss} ({source}, {n})" for (name, loss), source, n in lines]
    x_label = "error minus that of the hinge loss, points (negative: better)"
    return interval_plot(frame, labels, x_label)


def paired_differences(records: pd.DataFrame) -> Figure:
    """Interval of the paired difference for every data set, under `paired_reading`."""
    frame = paired_table(records, paired_reading(records)).iloc[::-1]
    labels = [
        f"{paper_name(str(name))} ({row.source}, {row.trials})" for name, row in frame.iterrows()
    ]
    x_label = "KPM minus SVM, points of test error (negative: KPM better)"
    return interval_plot(frame, labels, x_label)


def selected_dimensions(records: pd.DataFrame) -> Figure:
    """How often every D is selected, the medians of five that Table 1 uses, and the printed D.

    The data sets of the paper: five realisations under ten seeds of the folds.
    """
    rows = select(records, table="selection", method="kpm", reading=HEADLINE)
    printed = {k: v for k, v in printed_dimensions().items() if k in set(rows["dataset"])}
    figure, axes = small_multiples(len(printed), size=(WIDTH / 2, 2.2))
    for axis, (name, D) in zip(axes, printed.items(), strict=True):
        for metric, colour, width, label in [
            ("selected D", ORANGE, 1.0, "one realisation, one seed of the folds"),
            ("median D", GREEN, 0.5, "median of five realisations"),
        ]:
            counts = select(rows, dataset=name, metric=metric)["value"].astype(int).value_counts()
            axis.bar(counts.index, counts.to_numpy(), width=width, color=colour, label=label)
        axis.axvline(D, color=BLACK, ls=":", lw=1.6, label="printed")
        axis.yaxis.get_major_locator().set_params(integer=True)
        axis.set(title=paper_name(name), xlim=(0, 61), xlabel="D")
    for axis in axes[::ABREAST]:
        axis.set_ylabel("times selected")
    legend_above(axes[0])
    note_source(figure, source_text(rows[rows["dataset"].isin(printed)]))
    return figure


def norm_and_dimension(records: pd.DataFrame) -> Figure:
    """Test error at every D and C of an SVM on components, with KPM as the last column."""
    rows = select(records, table="beyond")
    names = in_printed_order("kpm", rows["dataset"].unique())
    figure, axes = small_multiples(len(names), size=(WIDTH / 2, 3.2))
    for axis, name in zip(axes, names, strict=True):
        draw_map(axis, summaries.mean_map(records, name))
        axis.set_title(paper_name(name), fontsize=SMALL)
    note_source(figure, source_text(rows))
    return figure


def draw_map(axis, table: pd.DataFrame) -> None:
    """Errors of `summaries.mean_map`, dark where low; what KPM does not reach stays white.

    The colours end at a quarter more than the least error, so that small differences are seen;
    beyond, all is grey.
    """
    least = np.nanmin(table)
    shades = mpl.colormaps["YlGnBu_r"].with_extremes(over="#e6e6e6")
    axis.imshow(table, cmap=shades, aspect="auto", vmin=least, vmax=1.25 * least)
    axis.grid(False)
    axis.spines[:].set_visible(False)
    axis.set_yticks(range(len(table)), [*table.index[:-1], "all (SVM)"])
    costs = map(_cost_label, table.columns[:-1].to_numpy(dtype=float))
    axis.set_xticks(range(table.shape[1]), [*costs, "∞\n(KPM)"])
    axis.set(xlabel="C as a multiple of Rätsch's", ylabel="D")
    for (i, j), error in np.ndenumerate(table.to_numpy()):
        if np.isfinite(error):
            colour = "white" if error < 1.1 * least else BLACK
            axis.text(j, i, f"{error:.1f}", ha="center", va="center", color=colour)


def _cost_label(cost: float) -> str:
    return "∞" if np.isinf(cost) else f"{cost:g}"


def dimension_and_cost(records: pd.DataFrame) -> Turning:
    """Test error of an SVM on D components at every D and C: one place, against the SVM."""
    wide = {name: summaries.error_maps(records, key) for name, key in BEYOND_SHOWN.items()}
    tables = {name: summaries.as_map(errors) for name, errors in wide.items()}
    dimensions = [*DIMENSIONS, summaries.ALL]
    costs = [*COSTS, summaries.NO_NORM]
    box = Box((0, len(costs)), (len(dimensions), 0), bottom=370)
    names = {i + 0.5: "∞ (KPM)" if np.isinf(C) else _cost_label(C) for i, C in enumerate(costs)}
    rows = {j + 0.65: f"{D}" for j, D in enumerate(dimensions)}
    edge = box.axes(names, {}, "C as a multiple of Rätsch's", "D") + "".join(
        box.text(0, y, text, anchor="end", shift=(-6, 0)) for y, text in rows.items()
    )

    def errors_map(dataset: str) -> str:
        table = tables[dataset]
        least = np.nanmin(table)
        shades = mpl.colormaps["YlGnBu_r"].with_extremes(over="#e6e6e6")
        parts = [edge]
        for (row, column), error in np.ndenumerate(table.to_numpy()):
            if np.isnan(error):
                continue
            x, y = column, dimensions.index(table.index[row])
            shade = mpl.colors.to_hex(shades((error - least) / (0.25 * least)))
            ink = "white" if error < 1.1 * least else BLACK
            parts.append(box.rectangle((x, x + 1), (y + 1, y), shade))
            parts.append(box.text(x + 0.5, y + 0.65, f"{error:.1f}", ink))
        return "".join(parts)

    def place(D: int | str, C: float) -> str:
        x, y = costs.index(C), dimensions.index(D)
        return box.rectangle((x, x + 1), (y + 1, y), "none", RED)

    def told(dataset: str, D: int | str, C: float) -> str:
        where = f"{dataset}, D = {D}, C = {_cost_label(C)}"
        found = wide[dataset].get((D, C))
        svm = wide[dataset][summaries.ALL, 1.0]
        if found is None or found.isna().any():
            return f"{where}: not measured, a path of KPM ends before."
        if (D, C) == (summaries.ALL, 1.0):
            return f"{where}: {svm.mean():.1f} %, the SVM itself."
        difference, low, _ = corrected_interval(found, svm)
        against = f"{difference:+.1f} ± {difference - low:.1f} against the SVM"
        return f"{where}: {found.mean():.1f} %, {against}."

    choices: dict[str, list] = {"dataset": list(BEYOND_SHOWN), "D": dimensions, "C": costs}
    start = {"D": 10, "C": 1.0}
    return Turning(choices, [errors_map, place], told, height=425, start=start)


def through_the_peak(records: pd.DataFrame) -> Figure:
    """Loss, norm and errors against D, beyond where the training loss is zero; means."""
    rows = select(records, table="peak")
    names = list(rows["dataset"].unique())
    rules = {peak.MEAN_SQUARE: KPM, peak.LEAST_NORM: ORANGE}
    figure, axes = figure_grid(4, len(names), size=(0.98 * WIDTH / len(names), 1.9))
    for column, name in enumerate(names):
        loss_axis, norm_axis, test_axis, weight_axis = axes[column :: len(names)]
        own = select(rows, dataset=name)
        D = np.array(chosen(select(own, metric="training loss path"), "D").iloc[0])

        def mean(metric: str, rule: str = "", own=own) -> np.ndarray:
            return path_matrix(select(own, metric=metric, setting=rule)).mean(axis=0)

        loss_axis.plot(D, mean("training loss path"), color=BLACK, label="hinge loss a point")
        error = mean("training error path", peak.MEAN_SQUARE)
        loss_axis.plot(D, error, color=BLACK, ls=":", label="training error")
        for rule, colour in rules.items():
            norm_axis.plot(D, mean("norm path", rule), color=colour, label=f"KPM, {rule}")
            error = 100 * mean("test error path", rule)
            test_axis.plot(D, error, color=colour, label=f"KPM, {rule}")
        svm = select(records, table="table2", method="svm", reading=PARTITIONS, dataset=name)
        svm = select(svm, metric="test error", trial=set(own["trial"]))
        if len(svm):
            test_axis.axhline(100 * svm["value"].mean(), color=SVM, ls="--", lw=1.2, label="SVM")
        weights = path_matrix(select(own, metric="label weight path")).mean(axis=0)
        weight_axis.plot(np.arange(1, len(weights) + 1), weights, color=GREEN, lw=0.8)
        norm_axis.set(yscale="log")
        weight_axis.set(yscale="log", xlabel="D, or number j of the component")
        loss_axis.set_title(paper_name(name), fontsize=SMALL)
    labels = ("training", "norm of f", "test error in %", "|V_j' y| / ||y||")
    for axis, label in zip(axes[:: len(names)], labels, strict=True):
        axis.set_ylabel(label)
    axes[0].legend(fontsize=SMALL)
    legend_above(axes[2 * len(names)], ncols=3)
    note_source(figure, source_text(rows))
    return figure


def _has_losses(records: pd.DataFrame) -> bool:
    rows = select(records, table="table2", method="kpm", reading=HEADLINE)
    return {"", *_LOSSES} <= set(rows["setting"]) and rows["trial"].nunique() > 1


#: Figures of the report, in its order.
FIGURES = (
    PaperFigure(
        "Figure 1 of the paper redrawn: risk against D (KPM) and against C (SVM)",
        figure1,
        alt=(
            "Flare Solar. Left: test error of KPM has its minimum of 0.32 at D = 6, then rises "
            "slowly, the training error falls. Right: both errors of the SVM are flat from C = 1 "
            "on."
        ),
        fits=lambda records: set(select(records, table="figure1")["method"]) == {"kpm", "svm"},
    ),
    PaperFigure(
        "Test error against D, mean and middle 80 % over realisations; SVM for comparison",
        error_against_dimension,
        alt=(
            "A panel a data set: test and training error of KPM against D, with the test error of "
            "the SVM as a dashed line. On most sets KPM's curve is flat near that line; on Image "
            "and Splice it stays above."
        ),
    ),
    PaperFigure(
        "KPM minus SVM, test error of the same realisation (5-fold cross-validation in each)",
        paired_differences,
        alt=(
            "Difference in test error, KPM minus SVM, with 95 % intervals, a line a data set. "
            "Image and Splice lie at five to six points, the others within two of zero."
        ),
    ),
    PaperFigure(
        "Selected D: single realisations, and the medians of five under other fold seeds",
        selected_dimensions,
        alt=(
            "Histograms of the selected D for six data sets. Flare Solar is nearly always 6; "
            "German and Breast Cancer spread from below 10 to above 30."
        ),
        fits=lambda records: (
            not set(printed_dimensions()).isdisjoint(select(records, table="selection")["dataset"])
        ),
    ),
    PaperFigure(
        "Beyond the paper: test error (%) of an SVM on D components at every C; KPM is C = ∞",
        norm_and_dimension,
        alt=(
            "A map a data set. On the six sets of the paper the error with the norm is flat from "
            "15 components on, and at C = ∞ rises again; on Image it falls to the last row."
        ),
        fits=has_table("beyond"),
    ),
    PaperFigure(
        "Beyond the paper: KPM through its peak, to 400 components",
        through_the_peak,
        alt=(
            "Three columns: Image, Heart, German. The training loss falls to zero, the norm has a "
            "peak just before and falls beyond. The test error of KPM rises through the peak and "
            "stays above the SVM's; with the least norm it is lower on Image."
        ),
        fits=has_table("peak"),
    ),
    PaperFigure(
        "Beyond the paper: square and logistic loss on the same components, minus the hinge loss",
        losses_compared,
        alt=(
            "Differences in test error with 95 % intervals, two lines a data set. All intervals "
            "include zero; those of Breast Cancer are the widest."
        ),
        fits=_has_losses,
    ),
)
