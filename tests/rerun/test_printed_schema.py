"""The JSON Schema of printed.toml says the same as the messages that a reader of the file gives."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reprolib.cli.main import main
from reprolib.rerun.printed.file import fits, form_faults
from reprolib.rerun.printed.schema import File, OwnFile, printed_schema
from reprolib.rerun.records.registry import PAPERS, printed_text

ROOT = Path(__file__).resolve().parents[2]
VALIDATOR = jsonschema.Draft202012Validator(printed_schema())
FILES = {key: tomllib.loads(printed_text(key)) for key in PAPERS}
#: Tables whose keys are names of the writer's own.
WITH_OWN_NAMES = {"tables", "rows", "columns", "values", "not_run", "readings"}
WITH_OWN_NAMES |= {"changes", "beside", "trials"}
#: Not in pages that the site copies from the root: CONTRIBUTING shows the keys without values.
DOCUMENTED = [
    tomllib.loads(block)
    for page in (ROOT / "docs").glob("*.md")
    for block in re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    if "tables." in block
]


def places(part, path=()):
    """Path of every key in nested tables and lists; not into printed values."""
    inside = part.items() if isinstance(part, dict) else enumerate(part)
    for key, value in inside:
        if isinstance(part, dict):
            yield (*path, key)
        if isinstance(value, dict | list) and key != "values":
            yield from places(value, (*path, key))


def at(part, path):
    for key in path:
        part = part[key]
    return part


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(printed_schema())


@pytest.mark.parametrize("paper", FILES)
def test_every_file_of_the_package_is_valid(paper):
    VALIDATOR.validate(FILES[paper])


def test_the_documented_examples_are_valid():
    assert DOCUMENTED
    for example in DOCUMENTED:
        VALIDATOR.validate(example)


def test_a_misspelt_key_is_not():
    """Of every kind of place whose keys are not names of the writer's own, one in all papers."""
    seen = set()
    for paper, (*path, key) in ((name, p) for name in FILES for p in places(FILES[name])):
        kind = tuple(
            "own" if isinstance(part, int) or before in WITH_OWN_NAMES else part
            for before, part in zip(["", *path], path, strict=False)
        )
        own = (path[-1:] and path[-1] in WITH_OWN_NAMES) or "changes" in path
        if own or (kind, key) in seen:
            continue
        seen.add((kind, key))
        changed = copy.deepcopy(FILES[paper])
        table = at(changed, path)
        table[f"{key}x"] = table.pop(key)
        assert not VALIDATOR.is_valid(changed), (path, key)
        assert any(f"'{key}x'" in fault for fault in form_faults("", changed, File)), (path, key)


ANYTHING = st.one_of(
    st.sampled_from(["", "x", "splits", "own", "better", "percent"]),
    st.integers(-2, 2),
    st.sampled_from([-0.5, 0.5, True, False]),
    st.sampled_from([[], ["x"], ["splits"], ["splits", "seeds"], {}, {"x": 1}, [{}], [1]]),
)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(data=st.data(), value=ANYTHING)
def test_schema_and_messages_agree_on_any_change(data, value):
    """One value anywhere in a file becomes another one, or is left out."""
    changed = copy.deepcopy(FILES["kpm"])
    path = data.draw(st.sampled_from([p for p in places(changed) if "values" not in p]))
    table = at(changed, path[:-1])
    if data.draw(st.booleans()):
        table[path[-1]] = value
    else:
        table.pop(path[-1])
    named = list(form_faults("", changed, File))
    assert VALIDATOR.is_valid(changed) == fits(changed, File) == (not named)


def test_an_empty_reason_is_named():
    """Whether it is empty was lost on the way into a table by name: refused without a word."""
    changed = copy.deepcopy(FILES["kpm"])
    changed["printed"]["tables"]["table1"]["not_run"]["Best of 6"] = ""
    assert not VALIDATOR.is_valid(changed)
    assert any('not_run."Best of 6" is' in fault for fault in form_faults("", changed, File))


@pytest.mark.parametrize("value", [1, 1.5, "", [1, 0], [-1.5, 0.5]])
def test_what_can_be_printed_is_valid(value):
    changed = with_value(value)
    assert VALIDATOR.is_valid(changed)
    assert fits(changed, OwnFile)
    assert not list(form_faults("", changed, OwnFile))


@pytest.mark.parametrize("value", ["x", True, [1], [1, 2, 3], ["", 1], {}, float("nan")])
def test_what_cannot_be_printed_is_not(value):
    changed = with_value(value)
    assert not fits(changed, OwnFile)
    assert "row 'A', column 'M'" in "".join(form_faults("", changed, OwnFile))
    assert value != value or not VALIDATOR.is_valid(changed)


def with_value(value):
    line = {"rows": {"A": {}}, "columns": {"M": {}}, "values": {"A": [value]}}
    return {"tables": {"table1": line}}


def test_the_command_prints_it(capsys):
    assert main(["judge", "--schema"]) == 0
    assert json.loads(capsys.readouterr().out) == printed_schema()


def test_the_command_asks_for_both_files(capsys):
    assert main(["judge", "printed.toml"]) == 2
    assert "reprolib judge PRINTED.toml RESULTS.csv" in capsys.readouterr().err
