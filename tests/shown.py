"""What the tables of the notebooks show, as numbers and texts: a stored list for every paper.

``python -m tests.shown KEY ...`` writes ``tests/report/shown/KEY.json`` anew from the committed
records, after a change that was meant.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reprolib.papers.across import summaries, views
from reprolib.papers.keops import _readings as readings
from reprolib.papers.keops import figures as keops
from reprolib.papers.kpm import figures as kpm
from reprolib.papers.mkmmc import figures as mkmmc
from reprolib.papers.mkmmc._methods import OWN
from reprolib.papers.mkpm import figures as mkpm
from reprolib.papers.simplex import figures as simplex
from reprolib.papers.simplex import rounding
from reprolib.rerun import records as results
from reprolib.rerun import tables
from reprolib.rerun.folders import replace_file
from reprolib.rerun.registry import PAPERS
from reprolib.rerun.verdicts import judge_paper
from tests.golden import with_results

FOLDER = Path(__file__).parent / "report/shown"
KEYS = tuple(with_results())
Tables = Mapping[str, Callable[[], Any]]


def _keops(records) -> Tables:
    return {
        "aucs by run": lambda: readings.aucs_by_run(records),
        "leak": lambda: readings.leak(records),
        "paired": lambda: keops.paired_aucs(records),
        "stability": lambda: keops.stability(records),
    }


def _kpm(records) -> Tables:
    reading = kpm.paired_reading(records)
    paired = kpm.paired_table(records, reading)
    return {
        "reading": lambda: [reading, kpm.paired_summary(paired)],
        "paired": lambda: paired,
        "losses": lambda: kpm.losses_table(records),
        "printed": kpm.printed_dimensions,
    }


def _mkmmc(records) -> Tables:
    def means(trials):
        return trials.groupby(level=["method", "reading"]).mean()

    verdicts = judge_paper("mkmmc")
    pair = ("mkmmc", "whitened"), ("kmmc_cv", "whitened")
    chosen = ("mmc_cv", "headline"), ("mmc", "headline")
    return {
        "accuracies": lambda: means(mkmmc.accuracies(records)),
        "own": lambda: means(mkmmc.accuracies(records, OWN)),
        "deviations": lambda: mkmmc.deviation_table(records, "MKMMC", ["mkmmc", "mmc"]),
        "oracle": lambda: mkmmc.oracle_bandwidths(records),
        "weights": lambda: mkmmc.learned_weights(records),
        "whitened": lambda: mkmmc.paired_table(records, *pair),
        "chosen": lambda: mkmmc.paired_table(records, *chosen, OWN),
        "minima": lambda: mkmmc.scan_minima(records),
        "luck": lambda: mkmmc.split_luck(records),
        **{
            t: (lambda t=t: mkmmc.beside_table(verdicts, t)) for t in ("table1", "table2", "table3")
        },
    }


def _mkpm(records) -> Tables:
    return {
        "ablation": lambda: mkpm.ablation_table(records),
        "haxby": lambda: mkpm.haxby_table(records),
        "differences": lambda: mkpm.haxby_differences(records),
        "losses": lambda: mkpm.losses_table(records),
        "kernels": lambda: mkpm.kernel_table(records),
    }


def _simplex(records) -> Tables:
    verdicts = [v for v in judge_paper("simplex") if v.n_trials]
    rows = list(dict.fromkeys(v.number.row for v in verdicts))
    return {
        "compact": lambda: simplex.compact_table(verdicts),
        "distances": lambda: simplex.distance_table(verdicts, rows),
        "online": lambda: simplex.online_means(records, "library Pegasos, 10 passes"),
        "peers": lambda: simplex.accuracy_table(records, "peers"),
        "fractions": rounding.rounding_table,
        "rows": rounding.rounding_summary,
    }


def _across(records) -> Tables:
    orders = [views.ordered(records, view) for view in views.CHOICES]
    return {
        "sets": lambda: summaries.sets_table(records),
        "budget": lambda: summaries.budget_table(records).drop(columns="seconds", errors="ignore"),
        "edges": lambda: summaries.edges_table(records),
        "best": lambda: summaries.best_per_set(records),
        "differences": lambda: summaries.difference_table(records),
        "paired": lambda: summaries.paired_table(records, "extra trees"),
        "columns": lambda: summaries.columns_table(records),
        "log loss": lambda: summaries.mean_table(records, "log loss"),
        "curves": lambda: summaries.curve_differences(records, "extra trees"),
        "survive": lambda: views.surviving(orders),
        "shares": lambda: views.least_shares(orders),
        "places": lambda: orders[0].places,
    }


def _general(key: str) -> Tables:
    """Tables that every paper has."""
    made = {
        "readings": lambda: tables.list_readings(key),
        "provenance": lambda: tables.provenance(key),
    }
    if key not in PAPERS:
        return made
    reasons = {
        w: lambda w=w: tables.reasons([key], w) for w in ("not reproduced", "quoted", "not run")
    }
    printed = dict.fromkeys(v.number.table for v in judge_paper(key))
    beside = {f"beside {t}": lambda t=t: tables.published_beside_ours(key, t) for t in printed}
    return made | reasons | beside


OF_PAPER = {
    "across": _across,
    "keops": _keops,
    "kpm": _kpm,
    "mkmmc": _mkmmc,
    "mkpm": _mkpm,
    "simplex": _simplex,
}


def listed(value: Any) -> Any:
    """Names and entries of a table, as lists; numbers to nine digits."""
    if isinstance(value, pd.DataFrame):
        columns = {str(name): listed(value[name].tolist()) for name in value.columns}
        return {"rows": [str(row) for row in value.index], "columns": columns}
    if isinstance(value, pd.Series):
        return listed(value.to_frame("values"))
    if isinstance(value, dict):
        return {str(name): listed(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [listed(entry) for entry in value]
    if isinstance(value, bool | np.bool_):
        return str(value)
    if isinstance(value, int | float | np.number):
        return float(f"{value:.9g}") if np.isfinite(value) else str(value)
    return str(value)


def shown(key: str) -> dict[str, Any]:
    """Every table of a paper by name."""
    made = {**OF_PAPER[key](results.load_paper(key)), **_general(key)}
    return {name: listed(make()) for name, make in made.items()}


def write(key: str) -> Path:
    """Write the list of a paper anew."""
    path = FOLDER / f"{key}.json"
    FOLDER.mkdir(exist_ok=True)
    lines = [f"{json.dumps(name)}: {json.dumps(t)}" for name, t in shown(key).items()]
    replace_file(path, "{\n" + ",\n".join(lines) + "\n}\n")
    return path


if __name__ == "__main__":
    for key in sys.argv[1:] or KEYS:
        print(write(key))
