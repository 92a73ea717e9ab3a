"""Printed tables, numbers and claims on the console."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

import pandas as pd
from rich.console import Console
from rich.text import Text

from reprolib.report.printed_tables import PrintedTable, plain_text
from reprolib.report.tables import (
    difference_text,
    digits_of,
    half_width_text,
    number_text,
    verdict_frame,
)
from reprolib.report.theme import LOOKS
from reprolib.rerun.verdicts import ClaimVerdict, Verdict
from reprolib.rerun.verdicts.designs.selection import N_DRAWS
from reprolib.rerun.verdicts.words import WORDS

#: Numbers that are named below a table; more are counted.
NAMES = 4
#: Columns of the plain table, beside the names of row and column.
PLAIN = ["published", "ours", "difference", "half-width", "trials", "source", "verdict"]


def print_table(console: Console, table: PrintedTable) -> None:
    """Print a table as the paper prints it, ours above the printed number."""
    wraps = not console.is_terminal
    console.print(Text(f"\n{table.heading}", "bold"), soft_wrap=wraps, highlight=False)
    text = Text(plain_text(table, console.width if console.is_terminal else 0))
    for word in WORDS:
        text.highlight_regex(re.escape(LOOKS[word].sign) + r"(?= )", LOOKS[word].colour.light)
    console.print(text, soft_wrap=True, highlight=False)
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
        console.print(text, soft_wrap=not console.is_terminal, highlight=False, markup=False)


def print_numbers(console: Console, verdicts: Iterable[Verdict]) -> None:
    """Print some numbers of a paper, one line each, below the name of their table."""
    tables: dict[str, list[Verdict]] = {}
    for v in verdicts:
        tables.setdefault(v.number.table, []).append(v)
    for name, of_table in tables.items():
        console.print(f"\n{of_table[0].number.paper}, {name}:", highlight=False)
        console.print(plain(of_table), soft_wrap=True, highlight=False)
        print_unbounded(console, of_table)


def print_readings(console: Console, verdicts: Iterable[Verdict]) -> None:
    """Print numbers that were run, but not in the variant that is judged: one line each."""
    lines = [
        {
            "row": v.number.row,
            "column": v.number.column,
            "variant": reading,
            "published": number_text(v.number.value, None, v.number.digits),
            "ours": number_text(found.ours, None, v.number.digits),
            "trials": found.n_trials,
            "source": found.source,
            "verdict": found.word,
        }
        for v in verdicts
        if not v.n_trials
        for reading, found in v.readings.items()
    ]
    if lines:
        console.print("\nIn other variants than the judged one:", highlight=False)
        frame = pd.DataFrame(lines).set_index(["row", "column"])
        console.print(frame.to_string(sparsify=False), soft_wrap=True, highlight=False)


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
