"""The report: one self-contained HTML page that needs no network."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

import pandas as pd

from reprolib.report import tables
from reprolib.report.claims import claims_frame, count_claims
from reprolib.report.drawing import svg, symbols
from reprolib.report.render import render
from reprolib.report.scoreboard import by_kind, scoreboard
from reprolib.report.section import paper_section, reason_beside_verdict
from reprolib.report.style import use_style
from reprolib.report.words import CLAIM_MEANINGS, MEANINGS, calibration_text
from reprolib.rerun import records as results
from reprolib.rerun.records.folders import write_atomically
from reprolib.rerun.verdicts.claims import judge_claims
from reprolib.rerun.verdicts.judge import Verdict, count_words, judge_paper
from reprolib.rerun.verdicts.printed import paper_entry
from reprolib.rerun.verdicts.words import WORDS


def write_report(
    papers: Sequence[str],
    directory: Path | None,
    output: Path,
    *,
    title: str,
    site: Path | None = None,
) -> Path:
    """Write the report on results of papers.

    Parameters
    ----------
    papers : sequence of str
        Papers with results there; the others are left out.
    directory : Path or None
        Results folder, with one folder a paper; the committed results of each paper if None.
    output : Path
        HTML file, written atomically.
    title : str
        Says which results these are (profile).
    site : Path, optional
        Built documentation. The page links to its notebooks, relative to ``output``; a page that
        does not exist is named without a link.

    Returns
    -------
    Path
        ``output``.
    """
    use_style()
    at_hand = [paper for paper in papers if not results.load_paper(paper, directory).empty]
    verdicts = {paper: judge_paper(paper, directory) for paper in at_hand}
    judged = {paper: of_paper for paper, of_paper in verdicts.items() if of_paper}
    claims = {paper: judge_claims(paper, directory) for paper in judged}
    html = render(
        "report.html.jinja",
        title=title,
        symbols=symbols(),
        meanings=MEANINGS,
        site=_link(site, "index.html", output),
        words_page=_link(site, "docs/words.html", output),
        claim_meanings=CLAIM_MEANINGS,
        counts=count_words([v for of_paper in judged.values() for v in of_paper]),
        claims=_claims(list(judged), directory),
        claim_counts=count_claims([c for of_paper in claims.values() for c in of_paper]),
        calibration=calibration_text([v for of_paper in judged.values() for v in of_paper]),
        scoreboard=svg(scoreboard(by_kind(judged, claims), legend=WORDS)) if judged else "",
        readings={paper: readings_with_records(of_paper) for paper, of_paper in judged.items()},
        numbers=all_numbers(judged),
        sections=[_section(paper, directory, output, site) for paper in at_hand],
    )
    write_atomically(output, html)
    return output


def _claims(papers: Sequence[str], directory: Path | None) -> pd.DataFrame:
    frame = claims_frame(papers, directory).reset_index()
    return frame.assign(paper=frame["paper"].str.upper())


def _link(site: Path | None, page: str, output: Path) -> str:
    """Address of a page of the built documentation as seen from the report; empty without it."""
    if site is None or not (site / page).is_file():
        return ""
    relative = os.path.relpath((site / page).resolve(), output.resolve().parent)
    return quote(Path(relative).as_posix())


def _section(paper: str, directory: Path | None, output: Path, site: Path | None) -> dict:
    notebook = Path("notebooks", paper_entry(paper)["paper"]["notebook"]).with_suffix(".html")
    link = _link(site, notebook.as_posix(), output)
    rendered = site / notebook if site is not None and link else None
    return {**vars(paper_section(paper, directory, rendered)), "notebook": link}


def readings_with_records(verdicts: Sequence[Verdict]) -> list[str]:
    """Names of the readings under which printed numbers were measured, without the headline."""
    return sorted({name for v in verdicts for name in v.readings})


def all_numbers(verdicts: Mapping[str, Sequence[Verdict]]) -> pd.DataFrame:
    """Every published number, one row each, own methods first; empty if there are none."""
    frames = [
        tables.verdict_frame(tables.in_report_order(of_paper)).assign(paper=paper.upper())
        for paper, of_paper in verdicts.items()
        if of_paper
    ]
    if not frames:
        return pd.DataFrame()
    frame = reason_beside_verdict(pd.concat(frames, ignore_index=True))
    return frame.set_index("paper").reset_index()
