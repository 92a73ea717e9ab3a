"""KEOPS, ICASSP 2014, section 4: Table 1 and Figure 2 on the P300 speller, and beyond.

- Table 1: 567 flashes of the training sessions drawn at random, the rest for test; C by 5-fold
  cross-validation (stratified, so that every fold has both classes) on seven values; AUC, and the
  regions, channels and frames that are kept; 10 draws.
- What the text leaves open is measured under named readings (``printed.toml``), on
  the first draws; so is what the runs at hand and unfinished optimisation do to the numbers.
- Beyond the paper: the path over the grid here, the rest in ``beyond.py``.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace

import mne
import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from data_fetch import Dataset
from data_fetch.p300 import contradicted_flashes, with_audited_labels
from reprolib.methods.keops.speller import SpellerFeatures, features
from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.papers.keops._beyond import (
    aucs_by_run,
    characters_apart,
    electrodes,
    feature_tree,
    leak,
    run_codes,
    spelling,
)
from reprolib.papers.keops._methods import (
    METHODS,
    Method,
    by_alternation,
    cross_validated_scores,
    relevance,
)
from reprolib.papers.keops._splits import (
    characters,
    draw_split,
    flash_pool,
    folds,
)
from reprolib.rerun.records import (
    HEADLINE,
    Measurement,
    Profile,
    Protocol,
    Stage,
    Task,
    chosen,
    paths,
    select,
)

PAPER = "keops"
DATASET = "p300/iib"
N_DRAWS = 10
N_DRAWS_OTHER = 5
N_DRAWS_READING = 3
PAPER_METHODS = ("keops", "tree norm", "mkl")
OTHER_METHODS = ("svm", "lda", "xdawn + lda", "keops, convex")
ALL_METHODS = (*PAPER_METHODS, *OTHER_METHODS)

#: Readings that need a run of their own: which methods they concern, and what they change.
VARIANTS: Mapping[str, tuple[tuple[str, ...], Mapping[str, object]]] = {
    "causal filter": (PAPER_METHODS, {"zero_phase": False}),
    "order 8 per side": (("keops",), {"order": 8}),
    "standardised": (PAPER_METHODS, {"standardise": True}),
    "PO parietal": (("keops",), {"grouping": "PO parietal"}),
    "random regions": (("keops", "tree norm"), {"grouping": "random"}),
    "pruned below 1e-10": (("keops",), {"prune_tol": 1e-10}),
    "split by character": ((*PAPER_METHODS, "lda"), {"by_character": True}),
    "filtered window by window": (PAPER_METHODS, {"per_window": True}),
    "random start": (("keops",), {"init": "random"}),
    "stopped after 20 steps": (("keops", "mkl"), {"max_iter": 20}),
    "stopped after 50 steps": (("keops", "mkl"), {"max_iter": 50}),
    "with the test session": (PAPER_METHODS, {"test_session": True}),
    "without run 010/01": (PAPER_METHODS, {"without_run": 1001}),
    "without run 011/02": (PAPER_METHODS, {"without_run": 1102}),
    "without the character": (ALL_METHODS, {"contradicted": "left out"}),
    "the character in 1 of 42": (ALL_METHODS, {"contradicted": "one in 42"}),
    "as the EEG says": (ALL_METHODS, {"contradicted": "relabelled"}),
}
#: Readings with as many draws as the headline: controls under which the claims are judged, too, and
#: readings of which fewer draws do not exclude that they reproduce a row.
AS_MANY_DRAWS = (
    "standardised",
    "stopped after 50 steps",
    "split by character",
    "with the test session",
    "without run 010/01",
    "without run 011/02",
    "without the character",
    "the character in 1 of 42",
    "as the EEG says",
)
#: A kernel counts as kept above this fraction of the largest norm; the headline keeps all nonzero.
THRESHOLDS = (1e-3, 1e-2)
#: Methods that spell; their costs are the medians of those chosen in Table 1.
SPELLING_METHODS = ("keops", "mkl", "svm", "lda")


def _datasets(profile: Profile) -> list[str]:
    return [DATASET]


def first_stage(
    profile: Profile, datasets: Mapping[str, Dataset], records: pd.DataFrame
) -> list[Task]:
    """Table 1 under all readings."""
    ((name, dataset),) = datasets.items()
    quick = profile == "quick"
    draws = dict.fromkeys(PAPER_METHODS, 2 if quick else N_DRAWS)
    if not quick:
        draws |= dict.fromkeys(OTHER_METHODS, N_DRAWS_OTHER)
    tasks = [
        Task(PAPER, "table1", name, method, HEADLINE, draw)
        for method, n_draws in draws.items()
        for draw in range(n_draws)
    ]
    if not quick:
        tasks += [
            Task(PAPER, "table1", name, method, reading, draw, params)
            for reading, (concerned, params) in VARIANTS.items()
            if params.get("without_run") in (None, *run_codes(dataset))
            if "contradicted" not in params or contradicted_flashes(dataset).any()
            for method in concerned
            for draw in range(_n_draws(method, reading))
        ]
    return tasks


def _n_draws(method: str, reading: str) -> int:
    """Draws under a reading: as many as the headline of the method has, or few."""
    if reading not in AS_MANY_DRAWS:
        return N_DRAWS_READING
    return N_DRAWS if method in PAPER_METHODS or reading == "split by character" else N_DRAWS_OTHER


def second_stage(
    profile: Profile, datasets: Mapping[str, Dataset], records: pd.DataFrame
) -> list[Task]:
    """What needs the choices of the first stage: its relevances rank the electrodes, its C stays.

    Few electrodes, runs apart, the leak of a split by flash, spelling run by run, and character by
    character.
    """
    (name, dataset), *_ = datasets.items()
    tasks = []
    ranked = select(records, reading=HEADLINE, metric="relevance", method=PAPER_METHODS)
    for method, draw, path in zip(ranked["method"], ranked["trial"], paths(ranked), strict=True):
        ranking = _rank_channels(path, dataset)
        tasks.append(
            Task(PAPER, "electrodes", name, method, HEADLINE, int(draw), {"ranking": ranking})
        )
    aucs = select(records, table="table1", reading=HEADLINE, metric="auc")
    values = chosen(aucs, "value").astype(float)
    median = values.groupby(aucs["method"]).median()
    for method, draw, value in zip(aucs["method"], aucs["trial"], values, strict=True):
        if method in (*PAPER_METHODS, "lda"):
            for table, used in (("runs", value), ("leak", median[method])):
                params = {"value": float(used)}
                tasks.append(Task(PAPER, table, name, method, HEADLINE, int(draw), params))
    for method in SPELLING_METHODS if profile == "full" else ("lda",):
        spelled = {"value": float(median.get(method, 0.0))}
        tasks += [
            Task(PAPER, "spelling", name, method, HEADLINE, run, spelled)
            for run in range(len(run_codes(dataset)))
        ]
        tasks.append(Task(PAPER, "characters", name, method, HEADLINE, 0, spelled))
    return tasks


def _rank_channels(relevances, dataset: Dataset) -> list[int]:
    """Channels by falling relevance; those without any come last, in the order of the cap."""
    per_channel = relevances.reshape(len(dataset.extra["channels"]), -1).sum(axis=1)
    kept = [int(i) for i in np.argsort(-per_channel, kind="stable")]
    return kept[: int(np.count_nonzero(per_channel))]


def run(task: Task, dataset: Dataset) -> list[Measurement]:
    """Run one task."""
    measure = {
        "electrodes": electrodes,
        "runs": aucs_by_run,
        "leak": leak,
        "spelling": spelling,
        "characters": characters_apart,
    }
    with mne.use_log_level("ERROR"), warnings.catch_warnings():
        if "max_iter" in task.params:
            warnings.simplefilter("ignore", NotOptimalWarning)
        return measure.get(task.table, _table1)(task, dataset, features(dataset, _filter(task)))


def _filter(task: Task) -> SpellerFeatures:
    """Preprocessing of the task's reading."""
    return SpellerFeatures(
        zero_phase=bool(task.params.get("zero_phase", True)),
        order=int(task.params.get("order", 4)),
        per_window=bool(task.params.get("per_window", False)),
    )


