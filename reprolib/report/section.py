"""What the report shows of one paper."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from reprolib.report import tables
from reprolib.report.drawing import svg
from reprolib.report.finding import finding
from reprolib.report.forest import forests
from reprolib.report.paper_figures import drawn_figures
from reprolib.report.theme import LOOKS
from reprolib.rerun import records as results
from reprolib.rerun.verdicts.judge import Verdict, judge_paper
from reprolib.rerun.verdicts.printed import numbers, paper_entry
from reprolib.rerun.verdicts.words import WORDS

#: A heading of a rendered notebook: its anchor and its text.
_HEADING = re.compile(r'<section id="([^"]+)">(?:\s*<span[^>]*></span>)*\s*<h2>(.*?)<a ', re.DOTALL)


@dataclass(frozen=True)
class PaperSection:
    """Everything that the template of a paper's section fills in."""

    key: str
    paper: Mapping[str, Any]
    chapters: Mapping[str, str]
    finding: Sequence[tuple[str, str]]
    forests: Mapping[str, str]
    tables: Sequence[tuple[str, str, pd.DataFrame]]
    figures: Mapping[str, str]
    undrawn: str
    readings: pd.DataFrame
    every_reading: Mapping[str, pd.DataFrame]
    summary: pd.DataFrame
    provenance: pd.DataFrame
    runs: pd.DataFrame
    environments: Mapping[str, str]


def paper_section(paper: str, directory: Path | None, rendered: Path | None) -> PaperSection:
    """Gather what the report shows of a paper.

    Parameters
    ----------
    paper : str
    directory : Path or None
        Results folder; the committed results if None.
    rendered : Path or None
        Page of its notebook in the built documentation, if there is one.
    """
    verdicts = judge_paper(paper, directory)
    entry = paper_entry(paper)
    records = results.load_paper(paper, directory)
    run, made = results.load_run(paper, directory), results.load_tasks(paper, directory)
    figures, fault = drawn_figures(paper, records)
    return PaperSection(
        key=paper,
        paper=entry["paper"],
        chapters=chapters(rendered.read_text(encoding="utf-8")) if rendered else {},
        finding=finding(verdicts),
        forests={quantity: svg(drawing) for quantity, drawing in forests(verdicts).items()},
        tables=[
            (key, table["caption"], _table(verdicts, key)) for key, table in entry["tables"].items()
        ],
        figures={caption: embed(figure) for caption, figure in figures.items()},
        undrawn=fault.strip().rsplit("\n", 1)[-1],
        readings=readings_tried(paper, verdicts),
        every_reading=_every_reading(paper, entry["tables"], directory),
        summary=tables.summary(records, numbers(paper)),
        provenance=_provenance(paper, directory, run),
        runs=_runs(made, records),
        environments=_environments(made, run),
    )


def chapters(page: str) -> dict[str, str]:
    """Anchors of the chapters of a rendered notebook, with their headings as plain text."""
    found = _HEADING.findall(page)
    return {anchor: unescape(re.sub(r"<[^>]+>", "", text)).strip() for anchor, text in found}


def embed(figure: Figure) -> str:
    """Figure as a PNG data URI; the figure is closed."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    plt.close(figure)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def _table(verdicts: Sequence[Verdict], table: str) -> pd.DataFrame:
    """One printed table, the paper's own method first, each verdict with its reason."""
    of_table = tables.in_report_order([v for v in verdicts if v.number.table == table])
    return reason_beside_verdict(tables.verdict_frame(of_table)).drop(columns=["table", "quantity"])


def reason_beside_verdict(frame: pd.DataFrame) -> pd.DataFrame:
    """Table of verdicts in the report's order: numbers, verdict, why, and then the evidence."""
    together = ["published", "ours", "verdict", "why"]
    frame = frame.rename(columns={"reason": "why"})
    names = [name for name in frame.columns if name not in together]
    first = names.index("difference")
    return frame[[*names[:first], *together, *names[first:]]]


def readings_tried(paper: str, verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """Every reading of a paper: question, answer, and the words on the numbers measured under it.

    Under the judged reading stand the words before any credit. A reading without printed numbers
    behind it was tried on something else.
    """
    frame = tables.list_readings(paper).reset_index()
    frame.columns = ["reading", "question", "what is taken"]
    frame["verdicts under it"] = [_words_under(verdicts, name) for name in frame["reading"]]
    return frame


def _words_under(verdicts: Sequence[Verdict], reading: str) -> str:
    given_words = [v.judged_word for v in verdicts if v.n_trials and v.number.judged == reading]
    given_words += [v.readings[reading].word for v in verdicts if reading in v.readings]
    counts = [f"{LOOKS[w].sign} {given_words.count(w)} {w}" for w in WORDS if w in given_words]
    return ", ".join(counts) or "none"


def _every_reading(
    paper: str, names: Sequence[str], directory: Path | None
) -> dict[str, pd.DataFrame]:
    frames = {name: tables.readings(paper, name, directory).reset_index() for name in names}
    return {name: frame for name, frame in frames.items() if not frame.empty}


def _provenance(paper: str, directory: Path | None, run: Mapping[str, Any]) -> pd.DataFrame:
    frame = tables.provenance(paper, directory)
    for column in ("note", "digest"):
        frame[column] = [run.get("data", {}).get(name, {}).get(column, "") for name in frame.index]
    return frame.reset_index()


def _runs(made: pd.DataFrame, records: pd.DataFrame) -> pd.DataFrame:
    """What made every table: dates, code, counts and computing time, as its tasks have them."""
    failed = records[records["status"] != "ok"].groupby("table").size()
    return pd.DataFrame(
        {
            "table": table,
            "date": " to ".join(dict.fromkeys([rows["date"].min(), rows["date"].max()])),
            "code": ", ".join(sorted(rows["code"].unique())),
            "tasks": len(rows),
            "records": int((records["table"] == table).sum()),
            "failed": int(failed.get(str(table), 0)),
            "minutes": f"{rows['seconds'].sum() / 60:.1f}",
        }
        for table, rows in made.groupby("table")
    )


def _environments(made: pd.DataFrame, run: Mapping[str, Any]) -> dict[str, str]:
    """Machine and versions, with the tables that were made there."""
    environments = {}
    for name, rows in made.groupby("environment"):
        about = run["environments"][name]
        versions = ", ".join(f"{library} {number}" for library, number in about["versions"].items())
        where = f"{about['machine']}, Python {about['python']}, {versions}"
        environments[", ".join(sorted(rows["table"].unique()))] = where
    return environments
