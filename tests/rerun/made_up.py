"""Records and results of a paper that is not there, complete in every column."""

from __future__ import annotations

import dataclasses
import lzma

import pandas as pd

from reprolib.rerun import records as results
from reprolib.rerun.records import rows
from reprolib.rerun.records.task import Measurement, Task

DIGEST = "d" * 64
ENVIRONMENT = {"python": "3.11", "machine": "a machine", "versions": {"numpy": "2.1"}}


#: Columns by the names that tests give them, whatever they are called in the files.
COLUMNS = {name.lower(): getattr(rows, name) for name in ("VALUE", "CHOSEN", "N_TEST", "GAP")}
COLUMNS |= {name.lower(): getattr(rows, name) for name in ("PATH", "LEVEL", "SOURCE", "STATUS")}


def row(**changes):
    """Row of a sound record; its task is named after its columns unless it is given."""
    base = {"paper": "paper", "table": "t", "dataset": "d", "method": "m"}
    fields = {field.name for field in dataclasses.fields(Task)}
    task = Task(**base | {name: value for name, value in changes.items() if name in fields})
    made = rows.row_of(task, Measurement("error", 0.25, {"C": 0.002}, 100), "original", 1.0)
    return made | {COLUMNS.get(name, name): value for name, value in changes.items()}


def edit(path, change):
    """Change the text of a compressed file."""
    path.write_bytes(lzma.compress(change(lzma.decompress(path.read_bytes()).decode()).encode()))


def tasks_of(made) -> pd.DataFrame:
    """Table of the tasks that rows name; each is as its first row has it."""
    frame = results.to_frame(made).drop_duplicates("task")
    how = {"quick": False, "date": "2026-01-01", "code": "c" * 16, "environment": "e" * 8}
    return frame.assign(**how)[rows.TASK_COLUMNS]


def write(folder, made, digests=None, profile="full"):
    """Write results of rows; digests of their data are by name, `DIGEST` where none is given."""
    paper = made[0]["paper"]
    names = sorted({line["dataset"] for line in made})
    data = {
        name: {"source": "original", "note": "", "digest": (digests or {}).get(name, DIGEST)}
        for name in names
    }
    run = {
        "paper": paper,
        "profile": profile,
        "wall_seconds": 1.0,
        "task_seconds": 1.0,
        "data": data,
        "listing": "",
        "printed": "",
        "environments": {"e" * 8: ENVIRONMENT},
        "commit": "",
        "code": {},
    }
    return results.write_results(results.to_frame(made), folder / paper, tasks_of(made), run)
