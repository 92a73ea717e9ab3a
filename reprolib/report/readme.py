"""What the README shows of the committed results: one sentence, one picture, one table.

``make readme`` writes them between markers, and the picture and error rates of the words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from reprolib.report import tables
from reprolib.report.charts import by_kind, scoreboard
from reprolib.report.drawing import svg
from reprolib.report.printed_tables import Markdown, markdown_table
from reprolib.report.theme import GROUNDS, LOOKS, signed
from reprolib.report.words_picture import words_picture
from reprolib.rerun.records import load_tasks
from reprolib.rerun.records.registry import write_atomically
from reprolib.rerun.verdicts import ClaimVerdict, Verdict, judge_claims, judge_paper
from reprolib.rerun.verdicts.calibration import operating_characteristics
from reprolib.rerun.verdicts.claims import CLAIM_WORDS
from reprolib.rerun.verdicts.printed import paper_entry
from reprolib.rerun.verdicts.words import WORDS

BEGIN, END = "<!-- scoreboard: begin -->", "<!-- scoreboard: end -->"
BEGIN_PICTURE, END_PICTURE = "<!-- picture: begin -->", "<!-- picture: end -->"
BEGIN_CHARACTERISTICS = "<!-- characteristics: begin -->"
END_CHARACTERISTICS = "<!-- characteristics: end -->"
#: Page with the error rates of the words, relative to the README, and the picture of the words.
ERROR_RATES_PAGE = "docs/derivations.md"
WORDS_PICTURE = "docs/words.svg"
#: The README's picture, relative to it, by the ground that it is drawn for.
PICTURES = {ground: f"docs/scoreboard-{ground}.svg" for ground in GROUNDS}
#: Worker processes for which the time of a full run is stated: the command line's default.
WORKERS = 2
#: Kinds of numbers by the column that counts them.
_COLUMNS = {
    "own method: performance": ("own, performance",),
    "own method: selections": ("own, selection",),
    "baselines": ("baseline, performance", "baseline, selection"),
    "quoted": ("quoted",),
}


def update_file(path: Path, papers: Sequence[str]) -> None:
    """Rewrite scoreboard and pictures of a README, and the pages on the words.

    Parameters
    ----------
    path : Path
        The README; pictures and page lie in the folder "docs" beside it.
    papers : sequence of str
        Keys of the papers that it shows.

    Raises
    ------
    ValueError
        If the README or the page lacks a marker.
    """
    for file, text in made(path, papers).items():
        write_atomically(file, text)


def made(path: Path, papers: Sequence[str]) -> Mapping[Path, str]:
    """Texts of the README, of its pictures and of the error rates of the words, by their files."""
    verdicts = {paper: judge_paper(paper) for paper in papers}
    claims = {paper: judge_claims(paper) for paper in papers}
    everything = [v for of_paper in verdicts.values() for v in of_paper]
    drawing = scoreboard(by_kind(verdicts, claims))
    readme = path.read_text(encoding="utf-8")
    picture = [
        _what_stands(everything, [c for of_paper in claims.values() for c in of_paper]),
        "",
        "<picture>",
        f'<source media="(prefers-color-scheme: dark)" srcset="{PICTURES["dark"]}">',
        f'<img alt="One mark for each claim and each of the {len(everything)} published numbers, '
        f'by verdict; the table below counts them." src="{PICTURES["light"]}">',
        "</picture>",
    ]
    readme = between(readme, BEGIN_PICTURE, END_PICTURE, "\n".join(picture))
    readme = between(readme, BEGIN, END, _scoreboard_markdown(papers, claims, everything))
    words = path.parent / ERROR_RATES_PAGE
    page = words.read_text(encoding="utf-8")
    frame = operating_characteristics(everything).reset_index()
    shares = frame.columns[3:]
    rows = [
        [row["paper"].upper(), row["design"], row["numbers"], *(f"{row[s]:.0%}" for s in shares)]
        for row in frame.to_dict("records")
    ]
    table = markdown_table(["paper", "design", "numbers", *shares], rows)
    page = between(page, BEGIN_CHARACTERISTICS, END_CHARACTERISTICS, table)
    pictures = {path.parent / name: svg(drawing, ground) for ground, name in PICTURES.items()}
    pictures[path.parent / WORDS_PICTURE] = words_picture()
    return {path: readme, words: page, **pictures}


def between(text: str, begin: str, end: str, content: str) -> str:
    """Text with other content between two markers."""
    if begin not in text or end not in text:
        raise ValueError(f"the text lacks the markers {begin!r} and {end!r}")
    before, rest = text.split(begin, 1)
    _, after = rest.split(end, 1)
    return f"{before}{begin}\n{content}\n{end}{after}"


def _what_stands(verdicts: Sequence[Verdict], claims: Sequence[ClaimVerdict]) -> str:
    """Say in one sentence how many numbers are reproduced, and how many claims hold."""
    words, of_claims = Counter(v.word for v in verdicts), tables.count_claims(claims)
    read = words["reproduced under a reading"]
    n_judged = len(verdicts) - words["quoted"] - words["not run"]
    return (
        f"**What stands:** of {n_judged} numbers that the papers measured and we could run, "
        f"{words['reproduced'] + read} are reproduced ({read} of them only under a second reading "
        f"of the text), {words['undecided']} undecided, {words['not reproduced']} not reproduced. "
        f"Of {len(claims)} claims {of_claims['holds']} hold, {of_claims['undecided']} are "
        f"undecided, {of_claims['fails']} fail."
    )


def _scoreboard_markdown(
    papers: Sequence[str],
    claims: Mapping[str, Sequence[ClaimVerdict]],
    verdicts: Sequence[Verdict],
) -> str:
    """The claims of every paper, and its verdicts counted, its own method first."""
    frame = tables.scoreboard(papers)
    intro, rows = [], []
    for paper in papers:
        named = [
            f"{LOOKS[c.word].sign} {c.claim.name}" + (r"\*" if c.exceptions else "")
            for c in claims[paper]
        ]
        intro += [f"- **{paper.upper()}**: {'; '.join(named)}"] if named else []
        entry = paper_entry(paper)["paper"]
        link = f"[{paper.upper()}](notebooks/{entry['notebook']}), {entry['year']}"
        own = frame[frame.index.get_level_values("paper") == paper].droplevel("paper")
        kinds = [own.loc[own.index.isin(kinds), list(WORDS)].sum() for kinds in _COLUMNS.values()]
        counts = [_signs(tables.count_claims(claims[paper])), *map(_signs, kinds)]
        sources = {s for sources in own["sources"] for s in sources.split(", ")} - {"–"}
        made_up = [Markdown(text) for text in (link, *counts)]
        rows.append([*made_up, ", ".join(sorted(sources)) or "–", f"{_minutes(paper)} min"])
    total = sum(map(_minutes, papers))
    used = frame[list(WORDS)].sum()
    note = (
        f"Claims: {', '.join(map(signed, CLAIM_WORDS))} (\\* not under every control). "
        f"Numbers: {', '.join(signed(word) for word in WORDS if used[word])}. "
        f"Time: `reprolib reproduce --full` from an empty "
        f"store on {WORKERS} cores, {total} min for all papers: the seconds that the tasks took "
        f"when these results were made, divided by {WORKERS}."
    )
    what = "What the papers claim, by short names (`build/report.html` has the sentences), "
    head = ["paper", "claims", *_COLUMNS, "data", "time"]
    told = [f"{what}and whether it holds in our runs:", "", *intro, ""]
    return "\n".join([*told, markdown_table(head, rows), "", note])


def _signs(counts: Mapping[str, int] | pd.Series) -> str:
    """Signs of the words that are there, each with its count."""
    return " ".join(f"{LOOKS[str(word)].sign}&nbsp;{n}" for word, n in counts.items() if n)


def _minutes(paper: str) -> int:
    """Minutes that the tasks of a paper took, shared by the workers."""
    return max(1, round(load_tasks(paper)["seconds"].sum() / WORKERS / 60))
