"""The printed numbers have a second witness: the papers' own lines, copied apart."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from reprolib.rerun.records.registry import PAPERS, printed_of
from reprolib.rerun.verdicts.printed import numbers

WITNESS = tomllib.loads(Path(__file__).with_name("second_witness.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("paper", PAPERS)
def test_every_printed_number_stands_in_the_line_that_was_copied_from_the_paper(paper):
    seen = 0
    for witness in WITNESS[paper]:
        own = [n for n in numbers(paper) if (n.table, n.row) == (witness["table"], witness["row"])]
        ours = [x for n in own for x in (n.value, n.spread) if x is not None]
        assert ours == witness["numbers"], f"{paper}, {witness['table']}, {witness['row']}"
        assert printed_of(paper).printed.tables[witness["table"]].page == witness["page"]
        seen += len(own)
    assert seen == len(numbers(paper)), "a number without a witness"


@pytest.mark.parametrize("paper", PAPERS)
def test_the_typed_numbers_of_the_witness_are_those_of_its_line(paper):
    for witness in WITNESS[paper]:
        rest = witness["line"]
        for number in witness["numbers"]:
            digits = f"{number:g}"
            assert digits in rest, f"{number} is not in {witness['line']!r}, or not in this order"
            rest = rest[rest.index(digits) + len(digits) :]
