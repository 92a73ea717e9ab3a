"""Results of some committed records, in a folder of a test."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from reprolib.rerun import records as results


def write(paper: str, records: pd.DataFrame, folder: Path, **about) -> None:
    """Write records as results of a paper, with what the committed ones say of tasks and data."""
    tasks = results.load_tasks(paper)
    tasks = tasks[tasks["task"].isin(records["task"])]
    run = {**results.load_run(paper), **about}
    results.write_results(records, folder / paper, tasks, run)
