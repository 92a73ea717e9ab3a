"""The two pictures of verdicts: the scoreboard of all papers, and the forest plot of one.

The scoreboard has one mark for each claim and each published number, in lines by paper and kind.
The forest plot has one line for each number: printed, ours, and the interval.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, get_args

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from reprolib.report import drawing
from reprolib.report.drawing import Drawing, Group, Line, Mark, Ring, Shape, Text
from reprolib.report.style import WIDTH
from reprolib.report.tables import (
    difference_text,
    digits_of,
    half_width_text,
    in_report_order,
    kind_of_number,
    number_text,
)
from reprolib.rerun.verdicts import ClaimVerdict, Verdict
from reprolib.rerun.verdicts.judge import count_words
from reprolib.rerun.verdicts.printed import Quantity, Role, paper_entry
from reprolib.rerun.verdicts.words import WORDS, Word

#: Choice of the words that the judged readings give alone, without credit.
JUDGED = "judged"
#: Margin around a picture, and width of a letter, in pixels.
_MARGIN, _LETTER = 12, 6.6
#: Scoreboard: where kinds and marks start, from mark to mark, from line to line, between papers.
_KIND, _FIRST, _STEP, _PITCH, _GAP = 122, 282, 14, 18, 8
#: Half of the place where one points at a mark; marks in a line; columns of the legend.
_REACH, _PER_LINE, _LEGEND_COLUMNS = 7, 36, 3
#: Forest plot: height of a line, half of a printed number's bar, width of a sign of the legend.
_LINE, _BAR, _SIGN_WIDTH = 18, 7, 26
#: Width of the plot beside the names on a page, and of names and plot in a figure.
_PLOT, _FIGURE = 560, WIDTH * drawing.DPI
#: Selections over more than this ratio are drawn on a scale like a logarithm away from zero.
_WIDE_RATIO = 20.0
_UNITS = {"performance": "per cent", "selection": "selected"}


def described(v: Verdict | ClaimVerdict) -> str:
    """Describe a number or a claim in one sentence: what is printed, ours with interval, the word.

    It is what one reads when pointing at a mark.
    """
    if isinstance(v, ClaimVerdict):
        digits, weakest = digits_of(v), v.weakest
        return (
            f"{v.claim.paper.upper()}, claim: {v.claim.name} (“{v.text}”); {v.claim.a.name} − "
            f"{weakest.against} {difference_text(weakest.difference, digits)}, 95 % half-width "
            f"{half_width_text(weakest.error.half_width(), digits)}, detectable "
            f"{half_width_text(v.detectable, digits)}: {v.word_with_exceptions}"
        )
    if not v.n_trials:
        return f"{_label(v)}, {v.word}"
    digits = v.number.digits
    return (
        f"{_label(v)}, ours {number_text(v.ours, v.spread, digits)}, "
        f"difference {difference_text(v.difference, digits)}, "
        f"95 % half-width {half_width_text(v.half_width, digits)}, "
        f"detectable {half_width_text(v.detectable, digits)} ({v.design}), "
        f"trials {v.n_trials}, {v.source}: {v.word}"
    )


def _label(v: Verdict) -> str:
    """Name of a published number, and its value: ``KPM, table1, Heart, KPM: published 16.89``."""
    n = v.number
    published = number_text(n.value, n.spread, n.digits)
    return f"{n.paper.upper()}, {n.table}, {n.row}, {n.column}: published {published}"


def outcomes(v: Verdict) -> Mapping[str, tuple[str, str]]:
    """Word, and what one reads when pointing at the mark, by reading.

    Returns
    -------
    dict
        Empty name: the verdict, with its credit; `JUDGED`: the judged reading alone; then every
        other reading with records.
    """
    texts = {"": (str(v.word), described(v))}
    if not v.n_trials:
        return texts

    def told(ours: float, spread: float) -> str:
        return f"{_label(v)}, ours {number_text(ours, spread, v.number.digits)}"

    texts[JUDGED] = (v.judged_word, f"{told(v.ours, v.spread)}: {v.judged_word}")
    for name, outcome in v.readings.items():
        text = f"{told(outcome.ours, outcome.spread)} under “{name}”: {outcome.word}"
        texts[name] = (outcome.word, text)
    return texts


@dataclass(frozen=True)
class Row:
    """A line of marks of the scoreboard; ``name`` stands at the head of a paper's first one."""

    name: str
    kind: str
    marks: Sequence[Verdict | ClaimVerdict]


