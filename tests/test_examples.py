"""The examples are repositories of their own: they run from outside, and show what they say."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest

from reprolib.rerun.printed.schema import printed_schema
from reprolib.rerun.records.tables import seal_faults
from reprolib.rerun.verdicts import judge_table
from reprolib.rerun.verdicts.anyone import worse_than_expected

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"


@pytest.mark.parametrize("path", [*EXAMPLES.rglob("printed.toml")], ids=lambda p: p.parent.name)
def test_printed_numbers_have_the_published_form(path):
    jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), printed_schema())


def test_results_of_another_tool_are_judged(tmp_path):
    """As its README says it; with a CSV file that was written here."""
    folder = EXAMPLES / "wine-csv"
    subprocess.run([sys.executable, folder / "results.py"], cwd=tmp_path, check=True)
    judged = judge_table(folder / "printed.toml", tmp_path / "results.csv")
    assert worse_than_expected(judged) == {}
    assert judged.words()["wine/Wine/RDA"] == "not run"


def reprolib(folder: Path, cwd: Path, *words: str) -> None:
    """Run a command that finds the papers of an example, as where it is installed."""
    environment = {
        **{name: value for name, value in os.environ.items() if name != "REPROLIB_RESULTS"},
        "PYTHONPATH": str(ROOT),
        "REPROLIB_PAPERS": str(folder),
    }
    subprocess.run([sys.executable, "-m", "reprolib", *words], cwd=cwd, env=environment, check=True)


def test_a_paper_of_its_own_is_checked_from_outside(tmp_path):
    """`make examples` runs its own tests and its notebook."""
    assert seal_faults(EXAMPLES / "kfd-raetsch" / "results" / "kfd") == []
    reprolib(EXAMPLES / "kfd-raetsch", tmp_path, "check", "kfd")


def test_a_paper_of_its_own_is_judged_from_outside(tmp_path):
    words = ("tables", "kfd", "--format", "md", "--output", "tables")
    reprolib(EXAMPLES / "kfd-raetsch", tmp_path, *words)
    (table,) = (tmp_path / "tables").iterdir()
    assert "| Banana | ● **11.8**" in table.read_text(encoding="utf-8")