def _method(task: Task) -> Method:
    """Method of a task, with the reading's pruning threshold, start or number of outer steps."""
    method = METHODS[task.method]
    changed = {k: task.params[k] for k in ("prune_tol", "init", "max_iter") if k in task.params}
    if not changed:
        return method
    if "init" in changed:
        changed["random_state"] = task.trial

    def make(X, tree, value):
        if task.method == "mkl":
            return by_alternation(method.make(X, tree, value), tree).set_params(**changed)
        return method.make(X, tree, value).set_params(**changed)

    return replace(method, make=make)


def _table1(task: Task, dataset: Dataset, X: np.ndarray) -> list[Measurement]:
    by_character = bool(task.params.get("by_character"))
    pool = flash_pool(dataset, task.params, task.trial)
    train, tests = draw_split(dataset, task.trial, by_character, pool)
    relabelled = task.params.get("contradicted") == "relabelled"
    y = with_audited_labels(dataset).y if relabelled else dataset.y
    if task.params.get("standardise"):
        X = StandardScaler().fit(X[train]).transform(X)
    grouping = str(task.params.get("grouping", "lobes"))
    tree = feature_tree(dataset, X, grouping)
    method = _method(task)
    inner = folds(y, train, task.trial, characters(dataset) if by_character else None)
    auc, accuracy = cross_validated_scores(method, tree, X[train], y[train], inner)
    best, headline = int(np.argmax(auc)), task.reading == HEADLINE
    models = {
        j: method.make(X[train], tree, method.grid[j]).fit(X[train], y[train])
        for j in (range(len(method.grid)) if headline else [best])
    }
    measurements = []
    for name, test in tests.items():
        measurements += _measure(models[best], method, best, tree, X[test], y[test], name)
    if headline:
        other = int(np.argmax(accuracy))
        test = tests[None]
        if len(method.grid) > 1:
            measurements += _measure(
                models[other], method, other, tree, X[test], y[test], "C by accuracy"
            )
        measurements += _paths(models, method, tree, X[test], y[test])
    if method.sparse:
        for threshold in THRESHOLDS if headline else ():
            measurements += _counts(models[best], tree, f"kept above {threshold:g}", threshold)
        measurements.append(Measurement("relevance", np.nan, path=relevance(models[best]).tolist()))
    return measurements


