"""What the README shows of the committed results: one sentence, one picture, one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from reprolib.report import tables
from reprolib.report.claims import claims_in_short, count_claims
from reprolib.report.drawing import svg
from reprolib.report.markdown import Markdown, markdown_table
from reprolib.report.scoreboard import by_kind, scoreboard
from reprolib.report.theme import GROUNDS, LOOKS, signed
from reprolib.report.words import calibration_text
from reprolib.rerun import records as results
from reprolib.rerun.records.folders import write_atomically
from reprolib.rerun.verdicts.calibration import operating_characteristics
from reprolib.rerun.verdicts.claims import CLAIM_WORDS, judge_claims
from reprolib.rerun.verdicts.judge import judge_paper
from reprolib.rerun.verdicts.printed import paper_entry
from reprolib.rerun.verdicts.words import WORDS

BEGIN, END = "<!-- scoreboard: begin -->", "<!-- scoreboard: end -->"
BEGIN_PICTURE, END_PICTURE = "<!-- picture: begin -->", "<!-- picture: end -->"
BEGIN_CHARACTERISTICS = "<!-- characteristics: begin -->"
END_CHARACTERISTICS = "<!-- characteristics: end -->"
#: Page on the words, relative to the README.
WORDS_PAGE = "docs/words.md"
#: Worker processes for which the time of a full run is stated: the command line's default.
WORKERS = 2
#: The README's picture, relative to it, by the ground that it is drawn for.
PICTURES = {ground: f"docs/scoreboard-{ground}.svg" for ground in GROUNDS}
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
    """Markdown: the claims of every paper, and its verdicts counted, its own method first.

    Parameters
    ----------
    papers : sequence of str
    directory : Path, optional
        Results folder; the committed results if not given.
    notebooks : str
        Start of the links to the notebooks, relative to where the table is shown.
    """
    frame = tables.scoreboard(papers, directory)
    head = ["paper", "claims", *_COLUMNS, "data", "time"]
    rows = []
    for paper in papers:
        entry = paper_entry(paper)["paper"]
        link = f"[{paper.upper()}]({notebooks}{entry['notebook']}), {entry['year']}"
        own = frame[frame.index.get_level_values("paper") == paper].droplevel("paper")
        counts = [_counts(own, kinds) for kinds in _COLUMNS.values()]
        minutes = f"{_minutes(paper, directory)} min"
        made = [Markdown(text) for text in (link, _claims(paper, directory), *counts)]
        rows.append([*made, _sources(own), minutes])
    total = sum(_minutes(paper, directory) for paper in papers)
    claims = claims_in_short(papers, directory)
    signs = ", ".join(map(signed, CLAIM_WORDS))
    verdicts = [v for paper in papers for v in judge_paper(paper, directory)]
    note = (
        f"Claims: {signs} (\\* not under every control). Numbers: {_legend(frame)}. "
        f"{calibration_text(verdicts)} Time: `reprolib reproduce --full` from an empty store on "
        f"{WORKERS} cores, {total} min for all papers: the seconds that the tasks took when these "
        f"results were made, divided by {WORKERS}."
    )
    what = "What the papers claim, by short names (`build/report.html` has the sentences), "
    intro = [f"{what}and whether it holds in our runs:", "", *claims, ""]
    return "\n".join([*intro, markdown_table(head, rows), "", note])


def _claims(paper: str, directory: Path | None) -> str:
    counts = count_claims(judge_claims(paper, directory))
    signs = [f"{LOOKS[word].sign}&nbsp;{count}" for word, count in counts.items() if count]
    return " ".join(signs)


def _counts(kinds_of_paper: pd.DataFrame, kinds: Sequence[str]) -> str:
    counted = kinds_of_paper.loc[kinds_of_paper.index.isin(kinds), list(WORDS)].sum()
    signs = [f"{LOOKS[word].sign}&nbsp;{counted[word]}" for word in WORDS if counted[word]]
    return " ".join(signs)


def _legend(frame: pd.DataFrame) -> str:
    counted = frame[list(WORDS)].sum()
    return ", ".join(signed(word) for word in WORDS if counted[word])


def _sources(kinds: pd.DataFrame) -> str:
    named_sources = {s for sources in kinds["sources"] for s in sources.split(", ")}
    return ", ".join(sorted(named_sources - {"–"})) or "–"


def _minutes(paper: str, directory: Path | None) -> int:
    seconds = results.load_tasks(paper, directory)["seconds"].sum()
    return max(1, round(seconds / WORKERS / 60))


def pictures(papers: Sequence[str], directory: Path | None = None) -> Mapping[str, str]:
    """Texts of the README's pictures by their paths relative to it."""
    verdicts = {paper: judge_paper(paper, directory) for paper in papers}
    claims = {paper: judge_claims(paper, directory) for paper in papers}
    drawing = scoreboard(by_kind(verdicts, claims))
    return {path: svg(drawing, ground) for ground, path in PICTURES.items()}


