"""Tasks that decide the most numbers in some minutes: none wasted, none beyond the time."""

from __future__ import annotations

import argparse

import pytest
from hypothesis import given
from hypothesis import strategies as st

import data_fetch
from reprolib.cli import in_minutes as command
from reprolib.cli.main import main
from reprolib.rerun import records as results
from reprolib.rerun.checks import in_minutes
from reprolib.rerun.checks.in_minutes import Aim, aims_of, choose
from reprolib.rerun.tasks import runner
from reprolib.rerun.tasks.store import RecordStore
from reprolib.rerun.verdicts import Number
from reprolib.rerun.verdicts.judge import judge
from tests.rerun.test_verdicts import number

SHARED = {"table": "first", "results": "first", "scale": 1.0, "trials": 100, "spread": 0.3}
SELECT = {"dataset": "real/coins", "method": "mean", "metric": "value"}


def coins(value: float, **changes) -> Number:
    """A printed mean of the fake paper, whose five trials lie between -0.1 and 0.3."""
    return number(**{**SHARED, "value": value, "row": str(value), "select": SELECT, **changes})


#: Far from all trials: two of them show it. Theirs alone is too wide for a number near ours.
FAR, NEAR = coins(3.0), coins(0.2, spread=20.0)
LATER = coins(3.0, row="later", results="second", select={**SELECT, "method": "best"})


@pytest.fixture
def printed(committed, monkeypatch):
    """The fake paper with full results, and three printed numbers; its protocol."""

    def judged(paper, directory=None):
        records = results.load_paper(paper, directory)
        return [judge(printed, records) for printed in (FAR, NEAR, LATER)]

    for module in (in_minutes, command):
        monkeypatch.setattr(module, "judge_paper", judged)
    monkeypatch.setattr(in_minutes, "controls", lambda paper: frozenset())
    return committed


def test_only_what_can_be_decided_is_aimed_at_with_the_fewest_trials(printed):
    """One trial has no interval; what is chosen from records is not there after some tasks."""
    (aim,) = aims_of(printed)
    assert aim.number == FAR
    assert set(aim.seconds) == {f"fake/first/real/coins/mean/headline/{t}" for t in (0, 1)}


def test_a_number_without_its_data_is_not_aimed_at(printed, monkeypatch):
    """Its committed records are there, but nobody here can make them again."""
    monkeypatch.setattr(data_fetch, "available", lambda name: False)
    assert aims_of(printed) == []


def test_a_stored_task_costs_nothing(printed, tmp_path):
    (aim,) = aims_of(printed, RecordStore(tmp_path / "empty"))
    assert min(aim.seconds.values()) > 0
    store = RecordStore(tmp_path / "store")
    runner.run_protocol(printed, "quick", store=store)
    (aim,) = aims_of(printed, store)
    assert set(aim.seconds.values()) == {0.0}


@pytest.fixture
def run(printed, monkeypatch, tmp_path, capsys):
    """Call the command on the fake paper: its exit code, and what it printed."""
    monkeypatch.setattr(command, "PAPERS", ("fake",))
    monkeypatch.setattr(command, "get_protocol", lambda paper: printed)
    monkeypatch.setattr(command, "require_sound", lambda papers: None)
    given = {"papers": ["fake"], "minutes": 1.0, "jobs": 1, "output": tmp_path / "out"}
    unused = dict.fromkeys(["only", "embedded", "fresh", "explain", "cluster", "dry_run"])

    def call(**changes):
        code = command.run(argparse.Namespace(**{**given, **unused, **changes}))
        return code, " ".join(capsys.readouterr().out.split())

    return call


def test_the_command_runs_those_tasks_alone_and_says_what_they_decided(run, fake):
    _, ran = fake
    code, text = run()
    assert code == 0
    assert sorted(task.trial for task in ran) == [0, 1]
    assert "expected to decide: 1 of the 1 that can be decided on the data at hand. fake: " in text
    assert "fake: 1 of 3 numbers decided fake, " in text
    assert "Decided here: 1 not reproduced In the full results: 2 undecided, 1 not" in text


def test_a_dry_run_says_how_many_tasks_and_numbers_and_runs_none(run, fake):
    _, ran = fake
    _, text = run(dry_run=True)
    assert text.startswith("Tasks: 2, about 1 minute with 1 worker.")
    assert not ran


def test_too_few_minutes_are_said_with_the_remedy(run):
    with pytest.raises(ValueError, match=r"--minutes is 0, too few for any of the 1 numbers"):
        run(minutes=0.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--minutes", "1", "--embedded"], "--embedded cannot be given with it: omit one"),
        (["--minutes", "1", "--only", "table1"], "--only cannot be given with it: omit one"),
    ],
)
def test_what_does_not_go_together_is_said(arguments, message, capsys):
    assert main(["reproduce", *arguments]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def aim(**seconds: float) -> Aim:
    return Aim(FAR, seconds)


def test_aims_that_share_tasks_are_worth_more():
    """Three seconds decide two numbers together, two decide one."""
    one, other, alone = aim(a=1.5, b=1.5), aim(b=1.5, a=1.5), aim(c=2.0)
    assert choose([alone, one, other], 3.0).seconds == {"a": 1.5, "b": 1.5}
    assert len(choose([alone, one, other], 5.0).aims) == 3


TASKS = st.dictionaries(st.sampled_from("abcdef"), st.just(0.0), min_size=1)
SECONDS = st.fixed_dictionaries({name: st.floats(0.0, 9.0) for name in "abcdef"})


@given(st.lists(TASKS, max_size=6), SECONDS, st.floats(0.0, 40.0))
def test_the_time_is_kept_and_no_number_that_still_fits_is_left(tasks, seconds, most):
    aims = [aim(**{name: seconds[name] for name in names}) for names in tasks]
    chosen = choose(aims, most)
    spent = sum(chosen.seconds.values())
    assert spent <= most + 1e-9
    for left in aims:
        if not any(left is taken for taken in chosen.aims):
            more = sum(s for name, s in left.seconds.items() if name not in chosen.seconds)
            assert spent + more > most - 1e-9
