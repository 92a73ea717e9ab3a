"""The pages that one follows: their code runs, their commands are those of the command line."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import data_fetch
from reprolib.cli.main import build_parser
from reprolib.cli.table_text import plain
from reprolib.rerun.records.task import Task
from reprolib.rerun.verdicts import judge_paper

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(path.name for path in DOCS.glob("*.md"))


def blocks(name: str, *languages: str) -> list[str]:
    text = (DOCS / name).read_text(encoding="utf-8")
    fenced = re.findall(r"^```(\S*).*?\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    return [body for language, body in fenced if language in languages]


@pytest.mark.parametrize("name", ["../README.md", "estimators.md", "which_method.md"])
def test_the_code_of_a_page_runs_and_finds_what_is_there(name, capsys):
    names: dict = {}
    for block in blocks(name, "python"):
        exec(compile(block, name, "exec"), names)
    scores = re.findall(r"\b0\.\d+", capsys.readouterr().out)
    assert scores
    assert float(max(scores)) > 0.95


def test_a_method_of_ones_own_is_run_as_the_page_says():
    first, second = blocks("my_method.md", "python")
    names: dict = {}
    asked = '"kpm", "table2", n_jobs=2'
    assert asked in first
    less = '"kpm", "table2", profile="quick", trials=1, datasets=["*/twonorm"], embedded=True'
    exec(compile(first.replace(asked, less), "my_method.md", "exec"), names)
    assert ("PCA + LogisticRegression", "yours") in names["found"].means
    exec(compile(second, "my_method.md", "exec"), names)
    opened = names["OPEN"]["table1"]
    dataset = data_fetch.load("embedded/twonorm")
    trial = opened.trial(Task("toy", "table1", dataset.name, "ours", trial=1), dataset)
    assert len(trial.folds) == 5
    assert len(trial.X) == len(trial.y) == sum(len(test) for _, test in trial.folds)


@pytest.mark.needs_data("raetsch/heart", "statlog/segment")
def test_results_and_data_are_looked_at_as_the_pages_say(capsys):
    for name in ("reproduce.md", "data.md"):
        names: dict = {}
        for block in blocks(name, "python"):
            if "hashes" not in block:  # of the reader's own images
                exec(compile(block, name, "exec"), names)
    assert "segment" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["../README.md", *PAGES])
def test_every_command_of_a_page_is_one(name):
    joined = (block.replace("\\\n", "") for block in blocks(name, "", "bash"))
    lines = [line for block in joined for line in block.splitlines()]
    for line in lines:
        words = shlex.split(line, comments=True)
        if words[:1] == ["reprolib"]:
            build_parser().parse_args(words[1:])


def test_the_number_that_a_run_is_said_to_end_with_is_that_of_the_results():
    (verdict,) = (v for v in judge_paper("kpm") if v.number.id == "table2/Heart/KPM")
    (shown,) = blocks("reproduce.md", "text")
    assert plain([verdict]).splitlines()[-1] in shown.splitlines()
