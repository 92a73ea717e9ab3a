"""The examples are repositories of their own: they run from outside, and show what they say."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest

from reprolib.rerun.records import seal
from reprolib.rerun.verdicts import judge_table, printed_schema
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


def test_a_paper_of_its_own_is_checked_and_judged_from_outside(tmp_path):
    """Its own tests run with `pytest` in its folder; they take half a minute."""
    folder = EXAMPLES / "kfd-raetsch"
    assert seal.faults(folder / "results/kfd") == []
    environment = {
        **{name: value for name, value in os.environ.items() if name != "REPROLIB_RESULTS"},
        "PYTHONPATH": str(ROOT),
        "REPROLIB_PAPERS": str(folder),
    }
    program = (
        "from reprolib.cli.main import main; assert main(['check', 'kfd']) == 0; "
        "assert main(['tables', 'kfd', '--format', 'md', '--output', 'tables']) == 0"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environment, check=True)
    (table,) = (tmp_path / "tables").iterdir()
    assert "reproduced" in table.read_text(encoding="utf-8")
