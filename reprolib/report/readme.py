"""What the README shows of the committed results: a picture, a sentence a paper, one table.

``make readme`` writes them between markers, and the picture and error rates of the words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from reprolib.report.headline import headline_picture, sentences
from reprolib.report.printed_tables import Markdown, markdown_table
from reprolib.report.theme import LOOKS
from reprolib.report.words_picture import words_picture
from reprolib.rerun.records import load_tasks
from reprolib.rerun.records.registry import write_atomically
from reprolib.rerun.verdicts import judge_paper
from reprolib.rerun.verdicts.calibration import operating_characteristics
from reprolib.rerun.verdicts.printed import paper_entry, short_name
from reprolib.rerun.verdicts.standing import Standing, standing_of

BEGIN, END = "<!-- scoreboard: begin -->", "<!-- scoreboard: end -->"
BEGIN_PICTURE, END_PICTURE = "<!-- picture: begin -->", "<!-- picture: end -->"
BEGIN_CHARACTERISTICS = "<!-- characteristics: begin -->"
END_CHARACTERISTICS = "<!-- characteristics: end -->"
#: Page with the error rates of the words, relative to the README, and the picture of the words.
ERROR_RATES_PAGE = "docs/derivations.md"
WORDS_PICTURE = "docs/words.svg"
#: The README's picture, relative to it, and what it shows.
PICTURE = "docs/headline.svg"
ALTERNATIVE = (
    "One bar a paper: how many accuracies of its own method are within 1.5 points of ours, "
    "undecided, or beyond; the table below has the counts."
)
#: Worker processes for which the time of a full run is stated: the command line's default.
WORKERS = 2


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
    standings = {paper: standing_of(paper) for paper in papers}
    everything = [v for paper in papers for v in judge_paper(paper)]
    readme = path.read_text(encoding="utf-8")
    told = [
        f"- **[{short_name(p)}](notebooks/{paper_entry(p)['paper']['notebook']})**: {text}"
        for p, text in sentences(papers).items()
    ]
    picture = [f'<img alt="{ALTERNATIVE}" src="{PICTURE}" width="520">', "", *told]
    readme = between(readme, BEGIN_PICTURE, END_PICTURE, "\n".join(picture))
    readme = between(readme, BEGIN, END, _counts(standings))
    words = path.parent / ERROR_RATES_PAGE
    page = words.read_text(encoding="utf-8")
    frame = operating_characteristics(everything).reset_index()
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
        path.parent / PICTURE: headline_picture(standings),
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


def _counts(standings: Mapping[str, Standing]) -> str:
    """Baselines and claims counted by verdict; selections apart, below."""
    head = ["paper", "claims", "accuracies of baselines"]
    rows, chosen, minutes = [], [], []
    for paper, standing in standings.items():
        short = short_name(paper)
        cells = (_listed(standing.claims), _listed(standing.baselines))
        rows.append([short, *map(Markdown, cells)])
        seconds = load_tasks(paper)["seconds"].sum() / WORKERS
        minutes.append(f"{short} {max(1, round(seconds / 60))}")
        counts = [f"{n} {word.split(', ')[-1]}" for word, n in standing.selections.items() if n]
        if counts:
            chosen.append(f"{short}: {', '.join(counts)}")
    words = (
        "*Claims* are sentences of a paper that compare methods; *baselines* are methods that it "
        "compares with. *Holds, but*: as we read the text, and not under some other reading. "
        "*Reproduced in a variant*: only under another reading. *Undecided*: our runs or data are "
        "too few to tell; *differs*: ours is off, perhaps by more than 1.5 points."
    )
    told = "Dimensions and other settings that our runs chose, beside the printed ones"
    apart = f"<sub>{told}: {'; '.join(chosen)}.</sub>"
    folded = "<details><summary>Claims, baselines and chosen settings, counted</summary>"
    time = f"Minutes to run a paper again on two cores: {', '.join(minutes)}."
    table = markdown_table(head, rows)
    return "\n\n".join([folded, table, words, apart, "</details>", time])


def _listed(counts: Mapping) -> str:
    """Verdicts that are there, each with its mark and count, one below the other."""
    lines = [f"{LOOKS[str(word)].sign}&nbsp;{word}:&nbsp;{n}" for word, n in counts.items() if n]
    return "<br>".join(lines) or "none"