def _picture_element(papers: Sequence[str], directory: Path | None) -> str:
    n_numbers = sum(len(judge_paper(paper, directory)) for paper in papers)
    alt = f"One mark for each claim and each of the {n_numbers} published numbers, by verdict"
    return "\n".join(
        [
            _stands(papers, directory),
            "",
            "<picture>",
            f'<source media="(prefers-color-scheme: dark)" srcset="{PICTURES["dark"]}">',
            f'<img alt="{alt}; the table below counts them." src="{PICTURES["light"]}">',
            "</picture>",
        ]
    )


def _stands(papers: Sequence[str], directory: Path | None) -> str:
    """Say in one sentence how many numbers are reproduced, and how many claims hold."""
    verdicts = [v for paper in papers for v in judge_paper(paper, directory)]
    words = Counter(v.word for v in verdicts)
    read = words["reproduced under a reading"]
    n_judged = len(verdicts) - words["quoted"] - words["not run"]
    claims = count_claims([c for paper in papers for c in judge_claims(paper, directory)])
    return (
        f"**What stands:** of {n_judged} numbers that the papers measured and we could run, "
        f"{words['reproduced'] + read} are reproduced ({read} of them only under a second reading "
        f"of the text), {words['undecided']} undecided, {words['not reproduced']} not reproduced. "
        f"Of {sum(claims.values())} claims {claims['holds']} hold, {claims['undecided']} are "
        f"undecided, {claims['fails']} fail."
    )


def updated(text: str, papers: Sequence[str], directory: Path | None = None) -> str:
    """Text of a README with picture and table, each between its two markers, made anew.

    Raises
    ------
    ValueError
        If markers are missing.
    """
    picture, table = _picture_element(papers, directory), scoreboard_markdown(papers, directory)
    text = replaced(text, BEGIN_PICTURE, END_PICTURE, f"\n{picture}\n")
    return replaced(text, BEGIN, END, f"\n{table}\n")


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


def characteristics_markdown(papers: Sequence[str], directory: Path | None = None) -> str:
    """How often the words would be right and wrong, by paper and design, as a Markdown table."""
    verdicts = [v for paper in papers for v in judge_paper(paper, directory)]
    frame = operating_characteristics(verdicts).reset_index()
    shares = frame.columns[3:]
    head = ["paper", "design", "numbers", *shares]
    rows = [
        [row["paper"].upper(), row["design"], row["numbers"], *(f"{row[s]:.0%}" for s in shares)]
        for row in frame.to_dict("records")
    ]
    return f"{markdown_table(head, rows)}\n\n{calibration_text(verdicts)}"


def updated_words(text: str, papers: Sequence[str], directory: Path | None = None) -> str:
    """Text of the page on the words with its table of characteristics made anew."""
    content = f"\n{characteristics_markdown(papers, directory)}\n"
    return replaced(text, BEGIN_CHARACTERISTICS, END_CHARACTERISTICS, content)


def update_file(path: Path, papers: Sequence[str]) -> None:
    """Rewrite scoreboard and pictures of a README, and its page on the words."""
    write_atomically(path, updated(path.read_text(encoding="utf-8"), papers))
    words = path.parent / WORDS_PAGE
    write_atomically(words, updated_words(words.read_text(encoding="utf-8"), papers))
    for name, text in pictures(papers).items():
        write_atomically(path.parent / name, text)
