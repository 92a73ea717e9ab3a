"""Tables for notebooks, the report and the README: published numbers beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reprolib.rerun import records as results
from reprolib.rerun.printed import paper_entry
from reprolib.rerun.task import HEADLINE
from reprolib.rerun.verdicts import (
    Verdict,
    Word,
    count_words,
    judge_paper,
)


def number_text(value: float, spread: float | None, digits: int) -> str:
    """``10.73 ± 0.42``, rounded; a dash for a value that is missing."""
    if value is None or np.isnan(value):
        return "–"
    text = f"{value:.{digits}f}"
    return text if spread is None or np.isnan(spread) else f"{text} ± {spread:.{digits}f}"


def verdict_frame(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """One row a published number: published, ours, trials, source, verdict."""
    return pd.DataFrame(
        [
            {
                "table": v.number.table,
                "row": v.number.row,
                "column": v.number.column,
                "published": number_text(v.number.value, v.number.spread, v.number.digits),
                "ours": number_text(v.ours, v.spread, v.number.digits),
                "trials": v.n_trials,
                "source": v.source or "–",
                "verdict": v.word,
                "reason": v.reason,
            }
            for v in verdicts
        ]
    )


def published_beside_ours(paper: str, table: str, directory: Path | None = None) -> pd.DataFrame:
    """One table of a paper with our value, trials, source and verdict beside every number."""
    verdicts = [v for v in judge_paper(paper, directory) if v.number.table == table]
    frame = verdict_frame(verdicts).drop(columns=["table", "reason"])
    return frame.set_index(["row", "column"])


def not_reproduced(paper: str, directory: Path | None = None) -> pd.DataFrame:
    """Every number of a paper that is not reproduced, with the reason."""
    verdicts = [v for v in judge_paper(paper, directory) if v.word == "not reproduced"]
    frame = verdict_frame(verdicts)
    columns = ["table", "row", "column", "published", "ours", "reason"]
    return frame.reindex(columns=columns).set_index(["table", "row", "column"])


def reasons(papers: Sequence[str], word: Word, directory: Path | None = None) -> pd.DataFrame:
    """Reasons why numbers are not reproduced, or not run: one line a reason.

    Parameters
    ----------
    papers : sequence of str
    word : {"not reproduced", "not run"}
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
            "numbers": len(listed),
            "which": _rows_and_columns(listed),
            "reason": reason,
        }
        for (paper, table, reason), listed in lines.items()
    ]
    columns = ["paper", "table", "numbers", "which", "reason"]
    return pd.DataFrame(rows, columns=columns).set_index(["paper", "table"])


def _rows_and_columns(verdicts: Sequence[Verdict]) -> str:
    columns: dict[str, list[str]] = {}
    for v in verdicts:
        columns.setdefault(v.number.row, []).append(v.number.column)
    return ", ".join(f"{row} ({'; '.join(names)})" for row, names in columns.items())


def readings(paper: str, table: str, directory: Path | None = None) -> pd.DataFrame:
    """Our mean for every number of a table (rows) under every reading (columns)."""
    rows = {}
    for v in judge_paper(paper, directory):
        if v.number.table == table and v.word != "not run":
            digits = v.number.digits
            rows[v.number.row, v.number.column] = {
                "source": v.source,
                "published": number_text(v.number.value, None, digits),
                HEADLINE: number_text(v.ours, None, digits),
                **{name: number_text(value, None, digits) for name, value in v.readings.items()},
            }
    index = pd.MultiIndex.from_tuples(list(rows), names=["row", "column"]) if rows else None
    return pd.DataFrame(list(rows.values()), index=index).fillna("–")


def list_readings(paper: str) -> pd.DataFrame:
    """Name the open questions of the paper's protocol, and the reading chosen for each name."""
    entries = paper_entry(paper).get("readings", [])
    return pd.DataFrame(entries, columns=["name", "question", "text"]).set_index("name")


def scoreboard(papers: Sequence[str], directory: Path | None = None) -> pd.DataFrame:
    """Count the verdicts of every paper."""
    rows: dict[str, dict[str, Any]] = {}
    for paper in papers:
        verdicts = judge_paper(paper, directory)
        sources = sorted({s for v in verdicts for s in v.source.split(", ") if s})
        rows[paper] = {
            "published": len(verdicts),
            **{str(word): count for word, count in count_words(verdicts).items()},
            "sources": ", ".join(sources) or "–",
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("paper")


def summary(records: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard deviation over trials of everything measured, embedded data included."""
    usable = records[(records["status"] == "ok") & records["value"].notna()]
    keys = ["table", "dataset", "method", "setting", "reading", "metric"]
    grouped = usable.groupby(keys, sort=True)["value"]
    frame = grouped.agg(["mean", "std", "count"]).join(usable.groupby(keys)["source"].first())
    frame["ours"] = [number_text(m, s, 4) for m, s in zip(frame["mean"], frame["std"], strict=True)]
    return frame.rename(columns={"count": "trials"})[["ours", "trials", "source"]].reset_index()


def with_source(frame: pd.DataFrame, records: pd.DataFrame) -> pd.DataFrame:
    """Name the sources of the records behind a table in its corner, above the index."""
    text = f"source: {', '.join(sorted(records['source'].unique()))}"
    names = [text, *frame.columns.names[1:]]
    return frame.set_axis(frame.columns.set_names(names), axis="columns")


def provenance(paper: str, directory: Path | None = None) -> pd.DataFrame:
    """Data sets behind a paper's records: source, and trials at hand."""
    records = results.load_paper(paper, directory)
    grouped = records.groupby("dataset")
    return pd.DataFrame({"source": grouped["source"].first(), "trials": grouped["trial"].nunique()})


__all__ = [
    "list_readings",
    "not_reproduced",
    "number_text",
    "provenance",
    "published_beside_ours",
    "readings",
    "reasons",
    "scoreboard",
    "summary",
    "verdict_frame",
    "with_source",
]
