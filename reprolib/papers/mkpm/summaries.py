"""What stands in tables beyond Table 1: preparations of the scans, and choices that fit print."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pandas as pd

from reprolib.papers.mkpm.preparations import RECORDED
from reprolib.rerun.records import HEADLINE, paths, select
from reprolib.rerun.verdicts.designs.exact import has_printed_digits
from reprolib.rerun.verdicts.errors import corrected_interval
from reprolib.rerun.verdicts.printed import numbers


def prepared_differences(
    records: pd.DataFrame, dataset: str = "haxby/subj1", reading: str = HEADLINE
) -> pd.DataFrame:
    """MKPM minus the SVM in every preparation, with the 95 % interval by which claims are judged.

    Parameters
    ----------
    records : DataFrame
        Of the paper.
    dataset : str
        One of those with preparations.
    reading : str
        Of MKPM; the SVM has none but the headline.

    Returns
    -------
    DataFrame
        Indexed by preparation, the least difference first: accuracies of both machines,
        difference, low and high (fractions, not points), whether the claim holds there and
        whether it is the one of Table 1.
    """
    rows = select(records, table="preparations", metric="accuracy", dataset=dataset)
    rows = rows[(rows["method"] == "svm") | (rows["reading"] == reading)]
    lines = {}
    for name, own in rows.groupby("setting"):
        wide = own.pivot_table(index="trial", columns="method", values="value")
        ends = corrected_interval(wide["mkpm"], wide["svm"], 1 / len(wide))
        lines[name] = (wide["mkpm"].mean(), wide["svm"].mean(), *ends)
    columns = ["MKPM", "SVM", "difference", "low", "high"]
    frame = pd.DataFrame.from_dict(lines, orient="index", columns=columns)
    frame["holds"] = frame["low"] > 0
    frame["recorded"] = frame.index == RECORDED.name
    return frame.sort_values("difference")


def printed_choices(records: pd.DataFrame) -> pd.DataFrame:
    """Where the accuracy of MKPM on an official split rounds to the printed one.

    Returns
    -------
    DataFrame
        One row a data set, choice of rows and v (kernel 2^-v gamma_o): accuracy at the printed
        d-hat, how many d were tried, how many give the printed digits, and which.
    """
    rows = select(records, table="printed_choices")
    printed = {(n.select["dataset"], n.column): n.value for n in numbers("mkpm")}
    lines = []
    for row, path in zip(rows.itertuples(), paths(rows), strict=True):
        name = str(row.dataset)
        d_hat, accuracy = int(printed[name, "d-hat"]), printed[name, "MKPM"]
        hits = np.flatnonzero(has_printed_digits(path - accuracy, 3))
        lines.append(
            {
                "data set": name,
                "choice": row.setting,
                "printed": accuracy,
                "at the printed d": path[d_hat] if d_hat < len(path) else np.nan,
                "d tried": len(path) - 1,
                "d that give the digits": len(hits),
                "which": ranges(hits.tolist()),
            }
        )
    return pd.DataFrame(lines).set_index(["data set", "choice"])


def ranges(values: list[int]) -> str:
    """Whole numbers as ranges, such as "3, 7-9"."""
    runs = groupby(enumerate(values), lambda pair: pair[1] - pair[0])
    found = [[value for _, value in run] for _, run in runs]
    return ", ".join(f"{r[0]}" if len(r) == 1 else f"{r[0]}-{r[-1]}" for r in found)
