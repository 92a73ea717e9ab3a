"""Figures and derived tables of the MKPM paper, drawn from records."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from data_fetch.haxby import unmask
from reprolib.methods.mkpm import MKPMClassifier
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
from reprolib.rerun.records import chosen, machine_names, number_in, paths, select
from reprolib.rerun.statistics import paired_interval
from reprolib.rerun.task import HEADLINE

BUDGETS = ("shared budget", "equal dimensions", "independent dimensions")
BASES = {"kernel_pca": "exact kernel PCA", "nystrom": "Nyström", "cholesky": "pivoted Cholesky"}


def report_figures(records: pd.DataFrame) -> dict[str, Figure]:
    """Every figure that the records allow, by caption."""
    makers = {
        "path": ("Accuracy and risk along the whole path", accuracy_along_path),
        "ablation": (
            "One shared budget against other ways to spend dimensions (one-vs-all code)",
            budgets_compared,
        ),
        "haxby": (
            "fMRI: MKPM minus each SVM, accuracy on the same held-out run",
            paired_differences,
        ),
        "bases": ("Low-rank bases: best accuracy and seconds by rank", low_rank_bases),
    }
    figures = {}
    for table, (caption, draw) in makers.items():
        rows = select(records, table=table)
        if not rows.empty:
            figures[caption] = draw(rows)
        if table == "path" and not rows.empty:
            figures["How the budget is shared among the classes"] = allocation_along_path(rows)
    return figures


def _curve(rows: pd.DataFrame, **wanted: str) -> tuple[np.ndarray, np.ndarray]:
    """Total dimensions, and the values there, of one record's path."""
    row = select(rows, **wanted).iloc[:1]
    return np.array(chosen(row, "d").iloc[0]), paths(row)[0]


def accuracy_along_path(records: pd.DataFrame) -> Figure:
    """Test and training accuracy for every total dimension, up to all that there is."""
    rows = records[records["table"] == "path"]
    names = list(rows["dataset"].unique())
    figure, axes = figure_grid(1, len(names), size=(3.4, 3.0))
    for axis, name in zip(axes, names, strict=True):
        own = rows[rows["dataset"] == name]
        d, test = _curve(own, metric="test accuracy path")
        _, train = _curve(own, metric="training accuracy path")
        axis.plot(d, train, color=BLACK, ls="--", lw=1.2, label="training")
        axis.plot(d, test, color=BLUE, label="test")
        best = int(np.argmax(test))
        axis.plot(d[best], test[best], "o", color=RED, ms=5, label=f"best, d = {d[best]}")
        axis.set(title=name, xlabel="total dimension d", ylim=(min(0.3, test.max() - 0.3), 1.02))
        axis.legend(fontsize=8, loc="lower right")
    axes[0].set_ylabel("accuracy")
    note_source(figure, source_text(rows))
    return figure


def allocation_along_path(records: pd.DataFrame) -> Figure:
    """Dimensions of every class's predictor as the shared budget grows."""
    rows = records[records["table"] == "path"]
    names = list(rows["dataset"].unique())
    figure, axes = figure_grid(1, len(names), size=(3.4, 3.0))
    for axis, name in zip(axes, names, strict=True):
        own = rows[rows["dataset"] == name]
        classes = list(select(own, metric="allocation path")["setting"].unique())
        colours = mpl.colormaps["tab10"](np.arange(10))
        for colour, label in zip(colours, classes, strict=False):
            d, allocated = _curve(own, metric="allocation path", setting=label)
            axis.plot(d, allocated, color=colour, lw=1.2, label=label.removeprefix("class "))
        axis.plot(d, d / len(classes), color=BLACK, ls=":", lw=1.0, label="equal")
        axis.set(title=name, xlabel="total dimension d")
        axis.legend(fontsize=6, ncols=2)
    axes[0].set_ylabel("dimensions of the class")
    note_source(figure, source_text(rows))
    return figure


def paired_table(wide: pd.DataFrame, first: str) -> pd.DataFrame:
    """First column minus every other one, paired over rows, in percentage points."""
    lines = {}
    for other in wide.columns.drop(first):
        pair = 100 * wide[[first, other]].dropna()
        one_trial = ((pair[first] - pair[other]).mean(), np.nan, np.nan)
        lines[other] = paired_interval(*pair.to_numpy().T) if len(pair) > 1 else one_trial
    return pd.DataFrame.from_dict(lines, orient="index", columns=["difference", "low", "high"])


