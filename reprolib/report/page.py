"""The report: one self-contained HTML page that needs no network."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from reprolib.report.forest import forest_figure
from reprolib.report.paper_figures import drawn_figures
from reprolib.report.scoreboard import scoreboard_figure
from reprolib.report.style import VERDICT_STYLE, use_style
from reprolib.rerun import records as results
from reprolib.rerun import tables
from reprolib.rerun.folders import write_atomically
from reprolib.rerun.printed import paper_entry
from reprolib.rerun.rules import SHARP_POINTS, WORDS
from reprolib.rerun.verdicts import (
    Verdict,
    count_words,
    judge_paper,
)


@dataclass(frozen=True)
class PaperSection:
    """What the report shows of one paper."""

    key: str
    paper: Mapping[str, Any]
    notebook: str
    forest: str
    tables: Sequence[tuple[str, str, pd.DataFrame]]
    summary: pd.DataFrame
    figures: Sequence[tuple[str, str]]
    undrawn: str
    readings: pd.DataFrame
    provenance: pd.DataFrame
    runs: pd.DataFrame
    environments: Mapping[str, str]


def write_report(
    papers: Sequence[str], directory: Path, output: Path, *, title: str, site: Path | None = None
) -> Path:
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
    site : Path, optional
        Built documentation. The page links to its notebooks, relative to ``output``; a page that
        is not there is named, not linked.

    Returns
    -------
    Path
        ``output``.
    """
    use_style()
    at_hand = [paper for paper in papers if not results.load_paper(paper, directory).empty]
    verdicts = {paper: judge_paper(paper, directory) for paper in at_hand}
    html = _template().render(
        title=title,
        site=_link(site, "index.html", output),
        words=WORDS,
        sharp_points=SHARP_POINTS,
        style=VERDICT_STYLE,
        counts=count_words([v for listed in verdicts.values() for v in listed]),
        scoreboard=embed(scoreboard_figure(verdicts)) if any(verdicts.values()) else "",
        numbers=all_numbers(verdicts),
        sections=[_section(paper, directory, output, site) for paper in at_hand],
    )
    write_atomically(output, html)
    return output


def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("reprolib.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("report.html.jinja")


def _link(site: Path | None, page: str, output: Path) -> str:
    """Address of a page of the built documentation as seen from the report; empty without it."""
    if site is None or not (site / page).is_file():
        return ""
    relative = os.path.relpath((site / page).resolve(), output.resolve().parent)
    return quote(Path(relative).as_posix())


def embed(figure: Figure) -> str:
    """Figure as a PNG data URI; the figure is closed."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    plt.close(figure)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def all_numbers(verdicts: Mapping[str, Sequence[Verdict]]) -> pd.DataFrame:
    """Every published number, one row each; a study that has none adds no row."""
    frames = [
        tables.verdict_frame(listed).assign(paper=paper.upper())
        for paper, listed in verdicts.items()
        if listed
    ]
    if not frames:
        return pd.DataFrame()
    return pd.concat(frames, ignore_index=True).set_index("paper").reset_index()


def _section(paper: str, directory: Path, output: Path, site: Path | None) -> PaperSection:
    verdicts = judge_paper(paper, directory)
    entry = paper_entry(paper)
    records = results.load_paper(paper, directory)
    page = Path("notebooks", entry["paper"]["notebook"]).with_suffix(".html").as_posix()
    metas = list(results.load_meta(paper, directory).values())
    figures, fault = drawn_figures(paper, records)
    return PaperSection(
        key=paper,
        paper=entry["paper"],
        notebook=_link(site, page, output),
        forest=embed(forest_figure(verdicts)) if verdicts else "",
        tables=[
            (key, entry["tables"][key]["caption"], _beside(paper, key, directory))
            for key in entry["tables"]
        ],
        summary=tables.summary(records),
        figures=[(caption, embed(figure)) for caption, figure in figures.items()],
        undrawn=fault.strip().rsplit("\n", 1)[-1],
        readings=tables.list_readings(paper).reset_index(),
        provenance=_provenance(paper, directory, metas),
        runs=_runs(metas),
        environments=_environments(metas),
    )


def _beside(paper: str, table: str, directory: Path) -> pd.DataFrame:
    return tables.published_beside_ours(paper, table, directory).reset_index()


def _provenance(paper: str, directory: Path, metas: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    frame = tables.provenance(paper, directory)
    for column, key in (("note", "source_notes"), ("digest", "data_digests")):
        told = {name: text for meta in metas for name, text in meta[key].items()}
        frame[column] = [told.get(name, "") for name in frame.index]
    return frame.reset_index()


def _runs(metas: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "table": meta["table"],
            "profile": meta["profile"],
            "date": meta["date"],
            "protocol version": meta["protocol_version"],
            "records": meta["records"],
            "failed": meta["failed_records"],
            "minutes, run": f"{meta['wall_seconds'] / 60:.1f}",
            "minutes, tasks": f"{meta['seconds_of_tasks'] / 60:.1f}",
        }
        for meta in metas
    )


def _environments(metas: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Machine and versions, with the tables that were made there."""
    made: dict[str, list[str]] = {}
    for meta in metas:
        versions = ", ".join(f"{name} {number}" for name, number in meta["versions"].items())
        where = f"{meta['machine']}, Python {meta['python']}, {versions}"
        made.setdefault(where, []).append(meta["table"])
    return {", ".join(names): where for where, names in made.items()}
