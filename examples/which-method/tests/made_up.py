"""Made-up records of the study: a few methods on a few sets, in the form of the real ones."""

from __future__ import annotations

import numpy as np

from reprolib.rerun import records as results
from reprolib.rerun.records.rows import row_of
from reprolib.rerun.records.task import HEADLINE, Measurement, Task
from which_method.experiment import (
    ALL_COLUMNS,
    ALL_ROWS,
    CURVE_METHODS,
    CURVE_SIZES,
    CURVES,
    TREES,
)
from which_method.methods import METHODS

KEYS = (
    "mkpm",
    "mkl",
    "svc",
    "logistic",
    "gradient boosting",
    "extra trees",
    "random forest",
)
SETS = ("raetsch/heart", "raetsch/german", "raetsch/titanic", "uci/pendigits", "faces/yale")
N_TRIALS = 3


def made_up(status="ok"):
    """Records of seven methods on five sets in three trials; MKL on the binary sets only."""
    rng, rows = np.random.default_rng(0), []
    for name in SETS:
        for key in KEYS:
            if METHODS[key].binary_only and not name.startswith("raetsch"):
                continue
            for trial in range(N_TRIALS):
                task = Task("which_method", "accuracy", name, key, HEADLINE, trial)
                rows += _rows(task, rng, key, trial, status)
                status = "ok"
    for key in TREES:
        task = Task("which_method", "accuracy", "faces/yale", key, ALL_COLUMNS, 0)
        rows += [_row(task, metric, 0.95) for metric in ("accuracy", "balanced accuracy")]
    for key in CURVE_METHODS:
        for size in (*CURVE_SIZES[:-1], ALL_ROWS):
            for trial in range(2):
                task = Task(
                    *("which_method", CURVES, "raetsch/german", key, HEADLINE, trial),
                    setting=f"{size} rows",
                    level=size,
                )
                rows.append(_row(task, "accuracy", 1 - 1 / np.log(size) + trial / 100))
                rows.append(_row(task, "fit", min(size, 750), part=0.1))
                rows.append(_row(task, "test overlap", 0.25))
    return results.to_frame(rows)


def _rows(task, rng, key, trial, status):
    if status != "ok":
        return [row_of(task, Measurement("failed", np.nan, status=status), "partial", 1.0)]
    seconds = 100.0 if trial == 0 else 1.0 + KEYS.index(key)
    accuracy = rng.uniform(0.7, 0.9)
    measured = {
        "accuracy": accuracy,
        "balanced accuracy": accuracy - 0.1,
        "macro F1": accuracy - 0.2,
        "test overlap": 0.25,
        "fits": 28,
        "fits not converged": 2.0 * (key == "mkpm"),
        "configurations not converged": 1.0 * (key == "mkpm"),
    }
    if key in ("logistic", "extra trees"):
        measured["log loss"] = 0.5
    config = METHODS[key].grid[0 if trial else -1]
    rows = [_row(task, metric, v, seconds, config=config) for metric, v in measured.items()]
    rows.append(_row(task, "fit", 200, seconds, part=0.01 * (1 + KEYS.index(key))))
    rows.append(_row(task, "prediction", 100, seconds, part=0.001 * (1 + KEYS.index(key))))
    return rows


def _row(task, metric, number, seconds=1.0, config=None, part=None):
    m = Measurement(metric, number, config or {}, n_test=100, seconds=part)
    return row_of(task, m, "partial", seconds)


def value(records, name, key, trial, metric="accuracy"):
    """One number of the main table."""
    rows = records[(records["dataset"] == name) & (records["method"] == key)]
    rows = rows[(rows["trial"] == trial) & (rows["metric"] == metric)]
    rows = rows[(rows["table"] == "accuracy") & (rows["reading"] == HEADLINE)]
    return rows["value"].item()
