"""Tables for notebooks, the report and the README: published numbers beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd

from reprolib.rerun.records.tables import load_paper
from reprolib.rerun.verdicts.judge import (
    Verdict,
    count_words,
    judge_paper,
)
from reprolib.rerun.verdicts.printed import Number, Quantity, Role, paper_entry
from reprolib.rerun.verdicts.words import WORDS, Word

#: What a table of readings says of each.
READING_COLUMNS = [
    *("published", "ours", "difference", "half-width", "detectable", "trials", "source", "verdict")
]


def number_text(value: float, spread: float | None, digits: int) -> str:
    """``10.73 ± 0.42``, rounded; a dash for a value that is missing."""
    if value is None or np.isnan(value):
        return "–"
    text = f"{value:.{digits}f}"
    return text if spread is None or np.isnan(spread) else f"{text} ± {spread:.{digits}f}"


def difference_text(value: float, digits: int) -> str:
    """``+0.32``, with one digit at least; a dash for a value that is missing."""
    digits = max(digits, 1)
    return "–" if np.isnan(value) else f"{round(value, digits) + 0.0:+.{digits}f}"


def half_width_text(value: float, digits: int) -> str:
    """``0.46``, with one digit at least; ∞ where one trial gives no interval."""
    if np.isinf(value):
        return "∞"
    return number_text(value, None, max(digits, 1))


def reading_text(verdict: Verdict) -> str:
    """Name the reading behind a credit, its value, and how many were tried; else empty."""
    if verdict.word != "reproduced under a reading":
        return ""
    outcome = verdict.readings[verdict.reading]
    ours = number_text(outcome.ours, outcome.spread, verdict.number.digits)
    return f"{verdict.reading}: {ours} (one of {verdict.n_readings} tried)"


def verdict_frame(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """One row a published number: both values, difference and interval, trials, verdict, design."""
    return pd.DataFrame(
        [
            {
                "table": v.number.table,
                "row": v.number.row,
                "column": v.number.column,
                "role": v.role,
                "quantity": v.quantity,
                **_beside(v),
                "reason": v.reason,
            }
            for v in verdicts
        ]
    )


def _beside(v: Verdict) -> dict[str, Any]:
    digits = v.number.digits
    return {
        "published": number_text(v.number.value, v.number.spread, digits),
        "ours": number_text(v.ours, v.spread, digits),
        "difference": difference_text(v.difference, digits),
        "half-width": half_width_text(v.half_width, digits),
        "detectable": half_width_text(v.detectable, digits),
        "trials": v.n_trials,
        "source": v.source or "–",
        "verdict": v.word,
        "design": v.design if v.n_trials else "–",
        "reading": reading_text(v),
    }


def published_beside_ours(paper: str, table: str, directory: Path | None = None) -> pd.DataFrame:
    """One table of a paper with our value, its difference and the verdict beside every number."""
    verdicts = [v for v in judge_paper(paper, directory) if v.number.table == table]
    frame = verdict_frame(verdicts).drop(columns=["table", "role", "quantity", "reason"])
    return frame.set_index(["row", "column"])


def reasons(papers: Sequence[str], word: Word, directory: Path | None = None) -> pd.DataFrame:
    """Reasons why numbers are not reproduced, or not run: one line a reason.

    Parameters
    ----------
    papers : sequence of str
    word : {"not reproduced", "quoted", "not run"}
    directory : Path, optional
        Results folder; the committed results if not given.

    Returns
    -------
    DataFrame
        Indexed by paper and table; how many numbers the reason is for, which (row and columns), and
        the reason.
    """
    lines: dict[tuple[str, str, str], list[Verdict]] = {}
    for paper in papers:
        for v in judge_paper(paper, directory):
            if v.word == word:
                lines.setdefault((paper, v.number.table, v.reason), []).append(v)
    rows = [
        {
            "paper": paper,
            "table": table,
            "numbers": len(of_reason),
            "which": _rows_and_columns(of_reason),
            "reason": reason,
        }
        for (paper, table, reason), of_reason in lines.items()
    ]
    columns = ["paper", "table", "numbers", "which", "reason"]
    return pd.DataFrame(rows, columns=columns).set_index(["paper", "table"])


def _rows_and_columns(verdicts: Sequence[Verdict]) -> str:
    columns: dict[str, list[str]] = {}
    for v in verdicts:
        columns.setdefault(v.number.row, []).append(v.number.column)
    return ", ".join(f"{row} ({'; '.join(names)})" for row, names in columns.items())


def readings(paper: str, table: str, directory: Path | None = None) -> pd.DataFrame:
    """Every number of a table under every reading that it was measured under, one line each.

    Returns
    -------
    DataFrame
        Indexed by row, column and reading, the judged one first: published, ours, difference and
        half-width, trials, source and the verdict under this reading alone.
    """
    index = ["row", "column", "reading"]
    lines = [
        {"row": v.number.row, "column": v.number.column, "reading": reading, **line}
        for v in judge_paper(paper, directory)
        if v.number.table == table and v.n_trials
        for reading, line in _lines_of_readings(v)
    ]
    return pd.DataFrame(lines, columns=[*index, *READING_COLUMNS]).set_index(index)


def _lines_of_readings(v: Verdict) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and table line of the judged reading, then of every other one."""
    judged = replace(v, word=v.judged_word)
    yield v.number.judged, {name: _beside(judged)[name] for name in READING_COLUMNS}
    for reading, outcome in v.readings.items():
        other = replace(v, **vars(outcome))
        yield reading, {name: _beside(other)[name] for name in READING_COLUMNS}


