"""Tasks that follow from an experiment stated as data."""

from __future__ import annotations

import dataclasses
import tomllib

import msgspec
import numpy as np
import pandas as pd
import pytest

from data_fetch import Dataset
from reprolib.rerun import records as results
from reprolib.rerun.printed.readings import Readings
from reprolib.rerun.printed.schema import Reading
from reprolib.rerun.records import HEADLINE, Task
from reprolib.rerun.tasks import experiment as experiments
from reprolib.rerun.tasks.experiment import Count, Experiment, Grid, Later, Setting
from reprolib.rerun.tasks.runner import code_of_task

FILE = """
[[readings]]
name = "headline"

[[readings]]
name = "centred"
methods = ["a"]
changes = { center = true }

[[readings]]
name = "many"
methods = ["a", "b"]
changes = { scale = 2 }
trials = { b = 4, big = 2 }
quick = true

[[readings]]
name = "ties"
methods = ["a"]
beside = "headline"
changes = { tie_break = "largest" }

[[readings]]
name = "here"
methods = ["b"]
tables = ["other"]
datasets = ["big"]
"""


def said(text: str) -> Readings:
    return Readings("paper", msgspec.convert(tomllib.loads(text)["readings"], list[Reading]))


@pytest.fixture
def readings(monkeypatch):
    monkeypatch.setattr(experiments, "readings_of", lambda paper: said(FILE))
    return said(FILE)


def data(name: str, n_splits: int = 3) -> Dataset:
    splits = [(np.array([0]), np.array([1]))] * n_splits
    return Dataset(name, np.zeros((2, 1)), np.array([0, 1]), "embedded", splits=splits)


def keys(tasks) -> set[tuple]:
    return {(task.dataset, task.method, task.reading, task.trial) for task in tasks}


def tasks_of(grid, profile="full", name="small", paper="paper"):
    return list(grid.tasks(profile, data(name), said(FILE)))


def test_methods_are_run_under_the_readings_that_name_them(readings):
    found = tasks_of(Grid("table", ["a", "b"], Count(1)))
    assert keys(found) == {
        *(("small", "a", reading, 0) for reading in (HEADLINE, "centred", "many")),
        *(("small", "b", HEADLINE, 0), ("small", "b", "many", 0)),
        *(("small", "b", "many", trial) for trial in (1, 2, 3)),
    }
    assert {t.reading: dict(t.params) for t in found if t.method == "a"} == {
        HEADLINE: {},
        "centred": {"center": True},
        "many": {"scale": 2},
    }


def test_a_reading_may_be_of_one_table_and_data_set(readings):
    for table, name, expected in (("other", "big", 1), ("other", "small", 0), ("table", "big", 0)):
        found = tasks_of(Grid(table, ["b"], Count(1)), name=name)
        assert sum(task.reading == "here" for task in found) == expected


def test_the_least_number_of_trials_that_a_reading_states_counts(readings):
    found = tasks_of(Grid("table", ["a", "b"], Count(9)), name="big")
    counts = pd.Series([(t.method, t.reading) for t in found]).value_counts()
    assert counts["a", "centred"] == 9
    assert counts["a", "many"] == counts["b", "many"] == 2


def test_the_quick_profile_has_the_headline_and_what_is_called_quick(readings):
    grid = Grid("table", ["a"], Count(5, quick=2))
    assert {t.reading for t in tasks_of(grid, "quick")} == {HEADLINE, "many"}
    other = dataclasses.replace(grid, methods=["b"])
    assert {t.reading for t in tasks_of(other, "quick", name="big")} == {HEADLINE, "many"}
    assert {t.trial for t in tasks_of(grid, "quick")} == {0, 1}
    assert not tasks_of(Grid("table", ["a"], Count(5)), "quick")
    stated = dataclasses.replace(grid, readings=["centred"])
    assert {t.reading for t in tasks_of(stated, "quick")} == {"centred"}


