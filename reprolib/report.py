"""The report: one self-contained HTML page that needs no network."""

from __future__ import annotations

import base64
import importlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from reprolib import results, tables
from reprolib.figures.scoreboard import scoreboard_figure
from reprolib.figures.style import VERDICT_STYLE, use_style
from reprolib.published import paper_entry
from reprolib.verdicts import WORDS, Verdict, Word, count_words, judge_paper


@dataclass(frozen=True)
class PaperSection:
    """What the report shows of one paper."""

    key: str
    paper: Mapping[str, Any]
    counts: Mapping[Word, int]
    tables: Sequence[tuple[str, str, pd.DataFrame]]
    summary: pd.DataFrame
    figures: Sequence[tuple[str, str]]
    readings: pd.DataFrame
    provenance: pd.DataFrame
    meta: Mapping[str, Any]


def write_report(papers: Sequence[str], directory: Path, output: Path, *, title: str) -> Path:
    """Write the report on the results below ``directory``.

    Parameters
    ----------
    papers : sequence of str
        Papers with results there; the others are left out.
    directory : Path
        Results folder, with one folder a paper.
    output : Path
        HTML file, written atomically.
    title : str
        Says which results these are (profile).
    """
    use_style()
    at_hand = [paper for paper in papers if not results.load_paper(paper, directory).empty]
    verdicts = {paper: judge_paper(paper, directory) for paper in at_hand}
    html = _template().render(
        title=title,
        words=WORDS,
        style=VERDICT_STYLE,
        counts=count_words([v for listed in verdicts.values() for v in listed]),
        scoreboard=embed(scoreboard_figure(verdicts)) if verdicts else "",
        rows=[row for paper in at_hand for row in _rows(paper, verdicts[paper])],
        sections=[_section(paper, verdicts[paper], directory) for paper in at_hand],
    )
    results.write_atomically(output, html)
    return output


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("reprolib"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("report.html.jinja")


def embed(figure: Figure) -> str:
    """Figure as a PNG data URI; the figure is closed."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    plt.close(figure)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def _rows(paper: str, verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    frame = tables.verdict_frame(verdicts)
    frame.insert(0, "paper", paper.upper())
    return [{str(k): v for k, v in row.items()} for row in frame.to_dict("records")]


def _section(paper: str, verdicts: Sequence[Verdict], directory: Path) -> PaperSection:
    entry = paper_entry(paper)
    records = results.load_paper(paper, directory)
    draw = importlib.import_module(f"reprolib.figures.{paper}").report_figures
    return PaperSection(
        key=paper,
        paper=entry["paper"],
        counts=count_words(verdicts),
        tables=[
            (key, entry["tables"][key]["caption"], _beside(paper, key, directory))
            for key in entry["tables"]
        ],
        summary=tables.summary(records),
        figures=[(caption, embed(figure)) for caption, figure in draw(records).items()],
        readings=tables.list_readings(paper).reset_index(),
        provenance=tables.provenance(paper, directory).reset_index(),
        meta=_meta(paper, directory),
    )


def _beside(paper: str, table: str, directory: Path) -> pd.DataFrame:
    return tables.published_beside_ours(paper, table, directory).reset_index()


def _meta(paper: str, directory: Path) -> dict[str, Any]:
    """Meta of the paper's tables: what they share, and the computing time of all."""
    files = sorted((Path(directory) / paper).glob("*.meta.json"))
    metas = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    minutes = sum(meta["seconds_of_tasks"] for meta in metas) / 60
    digests = {name: d for meta in metas for name, d in meta["data_digests"].items()}
    return {**metas[0], "minutes_of_tasks": minutes, "data_digests": digests} if metas else {}
