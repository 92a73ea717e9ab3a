"""Records and results of a paper that is not there, complete in every column."""

from __future__ import annotations

import gzip

import pandas as pd

from reprolib.rerun import records as results
from reprolib.rerun.records.rows import TASK_COLUMNS
from reprolib.rerun.records.task import task_id

DIGEST = "d" * 64
ENVIRONMENT = {"python": "3.11", "machine": "a machine", "versions": {"numpy": "2.1"}}


def row(**changes):
    """Row of a sound record; its task is named after its columns unless it is given."""
    base = {
        **dict.fromkeys(results.COLUMNS, ""),
        "paper": "paper",
        "table": "t",
        "dataset": "d",
        "method": "m",
        "level": None,
        "reading": "headline",
        "seed": 0,
        "trial": 0,
        "metric": "error",
        "value": 0.25,
        "chosen": '{"C": 0.002}',
        "n_test": 100,
        "gap": None,
        "seconds": 1.0,
        "source": "original",
        "status": "ok",
        **changes,
    }
    return {**base, "task": changes.get("task") or task_id(base)}


def edit(path, change):
    """Change the text of a compressed file."""
    path.write_bytes(gzip.compress(change(gzip.decompress(path.read_bytes()).decode()).encode()))


def tasks_of(rows) -> pd.DataFrame:
    """Table of the tasks that rows name; each took the seconds of its first row."""
    first = {line["task"]: line for line in reversed(rows)}
    lines = [
        {
            **line,
            "quick": False,
            "date": "2026-01-01",
            "code": "c" * 16,
            "environment": "e" * 8,
        }
        for line in first.values()
    ]
    return pd.DataFrame(lines, columns=TASK_COLUMNS)


def write(folder, rows, digests=None, profile="full"):
    """Write results of rows; digests of their data are by name, `DIGEST` where none is given."""
    paper = rows[0]["paper"]
    names = sorted({line["dataset"] for line in rows})
    data = {
        name: {"source": "original", "note": "", "digest": (digests or {}).get(name, DIGEST)}
        for name in names
    }
    run = {
        "paper": paper,
        "profile": profile,
        "wall_seconds": 1.0,
        "data": data,
        "listing": "",
        "printed": "",
        "environments": {"e" * 8: ENVIRONMENT},
    }
    return results.write_results(results.to_frame(rows), folder / paper, tasks_of(rows), run)
