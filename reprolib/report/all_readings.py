"""A claim under every reading that was run, in one small picture: sorted intervals and a band."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote

from reprolib.report.theme import BAND, LOOKS
from reprolib.report.turning import BLACK, GREY, Box
from reprolib.rerun.verdicts import ClaimVerdict
from reprolib.rerun.verdicts.claims import Contrast

#: Pixels of the picture, and of its texts.
_WIDTH, _HEIGHT, _FONT = 260, 120, 13
#: Pixels between two lines, at most.
_STEP = 14.0
#: Ends farther from the judged one than so many times what is compared are cut.
_FAR = 4.0


class Reading(NamedTuple):
    """A claim under one reading: the difference that decides, its interval, and the word."""

    name: str
    low: float
    high: float
    estimate: float
    word: str
    is_headline: bool = False


@dataclass(frozen=True)
class AllReadings:
    """The picture of a claim; a notebook shows it in a cell of a table, with its words below.

    Parameters
    ----------
    readings : sequence of Reading
        In any order; one is the headline, which is nearest to the paper's text.
    band : pair of float
        Where the sentence is true; an end may be infinite.
    told : str
        What comes of it, in words.
    digits : int
        After the point.
    """

    readings: Sequence[Reading]
    band: tuple[float, float]
    told: str
    digits: int

    def __str__(self) -> str:
        return self.told

    def _repr_html_(self) -> str:
        source = "data:image/svg+xml," + quote(self.svg, safe=" /:=,;<>")
        alt = html.escape(self.alternative)
        width = f"width: {_WIDTH}px"
        return (
            f'<img alt="{alt}" src="{html.escape(source)}" style="{width}; max-width: none">'
            f'<small style="display: block; {width}">{html.escape(self.told)}</small>'
        )

    @property
    def alternative(self) -> str:
        """For those who cannot see it."""
        own = next(r for r in self.readings if r.is_headline)
        ends = [r.estimate for r in self.readings]
        first, last, judged = (
            f"{round(x, self.digits) + 0.0:+g}" for x in (min(ends), max(ends), own.estimate)
        )
        return f"Intervals of {len(ends)} variants: {first} to {last}; nearest to the text {judged}"

    @property
    def svg(self) -> str:
        """Intervals from the lowest to the highest; green is where the sentence is true."""
        # Equal on every processor: ties are sorted by name.
        readings = sorted(self.readings, key=lambda r: (round(r.estimate, 6), r.name))
        box = Box((0, 1), self._ends(), 42, _WIDTH - 6, 6, _HEIGHT - 28)
        low, high = box.y
        band = tuple(min(max(end, low), high) for end in self.band)
        step = min(_STEP, (box.right - box.left) / len(readings))
        first = (box.right - box.left - step * (len(readings) - 1)) / 2
        parts = [box.rectangle((0, 1), band, BAND)]
        parts += [
            box.line((0, 1), (y, y), BLACK if y == 0 else GREY, 1)
            + box.text(0, y, f"{y:g}".replace("-", "−"), anchor="end", shift=(-5, 5))
            for y in self._ticks(box)
        ]
        places = [box.at(0, 0)[0] + first + k * step for k in range(len(readings))]
        size = min(3.5, max(1.0, step / 2.5))
        headline_last = sorted({r[4:] for r in readings}, key=lambda look: look[::-1])
        for look in headline_last:
            own = [(x, r) for x, r in zip(places, readings, strict=True) if r[4:] == look]
            parts.append(_drawn(box, own, size, *look))
        x = places[[r.is_headline for r in readings].index(True)]
        anchor = "start" if x < _WIDTH / 3 else "end" if x > 2 * _WIDTH / 3 else "middle"
        parts.append(f'<text x="{x:.0f}" y="{box.bottom + 12}" text-anchor="middle">▲</text>')
        parts.append(
            f'<text x="{x:.0f}" y="{_HEIGHT - 3}" text-anchor="{anchor}">nearest to the text</text>'
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
            f'font-family="sans-serif" font-size="{_FONT}">'
            f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>'
        )

    def _ends(self) -> tuple[float, float]:
        """Lowest and highest difference that is drawn."""
        own = next(r for r in self.readings if r.is_headline)
        estimates = [r.estimate for r in self.readings]
        sizes = [max(estimates) - min(estimates), own.high - own.low, *self.band, own.estimate]
        far = _FAR * max(abs(size) for size in sizes if math.isfinite(size))
        ends = [
            *estimates,
            *(e for r in self.readings for e in (r.low, r.high) if abs(e - own.estimate) < far),
            *(end for end in self.band if math.isfinite(end)),
            0.0,
        ]
        spare = 0.05 * (max(ends) - min(ends))
        return min(ends) - spare, max(ends) + spare

    def _ticks(self, box: Box) -> list[float]:
        """Zero, the ends of the band, and a round number where these are alone."""
        ticks = [0.0, *(end for end in self.band if math.isfinite(end))]
        farthest = max(box.y, key=abs)
        size = 10.0 ** math.floor(math.log10(abs(farthest)))
        fits = [k * size for k in (5, 2, 1) if k * size <= abs(farthest)]
        wanted = [math.copysign(fits[0], farthest), *ticks]
        kept: list[float] = []
        for tick in dict.fromkeys(reversed(wanted)):  # zero and the band before the round number
            places = [box.at(0, other)[1] for other in kept]
            if all(abs(box.at(0, tick)[1] - place) > 1.3 * _FONT for place in places):
                kept.append(tick)
        return kept


def _drawn(
    box: Box, own: Sequence[tuple[float, Reading]], size: float, word: str, is_headline: bool
) -> str:
    """Readings of one look, at their places: their intervals in one path, their dots in another."""
    colour = BLACK if is_headline else LOOKS[word].colour.light
    lines, dots = "", ""
    for x, r in own:
        low, high, y = (
            box.at(0, min(max(end, box.y[0]), box.y[1]))[1] for end in (r.low, r.high, r.estimate)
        )
        lines += f"M{x:.1f} {low:.1f}V{high:.1f}"
        dots += f"M{x:.1f} {y:.1f}h0" if word != "fails" else _cross(x, y, size)
    width = 3 if is_headline else max(1.0, size / 2)
    parts = [f'<path d="{lines}" stroke="{colour}" stroke-width="{width:g}"/>']
    if word == "fails":
        return parts[0] + f'<path d="{dots}" stroke="{colour}" stroke-width="2"/>'
    hole = [(colour, 2 * size + 1)] + ([("white", 2 * size - 2)] if word != "holds" else [])
    parts += [
        f'<path d="{dots}" stroke="{fill}" stroke-width="{across:g}" stroke-linecap="round"/>'
        for fill, across in hole
    ]
    return "".join(parts)


def _cross(x: float, y: float, size: float) -> str:
    side = f"{2 * size:g}"
    return f"M{x - size:.1f} {y - size:.1f}l{side} {side}m-{side} 0l{side}-{side}"


def of_claim(c: ClaimVerdict, digits: int) -> AllReadings:
    """A claim under all readings, and in all settings of its family; so many digits are told."""
    claim = c.claim
    level = 0.95 if claim.kind == "better" else 0.9

    def reading(name: str, found: Contrast, is_headline: bool = False) -> Reading:
        middle, half = found.difference, found.error.half_width(level)
        return Reading(name, middle - half, middle + half, middle, found.word, is_headline)

    others = {**c.readings, **c.family}
    readings = [reading(claim.reading, c.weakest, True)]
    readings += [reading(name, found) for name, found in others.items()]
    low, high = {
        "better": (claim.by, math.inf),
        "at least as good": (-claim.margin, math.inf),
        "same": (-claim.margin, claim.margin),
    }[claim.kind]
    band = (low, high) if claim.larger_is_better else (0.0 - high, 0.0 - low)
    return AllReadings(readings, band, f"others: {c.in_other_variants}", digits)
