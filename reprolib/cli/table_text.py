"""A printed table on the console: compact on a terminal, plain where the output is piped."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from reprolib.report.printed_tables import PrintedTable
from reprolib.report.tables import (
    difference_text,
    digits_of,
    half_width_text,
    number_text,
    verdict_frame,
)
from reprolib.report.theme import LOOKS, signed
from reprolib.rerun.verdicts import ClaimVerdict, Verdict
from reprolib.rerun.verdicts.words import N_DRAWS, WORDS

#: Numbers that are named below a table; more are counted.
NAMES = 4
#: Columns of the plain table, beside the names of row and column.
PLAIN = ["published", "ours", "difference", "half-width", "trials", "source", "verdict"]


def print_table(console: Console, table: PrintedTable) -> None:
    """Print a table: on a terminal as it is printed in the paper, else one line a number."""
    console.print(f"\n{table.heading}", style="bold", soft_wrap=not console.is_terminal)
    if console.is_terminal:
        console.print(_legend(table.verdicts), soft_wrap=False)
        console.print(compact(table.verdicts), soft_wrap=False)
    else:
        console.print(plain(table.verdicts))
        print_unbounded(console, table.verdicts)


def print_unbounded(console: Console, verdicts: Iterable[Verdict]) -> None:
    """Say why the half-width of some numbers is infinite: one line a reason, below their table."""
    names: dict[str, list[str]] = {}
    for v in verdicts:
        if v.n_trials and math.isinf(v.half_width):
            n = v.n_trials
            if v.quantity == "selection":
                why = f"a range of what is selected needs {N_DRAWS} draws, and we have {n}"
            else:
                why = "one trial shows no spread" if n == 1 else f"{n} trials give no interval"
            names.setdefault(why, []).append(f"{v.number.row}, {v.number.column}")
    for why, of_reason in names.items():
        more = f"; and {len(of_reason) - NAMES} more" if len(of_reason) > NAMES else ""
        text = f"∞: {why} ({'; '.join(of_reason[:NAMES])}{more})."
        console.print(text, soft_wrap=True, highlight=False, markup=False)


def print_numbers(console: Console, verdicts: Iterable[Verdict]) -> None:
    """Print some numbers of a paper, one line each, below the name of their table."""
    tables: dict[str, list[Verdict]] = {}
    for v in verdicts:
        tables.setdefault(v.number.table, []).append(v)
    for name, of_table in tables.items():
        console.print(f"\n{of_table[0].number.paper}, {name}:", highlight=False)
        console.print(plain(of_table), soft_wrap=True, highlight=False)
        print_unbounded(console, of_table)


def print_claims(console: Console, claims: Iterable[ClaimVerdict]) -> None:
    """Print one line a claim that the run can judge: sign, name, word, contrast."""
    for c in claims:
        digits = digits_of(c)
        half = half_width_text(c.weakest.error.half_width(), digits)
        contrast = f"{difference_text(c.difference, digits)} ± {half}"
        look = LOOKS[c.word]
        text = f" claim “{c.claim.name}”: {c.word_with_exceptions} ({contrast})"
        console.print(
            Text.assemble((look.sign, look.colour.light), text), soft_wrap=not console.is_terminal
        )


def plain(verdicts: Iterable[Verdict]) -> str:
    """Table of texts in columns, one line a number."""
    frame: pd.DataFrame = verdict_frame(list(verdicts)).set_index(["row", "column"])
    return frame[PLAIN].to_string(sparsify=False)


def left_aligned(frame: pd.DataFrame) -> str:
    """Table in columns, texts on the left and a dash where there is no number."""
    shown = frame.copy()
    for name in frame.select_dtypes(exclude="number"):
        width = max(map(len, [name, *frame[name]]))
        shown[name] = frame[name].str.ljust(width)
        shown = shown.rename(columns={name: str(name).ljust(width)})
    return shown.to_string(index=False, na_rep="–", float_format="{:.6g}".format)


def compact(verdicts: Iterable[Verdict]) -> Table:
    """Table of the paper's own form: in each cell published, ours and the sign of the verdict."""
    cells: dict[str, dict[str, Text]] = {}
    for v in verdicts:
        look = LOOKS[v.word]
        published, ours = (number_text(x, None, v.number.digits) for x in (v.number.value, v.ours))
        mark = ("", "") if ours == look.sign else (f" {look.sign}", look.colour.light)
        cell = Text.assemble(f"{published} / {ours}", mark)
        cells.setdefault(v.number.row, {})[v.number.column] = cell
    columns = dict.fromkeys(name for row in cells.values() for name in row)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("")
    for name in columns:
        table.add_column(Text(name), overflow="fold")
    for row, of_row in cells.items():
        table.add_row(Text(row), *(of_row.get(name, Text("")) for name in columns))
    return table


def _legend(verdicts: Iterable[Verdict]) -> Text:
    used = {v.word for v in verdicts}
    entries = [(signed(w), LOOKS[w].colour.light) for w in WORDS if w in used]
    signs = Text(", ").join(Text(text, colour) for text, colour in entries)
    return Text("published / ours, ") + signs