def test_no_profile_has_more_trials_than_a_data_set(readings):
    grid = Grid("table", ["b"], Count(lambda d: len(d.splits), quick=5), readings=[HEADLINE])
    assert len(tasks_of(grid, "quick")) == len(tasks_of(grid)) == 3


def test_what_the_tasks_of_another_reading_measure_has_none_of_its_own(readings):
    assert "ties" not in {t.reading for t in tasks_of(Grid("table", ["a"], Count(1)))}
    assert readings.measured("a", HEADLINE) == {HEADLINE: {}, "ties": {"tie_break": "largest"}}
    assert readings.measured("b", HEADLINE) == {HEADLINE: {}}
    (task,) = tasks_of(Grid("table", ["a"], Count(1), readings=["ties"]))
    assert task.params == {}


def test_settings_seeds_and_parameters(readings):
    sizes = [Setting(f"{n} rows", n, {"n": n}) for n in (10, 20)]
    grid = Grid("t", ["b"], Count(1), readings=[HEADLINE], settings=sizes, seeds=Count(2))
    found = tasks_of(dataclasses.replace(grid, params={"fixed": 1}))
    assert [(t.setting, t.level, t.seed, t.params) for t in found] == [
        (f"{n} rows", n, seed, {"fixed": 1, "n": n}) for n in (10, 20) for seed in (0, 1)
    ]
    by_task = dataclasses.replace(grid, params=lambda task, reading: {"seed": task.seed})
    assert [t.params for t in tasks_of(by_task)] == 2 * [{"seed": 0}, {"seed": 1}]


def test_grids_leave_out_data_sets_and_tasks(readings):
    names = {name: data(name) for name in ("big", "small")}
    one = Grid("one", ["b"], Count(2), ["big"], [HEADLINE])
    other = Grid("two", ["b"], Count(2), None, [HEADLINE], without=["big"])
    some = dataclasses.replace(other, table="three", where=lambda task, dataset: task.trial == 1)
    (stage,) = Experiment("paper", list(names), [one, other, some], run).protocol().stages
    found = stage.tasks("full", names, results.to_frame([]))
    assert [t.id for t in found] == [
        *("one/big/b/headline/0", "one/big/b/headline/1"),
        *("two/small/b/headline/0", "two/small/b/headline/1", "three/small/b/headline/1"),
    ]


def run(task, dataset):
    return []


def test_later_grids_are_given_the_records_of_their_data_set(readings):
    def chosen(dataset, records):
        yield Grid("later", ["b"], Count(1), readings=[HEADLINE], params={"n": len(records)})

    stated = Experiment("paper", ["big"], [], run, later=[Later(chosen, reads=("table",))])
    (_, later) = stated.protocol().stages
    assert later.reads == ("table",)
    frame = pd.DataFrame({"dataset": ["big", "small", "big"]})
    (task,) = later.tasks("full", {"big": data("big")}, frame)
    assert task.params == {"n": 2}


def test_profiles_have_their_data_sets():
    protocol = Experiment("paper", ["big", "small"], [], run, quick=["small"])
    assert protocol.names("full") == ["big", "small"]
    assert protocol.names("quick") == ["small"]
    assert dataclasses.replace(protocol, quick=None).names("quick") == ["big", "small"]


def test_a_reading_that_is_misspelt_is_told_from_the_nearest(readings):
    with pytest.raises(ValueError, match="did you mean 'centred'"):
        tasks_of(Grid("table", ["a"], Count(1), readings=["centered"]))


def test_what_readings_change_is_part_of_the_code_behind_a_number(readings, monkeypatch):
    experiment = Experiment("paper", ["embedded/twonorm"], [], run)
    task = Task("paper", "table", "small", "a", "many")
    before = code_of_task(experiment.protocol(), task)
    changed = FILE.replace("scale = 2", "scale = 3")
    monkeypatch.setattr(experiments, "readings_of", lambda paper: said(changed))
    after = code_of_task(experiment.protocol(), task)
    assert (before.readings["many"], after.readings["many"]) == ({"scale": 2}, {"scale": 3})
    assert before.fingerprint == after.fingerprint, "the code is the same"
