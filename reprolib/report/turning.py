"""Pictures that turn on the page: every state goes along as data, with a little script.

They turn in JupyterLab, in an exported page and on a phone, with no kernel behind them. Where
scripts are off, the picture stands still at its start.
"""

from __future__ import annotations

import html
import inspect
import itertools
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from typing import Any
from urllib.parse import quote

#: Pixels of a picture, and of its texts; on a phone it is two thirds as wide.
WIDTH, FONT = 560, 15
#: As in `style`, which needs matplotlib.
BLACK, GREY = "#222222", "#dddddd"


def label_of(value: Any) -> str:
    """Text of a value in titles and controls; infinity by its sign."""
    if isinstance(value, float) and math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return str(value)


def _px(*numbers: float) -> str:
    """Pixels to a tenth: a picture is the same text on every processor."""
    return " ".join(f"{round(float(number), 1) + 0.0:g}" for number in numbers)


@dataclass(frozen=True)
class Box:
    """A part of a picture with coordinates of its own; its methods give SVG.

    Parameters
    ----------
    x, y : pair of float
        Values at the left and the right, and at the bottom and the top.
    left, right, top, bottom : float
        Pixels.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    left: float = 55
    right: float = WIDTH - 15
    top: float = 20
    bottom: float = 300

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Pixels of a point."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return (
            self.left + across * (self.right - self.left),
            self.bottom - up * (self.bottom - self.top),
        )

    def line(self, xs: Iterable, ys: Iterable, colour: str, width=2.0, more: str = "") -> str:
        """A line through points; ``more`` are attributes, such as ``stroke-dasharray="4"``."""
        points = " ".join(_px(*self.at(x, y)) for x, y in zip(xs, ys, strict=True))
        look = f'fill="none" stroke="{colour}" stroke-width="{width:g}" {more}'
        return f'<polyline {look} points="{points}"/>'

    def area(self, xs: Any, low: Any, high: Any, colour: str) -> str:
        """A pale band between two lines."""
        ends = [*zip(xs, low, strict=True), *zip(xs[::-1], high[::-1], strict=True)]
        points = " ".join(_px(*self.at(x, y)) for x, y in ends)
        return f'<polygon fill="{colour}" fill-opacity="0.18" points="{points}"/>'

    def rectangle(self, x: tuple, y: tuple, fill: str, stroke: str = "none") -> str:
        """A box between two values of x and two of y."""
        (left, top), (right, bottom) = self.at(x[0], y[1]), self.at(x[1], y[0])
        place = zip(
            ("x", "y", "width", "height"), (left, top, right - left, bottom - top), strict=True
        )
        told = " ".join(f'{name}="{_px(number)}"' for name, number in place)
        return f'<rect {told} fill="{fill}" stroke="{stroke}" stroke-width="3"/>'

    def mark(self, x: Any, y: Any, colour: str, sign: str = "o", size=5.0) -> str:
        """One of ``o`` (a dot), ``+`` and ``D`` (a hollow diamond)."""
        a, b = self.at(x, y)
        if sign == "o":
            return f'<circle cx="{_px(a)}" cy="{_px(b)}" r="{size:g}" fill="{colour}"/>'
        ways = {"+": [(-1, 0), (1, 0), (0, 0), (0, -1), (0, 1)]}
        around = ways.get(sign, [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, 0)])
        points = " ".join(_px(a + size * i, b + size * j) for i, j in around)
        return f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{points}"/>'

    def text(self, x: float, y: float, text: str, colour=BLACK, anchor="middle", shift=(0, 0)):
        """A text at a point, moved by some pixels."""
        a, b = self.at(x, y)
        place = f'x="{_px(a + shift[0])}" y="{_px(b + shift[1])}" text-anchor="{anchor}"'
        return f'<text {place} fill="{colour}">{html.escape(text)}</text>'

    def axes(self, xticks: Mapping, yticks: Mapping, x_label="", y_label="") -> str:
        """Ticks with their texts, lines at those of y, and the names of both."""
        parts = [self.line(self.x, (value, value), GREY, 1) for value in yticks]
        low, bottom = self.x[0], self.y[0]
        parts += [self.text(low, v, t, anchor="end", shift=(-6, 5)) for v, t in yticks.items()]
        parts += [self.text(v, bottom, t, shift=(0, 20)) for v, t in xticks.items()]
        parts.append(self.text(sum(self.x) / 2, bottom, x_label, shift=(0, 40)))
        left = {"anchor": "start", "shift": (self.left and 5 - self.left, -8)}
        return "".join([*parts, self.text(low, self.y[1], y_label, **left)])


def legend(entries: Mapping[str, str], y: float, columns: int = 2) -> str:
    """Names in their colours, side by side."""
    parts = []
    for k, (name, colour) in enumerate(entries.items()):
        x, row = 20 + (k % columns) * (WIDTH - 20) / columns, y + 20 * (k // columns)
        parts.append(
            f'<text x="{_px(x)}" y="{_px(row)}" fill="{colour}">■ {html.escape(name)}</text>'
        )
    return "".join(parts)


@dataclass(frozen=True)
class Turning:
    """A picture with sliders, looked up: one layer for each thing that moves.

    Parameters
    ----------
    choices : mapping of str to sequence
        Values of every slider, in order.
    layers : sequence of callable
        Each gives SVG, and is called with the sliders that its parameters name; with all values of
        these, so that a layer that needs few of them is small.
    title : callable
        As a layer: what is seen, in one sentence above the picture.
    height : float
        Pixels.
    start : mapping of str to object
        Where the sliders stand first; else at their first values.
    drag : Box, optional
        Where the first two sliders can be dragged with a finger.
    """

    choices: Mapping[str, Sequence]
    layers: Sequence[Callable[..., str]]
    title: Callable[..., str]
    height: float = 340
    start: Mapping[str, Any] | None = None
    drag: Box | None = None

    def at(self, **start: Any) -> Turning:
        """The same picture with another start."""
        for name, value in start.items():
            known = list(self.choices.get(name, ()))
            if value not in known:
                told = ", ".join(map(label_of, known)) or f"none of {', '.join(self.choices)}"
                raise ValueError(f"{name} = {label_of(value)} was not measured; measured: {told}")
        return replace(self, start={**(self.start or {}), **start})

    @cached_property
    def data(self) -> dict[str, Any]:
        """All that the script needs."""
        places = [list(values) for values in self.choices.values()]
        wanted = self.start or {}
        box = self.drag
        return {
            "head": (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height:g}" '
                f'font-family="sans-serif" font-size="{FONT}">'
                '<rect width="100%" height="100%" fill="white"/>'
            ),
            "size": [WIDTH, self.height],
            "drag": box and [box.left, box.right, box.top, box.bottom],
            "choices": [
                {"name": name, "labels": [label_of(value) for value in values]}
                for name, values in self.choices.items()
            ],
            "start": [
                values.index(wanted.get(name, values[0]))
                for name, values in zip(self.choices, places, strict=True)
            ],
            "layers": [self._looked_up(layer) for layer in self.layers],
            "title": self._looked_up(self.title),
        }

    def _looked_up(self, layer: Callable[..., str]) -> dict[str, Any]:
        names = list(self.choices)
        own = list(inspect.signature(layer).parameters)
        values = [list(enumerate(self.choices[name])) for name in own]
        found = {}
        for chosen in itertools.product(*values):
            key = " ".join(str(i) for i, _ in chosen)
            found[key] = layer(**{n: value for n, (_, value) in zip(own, chosen, strict=True)})
        return {"by": [names.index(name) for name in own], "of": found}

    def _shown(self, layer: Mapping[str, Any]) -> str:
        return layer["of"][" ".join(str(self.data["start"][i]) for i in layer["by"])]

    @property
    def svg(self) -> str:
        """The picture at its start."""
        layers = "".join(self._shown(layer) for layer in self.data["layers"])
        return f"{self.data['head']}{layers}</svg>"

    def _repr_html_(self) -> str:
        """A picture with what it shows, and the script that turns it."""
        told = html.escape(self._shown(self.data["title"]))
        # So that no text of the data ends the script.
        data = json.dumps(self.data, ensure_ascii=False).replace("</", "<\\/")
        script = files("reprolib.report").joinpath("turning.js").read_text(encoding="utf-8")
        source = "data:image/svg+xml," + quote(self.svg)
        return (
            '<div class="turning" style="max-width: 40em"><p style="min-height: 3em">'
            f'{told}</p><img alt="{told}" style="width: 100%; max-width: 40em" src="{source}">'
            f'<script type="application/json">{data}</script><script>{script}</script></div>'
        )

    def __repr__(self) -> str:
        return self._shown(self.data["title"])
