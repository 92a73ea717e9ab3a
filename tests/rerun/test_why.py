"""`reprolib verify --why` and `--stamp`: what changed since a record was made, what is proved."""

from __future__ import annotations

import dataclasses
import json

import pandas as pd
import pytest

from reprolib.rerun import records as results
from reprolib.rerun.checks import why
from reprolib.rerun.records.fingerprint import Code
from reprolib.rerun.records.folder import folder_faults
from reprolib.rerun.records.provenance import (
    CODE,
    NOTHING,
    TEXTS,
    UNKNOWN,
    VERSIONS,
    change_of,
    commit_of,
    is_commit,
)
from reprolib.rerun.tasks.selection import Only
from tests import fake_paper

CODE_HERE = Code({"one": "a", "two": "b"}, {"numpy": "2.1"}, {"one": "x", "two": "y"})


def made(**changes):
    """What run.json says of a code that made records, with one fingerprint changed."""
    about = {"commits": ["c" * 40], **CODE_HERE.about(), "note": ""}
    return {
        "code": {
            "f": {
                name: {**about[name], **changes.get(name, {})}
                for name in about
                if isinstance(about[name], dict)
            }
            | {"commits": about["commits"]}
        }
    }


@pytest.mark.parametrize(
    ("changes", "what", "names"),
    [
        ({}, NOTHING, ()),
        ({"texts": {"one": "w"}}, TEXTS, ("one",)),
        ({"modules": {"two": "z"}, "texts": {"two": "w"}}, CODE, ("two",)),
        ({"modules": {"gone": "z"}}, NOTHING, ()),
        ({"versions": {"numpy": "2.0"}}, VERSIONS, ("numpy 2.0 -> 2.1",)),
    ],
)
def test_what_changed_is_told_apart(changes, what, names):
    found = change_of(CODE_HERE, "f", made(**changes))
    assert (found.what, found.names, found.commits) == (what, names, ("c" * 40,))


def test_a_code_of_which_nothing_is_said_is_said_so():
    assert change_of(CODE_HERE, "g", made()).what == UNKNOWN


@pytest.fixture
def edited(committed, monkeypatch):
    """The fake paper after its function was edited; its results folder."""

    def run(task, data):
        return fake_paper.run(task, data)

    protocol = dataclasses.replace(committed, run=run)
    monkeypatch.setattr(why, "get_protocol", lambda paper: protocol)
    return protocol


def test_a_run_says_its_commit_and_code_and_that_nothing_changed(committed, monkeypatch):
    monkeypatch.setattr(why, "get_protocol", lambda paper: committed)
    assert {change.what for _, change, _ in why.changes("fake")} == {NOTHING}
    (code,) = results.load_run("fake")["code"].values()
    assert all(map(is_commit, code["commits"]))
    assert is_commit(commit_of("kpm")) or commit_of("kpm") == ""


def test_only_what_was_recomputed_is_stamped_anew_and_no_value_moves(edited):
    before = results.load_paper("fake")
    assert {change.what for _, change, _ in why.changes("fake")} == {CODE}
    proved = set(results.load_tasks("fake")["task"][:2])
    assert why.stamp("fake", edited, proved, "d" * 40, None) == 2
    only = Only(["first/real/coins/mean"])
    counts = {change.what: n for _, change, n in why.changes("fake", only=only)}
    assert counts == {NOTHING: 2, CODE: 3}
    assert folder_faults("fake") == ()
    pd.testing.assert_frame_equal(results.load_paper("fake"), before)
    codes = json.dumps(results.load_run("fake")["code"])
    assert "d" * 40 in codes
    assert why.RECOMPUTED in codes
