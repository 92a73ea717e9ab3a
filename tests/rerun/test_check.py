"""`reprolib check`: a wrong name is found before anything runs, and the nearest one said."""

from __future__ import annotations

import dataclasses

import pytest

import data_fetch
from reprolib.cli.main import main
from reprolib.rerun.checks import check
from reprolib.rerun.records import registry
from reprolib.rerun.records.task import Stage, Task
from reprolib.rerun.verdicts import printed
from tests.rerun.test_verdicts import number


@pytest.fixture
def misprinted(monkeypatch):
    """Change the text of a paper's file, as it is read."""

    def change(old, new):
        text = registry.printed_text("mkpm")
        assert old in text
        wrong = text.replace(old, new, 1)
        monkeypatch.setattr(printed, "printed_text", lambda paper: wrong)
        printed.paper_entry.cache_clear()

    yield change
    printed.paper_entry.cache_clear()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('method = "mkpm"', 'method = "mkmp"', "no method 'mkmp'; did you mean 'mkpm'"),
        ('"statlog/dna"', '"statlog/dan"', "no dataset 'statlog/dan'; did you mean 'statlog/dna'"),
        ('metric = "accuracy"', 'metric = "acuracy"', "no metric 'acuracy'; did you mean 'accu"),
        ('name = "twelve runs"', 'name = "twelve run"', "'twelve run'.*did you mean 'twelve runs"),
    ],
)
def test_a_misprint_is_said_before_anything_runs(misprinted, capsys, old, new, message):
    """It was reported after the run, or never."""
    misprinted(old, new)
    faults = check.check_paper("mkpm")
    with pytest.raises(AssertionError, match=message):
        raise AssertionError("\n".join(faults))
    assert main(["check", "mkpm"]) == 1
    assert main(["reproduce", "mkpm", "--quick"]) == 2
    assert "reprolib/papers/mkpm/printed.toml" in capsys.readouterr().err


def test_a_reading_that_is_run_must_stand_in_the_file(misprinted):
    misprinted('name = "voxels centred"', 'name = "voxels centered"')
    faults = check.check_paper("mkpm")
    assert any("runs the reading 'voxels centred', of which the file says" in f for f in faults)


def test_a_sound_paper_is_said_to_be_sound(capsys):
    assert main(["check", "kpm"]) == 0
    assert "kpm: no faults" in capsys.readouterr().out


def test_a_method_that_the_experiment_no_longer_has_is_a_fault_where_its_data_are(
    committed, monkeypatch
):
    """Without the data nothing is listed anew: their records say what was measured."""

    def renamed(profile, datasets, records):
        return [Task("fake", "first", name, "average", params={"seed": 0}) for name in datasets]

    protocol = dataclasses.replace(committed, stages=(Stage(renamed),))
    monkeypatch.setattr(check, "is_as_committed", lambda protocol: False)
    select = {"dataset": "real/coins", "method": "mean", "metric": "value", "setting": ""}
    printed_mean = number(table="first", results="first", value=0.1, select=select)

    def faults():
        return list(check.number_faults(printed_mean, check.known_names(protocol)))

    (fault,) = faults()
    assert "no method 'mean'" in fault
    monkeypatch.setattr(data_fetch, "available", lambda name: False)
    assert faults() == []
