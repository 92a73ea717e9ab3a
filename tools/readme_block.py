"""What the README shows of the committed results: a picture, some sentences a paper, minutes.

``make readme`` writes them between markers, and the picture and error rates of the words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from reprolib.report.headline import headline_picture, sentences
from reprolib.report.printed_tables import markdown_table
from reprolib.rerun.records import load_tasks
from reprolib.rerun.records.duration import minutes_of
from reprolib.rerun.records.registry import PAPERS, packaged, printed_of, write_atomically
from reprolib.rerun.verdicts import judge_paper
from reprolib.rerun.verdicts.calibration import operating_characteristics
from reprolib.rerun.verdicts.printed import points_of, short_name
from tools.words_picture import words_picture

BEGIN, END = "<!-- minutes: begin -->", "<!-- minutes: end -->"
BEGIN_PICTURE, END_PICTURE = "<!-- picture: begin -->", "<!-- picture: end -->"
BEGIN_CHARACTERISTICS = "<!-- characteristics: begin -->"
END_CHARACTERISTICS = "<!-- characteristics: end -->"
#: Page with the error rates of the words, relative to the README, and the picture of the words.
ERROR_RATES_PAGE = "docs/derivations.md"
WORDS_PICTURE = "docs/words.svg"
#: The README's picture, relative to it, and what it shows.
PICTURE = "docs/headline.svg"
ALTERNATIVE = (
    "Two bars a paper: how many accuracies of its own method, and of those that it compares with, "
    "are ours to the digit, within {margin}, undecided, or beyond; the notebooks say which."
)


def made(path: Path, papers: Sequence[str]) -> Mapping[Path, str]:
    """Texts of the README, of its pictures and of the error rates of the words, by their files."""
    verdicts = {paper: judge_paper(paper) for paper in papers}
    readme = path.read_text(encoding="utf-8")
    told = []
    for paper, text in sentences(papers).items():
        file = printed_of(paper)
        name = f"[{short_name(paper)}](notebooks/{file.story.notebook}), {file.printed.paper.year}"
        told.append(f"- {name}: {file.story.method}. **{file.story.stands}.** {text}")
    picture = [
        f'<img alt="{ALTERNATIVE.format(margin=points_of(papers))}" src="{PICTURE}" width="520">',
        "",
        *told,
    ]
    readme = between(readme, BEGIN_PICTURE, END_PICTURE, "\n".join(picture))
    readme = between(readme, BEGIN, END, _minutes(papers))
    words = path.parent / ERROR_RATES_PAGE
    page = words.read_text(encoding="utf-8")
    frame = operating_characteristics(
        [v for of_paper in verdicts.values() for v in of_paper]
    ).reset_index()
    shares = frame.columns[3:]
    rows = [
        [
            short_name(row["paper"]),
            row["design"],
            row["numbers"],
            *(f"{row[s]:.0%}" for s in shares),
        ]
        for row in frame.to_dict("records")
    ]
    table = markdown_table(["paper", "design", "numbers", *shares], rows)
    page = between(page, BEGIN_CHARACTERISTICS, END_CHARACTERISTICS, table)
    pictures = {
        path.parent / PICTURE: headline_picture(verdicts),
        path.parent / WORDS_PICTURE: words_picture(),
    }
    return {path: readme, words: page, **pictures}


def between(text: str, begin: str, end: str, content: str) -> str:
    """Text with other content between two markers."""
    if begin not in text or end not in text:
        raise ValueError(f"the text lacks the markers {begin!r} and {end!r}")
    before, rest = text.split(begin, 1)
    _, after = rest.split(end, 1)
    return f"{before}{begin}\n{content}\n{end}{after}"


def _minutes(papers: Sequence[str]) -> str:
    """How long each paper takes."""
    told = []
    for paper in papers:
        minutes = minutes_of(load_tasks(paper)["seconds"].sum())
        told.append(f"{short_name(paper)} {minutes}")
    minutes = ", ".join(told)
    return f"Minutes to run a paper again on two cores: {minutes}."


if __name__ == "__main__":
    for file, text in made(Path(__file__).parents[1] / "README.md", packaged(PAPERS)).items():
        write_atomically(file, text)
