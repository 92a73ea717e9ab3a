"""What a wrong label and the open choices of the protocol do to the numbers, on the same draws."""

from __future__ import annotations

import pandas as pd

from reprolib.papers.keops.figures import METHODS, PAPER_METHODS, difference_of
from reprolib.report.tables import number_text
from reprolib.rerun.records import HEADLINE, levels, select
from reprolib.rerun.verdicts.errors import corrected_interval

#: Metrics of Table 1, their factor, and the digits shown.
METRICS = {"auc": 100, "regions": 1, "channels": 1, "frames": 1}


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
