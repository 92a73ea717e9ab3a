"""What a wrong label and the open choices of the protocol do to the numbers, on the same draws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from data_fetch.p300 import codes_of, letter_of
from reprolib.papers.keops.figures import METHODS, PAPER_METHODS, difference_of
from reprolib.report.style import (
    BLACK,
    ORANGE,
    SMALL,
    WIDTH,
    figure_grid,
    note_source,
    source_text,
)
from reprolib.report.tables import number_text
from reprolib.rerun.records import HEADLINE, levels, path_matrix, paths, select
from reprolib.rerun.verdicts.errors import corrected_interval
from reprolib.rerun.verdicts.printed import numbers

#: Metrics of Table 1, their factor, and the digits shown.
METRICS = {"auc": 100, "regions": 1, "channels": 1, "frames": 1}
METRICS_SHOWN = {name: "AUC" if name == "auc" else f"# {name.title()}" for name in METRICS}


def aucs_by_run(records: pd.DataFrame) -> pd.DataFrame:
    """Mean AUC in percent of the classifiers of Table 1 on the test flashes of every run apart."""
    rows = select(records, table="runs", metric="auc")
    runs = levels(rows)
    labels = [f"{run // 100:03d}/{run % 100:02d}" for run in runs]
    wide = 100 * rows.assign(run=labels).pivot_table(
        index="method", columns="run", values="value", aggfunc="mean"
    )
    wide = wide.loc[[m for m in METHODS if m in wide.index]]
    return wide.rename(index={m: label for m, (label, _) in METHODS.items()})


def aucs_by_character(records: pd.DataFrame) -> Figure:
    """AUC on each character of classifiers trained on the others, in the order of the recording."""
    rows = select(records, table="characters", metric="auc")
    rows = rows.assign(character=levels(rows))
    wide = 100 * rows.pivot_table(index="character", columns="method", values="value")
    names = rows.drop_duplicates("character").set_index("character")["setting"].sort_index()
    letters = [_letter(name) for name in names]
    figure, (axis,) = figure_grid(1, 1, size=(WIDTH, 3.2))
    places = np.arange(len(wide))
    for method in [m for m in METHODS if m in wide]:
        label, colour = METHODS[method]
        axis.plot(places, wide[method], "o", color=colour, ms=5, alpha=0.8, label=label)
    axis.set_xticks(places, letters)
    axis.set(xlabel="character, as labelled", ylabel="AUC, %", ylim=(50, 100))
    axis.legend(ncols=2, loc="lower left")
    note_source(figure, source_text(rows))
    return figure


def scores_of_characters(records: pd.DataFrame, characters: Sequence[int]) -> Figure:
    """Mean score of every column and row of characters, the labelled ones filled.

    Shrinkage LDA trained on the other characters.
    """
    rows = select(records, table="characters", metric="score of a code", method="lda")
    rows = rows.set_index(levels(rows)).loc[list(characters)]
    figure, axes = figure_grid(len(characters), 1, size=(WIDTH, 2.3), sharey=True)
    names = [*(f"c{k}" for k in range(1, 7)), *(f"r{k}" for k in range(1, 7))]
    for axis, name, scores in zip(axes, rows["setting"], paths(rows), strict=True):
        letter = _letter(name)
        labelled = [code - 1 for code in codes_of(letter)]
        filled = [ORANGE if k in labelled else "#dddddd" for k in range(12)]
        axis.bar(range(12), scores, color=filled, edgecolor=BLACK, lw=0.6)
        axis.axhline(0, color=BLACK, lw=0.8)
        axis.axvline(5.5, color=BLACK, lw=0.8, ls=":")
        best = letter_of(int(np.argmax(scores[:6])) + 1, int(np.argmax(scores[6:])) + 7)
        axis.set_title(f"labelled {letter}, the EEG says {best}")
        axis.set_xticks(range(12), names, fontsize=SMALL)
        axis.set_ylabel("mean score")
    axes[-1].set_xlabel("column or row that flashed")
    note_source(figure, f"filled: labelled; {source_text(rows)}")
    return figure


def _letter(setting: str) -> str:
    """Letter in "character 9 (H)"."""
    return setting.rpartition("(")[2].rstrip(")")


def what_the_label_does(records: pd.DataFrame) -> pd.DataFrame:
    """AUC of every method, and counts of the sparse ones, with the wrong label and without it."""
    columns = {
        HEADLINE: "as published, 1 in 12",
        "the character in 1 of 42": "1 in 42",
        "as the EEG says": "labelled G",
        "without the character": "left out",
    }
    rows = select(records, table="table1", metric=list(METRICS), reading=list(columns))
    lines = {}
    for metric, factor in METRICS.items():
        of_metric = rows[rows["metric"] == metric]
        means = factor * of_metric.pivot_table(index="method", columns="reading", values="value")
        shown = METHODS if metric == "auc" else PAPER_METHODS
        for method in [m for m in METHODS if m in means.index and m in shown]:
            line = means.loc[method, list(columns)].rename(columns).round(1)
            lines[METRICS_SHOWN[metric], METHODS[method][0]] = line
    table = pd.DataFrame.from_dict(lines, orient="index")
    return table.rename_axis(["", "method"])


def leak(records: pd.DataFrame) -> pd.DataFrame:
    """AUC in percent on other flashes of the training characters, and on other characters.

    Both halves of the characters take turns, so that the difference is what overlap in time, and
    knowing the character, are worth.
    """
    rows = records[(records["table"] == "leak") & (records["metric"] == "auc")]
    lines = {}
    for method in [m for m in METHODS if m in set(rows["method"])]:
        wide = 100 * rows[rows["method"] == method].pivot_table(
            index="trial", columns="reading", values="value"
        )
        difference, half_width = difference_of(wide["same characters"], wide["other characters"])
        lines[METHODS[method][0]] = {
            "same characters": number_text(wide["same characters"].mean(), None, 1),
            "other characters": number_text(wide["other characters"].mean(), None, 1),
            "difference": f"{difference:+.1f} ± {half_width:.1f}",
            "draws": len(wide),
        }
    return pd.DataFrame.from_dict(lines, orient="index")


def frames_against_steps(records: pd.DataFrame) -> Figure:
    """Frames and channels kept when the alternation is cut short, beside the printed numbers."""
    rows = records[(records["table"] == "table1") & records["metric"].isin(["channels", "frames"])]
    readings = ["stopped after 20 steps", "stopped after 50 steps", HEADLINE]
    labels = ["20", "50", "converged"]
    printed = {(n.select["method"], n.select["metric"]): n.value for n in numbers("keops")}
    figure, axes = figure_grid(1, 2, size=(3.0, 2.8))
    for axis, metric in zip(axes, ("channels", "frames"), strict=True):
        for method in ("keops", "mkl"):
            of_method = rows[(rows["method"] == method) & (rows["metric"] == metric)]
            means = of_method.groupby("reading")["value"].mean().reindex(readings)
            label, colour = METHODS[method]
            axis.plot(labels, means, "o-", color=colour, label=label)
            axis.axhline(printed[method, metric], color=colour, ls="--", lw=1)
        axis.set(title=f"{metric} kept", xlabel="outer steps", ylim=(0, None))
    axes[0].legend()
    note_source(figure, "dashed: printed; " + source_text(rows))
    return figure


#: What the data or the labels are under each control, with all three methods on ten draws.
CONTROLS = (
    HEADLINE,
    "the character in 1 of 42",
    "as the EEG says",
    "without the character",
    "without run 011/02",
    "without run 010/01",
    "with the test session",
    "split by character",
)
_RIVALS = ("mkl", "tree norm")


def cost_of_sparsity(records: pd.DataFrame) -> pd.DataFrame:
    """Channels kept, and what KEOPS pays for keeping fewer, under every control.

    Returns
    -------
    DataFrame
        Indexed by control. ``keops``, ``mkl``, ``tree norm``: mean channels kept; ``minus mkl`` and
        ``minus tree norm``: AUC of KEOPS minus theirs on the same draws, in points, with the ends
        ``low`` and ``high`` of its 95 % interval, corrected for the overlap of the draws.
    """
    rows = select(records, table="table1", metric=["auc", "channels"], reading=list(CONTROLS))
    lines = {}
    for control, of_control in rows.groupby("reading"):
        wide = of_control.pivot_table(index=["metric", "trial"], columns="method", values="value")
        auc = 100 * wide.loc["auc"]
        channels = wide.loc["channels"]
        line = {method: channels[method].mean() for method in PAPER_METHODS}
        for rival in _RIVALS:
            pairs = auc[["keops", rival]].dropna()
            ends = corrected_interval(pairs["keops"], pairs[rival])
            for name, value in zip(("minus", "low", "high"), ends, strict=True):
                line[f"{name} {rival}"] = value
        lines[control] = line
    return pd.DataFrame.from_dict(lines, orient="index").loc[list(CONTROLS)]


def cost_table(records: pd.DataFrame) -> pd.DataFrame:
    """`cost_of_sparsity` as a reader wants it: each difference with its interval."""
    cost = cost_of_sparsity(records)
    table = cost[list(PAPER_METHODS)].round(1)
    for rival in _RIVALS:
        ends = (cost[f"{end} {rival}"] for end in ("minus", "low", "high"))
        table[f"minus {rival}"] = [
            f"{d:+.2f} ({a:+.2f} to {b:+.2f})" for d, a, b in zip(*ends, strict=True)
        ]
    shown = {"keops": "KEOPS", "mkl": "MKL", "minus mkl": "AUC, KEOPS − MKL"}
    return table.rename(columns=shown | {"minus tree norm": "AUC, KEOPS − tree norm"})


def fewest_channels(records: pd.DataFrame, auc: float) -> pd.DataFrame:
    """Fewest channels along the grid of C with at least this test AUC, one row a draw.

    C is chosen on the test flashes, for all methods alike; labels as published.
    """
    rows = select(records, table="table1", reading=HEADLINE)
    fewest = {}
    for method in PAPER_METHODS:
        of_method = select(rows, method=method).sort_values("trial")
        reached = path_matrix(select(of_method, metric="auc path")) >= auc
        channels = path_matrix(select(of_method, metric="channels path"))
        kept = np.where(reached, channels, np.nan)
        fewest[method] = pd.DataFrame(kept).min(axis=1)
    return pd.DataFrame(fewest)
