"""The picture that explains the words: made-up intervals and the word that each has."""

from __future__ import annotations

from reprolib.report.theme import palette, render, signed, slug
from reprolib.rerun.printed.schema import MARGIN
from reprolib.rerun.verdicts.errors import Error
from reprolib.rerun.verdicts.words import of_difference

#: Difference and standard error, in points, and what one sees.
EXAMPLES = (
    (0.3, 0.4, "inside the band"),
    (0.9, 0.25, "also inside, though not zero"),
    (0.7, 1.1, "too wide to tell"),
    (1.6, 0.6, "not zero; beyond the band is open"),
    (3.1, 0.6, "outside the band"),
)
#: Pixels a point of difference, a line, and from the left edge to zero.
_POINT, _LINE, _ZERO = 62.0, 46, 150.0


def words_picture() -> str:
    """SVG for light and dark grounds; the same wherever it is drawn."""
    lines = []
    for place, (difference, standard, seen) in enumerate(EXAMPLES):
        error = Error(standard)
        word = of_difference(difference, error, MARGIN)
        halves = error.half_width(), error.half_width(0.9)
        thin, thick = (
            [round(_ZERO + _POINT * (difference + sign * half), 1) for sign in (-1, 1)]
            for half in halves
        )
        lines.append(
            {
                "y": 24 + _LINE * place,
                "x": round(_ZERO + _POINT * difference, 1),
                "thin": thin,
                "thick": thick,
                "slug": slug(word),
                "text": f"{signed(word)}: {seen}",
            }
        )
    return render(
        "words.svg.jinja",
        lines=lines,
        light=palette("light"),
        dark=palette("dark"),
        band=(_ZERO - _POINT * MARGIN, 2 * _POINT * MARGIN),
        ticks=[
            (_ZERO + _POINT * tick, f"{tick:g}".replace("-", "−"))
            for tick in (-MARGIN, 0.0, MARGIN, 3.0)
        ],
        bottom=24 + _LINE * len(EXAMPLES) - 14,
    )
