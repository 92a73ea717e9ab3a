"""Table 1 at its printed D: the constants of the experiment are the numbers of the paper."""

from __future__ import annotations

from reprolib.papers.kpm.experiment import AS_PRINTED, PRINTED_D
from reprolib.rerun.verdicts.printed import numbers


def test_the_printed_dimensions_are_those_of_table_1():
    printed = {
        n.select["dataset"]: int(n.value) for n in numbers("kpm") if n.column == "selected D"
    }
    assert printed == PRINTED_D


def test_all_twelve_errors_of_table_1_can_be_exact_with_the_hundred_realisations():
    of_table = [n for n in numbers("kpm") if n.table == "table1" and n.column in ("KPM", "SVM")]
    known = [n.is_known(AS_PRINTED, "original", 100) for n in of_table]
    assert (len(known), all(known)) == (12, True)
    assert not any(n.is_known("headline", "original", 100) for n in of_table)
