"""One task in one process: its measurements as rows of the records."""

from __future__ import annotations

import json
import time
import traceback
from typing import Any

import joblib
from threadpoolctl import threadpool_limits

from reprolib.rerun import data_cache
from reprolib.rerun.registry import get_protocol
from reprolib.rerun.stored_rows import VALUE_FORMAT
from reprolib.rerun.task import Measurement, Task

#: Records of one task, by column.
Rows = list[dict[str, Any]]


def execute(task: Task, digest: str) -> tuple[Task, Rows]:
    """Run one task on one BLAS thread; return it with its rows, as tasks finish in any order.

    An exception becomes a failed row, with its traceback under a key of its own, which is in no
    table. What scikit-learn would run in parallel inside of a task stays in its process.
    """
    protocol = get_protocol(task.paper)
    start = time.perf_counter()
    trace: dict[str, str] = {}
    source = "embedded" if task.dataset.startswith("embedded/") else "unknown"
    try:
        dataset = data_cache.get(task.dataset, digest)
        source = dataset.source
        with threadpool_limits(limits=1), joblib.parallel_config("sequential"):
            measurements = protocol.run(task, dataset)
        if not measurements:
            raise ValueError("the task measured nothing; a protocol must not list such tasks")
    except Exception as error:
        message = f"failed: {type(error).__name__}: {error}"
        measurements = [Measurement("failed", float("nan"), status=message)]
        trace = {"traceback": traceback.format_exc()}
    seconds = time.perf_counter() - start
    return task, [{**row_of(task, m, source, seconds), **trace} for m in measurements]


def row_of(task: Task, m: Measurement, source: str, seconds: float) -> dict[str, Any]:
    """Row of the records for one measurement of a task."""
    return {
        "paper": task.paper,
        "table": task.table,
        "dataset": task.dataset,
        "method": task.method,
        "setting": task.setting if m.setting is None else m.setting,
        "reading": m.reading or task.reading,
        "trial": task.trial,
        "metric": m.metric,
        "value": float(f"{float(m.value):{VALUE_FORMAT}}"),
        "chosen": json.dumps(dict(m.chosen), sort_keys=True),
        "n_test": int(m.n_test),
        "gap": None if m.gap is None else float(f"{m.gap:.3g}"),
        "path": " ".join(f"{v:.6g}" for v in m.path),
        "seconds": round(seconds if m.seconds is None else m.seconds, 4),
        "source": m.source if m.source and source != "embedded" else source,
        "status": m.status,
    }
