"""A paper's ``printed.toml``: its names are those of the experiment, and every number is listed."""

from __future__ import annotations

from collections import Counter

from reprolib.rerun.checks.check import check_paper
from reprolib.rerun.verdicts.printed import numbers
from reprolib.suite.shared import OfPaper


class FileTests(OfPaper):
    """Of the printed numbers."""

    def test_file_and_experiment_have_the_same_names(self, paper):
        """Data sets, methods, metrics and readings, as `reprolib check` sees them."""
        faults = check_paper(paper)
        assert not faults, "\n".join(faults)

    def test_every_printed_number_is_listed_once(self, paper):
        """No two cells of one table, row and column."""
        counts = Counter(number.id for number in numbers(paper))
        doubled = [name for name, n in counts.items() if n > 1]
        assert not doubled, f"listed twice: {doubled}"
