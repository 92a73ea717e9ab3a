"""`reprolib check`: a wrong name is found before anything runs, and the nearest one said."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import data_fetch
from data_fetch import Dataset
from reprolib.cli.main import main
from reprolib.report import paper_figures
from reprolib.rerun.checks import check, ends
from reprolib.rerun.records import registry
from reprolib.rerun.records.task import Measurement, Stage, Task
from tests import fake_paper
from tests.rerun.made_up import row
from tests.rerun.test_verdicts import number


@pytest.fixture
def misprinted(monkeypatch):
    """Change the text of a paper's file, as it is read."""

    def change(old, new):
        text = registry.printed_text("mkpm")
        assert old in text
        wrong = text.replace(old, new)
        monkeypatch.setattr(registry, "printed_text", lambda paper: wrong)
        registry.printed_of.cache_clear()

    yield change
    registry.printed_of.cache_clear()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('method = "mkpm"', 'method = "mkmp"', "no method 'mkmp'; did you mean 'mkpm'"),
        ('"statlog/dna"', '"statlog/dan"', "no dataset 'statlog/dan'; did you mean 'statlog/dna'"),
        ('metric = "accuracy"', 'metric = "acuracy"', "no metric 'acuracy'; did you mean 'accu"),
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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'b = [{ method = "svm" }]',
            'b = [{ method = "svn" }]',
            "claims, .equivalent to the SVMs.: side b in row .segment. of tables.table1: no method "
            ".svn.; did you mean .svm.",
        ),
        (
            'datasets = ["statlog/segment", "statlog/dna", "statlog/satimage"]\nresults = "gamma"',
            'datasets = ["statlog/segment", "haxby/subj1"]\nresults = "gamma"',
            "has v = 0.: side a in row .fmri. of tables.table1: no dataset .haxby/subj1.",
        ),
        (
            'claims = "same"\nmetric = "accuracy"',
            'claims = "same"\nmetric = "acuracy"',
            "side a: no metric .acuracy.; did you mean .accuracy.",
        ),
        (
            'reading = "raw, twelve runs"',
            'reading = "raw, twelve run"',
            "side a: no reading .raw, twelve run.; did you mean .raw, twelve runs.",
        ),
    ],
    ids=["misspelt", "a row it cannot have", "metric", "reading"],
)
def test_a_claim_that_its_tables_cannot_decide_is_a_fault(misprinted, old, new, message):
    """It stopped the judging later, in a traceback, or showed nothing."""
    misprinted(old, new)
    with pytest.raises(AssertionError, match=message):
        raise AssertionError("\n".join(check.check_paper("mkpm")))


def test_a_claim_that_names_no_method_is_refused_by_the_form_of_the_file(misprinted):
    misprinted(
        'a = { method = "mkpm" }\nb = [{ method = "svm" }]',
        'a = { metric = "accuracy" }\nb = [{ method = "svm" }]',
    )
    with pytest.raises(ValueError, match=r"claims, entry 1\.a: method is missing"):
        check.check_paper("mkpm")


def test_a_reading_and_its_words_have_one_name(misprinted, capsys):
    """A name that was changed in one part of the file only."""
    misprinted('name = "twelve runs"', 'name = "twelve run"')
    assert main(["check", "mkpm"]) != 0
    said = "story.readings: no reading 'twelve runs'; did you mean 'twelve run'?"
    assert said in " ".join(capsys.readouterr().out.split())


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
    select = {"dataset": "real/coins", "method": "mean", "metric": "value", "setting": ""}
    printed_mean = number(table="first", results="first", value=0.1, select=select)

    def faults():
        return list(check.number_faults(printed_mean, check.listed_names(protocol)))

    (fault,) = faults()
    assert "no method 'mean'" in fault
    monkeypatch.setattr(data_fetch, "available", lambda name: False)
    assert faults() == []


def of_trials(draws_its_own: bool):
    """A protocol of sixty trials on data of three splits, and the number of times it computed."""
    computed = []

    def run(task, dataset):
        if draws_its_own:
            n_train = len(dataset.splits[0][0])
            train = np.random.default_rng(task.trial).permutation(len(dataset.y))[:n_train]
        else:
            train, _ = dataset.splits[task.trial]
        computed.append(dataset.X[train])
        return [Measurement("error", 0.5)]

    tasks = [Task("fake", "t", "three", "m", trial=trial) for trial in range(60)]
    return dataclasses.replace(fake_paper.PROTOCOL, run=run), tasks, computed


@pytest.mark.parametrize("draws_its_own", [False, True])
def test_more_trials_than_a_set_has_splits_are_a_fault_before_anything_is_computed(draws_its_own):
    """They were sixty IndexErrors in the full run; trials that draw their own splits are not."""
    protocol, tasks, computed = of_trials(draws_its_own)
    splits = [(np.arange(4), np.arange(4, 6))] * 3
    three = Dataset("three", np.zeros((6, 2)), np.zeros(6), "original", splits=splits)
    faults = list(check.split_faults(protocol, tasks, {"three": three}))
    told = "t, 'm', reading 'headline': 60 trials on three, which has 3 splits"
    assert faults == ([] if draws_its_own else [told])
    assert not computed


def draw_nothing(records):
    figure, axes = plt.subplots(1, 2)
    axes[0].plot([1, 2], [3, 4])
    axes[1].plot([], [])
    axes[1].axhline(0)
    axes[1].set_title("of none")
    return figure


def draw_all(records):
    figure, axes = plt.subplots()
    axes.bar([1], records["value"].iloc[:1])
    return figure


def draw_wrong(records):
    return records["no such column"]


def test_a_figure_of_no_record_is_named(monkeypatch):
    """Empty axes were listed as written."""
    listed = (
        paper_figures.PaperFigure("", draw_all),
        paper_figures.PaperFigure("", draw_nothing),
        paper_figures.PaperFigure("", draw_wrong),
        paper_figures.PaperFigure("", draw_all, fits=lambda records: False),
    )
    monkeypatch.setattr(paper_figures, "paper_module", lambda *_: SimpleNamespace(FIGURES=listed))
    records = pd.DataFrame([row()])
    assert paper_figures.figure_faults("p", records) == [
        "p, figure 'draw_nothing', axes 'of none': empty, drawn from no record",
        "p, figure 'draw_wrong': cannot be drawn (KeyError: 'no such column')",
        "p, figure 'draw_all': never drawn, as the records lack what its `fits` asks for",
    ]


def test_the_first_and_the_last_trial_of_everything_are_run_and_what_fails_is_named(
    fake, monkeypatch
):
    protocol, ran = fake

    def run(task, data):
        if task.trial == 4:
            raise IndexError("list index out of range")
        return protocol.run(task, data)

    monkeypatch.setattr(ends, "get_protocol", lambda _: dataclasses.replace(protocol, run=run))
    faults, records = ends.run_ends("fake")
    assert faults == [
        "first/real/coins/mean/headline/4: failed: IndexError: list index out of range"
    ]
    assert [task.id for task in ran] == [
        "first/real/coins/mean/headline/0",
        "second/real/coins/best/headline/0",
    ]
    assert set(records["table"]) == {"first", "second"}


def test_before_the_first_run_a_table_of_a_later_stage_is_no_fault(monkeypatch, tmp_path):
    """Which tasks choose from records is not known yet: KPM could not be run without results."""
    monkeypatch.setenv("REPROLIB_RESULTS", str(tmp_path))
    assert main(["reproduce", "kpm", "--dry-run", "--embedded"]) == 0
