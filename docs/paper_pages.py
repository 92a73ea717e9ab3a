"""The papers on one page: what each claims, what stands, and where the rest is."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from estimator_pages import estimators, title
from explore import address, titled

from reprolib.report.tables import claims_frame
from reprolib.report.theme import signed
from reprolib.rerun.records.registry import PAPERS, STUDIES
from reprolib.rerun.verdicts import judge_paper
from reprolib.rerun.verdicts.judge import count_words
from reprolib.rerun.verdicts.printed import paper_entry


def section(paper: str) -> str:
    """One paper or study in Markdown."""
    about = paper_entry(paper)["paper"]
    year = "" if str(about["year"]) in about["venue"] else f", {about['year']}"
    lines = [f"## {titled(paper)}", ""]
    lines += [f"*{about['authors']}. {about['venue']}{year}.*", "", links(paper), ""]
    claims = claims_frame([paper])
    lines += ["What it claims, and what our runs say:", ""] if len(claims) else []
    lines += [f"- {claim_line(claim)}" for _, claim in claims.iterrows()]
    return "\n".join([*lines, "", numbers_line(paper), ""])


def links(paper: str) -> str:
    """Where to read on: notebook, report, figures, estimators."""
    notebook = paper_entry(paper)["paper"]["notebook"]
    explored = [f'<a href="explore.html#{paper}">its numbers, to turn</a>'] * (paper in PAPERS)
    found = [
        f"[Notebook](notebooks/{notebook})",
        *explored,
        f'<a href="report.html#{paper}">all its numbers in the report</a>',
        "[figures with their code](gallery.md)",
    ]
    own = [
        f"[{title(name)}](estimators/{name}.md)"
        for name, estimator in estimators().items()
        if estimator.__module__.split(".")[2] == paper
    ]
    return " · ".join(found) + (f"\n\nMethods: {'; '.join(own)}." if own else "")


def claim_line(claim: pd.Series) -> str:
    """The word, which opens its evidence, the claim in its own words, and the difference."""
    paper, name = claim.name
    but = f" ({claim['but']})" if claim["but"] else ""
    evidence = address(str(paper), "claims", str(name))
    return (
        f'<a href="explore.html#{evidence}">**{signed(claim["verdict"])}**</a>'
        f"{but}: “{claim['text']}” ({claim['contrast']}: "
        f"{claim['difference']} ± {claim['half-width']})"
    )


def numbers_line(paper: str) -> str:
    """How many printed numbers have each word; nothing for a study, which prints none."""
    counts = count_words(judge_paper(paper))
    told = ", ".join(f"{n} {signed(word)}" for word, n in counts.items() if n)
    return f"Its printed numbers: {told}. [What the words mean](words.md)." if told else ""


def write_papers(folder: Path) -> None:
    """Write ``papers.md``, all papers and studies one after the other."""
    text = "\n".join(section(paper) for paper in (*PAPERS, *STUDIES))
    (folder / "papers.md").write_text(text, encoding="utf-8")