def ablation_table(records: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy of every code and budget, and the shared budget minus the others, paired."""
    rows = select(records, table="ablation")
    lines = {}
    for (name, code), group in rows.groupby(["dataset", "method"]):
        wide = group.pivot_table(index="trial", columns="setting", values="value")
        differences = paired_table(wide, BUDGETS[0])
        lines[name, code] = {
            **{budget: wide[budget].mean() for budget in BUDGETS},
            **{
                f"shared minus {budget.split()[0]}": _interval_text(differences.loc[budget])
                for budget in BUDGETS[1:]
            },
            "trials": len(wide),
        }
    frame = pd.DataFrame.from_dict(lines, orient="index")
    frame.index.names = ["data set", "code"]
    return frame


def _interval_text(row) -> str:
    if np.isnan(row["low"]):
        return f"{row['difference']:+.1f}"
    return f"{row['difference']:+.1f} [{row['low']:+.1f}, {row['high']:+.1f}]"


def budgets_compared(records: pd.DataFrame) -> Figure:
    """Accuracy of every draw or run under the three budgets, one-vs-all code."""
    rows = select(records, table="ablation", method="one-vs-all")
    names = list(rows["dataset"].unique())
    figure, axes = figure_grid(1, len(names), size=(3.2, 2.9))
    for axis, name in zip(axes, names, strict=True):
        own = rows[rows["dataset"] == name]
        wide = own.pivot_table(index="trial", columns="setting", values="value")
        wide = wide[list(BUDGETS)]
        axis.plot(range(3), wide.to_numpy().T, color=BLUE, alpha=0.35, lw=1, marker=".")
        axis.plot(range(3), wide.mean(), color=RED, marker="o", label="mean")
        axis.set_xticks(range(3), ["shared", "equal", "independent"], fontsize=8)
        axis.set_title(name)
    axes[0].set_ylabel("test accuracy")
    axes[0].legend(fontsize=8)
    note_source(figure, source_text(rows))
    return figure


def haxby_table(records: pd.DataFrame) -> pd.DataFrame:
    """Accuracy on held-out runs (mean and standard deviation) by method and condition."""
    rows = select(records, table="haxby")
    grouped = rows.groupby([machine_names(rows), "reading"])["value"]
    text = grouped.agg(lambda v: f"{v.mean():.3f} ± {v.std():.3f} ({len(v)})")
    order = [r for r in dict.fromkeys(["raw", *rows["reading"]]) if r in set(rows["reading"])]
    return text.unstack("reading").reindex(columns=order).fillna("–")


def haxby_differences(records: pd.DataFrame) -> pd.DataFrame:
    """Linear MKPM minus each other machine on the same runs, in points, with 95 % intervals."""
    rows = select(records, table="haxby")
    rows = rows.assign(method=machine_names(rows))
    lines = {}
    for condition, group in rows.groupby("reading"):
        wide = group.pivot_table(index="trial", columns="method", values="value")
        kept = [c for c in wide.columns if c == "mkpm, linear" or not c.startswith("mkpm")]
        for other, row in paired_table(wide[kept], "mkpm, linear").iterrows():
            lines[condition, other] = row
    frame = pd.DataFrame.from_dict(lines, orient="index")
    frame.index.names = ["condition", "MKPM minus"]
    return frame


def paired_differences(records: pd.DataFrame) -> Figure:
    """Intervals of `haxby_differences`."""
    frame = haxby_differences(records).iloc[::-1]
    labels = [f"{condition}: {other}" for condition, other in frame.index]
    x_label = "MKPM minus the other, percentage points of accuracy (positive: MKPM better)"
    figure = interval_plot(frame, labels, x_label)
    note_source(figure, source_text(records[records["table"] == "haxby"]))
    return figure


def low_rank_bases(records: pd.DataFrame) -> Figure:
    """Best accuracy along the path, and seconds of fit and scoring, by rank of the basis."""
    rows = records[records["table"] == "bases"]
    rows = rows.assign(rank=rows["setting"].map(number_in))
    names = list(rows["dataset"].unique())
    figure, axes = figure_grid(2, len(names), size=(3.3, 2.6), sharex=True)
    colours = dict(zip(BASES, (BLACK, BLUE, ORANGE), strict=True))
    for column, name in enumerate(names):
        for basis, label in BASES.items():
            own = rows[(rows["dataset"] == name) & (rows["method"] == basis)].groupby("rank")
            for line, value in enumerate(["value", "seconds"]):
                axes[line * len(names) + column].plot(
                    own[value].median(), marker=".", color=colours[basis], label=label
                )
        axes[column].set_title(name)
        axes[len(names) + column].set(xlabel="rank", xscale="log")
        ranks = sorted(rows["rank"].unique())
        axes[len(names) + column].set_xticks(ranks, [str(rank) for rank in ranks])
        axes[len(names) + column].minorticks_off()
    axes[0].set_ylabel("best accuracy")
    axes[0].legend(fontsize=8)
    axes[len(names)].set_ylabel("seconds")
    note_source(figure, source_text(rows))
    return figure


def losses_table(records: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy of every loss on the same 15 components."""
    rows = select(records, table="losses")
    return rows.pivot_table(index="dataset", columns="method", values="value")


def dimension_table(records: pd.DataFrame) -> pd.DataFrame:
    """Spread of d-hat over folds or draws under every reading: least, mean, largest."""
    rows = select(records, table="table1", metric="d")
    grouped = rows.groupby(["dataset", "reading"])["value"]
    frame = pd.DataFrame(
        {
            "least": grouped.min(),
            "mean": grouped.mean(),
            "largest": grouped.max(),
            "trials": grouped.count(),
        }
    )
    return frame.round(0).astype(int)


def kernel_table(records: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy by v (kernel parameter 2^-v gamma_o), d by least training error."""
    rows = select(records, table="gamma", reading=HEADLINE)
    rows = rows.assign(v=rows["setting"].map(number_in))
    return rows.pivot_table(index="dataset", columns="v", values="value")


def category_weights(dataset, n_components: int) -> dict[str, np.ndarray]:
    """Weights of the linear MKPM in the brain's grid, times the voxel's standard deviation.

    The predictor of a category is f(x) = <w, x> with w = X' dual_coef_, and `dual_coef_` of the
    one-vs-all code has one column per category.
    """
    model = MKPMClassifier(n_components, kernel="linear").fit(dataset.X, dataset.y)
    weights = dataset.X.T @ model.dual_coef_ * dataset.X.std(axis=0)[:, None]
    mask = dataset.extra["mask"]
    return {str(c): unmask(w, mask) for c, w in zip(model.classes_, weights.T, strict=True)}


def weight_maps(volumes: dict[str, np.ndarray], affine, title: str, source: str = "") -> Figure:
    """Axial slice with the most voxels, one panel a category, one colour scale.

    Parameters
    ----------
    volumes : dict of str to ndarray of shape (x, y, z)
        Weights by category, NaN outside the mask.
    affine : ndarray of shape (4, 4)
        From voxels to millimetres.
    title, source : str
    """
    names = list(volumes)
    inside = np.isfinite(volumes[names[0]])
    z = int(np.argmax(inside.sum(axis=(0, 1))))
    limit = max(np.nanpercentile(np.abs(volume), 99) for volume in volumes.values())
    figure, axes = figure_grid(2, -(-len(names) // 2), size=(2.3, 2.3))
    for axis, name in zip(axes, names, strict=False):
        image = axis.imshow(
            volumes[name][:, :, z].T,
            origin="lower",
            cmap="RdBu_r",
            vmin=-limit,
            vmax=limit,
            aspect=abs(affine[1, 1] / affine[0, 0]),
        )
        axis.contour(inside[:, :, z].T.astype(float), [0.5], colors=GREEN, linewidths=0.6)
        axis.set(title=name, xticks=[], yticks=[])
        axis.grid(False)
        _crop(axis, inside[:, :, z])
    figure.colorbar(image, ax=list(axes), shrink=0.7, label="weight per standard deviation")
    figure.suptitle(f"{title}, slice z = {z}")
    note_source(figure, source)
    return figure


def _crop(axis, inside) -> None:
    x, y = np.nonzero(inside)
    axis.set(xlim=(x.min() - 2.5, x.max() + 2.5), ylim=(y.min() - 2.5, y.max() + 2.5))
