"""Pictures of verdicts as shapes, shown as SVG: alone, or on a page.

Lengths are pixels; y grows downwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from matplotlib.markers import MarkerStyle
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from reprolib.report.theme import LOOKS, Ground, palette, render

#: Diameter of a mark in SVG.
_DIAMETER = 9.2
_LETTERS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}


@dataclass(frozen=True)
class Text:
    """A text that starts at a point, or the number of a tick, which is centred there.

    ``kind`` is "name" for a heading, "tick" for a number below a line, else empty.
    """

    form: ClassVar[str] = "text"
    x: float
    y: float
    text: str
    kind: str = ""


@dataclass(frozen=True)
class Line:
    """A line between two points: "grid", "zero", or an interval, "thin" or "thick", of a word."""

    form: ClassVar[str] = "line"
    start: tuple[float, float]
    end: tuple[float, float]
    kind: str
    word: str = ""


@dataclass(frozen=True)
class Mark:
    """The mark of a word."""

    form: ClassVar[str] = "mark"
    x: float
    y: float
    word: str


@dataclass(frozen=True)
class Band:
    """A filled rectangle behind everything: its left upper corner, width and height."""

    form: ClassVar[str] = "band"
    x: float
    y: float
    width: float
    height: float


Shape = Text | Line | Mark | Band


@dataclass(frozen=True)
class Group:
    """Shapes that belong together.

    Parameters
    ----------
    shapes : sequence of Shape
        Drawn in this order.
    kind : str
        Class of the group in SVG, for the page's script.
    title : str
        What one reads when pointing at it.
    box : tuple
        Left, top, width and height of where one points at it; without it, its shapes.
    """

    shapes: Sequence[Shape]
    kind: str = ""
    title: str = ""
    box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True)
class Drawing:
    """A picture: its kind ("forest"), what it shows, its size and its groups."""

    kind: str
    label: str
    width: float
    height: float
    groups: Sequence[Group]


def svg(drawing: Drawing, ground: Ground | None = None) -> str:
    """SVG of a drawing: alone on a ground, or as part of a page that brings colours and symbols."""
    colours = palette(ground) if ground else None
    return render("drawing.svg.jinja", drawing=drawing, colours=colours, symbols=symbols())


def symbols() -> dict[str, str]:
    """SVG path of every mark, by its word."""
    found = {}
    for word, look in LOOKS.items():
        marker = MarkerStyle(look.marker)
        enlarged = marker.get_transform() + Affine2D().scale(_DIAMETER, -_DIAMETER)
        path, parts = marker.get_path().transformed(enlarged), []
        for corners, code in path.iter_segments(simplify=False):
            places = " ".join(f"{place + 0.0:.2f}" for place in corners)
            parts.append("Z" if code == Path.CLOSEPOLY else _LETTERS[code] + places)
        found[word] = "".join(parts)
    return found
