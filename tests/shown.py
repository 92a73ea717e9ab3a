"""What the tables of the notebooks show, as numbers and texts: a stored list for every paper.

``python -m tests.shown KEY ...`` writes ``tests/report/shown/KEY.json`` anew from the committed
records, after a change that was meant.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
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
from reprolib.report import tables
from reprolib.rerun import records as results
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts.judge import judge_paper
from tests import stored_list
from tests.golden import with_results

FOLDER = Path(__file__).parent / "report/shown"
KEYS = tuple(with_results())
Tables = dict[str, Any]
#: Tables that need nothing but the records.
OF_RECORDS: dict[str, dict[str, Callable]] = {
    "across": {
        "sets": summaries.sets_table,
        "budget": summaries.budget_table,
        "edges": summaries.edges_table,
        "best": summaries.best_per_set,
        "differences": summaries.difference_table,
        "columns": summaries.columns_table,
    },
    "keops": {
        "aucs by run": readings.aucs_by_run,
        "leak": readings.leak,
        "paired": keops.paired_aucs,
        "stability": keops.stability,
    },
    "kpm": {"losses": kpm.losses_table},
    "mkmmc": {
        "oracle": mkmmc.oracle_bandwidths,
        "weights": mkmmc.learned_weights,
        "minima": mkmmc.scan_minima,
        "luck": mkmmc.split_luck,
    },
    "mkpm": {
        "ablation": mkpm.ablation_table,
        "haxby": mkpm.haxby_table,
        "differences": mkpm.haxby_differences,
        "losses": mkpm.losses_table,
        "kernels": mkpm.kernel_table,
    },
    "simplex": {},
}


def _kpm(records) -> Tables:
    reading = kpm.paired_reading(records)
    paired = kpm.paired_table(records, reading)
    return {
        "reading": [reading, kpm.paired_summary(paired)],
        "paired": paired,
        "printed": kpm.printed_dimensions(),
    }


def _mkmmc(records) -> Tables:
    verdicts = judge_paper("mkmmc")
    means = {
        name: trials.groupby(level=["method", "reading"]).mean()
        for name, trials in {
            "accuracies": mkmmc.accuracies(records),
            "own": mkmmc.accuracies(records, OWN),
        }.items()
    }
    whitened = ("mkmmc", "whitened"), ("kmmc_cv", "whitened")
    chosen = ("mmc_cv", "headline"), ("mmc", "headline")
    return means | {
        "deviations": mkmmc.deviation_table(records, "MKMMC", ["mkmmc", "mmc"]),
        "whitened": mkmmc.paired_table(records, *whitened),
        "chosen": mkmmc.paired_table(records, *chosen, OWN),
        **{f"table{k}": mkmmc.beside_table(verdicts, f"table{k}") for k in (1, 2, 3)},
    }


def _simplex(records) -> Tables:
    verdicts = [v for v in judge_paper("simplex") if v.n_trials]
    rows = list(dict.fromkeys(v.number.row for v in verdicts))
    return {
        "compact": simplex.compact_table(verdicts),
        "distances": simplex.distance_table(verdicts, rows),
        "online": simplex.online_means(records, "library Pegasos, 10 passes"),
        "peers": simplex.accuracy_table(records, "peers"),
        "fractions": rounding.rounding_table(),
        "rows": rounding.rounding_summary(),
    }


def _across(records) -> Tables:
    orders = [views.ordered(records, view) for view in views.CHOICES]
    return {
        "paired": summaries.paired_table(records, "extra trees"),
        "log loss": summaries.mean_table(records, "log loss"),
        "curves": summaries.curve_differences(records, "extra trees"),
        "survive": views.surviving(orders),
        "shares": views.least_shares(orders),
        "places": orders[0].places,
    }


OTHERS = {"across": _across, "kpm": _kpm, "mkmmc": _mkmmc, "simplex": _simplex}


def _general(key: str) -> Tables:
    """Tables that every paper has."""
    made = {"readings": tables.list_readings(key), "provenance": tables.provenance(key)}
    if key in PAPERS:
        for word in ("not reproduced", "quoted", "not run"):
            made[word] = tables.reasons([key], word)
        for table in dict.fromkeys(v.number.table for v in judge_paper(key)):
            made[f"beside {table}"] = tables.published_beside_ours(key, table)
    return made


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
    records = results.load_paper(key)
    made: Tables = {name: make(records) for name, make in OF_RECORDS[key].items()}
    if key in OTHERS:
        made |= OTHERS[key](records)
    return {name: listed(table) for name, table in (made | _general(key)).items()}


if __name__ == "__main__":
    for key in sys.argv[1:] or KEYS:
        print(stored_list.write(shown(key), FOLDER / f"{key}.json"))