def by_kind(
    verdicts: Mapping[str, Sequence[Verdict]], claims: Mapping[str, Sequence[ClaimVerdict]]
) -> list[Row]:
    """One row for the claims of a paper and for each kind of its numbers, sorted by verdict.

    Parameters
    ----------
    verdicts : mapping of str to sequence of Verdict
        Verdicts on the numbers, by paper.
    claims : mapping of str to sequence of ClaimVerdict
        Verdicts on the claims, by paper.
    """
    rows = []
    for paper, of_paper in verdicts.items():
        name = f"{paper.upper()}, {paper_entry(paper)['paper']['year']}"
        kinds: dict[str, list[Verdict | ClaimVerdict]] = {"claims": [*claims.get(paper, [])]}
        kinds |= {kind_of_number(v): [] for v in in_report_order(of_paper)}
        for v in sorted(of_paper, key=lambda v: WORDS.index(v.word)):
            kinds[kind_of_number(v)].append(v)
        listed = [(kind, marks) for kind, marks in kinds.items() if marks]
        rows += [Row("" if i else name, kind, marks) for i, (kind, marks) in enumerate(listed)]
    return rows


def scoreboard(rows: Sequence[Row], *, legend: Sequence[Word] | None = None) -> Drawing:
    """Draw rows of marks, and below them a legend with the number of each word.

    Parameters
    ----------
    rows : sequence of Row
        Those of `by_kind`.
    legend : sequence of Word, optional
        Words of the legend; those that are there if not given.
    """
    counts = count_words([v for row in rows for v in row.marks if isinstance(v, Verdict)])
    words = [word for word in WORDS if counts[word]] if legend is None else legend
    groups, y = list[Group](), float(_MARGIN)
    for i, row in enumerate(rows):
        y += _GAP if row.name and i else 0
        texts: list[Shape] = [Text(_MARGIN, y, row.name, "name")] if row.name else []
        texts.append(Text(_KIND + _MARGIN, y, row.kind))
        groups.append(Group(texts))
        for k, v in enumerate(row.marks):
            x = _FIRST + _STEP * (k % _PER_LINE) + _MARGIN
            place = y + _PITCH * (k // _PER_LINE)
            box = (x - _REACH, place - _REACH, 2 * _REACH, 2 * _REACH)
            if isinstance(v, ClaimVerdict):
                told: Mapping[str, tuple[str, str]] = {"": (v.word, described(v))}
                data = {"claim": "", "paper": v.claim.paper}
            else:
                told, data = outcomes(v), {"paper": v.number.paper}
            data["outcomes"] = json.dumps(told, ensure_ascii=False)
            groups.append(Group([Mark(x, place, v.word)], "mark", described(v), box, data))
        y += _PITCH * -(-len(row.marks) // _PER_LINE)
    width = _FIRST + _PER_LINE * _STEP
    for i, word in enumerate(words):
        x = _MARGIN + width // _LEGEND_COLUMNS * (i % _LEGEND_COLUMNS)
        place = y + _GAP + _PITCH * (i // _LEGEND_COLUMNS)
        text = Text(x + 18, place, f"{word} ({counts[word]})")
        groups.append(Group([Mark(x + 6, place, word), text], "legend", data={"word": word}))
    height = y + _GAP + _PITCH * -(-len(words) // _LEGEND_COLUMNS)
    words_counted = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    label = f"Scoreboard, one mark for each published number: {words_counted}"
    return Drawing("scoreboard", label, width + 2 * _MARGIN, height, groups)


def forests(verdicts: Sequence[Verdict], plot_width: int = _PLOT) -> dict[str, Drawing]:
    """Draw the numbers of a paper, one drawing a quantity, own method first.

    In a line: the printed number as a bar, ours as the mark of its verdict with the 95 % interval,
    means under other readings as small circles. The legend below names what is there.

    Parameters
    ----------
    verdicts : sequence of Verdict
        All of one paper.
    plot_width : int
        Pixels beside the names.

    Returns
    -------
    dict of str to Drawing
        By quantity; those that the paper does not print are left out. Within each, numbers are
        sorted by role, table and row, and otherwise in printed order.
    """
    roles, quantities = get_args(Role), get_args(Quantity)
    rows = [(v.number.table, v.number.row) for v in verdicts]
    ordered = sorted(
        verdicts,
        key=lambda v: (
            quantities.index(v.quantity),
            roles.index(v.role),
            v.number.table,
            rows.index((v.number.table, v.number.row)),
        ),
    )
    return {
        quantity: _forest(list(of_quantity), quantity, plot_width)
        for quantity, of_quantity in groupby(ordered, key=lambda v: v.quantity)
    }


def forest_figure(verdicts: Sequence[Verdict]) -> Figure:
    """Figure of all `forests` of a paper, one below the other.

    Parameters
    ----------
    verdicts : sequence of Verdict
        All of one paper, at least one.
    """
    plot_width = round(_FIGURE - _width_of_names(verdicts) - _MARGIN)
    return drawing.figure(list(forests(verdicts, plot_width).values()))


@dataclass(frozen=True)
class _Scale:
    """Where values are drawn: linear, or like a logarithm away from zero."""

    bend: Callable[[Any], Any]
    low: float
    high: float
    ticks: Sequence[float]
    left: float
    width: int

    def __call__(self, value: float) -> float:
        bent, low, high = (self.bend(x) for x in (value, self.low, self.high))
        return round(float(self.left + self.width * (bent - low) / (high - low)), 1)


def _width_of_names(verdicts: Sequence[Verdict]) -> int:
    longest = max(len(f"{v.number.row}, {v.number.column}") for v in verdicts)
    return round(_LETTER * longest) + 24 + _MARGIN


def _forest(verdicts: Sequence[Verdict], quantity: str, plot_width: int) -> Drawing:
    """Lines below the heading of their role and table, on a grid, with a legend."""
    left = _width_of_names(verdicts)
    width = left + plot_width + _MARGIN
    scale = _scale(verdicts, quantity, left, plot_width)
    groups, y = list[Group](), 0
    for (role, table), of_table in groupby(verdicts, key=lambda v: (v.role, v.number.table)):
        y += _LINE
        groups.append(Group([Text(4, y, f"{role}, {table}", "name")]))
        for v in of_table:
            y += _LINE
            box = (0, y - _LINE / 2, width, _LINE)
            groups.append(Group(list(_shapes(v, y, scale)), "line", described(v), box))
    bottom = y + _LINE
    grid = list[Shape]()
    for tick in scale.ticks:
        x = scale(tick)
        grid.append(Line((x, _LINE / 2), (x, bottom - 6), "grid"))
        grid.append(Text(x, bottom + 6, f"{tick:g}", "tick"))
    grid.append(Text(left + plot_width / 2, bottom + 6 + _LINE, _UNITS[quantity], "tick"))
    legend = list(_legend(verdicts, bottom + 3 * _LINE, width))
    height = max(shape.y for group in legend for shape in group.shapes if isinstance(shape, Text))
    paper = verdicts[0].number.paper.upper()
    label = f"Forest plot of {paper}, {quantity}: published and ours, as in the tables below."
    return Drawing("forest", label, width, height + _LINE, [Group(grid), *groups, *legend])


def _values(v: Verdict) -> dict[str, Any]:
    """What is drawn of a number, in per cent for performance, else in the printed unit."""
    unit = 100 / v.number.scale if v.quantity == "performance" else 1.0
    low, high = v.interval
    return {
        "published": unit * v.number.value,
        "ours": unit * v.ours,
        "low": unit * (v.number.value + low),
        "high": unit * (v.number.value + high),
        "readings": [unit * outcome.ours for outcome in v.readings.values()],
    }


def _shapes(v: Verdict, y: float, scale: _Scale) -> Iterator[Shape]:
    """What a line shows."""
    line, texts = _values(v), outcomes(v)
    yield Text(16, y, f"{v.number.row}, {v.number.column}")
    if np.isfinite([line["low"], line["high"]]).all():
        yield Line((scale(line["low"]), y), (scale(line["high"]), y), "interval", v.word)
    for mean, name in zip(line["readings"], v.readings, strict=True):
        yield Ring(scale(mean), y, texts[name][1])
    printed = scale(line["published"])
    yield Line((printed, y - _BAR), (printed, y + _BAR), "published")
    if not np.isnan(line["ours"]):
        yield Mark(scale(line["ours"]), y, v.word)


def _legend(verdicts: Sequence[Verdict], top: float, width: float) -> Iterator[Group]:
    """What the signs mean, of those that are drawn."""
    measured = [v for v in verdicts if not np.isnan(v.ours)]
    words = [word for word in WORDS if any(v.word == word for v in measured)]
    texts = ["published", *(f"ours: {word}" for word in words)]
    if has_intervals := any(np.isfinite(v.interval).all() for v in measured):
        texts.append("95 % interval of ours")
    if any(v.readings for v in verdicts):
        texts.append("ours under another reading")
    entry_width = 2 * _SIGN_WIDTH + _LETTER * max(map(len, texts))
    n_columns = max(1, int((width - _MARGIN) // entry_width))
    for i, text in enumerate(texts):
        x = round(_MARGIN + entry_width * (i % n_columns), 1)
        y = top + _LINE * (i // n_columns)
        middle = x + _SIGN_WIDTH / 2 - 4
        if i == 0:
            sign: Shape = Line((middle, y - _BAR), (middle, y + _BAR), "published")
        elif i <= len(words):
            sign = Mark(middle, y, words[i - 1])
        elif has_intervals and i == len(words) + 1:
            sign = Line((x, y), (x + _SIGN_WIDTH - 8, y), "interval")
        else:
            sign = Ring(middle, y)
        yield Group([Text(x + _SIGN_WIDTH, y, text), sign], "legend")


def _scale(verdicts: Sequence[Verdict], quantity: str, left: float, width: int) -> _Scale:
    """Scale on which all values of the lines have their place, with its ticks."""
    lines = [_values(v) for v in verdicts]
    ends = np.array([[x[name] for name in ("published", "ours", "low", "high")] for x in lines])
    drawn = np.concatenate([ends.ravel(), *(x["readings"] for x in lines)])
    ends, drawn = ends[np.isfinite(ends)], drawn[np.isfinite(drawn)]
    low, high = float(drawn.min()), float(drawn.max())
    if low == high:
        low, high = low - 1, high + 1
    bend: Callable[[Any], Any] = float
    ticks = list(MaxNLocator(6).tick_values(low, high))
    if quantity == "selection" and ends.max() > _WIDE_RATIO * max(ends.min(), 1.0):
        bend = np.arcsinh
        powers = [first * 10.0**k for k in range(7) for first in (1, 3)]
        ticks = sorted([0.0, *powers, *(-power for power in powers)])
    slack = 1e-9 * (high - low)
    drawn_ticks = [tick for tick in ticks if low - slack <= tick <= high + slack]
    return _Scale(bend, low, high, drawn_ticks, left, width)
