"""The tool behind `make mutants`: which changes count, and which tests are run on them."""

from __future__ import annotations

import pytest

from tests.mutants import changes, choice
from tests.mutants.__main__ import within

SOURCE = '''\
from __future__ import annotations
import functools


@functools.cache
def sign(x: int | None, *, at=0) -> int | float:
    """Say 1 or 2."""
    if x is None:
        return 0
    for step in range(
        2, 7
    ):
        at += step
    return 1 if x > at else -1
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("int | None", "int ** None"),
        ("int | float", "int + float"),
        ("*, at", "/, at"),
        ("@functools.cache\n", ""),
        ("Say 1", "Say 2"),
        ("x is None", "x == None"),
        ("return 0", "return return"),
    ],
)
def test_what_does_not_compile_or_changes_no_value_is_no_mutant(old, new):
    assert old in SOURCE
    assert not changes.is_valid(SOURCE, SOURCE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [("x > at", "x >= at"), ("-1", "+1"), ("x is None", "x is not None"), ("at=0", "at=1")],
)
def test_what_changes_a_value_is_a_mutant(old, new):
    assert changes.is_valid(SOURCE, SOURCE.replace(old, new))


def test_a_survivor_with_a_reason_is_known_by_its_line(tmp_path):
    listed = tmp_path / "survivors.toml"
    listed.write_text(
        '[[equivalent]]\npath = "a.py"\nline = "return 0"\nchange = "return 1"\nreason = "why"\n'
    )
    known = changes.accepted(listed)
    mutant = changes.Mutant("a.py", "core/NumberReplacer", 0, 9)
    assert changes.is_accepted(mutant, SOURCE, SOURCE.replace("return 0", "return 1"), known)
    assert not changes.is_accepted(mutant, SOURCE, SOURCE.replace("return 0", "return 2"), known)


def test_every_listed_survivor_is_of_a_line_that_is_there():
    for entry in changes.accepted():
        lines = (changes.ROOT / entry.path).read_text(encoding="utf-8").splitlines()
        assert entry.line in {line.strip() for line in lines}, entry


@pytest.mark.parametrize(
    ("line", "expected"),
    [(9, range(9, 10)), (11, range(10, 13)), (13, range(13, 14)), (7, range(7, 8))],
)
def test_lines_of_a_statement_end_before_its_body(line, expected):
    assert choice.statement_lines(SOURCE, line) == expected


def test_what_a_set_up_runs_belongs_to_all_tests_of_the_file():
    nodes = ["a.py::one", "a.py::two", "b.py::one"]
    assert choice.tests_in(["a.py::one|setup"], nodes) == ["a.py::one", "a.py::two"]
    assert choice.tests_in(["a.py::two|run", "gone.py::one|run"], nodes) == ["a.py::two"]


def test_lines_that_coverage_does_not_see_have_the_tests_of_the_mirrored_folder():
    nodes = [
        "tests/methods/kpm/test_a.py::a",
        "tests/methods/keops/test_a.py::a",
        "tests/papers/kpm/test_a.py::a",
        "tests/rerun/test_a.py::a",
        "tests/methods/test_b.py::a",
    ]
    assert choice.mirrored("reprolib/methods/kpm/a.py", nodes) == [nodes[0], nodes[4]]
    assert choice.mirrored("reprolib/papers/kpm/experiment.py", nodes) == nodes[2:3]
    assert choice.mirrored("reprolib/rerun/a.py", nodes) == nodes[3:4]


def test_failures_of_the_first_run_are_told_from_tests_that_passed():
    junit = """<testsuites><testsuite>
      <testcase classname="tests.a.test_b" name="test_c[1-x.y]" time="0.5" />
      <testcase classname="tests.a.test_b" name="test_d" time="1"><failure /></testcase>
      <testcase classname="tests.a.test_b" name="test_e" time="1"><error /></testcase>
      <testcase classname="tests.a.test_b" name="test_f" time="1"><skipped /></testcase>
    </testsuite></testsuites>"""
    seconds, failed = choice.read_times(junit)
    assert seconds == {"tests/a/test_b.py::test_c[1-x.y]": 0.5}
    assert failed == ["tests/a/test_b.py::test_d", "tests/a/test_b.py::test_e"]


def test_at_least_one_test_is_run_and_no_more_than_there_is_time_for():
    seconds = {"one": 5.0, "two": 1.0, "three": 1.0}
    assert within(["one", "two"], seconds, 1.0) == ["one"]
    assert within(["two", "three", "one"], seconds, 6.5) == ["two", "three"]
