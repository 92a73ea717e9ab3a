"""Pictures of verdicts as shapes: laid out once, shown as SVG on a page or as a figure.

Lengths are pixels; y grows downwards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.markers import MarkerStyle
from matplotlib.patches import Rectangle
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from reprolib.report.style import SMALL
from reprolib.report.theme import GROUND_COLOURS, LOOKS, Ground, palette, render

#: Pixels an inch in a figure.
DPI = 96
#: Widths of the 95 % and of the 90 % interval.
_WIDTHS = {"thin": 1.0, "thick": 3.0}
#: The band on a light ground.
BAND = "#e3f1ec"
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

    @property
    def shapes(self) -> Iterator[Shape]:
        """All shapes, group by group."""
        return (shape for group in self.groups for shape in group.shapes)


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


def figure(drawings: Sequence[Drawing]) -> Figure:
    """Figure of drawings one below the other, for notebooks: the same picture, at rest."""
    width = max(drawing.width for drawing in drawings)
    heights = [drawing.height for drawing in drawings]
    made, axes = plt.subplots(
        len(drawings),
        1,
        figsize=(width / DPI, sum(heights) / DPI),
        squeeze=False,
        layout="none",
        gridspec_kw={
            "height_ratios": heights,
            "hspace": 0,
            "left": 0,
            "right": 1,
            "bottom": 0,
            "top": 1,
        },
    )
    for axis, drawing in zip(axes.ravel(), drawings, strict=True):
        axis.set(xlim=(0, width), ylim=(drawing.height, 0))
        axis.axis("off")
        _paint(axis, drawing)
    return made


def _paint(axis: Axes, drawing: Drawing) -> None:
    """Draw all shapes of one look at once."""
    ink, soft, faint = (GROUND_COLOURS[name].light for name in ("ink", "soft", "line"))
    alike: dict[tuple[str, str, str], list[Any]] = defaultdict(list)
    for shape in drawing.shapes:
        look = (getattr(shape, "kind", ""), getattr(shape, "word", ""))
        alike[(shape.form, *look)].append(shape)
    for (form, kind, word), shapes in alike.items():
        if form == "text":
            style: dict[str, Any] = {"fontsize": SMALL, "va": "center", "ha": "left", "color": ink}
            if kind == "tick":
                style |= {"ha": "center", "color": soft}
            if kind == "name":
                style |= {"weight": "bold"}
            for text in shapes:
                axis.text(text.x, text.y, text.text, **style)
        elif form == "line":
            style = {"color": faint, "lw": 0.7, "zorder": 0.1}
            if kind in _WIDTHS:
                colour = LOOKS[word].colour.light if word else ink
                style = {"color": colour, "lw": _WIDTHS[kind], "zorder": 0.5}
            if kind == "zero":
                style = {"color": ink, "lw": 0.8, "zorder": 0.2}
            axis.add_collection(LineCollection([(s.start, s.end) for s in shapes], **style))
        elif form == "band":
            for s in shapes:
                axis.add_patch(Rectangle((s.x, s.y), s.width, s.height, color=BAND, zorder=0))
        else:
            look_of = LOOKS[word]
            colour = look_of.colour.light
            style = {"s": 16, "linewidths": 0.7, "marker": look_of.marker, "edgecolors": colour}
            style["facecolors"] = "white" if look_of.hollow else colour
            axis.scatter([s.x for s in shapes], [s.y for s in shapes], zorder=1, **style)
