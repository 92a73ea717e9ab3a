"""The scoreboard as SVG: one mark for each published number, one line for each kind of number."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from reprolib.report.claims import described_claim
from reprolib.report.marks import described, outcomes
from reprolib.report.palette import PALETTES
from reprolib.report.render import render
from reprolib.report.tables import in_report_order, kind_of_number
from reprolib.rerun.verdicts.claims import ClaimVerdict
from reprolib.rerun.verdicts.judge import Verdict, count_words
from reprolib.rerun.verdicts.printed import paper_entry
from reprolib.rerun.verdicts.words import WORDS

#: Places of names and marks, and lengths, in pixels.
_KIND, _FIRST, _STEP, _PITCH, _GAP = 122, 282, 14, 18, 8
#: Marks in one line; a longer kind goes on in the next.
_PER_LINE = 36
_WIDTH = _FIRST + _PER_LINE * _STEP
_LEGEND_COLUMNS = 3


def scoreboard_svg(
    verdicts: Mapping[str, Sequence[Verdict]],
    claims: Mapping[str, Sequence[ClaimVerdict]],
    *,
    palette: str = "",
) -> str:
    """Draw one mark for each claim and number, a paper after the other, its claims first.

    Parameters
    ----------
    verdicts : mapping of paper to verdicts
    claims : mapping of paper to verdicts on its claims
    palette : {"", "light", "dark"}
        Colours of a picture that stands alone; without them it takes those of its page.

    Returns
    -------
    str
        Within a kind, marks are sorted by verdict. Each has its description as a title, and its
        word under every reading for the page's selector.
    """
    lines, y = [], 0
    for paper, listed in verdicts.items():
        groups: dict[str, list[dict[str, Any]]] = {}
        if of_paper := claims.get(paper):
            groups["claims"] = [_claim_mark(c) for c in of_paper]
        groups |= {kind: [_mark(v) for v in group] for kind, group in _kinds(listed).items()}
        for i, (kind, marks) in enumerate(groups.items()):
            name = f"{paper.upper()}, {paper_entry(paper)['paper']['year']}" if i == 0 else ""
            lines.append({"name": name, "kind": kind, "y": y, "marks": _placed(marks, y)})
            y += _PITCH * -(-len(marks) // _PER_LINE)
        y += _GAP
    counts = count_words([v for listed in verdicts.values() for v in listed])
    shown = {word: count for word, count in counts.items() if count or not palette}
    legend = _legend(shown, y + _GAP)
    return render(
        "scoreboard.svg.jinja",
        lines=lines,
        legend=legend,
        kind_x=_KIND,
        width=_WIDTH,
        height=max((entry["y"] for entry in legend), default=0) + 2 * _PITCH,
        colours=PALETTES.get(palette),
        title=_title(counts),
    )


def _kinds(listed: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    kinds: dict[str, list[Verdict]] = {}
    for v in in_report_order(listed):
        kinds.setdefault(kind_of_number(v), []).append(v)
    return {kind: sorted(group, key=lambda v: WORDS.index(v.word)) for kind, group in kinds.items()}


def _mark(v: Verdict) -> dict[str, Any]:
    return {
        "word": v.word,
        "claim": False,
        "paper": v.number.paper,
        "title": described(v),
        "outcomes": json.dumps(outcomes(v), ensure_ascii=False),
    }


def _claim_mark(c: ClaimVerdict) -> dict[str, Any]:
    told = described_claim(c)
    return {
        "word": c.word,
        "claim": True,
        "paper": c.claim.paper,
        "title": told,
        "outcomes": json.dumps({"": (c.word, told)}, ensure_ascii=False),
    }


def _placed(marks: Sequence[dict[str, Any]], y: int) -> list[dict[str, Any]]:
    return [
        {**mark, "x": _FIRST + _STEP * (i % _PER_LINE), "y": y + _PITCH * (i // _PER_LINE)}
        for i, mark in enumerate(marks)
    ]


def _legend(counts: Mapping[Any, int], top: int) -> list[dict[str, Any]]:
    width = _WIDTH // _LEGEND_COLUMNS
    return [
        {
            "x": width * (i % _LEGEND_COLUMNS),
            "y": top + _PITCH * (i // _LEGEND_COLUMNS),
            "word": word,
            "count": count,
        }
        for i, (word, count) in enumerate(counts.items())
    ]


def _title(counts: Mapping[Any, int]) -> str:
    told = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    return f"Scoreboard, one mark for each published number: {told}"
