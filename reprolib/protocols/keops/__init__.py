"""KEOPS, ICASSP 2014, section 4: Table 1 and Figure 2 on the P300 speller, and beyond.

- Table 1: 567 flashes of the training sessions drawn at random, the rest for test; C by 5-fold
  cross-validation (stratified, so that every fold has both classes) on seven values; AUC, and the
  regions, channels and frames that are kept; 10 draws.
- What the text leaves open is measured under named readings (``reprolib/papers/keops.toml``).
- Beyond the paper: a split by character (windows of neighbouring flashes overlap, so a random split
  shares signal between training and test), the path over the grid, few electrodes, spelling.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import mne
import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler

from data_fetch import Dataset
from data_fetch.p300 import Preprocessing, with_preprocessing
from reprolib.protocols.base import HEADLINE, Measurement, Profile, Protocol, Task
from reprolib.protocols.keops.methods import (
    METHODS,
    Method,
    cross_validated_scores,
    relevance,
    shrinkage_lda,
)
from reprolib.protocols.keops.regions import electrode_tree
from reprolib.protocols.keops.spelling import correct_characters, ensemble_scores

PAPER = "keops"
DATASET = "p300/iib"
N_TRAIN = 567
N_DRAWS = 10
N_DRAWS_READING = 3
N_DRAWS_OTHER = 5
N_FOLDS = 5
TEST_SESSION = 12
PAPER_METHODS = ("keops", "tree norm", "mkl")
OTHER_METHODS = ("svm", "lda", "xdawn + lda", "keops, convex")

#: Readings that need a run of their own: which methods they concern, and what they change.
VARIANTS: Mapping[str, tuple[tuple[str, ...], Mapping[str, object]]] = {
    "causal filter": (PAPER_METHODS, {"zero_phase": False}),
    "order 8 per side": (("keops",), {"order": 8}),
    "standardised": (PAPER_METHODS, {"standardise": True}),
    "PO parietal": (("keops",), {"grouping": "PO parietal"}),
    "random regions": (("keops", "tree norm"), {"grouping": "random"}),
    "pruned below 1e-10": (("keops",), {"prune_tol": 1e-10}),
    "split by character": ((*PAPER_METHODS, "lda"), {"by_character": True}),
}
#: A kernel counts as kept above this fraction of the largest norm; the headline keeps all nonzero.
THRESHOLDS = (1e-3, 1e-2)
N_ELECTRODES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64)
#: Grid position of the members of the spelling ensembles: the commonest choice under Table 1.
SPELLING_METHODS = ("keops", "mkl", "svm", "lda")


def _datasets(profile: Profile) -> list[str]:
    return [DATASET]


def first_stage(
    profile: Profile, datasets: Mapping[str, Dataset], records: pd.DataFrame
) -> list[Task]:
    """Table 1 under all readings."""
    (name,) = datasets
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
            for method in concerned
            for draw in range(N_DRAWS_READING)
        ]
    return tasks


def second_stage(
    profile: Profile, datasets: Mapping[str, Dataset], records: pd.DataFrame
) -> list[Task]:
    """Few electrodes, ranked by the relevances of the first stage; spelling run by run."""
    (name, dataset), *_ = datasets.items()
    tasks = []
    rows = records[(records["metric"] == "relevance") & (records["reading"] == HEADLINE)]
    for method, draw, path in zip(rows["method"], rows["trial"], rows["path"], strict=True):
        if method in PAPER_METHODS:
            params = {"ranking": _rank_channels(np.array(path.split(), float), dataset)}
            tasks.append(Task(PAPER, "electrodes", name, method, HEADLINE, int(draw), params))
    chosen = records[(records["metric"] == "auc") & (records["reading"] == HEADLINE)]
    runs = range(len(_run_codes(dataset)))
    for method in SPELLING_METHODS if profile == "full" else ("lda",):
        values = chosen[chosen["method"] == method]["chosen"].str.extract(r'"value": ([^,}]+)')[0]
        value = float(values.astype(float).median()) if len(values) else 0.0
        tasks += [
            Task(PAPER, "spelling", name, method, HEADLINE, run, {"value": value}) for run in runs
        ]
    return tasks


def _run_codes(dataset: Dataset) -> np.ndarray:
    return np.unique(np.asarray(dataset.groups))


def _shape(dataset: Dataset) -> tuple[int, int]:
    """Channels and frames of the features."""
    if dataset.image_shape is None:
        raise ValueError(f"{dataset.name} does not say how many channels and frames it has")
    n_channels, n_frames = dataset.image_shape
    return n_channels, n_frames


def _rank_channels(relevances, dataset: Dataset) -> list[int]:
    """Channels by falling relevance; those without any come last, in the order of the cap."""
    per_channel = relevances.reshape(_shape(dataset)).sum(axis=1)
    kept = [int(i) for i in np.argsort(-per_channel, kind="stable")]
    return kept[: int(np.count_nonzero(per_channel))]


def run(task: Task, dataset: Dataset) -> list[Measurement]:
    """Run one task."""
    measure = {"electrodes": _electrodes, "spelling": _spelling}.get(task.table, _table1)
    with mne.use_log_level("ERROR"):
        return measure(task, dataset)


_VARIANT_FEATURES: dict[tuple, Dataset] = {}


def _features(task: Task, dataset: Dataset) -> Dataset:
    """Features of the task's reading; other filters are applied once per process."""
    steps = replace(
        Preprocessing(),
        zero_phase=bool(task.params.get("zero_phase", True)),
        order=int(task.params.get("order", 4)),
    )
    if steps == Preprocessing():
        return dataset
    key = (dataset.name, steps)
    if key not in _VARIANT_FEATURES:
        _VARIANT_FEATURES[key] = with_preprocessing(dataset, steps)
    return _VARIANT_FEATURES[key]


