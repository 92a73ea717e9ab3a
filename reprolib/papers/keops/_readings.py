"""What the open choices of the KEOPS protocol do to its numbers, on the same draws."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from reprolib.papers.keops.figures import METHODS
from reprolib.report.style import figure_grid, note_source, source_text
from reprolib.report.tables import number_text
from reprolib.rerun.records import HEADLINE, select
from reprolib.rerun.verdicts.printed import numbers
from reprolib.rerun.verdicts.statistics import mean_interval

#: Metrics of Table 1, their factor, and the digits shown.
METRICS = {"auc": (100, 1), "regions": (1, 1), "channels": (1, 1), "frames": (1, 0)}


def aucs_by_run(records: pd.DataFrame) -> pd.DataFrame:
    """Mean AUC in percent of the classifiers of Table 1 on the test flashes of every run apart."""
    rows = select(records, table="runs", metric="auc")
    runs = rows["level"].astype(int)
    labels = [f"{run // 100:03d}/{run % 100:02d}" for run in runs]
    wide = 100 * rows.assign(run=labels).pivot_table(
        index="method", columns="run", values="value", aggfunc="mean"
    )
    wide = wide.loc[[m for m in METHODS if m in wide.index]]
    return wide.rename(index={m: label for m, (label, _) in METHODS.items()})


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
        difference, low, high = mean_interval(wide["same characters"] - wide["other characters"])
        lines[METHODS[method][0]] = {
            "same characters": number_text(wide["same characters"].mean(), None, 1),
            "other characters": number_text(wide["other characters"].mean(), None, 1),
            "difference": f"{difference:+.1f} ± {(high - low) / 2:.1f}",
            "draws": len(wide),
        }
    return pd.DataFrame.from_dict(lines, orient="index")


def frames_against_steps(records: pd.DataFrame) -> Figure:
    """Frames and channels kept when the alternation is cut short, beside the printed numbers."""
    rows = records[(records["table"] == "table1") & records["metric"].isin(["channels", "frames"])]
    readings = ["stopped after 20 steps", "stopped after 50 steps", HEADLINE]
    labels = ["20", "50", "converged"]
    printed = {(n.select["method"], n.select["metric"]): n.value for n in numbers("keops")}
    figure, axes = figure_grid(1, 2, size=(4.0, 3.0))
    for axis, metric in zip(axes, ("channels", "frames"), strict=True):
        for method in ("keops", "mkl"):
            of_method = rows[(rows["method"] == method) & (rows["metric"] == metric)]
            means = of_method.groupby("reading")["value"].mean().reindex(readings)
            label, colour = METHODS[method]
            axis.plot(labels, means, "o-", color=colour, label=label)
            axis.axhline(printed[method, metric], color=colour, ls="--", lw=1)
        axis.set(title=f"{metric} kept", xlabel="outer steps", ylim=(0, None))
    axes[0].legend(fontsize=9)
    note_source(figure, "dashed: printed; " + source_text(rows))
    return figure
