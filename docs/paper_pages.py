"""The papers on one page: what each claims, what stands, and where the rest is."""

from __future__ import annotations

from pathlib import Path

from estimator_pages import estimators, title

from reprolib.report.claims import digits_of
from reprolib.report.style import CLAIM_STYLE, VERDICT_STYLE
from reprolib.report.tables import difference_text, half_width_text
from reprolib.rerun.records.registry import PAPERS, STUDIES
from reprolib.rerun.verdicts import ClaimVerdict, judge_claims, judge_paper
from reprolib.rerun.verdicts.judge import count_words
from reprolib.rerun.verdicts.printed import paper_entry


def section(paper: str) -> str:
    """One paper or study in Markdown."""
    about = paper_entry(paper)["paper"]
    year = "" if str(about["year"]) in about["venue"] else f", {about['year']}"
    lines = [f"## {paper.upper()}: {about['title']}", ""]
    lines += [f"*{about['authors']}. {about['venue']}{year}.*", "", links(paper), ""]
    claims = judge_claims(paper)
    lines += ["What it claims, and what our runs say:", ""] if claims else []
    lines += [f"- {claim_line(claim)}" for claim in claims]
    return "\n".join([*lines, "", numbers_line(paper), ""])


def links(paper: str) -> str:
    """Where to read on: notebook, report, figures, estimators."""
    notebook = paper_entry(paper)["paper"]["notebook"]
    found = [
        f"[Notebook](notebooks/{notebook})",
        f'<a href="report.html#{paper}">all its numbers in the report</a>',
        "[figures with their code](gallery.md)",
    ]
    own = [
        f"[{title(name)}](estimators/{name}.md)"
        for name, estimator in estimators().items()
        if estimator.__module__.split(".")[2] == paper
    ]
    return " · ".join(found) + (f"\n\nMethods: {'; '.join(own)}." if own else "")


def claim_line(c: ClaimVerdict) -> str:
    """The word, the claim in its own words, and the difference that decides."""
    sign, digits = CLAIM_STYLE[c.word][1], digits_of(c)
    return (
        f"{sign} **{c.told}**: “{c.text}” ({c.claim.a.name} − {c.weakest.against}: "
        f"{difference_text(c.weakest.difference, digits)} ± "
        f"{half_width_text(c.weakest.error.half_width(), digits)})"
    )


def numbers_line(paper: str) -> str:
    """How many printed numbers have each word; nothing for a study, which prints none."""
    counts = count_words(judge_paper(paper))
    told = ", ".join(f"{VERDICT_STYLE[word][1]} {n} {word}" for word, n in counts.items() if n)
    return f"Its printed numbers: {told}. [What the words mean](words.md)." if told else ""


def write_papers(folder: Path) -> None:
    """Write ``papers.md``, all papers and studies one after the other."""
    text = "\n".join(section(paper) for paper in (*PAPERS, *STUDIES))
    (folder / "papers.md").write_text(text, encoding="utf-8")
