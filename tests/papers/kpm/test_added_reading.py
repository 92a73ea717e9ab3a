"""A reading that is added to printed.toml, as docs/add_paper.md says, works at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ADDED = """
[[readings]]
name = "D up to 5"
methods = ["kpm"]
beside = "headline"
changes = { largest = 5 }
"""
TOLD = """
[story.readings."D up to 5"]
question = "the largest D searched"
text = "5; the paper names no limit"
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of this checkout with one reading more, and no data but the generated ones."""
    for name in ("reprolib", "data_fetch", "results/kpm"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    printed = tmp_path / "reprolib/papers/kpm/printed.toml"
    text = printed.read_text(encoding="utf-8")
    place = text.index('[[readings]]\nname = "centred"')
    printed.write_text(f"{text[:place]}{ADDED.lstrip()}\n{text[place:]}{TOLD}", encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_a_reading_beside_another_is_checked_and_run_at_once(copy):
    """It could be neither: "no task or record is of this reading"."""
    own = {"PYTHONPATH": str(copy), "REPROLIB_DATA": str(copy / "data"), "REPROLIB_MIRROR": ""}
    environment = {k: v for k, v in os.environ.items() if k != "REPROLIB_RESULTS"} | own

    def said(*words: str) -> str:
        command = [sys.executable, "-m", "reprolib", *words]
        return subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert "kpm: no faults" in said("check", "kpm")
    task = "table2/embedded/twonorm/kpm/headline/0"
    printed = said("reproduce", "kpm", "--full", "--embedded", "--only", task)
    assert "test error (D up to 5)" in printed
    assert "differs" not in printed
