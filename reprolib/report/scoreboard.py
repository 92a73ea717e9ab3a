"""The scoreboard: one mark for each claim and each published number, in lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from reprolib.report import drawing
from reprolib.report.claims import described_claim
from reprolib.report.drawing import Drawing, Group, Mark, Shape, Text
from reprolib.report.marks import described, outcomes
from reprolib.report.tables import in_report_order, kind_of_number
from reprolib.rerun.verdicts.claims import ClaimVerdict
from reprolib.rerun.verdicts.judge import Verdict, count_words
from reprolib.rerun.verdicts.printed import paper_entry
from reprolib.rerun.verdicts.words import WORDS, Word

#: Pixels: where kinds and marks start, from mark to mark, from line to line, between papers.
_KIND, _FIRST, _STEP, _PITCH, _GAP = 122, 282, 14, 18, 8
#: Margin around, half of the place where one points at a mark, and width of what a note says.
_MARGIN, _REACH, _NOTE = 12, 7, 230
#: Marks in one line; a longer kind goes on in the next.
_PER_LINE = 36
_WIDTH = _FIRST + _PER_LINE * _STEP
_LEGEND_COLUMNS = 3
#: In a figure, which is narrower, a row has its texts above its marks, and the note starts here.
_NOTE_ABOVE = 190


@dataclass(frozen=True)
class Row:
    """A line of marks; ``name`` stands at its head, ``note`` behind its marks."""

    name: str
    kind: str
    marks: Sequence[Verdict | ClaimVerdict]
    note: str = ""


def by_kind(
    verdicts: Mapping[str, Sequence[Verdict]], claims: Mapping[str, Sequence[ClaimVerdict]]
) -> list[Row]:
    """One row for the claims of a paper and for each kind of its numbers, sorted by verdict.

    Parameters
    ----------
    verdicts : mapping of paper to verdicts
    claims : mapping of paper to verdicts on its claims
    """
    rows = []
    for paper, of_paper in verdicts.items():
        kinds: dict[str, list[Verdict | ClaimVerdict]] = {"claims": [*claims.get(paper, [])]}
        for v in sorted(of_paper, key=lambda v: WORDS.index(v.word)):
            kinds.setdefault(kind_of_number(v), []).append(v)
        order = ["claims", *dict.fromkeys(kind_of_number(v) for v in in_report_order(of_paper))]
        rows += _named(paper, [Row("", kind, kinds[kind]) for kind in order if kinds[kind]])
    return rows


def by_table(verdicts: Mapping[str, Sequence[Verdict]]) -> list[Row]:
    """One row a printed table, in printed order, with the data behind our values.

    Parameters
    ----------
    verdicts : mapping of paper to verdicts
    """
    rows = []
    for paper, of_paper in verdicts.items():
        tables: dict[str, list[Verdict]] = {}
        for v in of_paper:
            tables.setdefault(v.number.table, []).append(v)
        rows += _named(
            paper, [Row("", t, marks, data_behind(marks)) for t, marks in tables.items()]
        )
    return rows


def _named(paper: str, rows: Sequence[Row]) -> list[Row]:
    """Rows of a paper, the first of them with its name."""
    name = f"{paper.upper()}, {paper_entry(paper)['paper']['year']}"
    return [Row(name if i == 0 else "", r.kind, r.marks, r.note) for i, r in enumerate(rows)]


def data_behind(verdicts: Sequence[Verdict]) -> str:
    """Sources of our data and the number of trials on each: ``partial, 10 trials``."""
    trials: dict[str, set[int]] = {}
    for v in verdicts:
        if v.source:
            trials.setdefault(v.source, set()).add(v.n_trials)
    return "; ".join(f"{source}, {_trials(counts)}" for source, counts in sorted(trials.items()))


def _trials(counts: set[int]) -> str:
    low, high = min(counts), max(counts)
    amount = str(low) if low == high else f"{low} to {high}"
    return f"{amount} trial{'' if high == 1 else 's'}"


def scoreboard(
    rows: Sequence[Row], *, legend: Sequence[Word] | None = None, texts_above: bool = False
) -> Drawing:
    """Draw rows of marks, and below them a legend with the number of each word.

    Parameters
    ----------
    rows : sequence of Row
        Those of `by_kind` or `by_table`.
    legend : sequence of Word, optional
        Words of the legend; those that are there if not given.
    texts_above : bool
        Whether the texts of a row stand above its marks instead of beside them: narrower.
    """
    numbers = [v for row in rows for v in row.marks if isinstance(v, Verdict)]
    counts = count_words(numbers)
    words = [word for word in WORDS if counts[word]] if legend is None else legend
    groups, y = list[Group](), float(_MARGIN)
    for i, row in enumerate(rows):
        y += _GAP if row.name and i else 0
        groups += _row(row, y, texts_above)
        y += _PITCH * (texts_above - (-len(row.marks) // _PER_LINE))
    width = _WIDTH - (_FIRST if texts_above else 0)
    n_columns = _LEGEND_COLUMNS - texts_above
    groups += _legend({word: counts[word] for word in words}, y + _GAP, width, n_columns)
    n_legend_lines = -(-len(words) // n_columns)
    width += 2 * _MARGIN + (_NOTE if any(row.note for row in rows) and not texts_above else 0)
    height = y + _GAP + _PITCH * n_legend_lines
    words_counted = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    label = f"Scoreboard, one mark for each published number: {words_counted}"
    return Drawing("scoreboard", label, width, height, groups)


def scoreboard_figure(verdicts: Mapping[str, Sequence[Verdict]]) -> Figure:
    """Figure of the scoreboard `by_table`, for notebooks."""
    return drawing.figure([scoreboard(by_table(verdicts), texts_above=True)])


def _row(row: Row, y: float, texts_above: bool) -> Iterator[Group]:
    texts: list[Shape] = [Text(_KIND + _MARGIN, y, row.kind)]
    if row.name:
        texts.insert(0, Text(_MARGIN, y, row.name, "name"))
    if row.note:
        texts.append(Text((_NOTE_ABOVE if texts_above else _WIDTH) + _MARGIN, y, row.note))
    yield Group(texts)
    left, top = (_REACH, y + _PITCH) if texts_above else (_FIRST, y)
    for i, v in enumerate(row.marks):
        yield _mark(v, left + _STEP * (i % _PER_LINE) + _MARGIN, top + _PITCH * (i // _PER_LINE))


def _mark(v: Verdict | ClaimVerdict, x: float, y: float) -> Group:
    box = (x - _REACH, y - _REACH, 2 * _REACH, 2 * _REACH)
    if isinstance(v, ClaimVerdict):
        title = described_claim(v)
        data = {"claim": "", "paper": v.claim.paper, "outcomes": _json({"": (v.word, title)})}
    else:
        title = described(v)
        data = {"paper": v.number.paper, "outcomes": _json(outcomes(v))}
    return Group([Mark(x, y, v.word)], "mark", title, box, data)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _legend(counts: Mapping[str, int], top: float, width: int, n_columns: int) -> Iterator[Group]:
    for i, (word, count) in enumerate(counts.items()):
        x = _MARGIN + width // n_columns * (i % n_columns)
        y = top + _PITCH * (i // n_columns)
        text = Text(x + 18, y, f"{word} ({count})")
        yield Group([Mark(x + 6, y, word), text], "legend", data={"word": word})
