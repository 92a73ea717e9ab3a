"""KEOPS, ICASSP 2014, section 4: Table 1 and Figure 2 on the P300 speller, and beyond.

- Table 1: 567 flashes of the training sessions drawn at random, the rest for test; C by 5-fold
  cross-validation (stratified, so that every fold has both classes) on seven values; AUC, and the
  regions, channels and frames that are kept; 10 draws.
- What the text leaves open is measured under the readings of ``printed.toml``, on the first
  draws; so is what the runs at hand and unfinished optimisation do to the numbers.
- Beyond the paper: the path over the grid, and the experiments of ``beyond.py``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import mne
import numpy as np
import pandas as pd

from data_fetch import Dataset
from data_fetch.p300 import CHANNELS, contradicted_flashes
from reprolib.methods.keops.electrodes import region
from reprolib.methods.keops.speller import SpellerFeatures, features
from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.papers.keops import beyond, methods
from reprolib.papers.keops.splits import run_codes
from reprolib.rerun.printed.schema import Reading
from reprolib.rerun.records import HEADLINE, Measurement, Task, chosen, derived_row, paths, select
from reprolib.rerun.tasks.experiment import Count, Experiment, Grid, Later

PAPER_METHODS = ("keops", "tree norm", "mkl")
OTHER_METHODS = ("svm", "lda", "xdawn + lda", "keops, convex")
#: Methods that spell; their costs are the medians of those chosen in Table 1.
SPELLING_METHODS = ("keops", "mkl", "svm")
#: Draws of the quick profile.
QUICK = 2


def _applies(task: Task, dataset: Dataset) -> bool:
    """Whether the data have the run that a reading leaves out, and the label that it mends."""
    without = task.params.get("without_run")
    if without is not None and without not in run_codes(dataset):
        return False
    return "contradicted" not in task.params or bool(contradicted_flashes(dataset).any())


GRIDS = (
    Grid("table1", PAPER_METHODS, Count(10, QUICK), where=_applies),
    Grid("table1", OTHER_METHODS, Count(5), where=_applies),
)


def chosen_before(dataset: Dataset, records: pd.DataFrame) -> Iterator[Grid]:
    """What needs the choices of Table 1: its relevances rank the electrodes, its C stays.

    Few electrodes, runs apart, the leak of a split by flash, spelling run by run, and character by
    character.
    """
    ranked = select(records, reading=HEADLINE, metric="relevance", method=PAPER_METHODS)
    ranks = []
    for relevances in paths(ranked):
        # Channels by falling relevance, without those that have none.
        per_channel = relevances.reshape(len(dataset.extra["channels"]), -1).sum(axis=1)
        order = [int(i) for i in np.argsort(-per_channel, kind="stable")]
        ranks.append({"ranking": order[: int(np.count_nonzero(per_channel))]})
    yield from _by_draw("electrodes", ranked, ranks)
    aucs = select(records, table="table1", reading=HEADLINE, metric="auc")
    values = chosen(aucs, "value").astype(float)
    median = values.groupby(aucs["method"]).median()
    again = aucs["method"].isin([*PAPER_METHODS, "lda"])
    yield from _by_draw("runs", aucs[again], [{"value": float(v)} for v in values[again]])
    medians = [{"value": float(median[method])} for method in aucs["method"][again]]
    yield from _by_draw("leak", aucs[again], medians)
    n_runs = len(run_codes(dataset))
    for method in ("lda", *SPELLING_METHODS):
        params = {"value": float(median.get(method, 0.0))}
        quick = method == "lda"
        yield Grid("spelling", [method], Count(n_runs, n_runs * quick), params=params)
        yield Grid("characters", [method], Count(1, int(quick)), params=params)


def _by_draw(table: str, rows: pd.DataFrame, params: list[dict[str, Any]]) -> Iterator[Grid]:
    """One task for the method and draw of every record, with its parameters."""
    of_task = dict(zip(zip(rows["method"], rows["trial"], strict=True), params, strict=True))

    def params_of(task: Task, reading: Reading) -> Mapping[str, Any]:
        return of_task.get((task.method, task.trial), {})

    def is_known(task: Task, dataset: Dataset) -> bool:
        return (task.method, task.trial) in of_task

    n = int(rows["trial"].max()) + 1 if len(rows) else 0
    names = list(dict.fromkeys(rows["method"]))
    yield Grid(
        table, names, Count(n, quick=n), readings=[HEADLINE], params=params_of, where=is_known
    )


RUN: Mapping[str, Callable[..., list[Measurement]]] = {
    "table1": methods.table1,
    "electrodes": beyond.electrodes,
    "runs": beyond.aucs_by_run,
    "leak": beyond.leak,
    "spelling": beyond.spelling,
    "characters": beyond.characters_apart,
}


def run(task: Task, dataset: Dataset) -> list[Measurement]:
    """Run one task."""
    with mne.use_log_level("ERROR"), warnings.catch_warnings():
        if "max_iter" in task.params:
            warnings.simplefilter("ignore", NotOptimalWarning)
        preprocessing = SpellerFeatures(
            zero_phase=bool(task.params.get("zero_phase", True)),
            order=int(task.params.get("order", 4)),
            ripple=float(task.params.get("ripple", 0.5)),
            per_window=bool(task.params.get("per_window", False)),
        )
        return RUN[task.table](task, dataset, features(dataset, preprocessing))


def derive(records: pd.DataFrame) -> list[dict[str, Any]]:
    """What section 4 says of Figure 2, by draw: electrodes at the front, frames off the peak."""
    front = np.array(["frontal" in region(name) for name in CHANNELS])
    rows = []
    ranked = select(records, table="table1", metric="relevance")
    for record, relevance in zip(ranked.to_dict("records"), paths(ranked), strict=True):
        of_channel = relevance.reshape(len(CHANNELS), -1)
        kept = int(np.count_nonzero(of_channel[front].sum(axis=1)))
        outside = 1.0 - of_channel[:, [6, 7]].sum() / max(of_channel.sum(), 1e-300)
        own = {"trial": record["trial"]}
        rows.append(derived_row(record, "frontal electrodes", kept, **own))
        rows.append(derived_row(record, "relevance outside frames 7 and 8", outside, **own))
    return rows


PROTOCOL = Experiment(
    "keops",
    ["p300/iib"],
    GRIDS,
    run,
    later=[Later(chosen_before, reads=("table1",))],
    derive=derive,
    measures=RUN,
).protocol()