def draw_split(dataset: Dataset, draw: int, by_character: bool):
    """Training flashes, and named test sets, of one draw from the training sessions.

    By flash: 567 at random, all others for test. By character: 567 at random of half of the
    characters; one test set of the other half, and one of the rest of the same half.
    """
    rng = np.random.default_rng(draw)
    flashes = dataset.extra["flashes"]
    pool = np.flatnonzero(flashes["session"] < TEST_SESSION)
    if not by_character:
        order = rng.permutation(pool)
        return order[:N_TRAIN], {None: order[N_TRAIN:]}
    characters = flashes["character"].to_numpy()
    drawn = rng.permutation(np.unique(characters[pool]))
    half = np.isin(characters[pool], drawn[: len(drawn) // 2])
    order = rng.permutation(pool[half])
    return order[:N_TRAIN], {
        None: pool[~half],
        "split by character, tested on the same characters": order[N_TRAIN:],
    }


def _folds(task: Task, dataset: Dataset, train):
    y = dataset.y[train]
    if task.params.get("by_character"):
        characters = dataset.extra["flashes"]["character"].to_numpy()[train]
        folds = StratifiedGroupKFold(N_FOLDS, shuffle=True, random_state=task.trial)
        return list(folds.split(train, y, characters))
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=task.trial)
    return list(folds.split(train, y))


def _method(task: Task) -> Method:
    """Method of a task, with the reading's pruning threshold."""
    method = METHODS[task.method]
    if "prune_tol" not in task.params:
        return method
    prune_tol = float(task.params["prune_tol"])
    return replace(method, make=lambda *args: method.make(*args).set_params(prune_tol=prune_tol))


def _table1(task: Task, dataset: Dataset) -> list[Measurement]:
    dataset = _features(task, dataset)
    train, tests = draw_split(dataset, task.trial, bool(task.params.get("by_character")))
    X, y = dataset.X, dataset.y
    if task.params.get("standardise"):
        X = StandardScaler().fit(X[train]).transform(X)
    grouping = str(task.params.get("grouping", "lobes"))
    tree = electrode_tree(dataset.extra["channels"], _shape(dataset)[1], grouping)
    method = _method(task)
    auc, accuracy = cross_validated_scores(
        method, tree, X[train], y[train], _folds(task, dataset, train)
    )
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


def _electrodes(task: Task, dataset: Dataset) -> list[Measurement]:
    """Shrinkage LDA on the first k electrodes of a method's ranking, and on k random ones."""
    train, tests = draw_split(dataset, task.trial, by_character=False)
    test = tests[None]
    shape = (-1, *_shape(dataset))
    ranking = list(task.params["ranking"])
    order = np.random.default_rng(task.trial).permutation(_shape(dataset)[0])
    random_ranking = [int(c) for c in order]
    measurements = []
    for name, ranked in ((None, ranking), ("random electrodes", random_ranking)):
        sizes = [k for k in N_ELECTRODES if k <= len(ranked)]
        values = []
        for k in sizes:
            part = dataset.X.reshape(shape)[:, ranked[:k]].reshape(len(dataset.X), -1)
            lda = shrinkage_lda().fit(part[train], dataset.y[train])
            values.append(roc_auc_score(dataset.y[test], lda.decision_function(part[test])))
        measurements.append(
            Measurement(
                "auc path", np.nan, {"electrodes": sizes}, len(test), path=values, reading=name
            )
        )
    return measurements


def _spelling(task: Task, dataset: Dataset) -> list[Measurement]:
    """Characters of one run, spelled by classifiers trained on the other runs.

    One classifier on 567 flashes of the others, and an ensemble of one for each other run.
    """
    codes = _run_codes(dataset)
    held_out = dataset.groups == codes[task.trial]
    tree = electrode_tree(dataset.extra["channels"], _shape(dataset)[1])
    flashes = dataset.extra["flashes"][held_out]
    rng = np.random.default_rng(task.trial)
    single = [rng.permutation(np.flatnonzero(~held_out))[:N_TRAIN]]
    parts = [np.flatnonzero(dataset.groups == code) for code in codes if code != codes[task.trial]]
    method = METHODS[task.method]
    measurements = []
    for reading, members in ((None, single), ("ensemble", parts)):
        models = [
            method.make(dataset.X[part], tree, float(task.params["value"])).fit(
                dataset.X[part], dataset.y[part]
            )
            for part in members
        ]
        scores = ensemble_scores(models, dataset.X[held_out])
        correct = correct_characters(scores, flashes)
        n_characters = flashes["character"].nunique()
        measurements += [
            Measurement(
                "correct characters",
                np.nan,
                {},
                n_characters,
                path=correct.tolist(),
                reading=reading,
            ),
            Measurement(
                "auc",
                roc_auc_score(dataset.y[held_out], scores),
                n_test=int(held_out.sum()),
                reading=reading,
            ),
        ]
    return measurements


PROTOCOL = Protocol(PAPER, 1, _datasets, (first_stage, second_stage), run)
