"""The first screen of the README, generated from the committed results: one picture, one table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from reprolib.report import tables
from reprolib.report.markdown import markdown_table
from reprolib.report.score_svg import scoreboard_svg
from reprolib.report.style import VERDICT_STYLE
from reprolib.rerun import records as results
from reprolib.rerun.records.folders import write_atomically
from reprolib.rerun.records.registry import STUDIES
from reprolib.rerun.verdicts.judge import judge_paper
from reprolib.rerun.verdicts.printed import paper_entry
from reprolib.rerun.verdicts.rules import WORDS

BEGIN, END = "<!-- scoreboard: begin -->", "<!-- scoreboard: end -->"
#: Worker processes for which the time of a full run is stated: the command line's default.
WORKERS = 2
#: The README's picture, relative to it, by the ground that it is drawn for.
PICTURES = {palette: f"docs/scoreboard-{palette}.svg" for palette in ("light", "dark")}
#: Kinds of numbers by the column that counts them.
_COLUMNS = {
    "own method: performance": ("own, performance",),
    "own method: selections": ("own, selection",),
    "baselines": ("baseline, performance", "baseline, selection"),
    "quoted": ("quoted",),
}


def scoreboard_markdown(
    papers: Sequence[str], directory: Path | None = None, *, notebooks: str = "notebooks/"
) -> str:
    """Markdown table: the verdicts on every paper counted, its own method first.

    Parameters
    ----------
    papers : sequence of str
    directory : Path, optional
        Results folder; the committed results if not given.
    notebooks : str
        Start of the links to the notebooks, relative to where the table is shown.
    """
    frame = tables.scoreboard(papers, directory)
    head = ["paper", *_COLUMNS, "data", "time"]
    rows = []
    for paper in papers:
        entry = paper_entry(paper)["paper"]
        link = f"[{paper.upper()}]({notebooks}{entry['notebook']}), {entry['year']}"
        own = frame[frame.index.get_level_values("paper") == paper].droplevel("paper")
        counts = [_counts(own, kinds) for kinds in _COLUMNS.values()]
        minutes = f"{_minutes(paper, directory)} min"
        rows.append([link, *counts, _sources(own), minutes])
    total = sum(_minutes(paper, directory) for paper in papers)
    studies = sum(_minutes(study, directory) for study in STUDIES)
    note = (
        f"{_legend(frame)}. Time: `reprolib reproduce --full` from an empty store on {WORKERS} "
        f"cores, {total} min for all papers and {studies} min for the study across them: the "
        f"seconds that the tasks took when these results were made, divided by {WORKERS}."
    )
    return "\n".join([*markdown_table(head, rows), "", note])


def _counts(kinds_of_paper: pd.DataFrame, kinds: Sequence[str]) -> str:
    counted = kinds_of_paper.loc[kinds_of_paper.index.isin(kinds), list(WORDS)].sum()
    told = [f"{VERDICT_STYLE[word][1]}&nbsp;{counted[word]}" for word in WORDS if counted[word]]
    return " ".join(told)


def _legend(frame: pd.DataFrame) -> str:
    counted = frame[list(WORDS)].sum()
    return ", ".join(f"{VERDICT_STYLE[w][1]} {w}" for w in WORDS if counted[w])


def _sources(kinds: pd.DataFrame) -> str:
    listed = {s for sources in kinds["sources"] for s in sources.split(", ")}
    return ", ".join(sorted(listed - {"–"})) or "–"


def _minutes(paper: str, directory: Path | None) -> int:
    seconds = results.load_tasks(paper, directory)["seconds"].sum()
    return max(1, round(seconds / WORKERS / 60))


def pictures(papers: Sequence[str], directory: Path | None = None) -> Mapping[str, str]:
    """Texts of the README's pictures by their paths relative to it."""
    verdicts = {paper: judge_paper(paper, directory) for paper in papers}
    return {path: scoreboard_svg(verdicts, palette=p) for p, path in PICTURES.items()}


def _picture_element(papers: Sequence[str], directory: Path | None) -> str:
    n_numbers = sum(len(judge_paper(paper, directory)) for paper in papers)
    told = f"One mark for each of the {n_numbers} published numbers, by paper, kind and verdict"
    return "\n".join(
        [
            "<picture>",
            f'<source media="(prefers-color-scheme: dark)" srcset="{PICTURES["dark"]}">',
            f'<img alt="{told}; the table below counts them." src="{PICTURES["light"]}">',
            "</picture>",
        ]
    )


def updated(text: str, papers: Sequence[str], directory: Path | None = None) -> str:
    """Text of a README with picture and table between its two markers made anew.

    Raises
    ------
    ValueError
        If the markers are missing.
    """
    shown = [_picture_element(papers, directory), scoreboard_markdown(papers, directory)]
    return replaced(text, BEGIN, END, "\n" + "\n\n".join(shown) + "\n")


def replaced(text: str, begin: str, end: str, content: str) -> str:
    """Text with other content between two markers.

    Raises
    ------
    ValueError
        If a marker is missing.
    """
    if begin not in text or end not in text:
        raise ValueError(f"the text lacks the markers {begin!r} and {end!r}")
    before, rest = text.split(begin, 1)
    _, after = rest.split(end, 1)
    return f"{before}{begin}{content}{end}{after}"


def update_file(path: Path, papers: Sequence[str]) -> None:
    """Rewrite scoreboard and pictures of a README from the committed results."""
    write_atomically(path, updated(path.read_text(encoding="utf-8"), papers))
    for name, text in pictures(papers).items():
        write_atomically(path.parent / name, text)