def list_readings(paper: str) -> pd.DataFrame:
    """Name the open questions of the paper's protocol, and the reading chosen for each name."""
    entries = paper_entry(paper).get("readings", [])
    return pd.DataFrame(entries, columns=["name", "question", "text"]).set_index("name")


def scoreboard(papers: Sequence[str], directory: Path | None = None) -> pd.DataFrame:
    """Count the verdicts of every paper by role and quantity, its own method's performance first.

    Returns
    -------
    DataFrame
        Indexed by paper and kind of number (``own, performance``); how many there are, how many
        have each word, and the sources of our data.
    """
    rows = []
    for paper in papers:
        verdicts = judge_paper(paper, directory)
        kinds = {kind_of_number(v): None for v in in_report_order(verdicts)}
        for kind in kinds:
            of_kind = [v for v in verdicts if kind_of_number(v) == kind]
            sources = sorted({s for v in of_kind for s in v.source.split(", ") if s})
            rows.append(
                {
                    "paper": paper,
                    "numbers": kind,
                    "published": len(of_kind),
                    **{str(word): count for word, count in count_words(of_kind).items()},
                    "sources": ", ".join(sources) or "–",
                }
            )
    index = ["paper", "numbers"]
    return pd.DataFrame(rows, columns=[*index, "published", *WORDS, "sources"]).set_index(index)


def kind_of_number(verdict: Verdict) -> str:
    """Role and quantity of a number; quotations are one kind."""
    return "quoted" if verdict.role == "quoted" else f"{verdict.role}, {verdict.quantity}"


def in_report_order(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Verdicts with the paper's own method first, performance before selection, as printed else."""
    return sorted(verdicts, key=_place_of_kind)


def _place_of_kind(verdict: Verdict) -> tuple[int, int]:
    roles, quantities = get_args(Role), get_args(Quantity)
    return roles.index(verdict.role), quantities.index(verdict.quantity)


def summary(records: pd.DataFrame, printed: Sequence[Number] = ()) -> pd.DataFrame:
    """Mean and standard deviation over trials of everything measured, embedded data included.

    Parameters
    ----------
    records : DataFrame
    printed : sequence of Number
        A metric that is printed has the unit and the digits of print; others are as recorded.
    """
    usable = records[(records["status"] == "ok") & records["value"].notna()]
    keys = ["table", "dataset", "method", "setting", "reading", "metric"]
    grouped = usable.groupby(keys, sort=True)["value"]
    frame = grouped.agg(["mean", "std", "count"]).join(usable.groupby(keys)["source"].first())
    formats = {n.select["metric"]: (n.scale, n.digits) for n in printed}
    units = [formats.get(metric, (1, 4)) for metric in frame.index.get_level_values("metric")]
    frame["ours"] = [
        number_text(scale * mean, scale * std, digits)
        for (scale, digits), mean, std in zip(units, frame["mean"], frame["std"], strict=True)
    ]
    frame["unit"] = ["per cent" if scale == 100 else "as recorded" for scale, _ in units]
    columns = ["ours", "unit", "trials", "source"]
    return frame.rename(columns={"count": "trials"})[columns].reset_index()


def with_source(frame: pd.DataFrame, records: pd.DataFrame) -> pd.DataFrame:
    """Name the sources of the records behind a table in its corner, above the index."""
    text = f"source: {', '.join(sorted(records['source'].unique()))}"
    names = [text, *frame.columns.names[1:]]
    return frame.set_axis(frame.columns.set_names(names), axis="columns")


def provenance(paper: str, directory: Path | None = None) -> pd.DataFrame:
    """Data sets behind a paper's records: source, and trials at hand."""
    records = load_paper(paper, directory)
    grouped = records.groupby("dataset")
    return pd.DataFrame({"source": grouped["source"].first(), "trials": grouped["trial"].nunique()})
