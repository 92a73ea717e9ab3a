"""What a run changes against committed results, on a few records of a paper."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reprolib.rerun import records as results
from reprolib.rerun.checks.compare import beside_committed, run_difference, same_verdict
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts.judge import Verdict
from reprolib.rerun.verdicts.printed import numbers
from tests.rerun import made_up

PAPER = PAPERS[0]


def record(trial, **changes):
    return made_up.row(paper=PAPER, trial=trial, **changes)


@pytest.fixture
def compared(tmp_path):
    """Write committed rows and those of a run; compare them."""

    def run(committed, made, profile="full", digests=({}, {})):
        made_up.write(tmp_path / "committed", committed, digests[0])
        made_up.write(tmp_path / "run", made, digests[1], profile)
        return run_difference(PAPER, tmp_path / "run", tmp_path / "committed")

    return run


def test_equal_results_have_no_difference(compared):
    rows = [record(0), record(1)]
    found = compared(rows, [{**row, "seconds": 9.0} for row in reversed(rows)])
    assert found.n_agree == 2
    assert not any([found.differing, found.new, found.missing, found.data, found.verdicts])


def test_differing_new_and_missing_records_are_told_apart(compared):
    found = compared(
        [record(0), record(1), record(2)], [record(0), record(1, value=0.3), record(3)], "quick"
    )
    assert (found.profile, found.n_agree) == ("quick", 1)
    assert found.differing == {"t/d/m/headline/1 error": "value 0.3, committed 0.25"}
    assert (found.new, found.missing) == ({"t": 1}, {"t": 1})


def test_records_that_had_to_differ_are_counted_apart(compared):
    old = [record(0, dataset="a", source="partial"), record(1)]
    found = compared(old, [record(0, dataset="a", value=0.2), record(1, value=0.2)])
    assert (len(found.differing), found.n_on_other_data) == (1, 1)
    assert found.data == {"a": ("partial", "original")}


def test_other_content_of_the_same_source_is_told(compared):
    found = compared([record(0)], [record(0)], digests=({"d": "1"}, {"d": "2"}))
    assert found.data == {"d": ("original", "original, other content")}


def test_a_run_without_results_of_the_paper_is_none_and_all_of_a_new_paper_are_new(tmp_path):
    assert run_difference(PAPER, tmp_path) is None
    made_up.write(tmp_path / "run", [record(0)])
    assert run_difference(PAPER, tmp_path / "run", tmp_path / "none").new == {"t": 1}


def test_a_verdict_is_the_same_if_its_word_its_reading_and_our_value_are():
    verdict = Verdict(numbers("kpm")[0], "undecided", ours=10.0)
    assert same_verdict(verdict, replace(verdict, ours=10.0 + 1e-6, spread=3.0))
    for changes in ({"word": "reproduced"}, {"reading": "other"}, {"ours": 10.001}):
        assert not same_verdict(verdict, replace(verdict, **changes))


def test_records_of_some_tasks_stand_beside_committed_and_printed_ones(tmp_path, monkeypatch):
    number = next(n for n in numbers("kpm") if n.select["metric"] == "test error")
    own = {"paper": "kpm", "table": number.results, **number.select}
    made_up.write(tmp_path, [made_up.row(**own), made_up.row(**own, trial=1)])
    monkeypatch.setenv("REPROLIB_RESULTS", str(tmp_path))
    now = [
        made_up.row(**own),
        made_up.row(**own, trial=1, value=0.3),
        made_up.row(**own, trial=2),
        made_up.row(**{**own, "metric": "failed"}, trial=3, status="failed: no memory"),
        made_up.row(**own, trial=3, reading="wide", task=made_up.row(**own)["task"]),
    ]
    found = beside_committed("kpm", results.to_frame(now)).set_index("metric")
    errors = found.loc["test error"]
    assert errors["result"].tolist() == [
        "equal",
        "differs: value 0.3, committed 0.25",
        "not among the committed records",
    ]
    assert errors["committed"].tolist()[:2] == [0.25, 0.25]
    assert (errors["printed"] == number.value / number.scale).all()
    assert found.loc["failed", "result"] == "failed: no memory"
    assert "test error (wide)" in found.index