def _measure(model, method, position, tree, X_test, y_test, reading) -> list[Measurement]:
    """AUC of a fitted model, and how many regions, channels and frames it keeps."""
    gap = getattr(model, "duality_gap_", None)
    score = roc_auc_score(y_test, model.decision_function(X_test))
    found = Measurement(
        "auc",
        score,
        {"value": method.grid[position]},
        len(y_test),
        None if gap is None or np.isinf(gap) else gap,
        reading=reading,
    )
    return [found, *(_counts(model, tree, reading) if method.sparse else [])]


def _counts(model, tree, reading, threshold=0.0) -> list[Measurement]:
    """Nodes of every level with a kernel above ``threshold`` times the largest one."""
    size = getattr(model, "kernel_norms_", np.abs(model.coef_))
    counts = tree.n_selected(size > threshold * size.max())
    return [
        Measurement(metric, count, reading=reading)
        for metric, count in zip(("regions", "channels", "frames"), counts, strict=True)
    ]


def _paths(models, method, tree, X_test, y_test) -> list[Measurement]:
    """AUC, and the channels kept, along the grid."""
    grid = {"grid": list(method.grid)}
    auc = [roc_auc_score(y_test, models[j].decision_function(X_test)) for j in sorted(models)]
    paths = [Measurement("auc path", np.nan, grid, len(y_test), path=auc)]
    if method.sparse:
        kept = [tree.n_selected(models[j].coef_ != 0)[1] for j in sorted(models)]
        paths.append(Measurement("channels path", np.nan, grid, path=kept))
    return paths


PROTOCOL = Protocol(
    PAPER, _datasets, (Stage(first_stage), Stage(second_stage, reads=("table1",))), run
)
