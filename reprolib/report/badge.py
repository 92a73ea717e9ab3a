"""A badge for a README: how many printed numbers are reproduced, as one small SVG."""

from __future__ import annotations

from collections.abc import Sequence

from reprolib.report.render import render
from reprolib.report.theme import GROUND_COLOURS, LOOKS
from reprolib.rerun.verdicts.judge import Verdict

_LABEL = "printed numbers"
#: Behind white letters: all reproduced, or not all.
_ALL, _SOME = LOOKS["reproduced"].colour.light, GROUND_COLOURS["accent"].light
#: Pixels of a letter of the badge's font, and around a text.
_LETTER, _PADDING = 6.6, 12


def counted(verdicts: Sequence[Verdict]) -> tuple[int, int]:
    """How many numbers are reproduced, of those that were run; a quoted one is no experiment."""
    run = [v.word for v in verdicts if v.word not in ("quoted", "not run")]
    return sum(word == "reproduced" for word in run), len(run)


def badge_svg(verdicts: Sequence[Verdict], title: str) -> str:
    """Draw the badge: "17 of 22 reproduced", read out by a screen reader, nothing loaded.

    Parameters
    ----------
    verdicts : sequence of Verdict
    title : str
        Shown when it is pointed at.
    """
    reproduced, run = counted(verdicts)
    count = f"{reproduced} of {run} reproduced" if run else "none run"
    left, right = (round(_LETTER * len(text)) + _PADDING for text in (_LABEL, count))
    colour = _ALL if run and reproduced == run else _SOME
    return render(
        "badge.svg.jinja",
        title=title,
        label=_LABEL,
        count=count,
        left=left,
        width=left + right,
        colour=colour,
    )
