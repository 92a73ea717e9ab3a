"""A column of the records is renamed in one source file, with one command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd

from reprolib.rerun.records import rows

ROOT = Path(__file__).resolve().parents[1]
OLD, NEW = rows.GAP, "relative_gap"
READ = f"""
import json
from reprolib.rerun.records import load_paper
from reprolib.rerun.records.folder import folder_faults
n_gaps = load_paper("mkpm")["{NEW}"].count().item()
print(json.dumps([list(map(str, folder_faults("mkpm"))), n_gaps]))
"""


def test_a_renamed_column_is_one_source_and_one_command(tmp_path):
    """It was two sources, 35 files and a script of one's own; 25 of 110 tests failed."""
    ignored = shutil.ignore_patterns("__pycache__", "*.ipynb")
    for name in ("reprolib", "data_fetch", "tools", "results/keops", "results/mkpm"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    before = pd.read_csv(tmp_path / "results/mkpm/records.csv.xz")
    source = tmp_path / "reprolib/rerun/records/rows.py"
    text = source.read_text()
    assert text.count(f'"{OLD}"') == 1, "the name stands once"
    source.write_text(text.replace(f'"{OLD}"', f'"{NEW}"'))
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("REPROLIB_")},
        "PYTHONPATH": str(tmp_path),
        "REPROLIB_RECORDS": str(tmp_path / "store"),
    }

    def run(*words):
        done = subprocess.run(
            [sys.executable, *words], env=environment, cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("tools/migrate_column.py", OLD, NEW)
    faults, n_gaps = json.loads(run("-c", READ))
    assert (faults, n_gaps) == ([], before[OLD].count())
    after = pd.read_csv(tmp_path / "results/mkpm/records.csv.xz")
    pd.testing.assert_frame_equal(after, before.rename(columns={OLD: NEW}))
