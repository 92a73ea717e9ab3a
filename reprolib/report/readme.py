"""The scoreboard in the README, generated from the committed results."""

from __future__ import annotations

from pathlib import Path

from reprolib.report.style import VERDICT_STYLE
from reprolib.rerun import records as results
from reprolib.rerun import tables
from reprolib.rerun.folders import write_atomically
from reprolib.rerun.printed import paper_entry
from reprolib.rerun.registry import STUDIES
from reprolib.rerun.rules import WORDS

BEGIN, END = "<!-- scoreboard: begin -->", "<!-- scoreboard: end -->"
#: Worker processes for which the time of a full run is stated: the command line's default.
WORKERS = 2


def scoreboard_markdown(
    papers, directory: Path | None = None, *, notebooks: str = "notebooks/"
) -> str:
    """Markdown table: the verdicts counted by paper and kind of number, its own method first.

    Parameters
    ----------
    papers : sequence of str
    directory : Path, optional
        Results folder; the committed results if not given.
    notebooks : str
        Start of the links to the notebooks, relative to where the table is shown.
    """
    frame = tables.scoreboard(papers, directory)
    words = [f"{VERDICT_STYLE[word][1]} {word}" for word in WORDS]
    head = ["paper", "of whom and what", "numbers", *words, "data", "time"]
    lines = [_markdown_row(head), "|" + "---|" * len(head)]
    for paper, kinds in frame.groupby(level="paper", sort=False):
        entry = paper_entry(str(paper))["paper"]
        link = f"[{str(paper).upper()}]({notebooks}{entry['notebook']}), {entry['year']}"
        first = [link, f"{_minutes(str(paper), directory)} min"]
        for kind, row in kinds.droplevel("paper").iterrows():
            counts = [row["published"], *(row[word] or "" for word in WORDS)]
            lines.append(_markdown_row([first[0], kind, *counts, row["sources"], first[1]]))
            first = ["", ""]
    total = sum(_minutes(paper, directory) for paper in papers)
    studies = sum(_minutes(study, directory) for study in STUDIES)
    note = (
        f"Time: `reprolib reproduce --full` from an empty store on {WORKERS} cores, {total} min "
        f"for all papers and {studies} min for the study across them. It is the sum of the "
        f"seconds that the tasks took when these results were made, divided by {WORKERS}."
    )
    return "\n".join([*lines, "", note])


def _markdown_row(cells) -> str:
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def _minutes(paper: str, directory: Path | None) -> int:
    seconds = results.computing_seconds(results.load_paper(paper, directory))
    return max(1, round(seconds / WORKERS / 60))


def updated(text: str, papers, directory: Path | None = None) -> str:
    """Text of a README with the scoreboard between its two markers made anew.

    Raises
    ------
    ValueError
        If the markers are missing.
    """
    return replaced(text, BEGIN, END, f"\n{scoreboard_markdown(papers, directory)}\n")


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


def update_file(path: Path, papers) -> None:
    """Rewrite the scoreboard of a README from the committed results."""
    write_atomically(path, updated(path.read_text(encoding="utf-8"), papers))
