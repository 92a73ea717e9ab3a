"""Experiments beyond the paper: whole paths, ablations, losses, low-rank bases."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import GroupKFold, StratifiedKFold

from reprolib.methods.mkpm import MKPMClassifier
from reprolib.papers.mkpm._common import PAPER, draw, first_best, is_fmri
from reprolib.papers.mkpm._haxby import prepare
from reprolib.papers.mkpm._statlog import gamma_o
from reprolib.rerun.records import HEADLINE, Measurement, Task

CODES = ("one-vs-all", "simplex", "random")
BUDGETS = ("shared budget", "equal dimensions", "independent dimensions")
LOSSES = ("square", "hinge", "logistic")
#: Largest dimension of one bit in the ablation.
BIT_RANK = 600
LOSS_RANK = 15
LOSS_SAMPLES = 400
RANKS = (50, 100, 200, 400, 800)
PATH_POINTS = 300


def tasks(profile, name, dataset) -> list[Task]:
    """Tables path, ablation, losses and bases."""
    full = profile == "full"
    listed = [Task(PAPER, "path", name, "mkpm")]
    n_trials = (10 if is_fmri(name) else 5) if full else 1
    codes = CODES if full else CODES[:1]
    listed += [
        Task(PAPER, "ablation", name, code, HEADLINE, t) for code in codes for t in range(n_trials)
    ]
    if not full:
        return listed
    listed += [
        Task(PAPER, "losses", name, loss, HEADLINE, t) for loss in LOSSES for t in range(n_trials)
    ]
    if not is_fmri(name):
        listed += [
            Task(PAPER, "bases", name, basis, HEADLINE, t, {"rank": rank}, f"rank {rank}", rank)
            for basis in ("kernel_pca", "nystrom", "cholesky")
            for rank in RANKS
            for t in range(3)
        ]
    return listed


def _data(task, dataset, n_train: int = 1500) -> tuple:
    """Training arrays, test arrays, kernel options, and folds within the training data."""
    if is_fmri(task.dataset):
        fold = prepare(dataset, task.trial)
        X, y = fold["X"], fold["y"]
        folds = list(GroupKFold(5).split(X, y, fold["groups"]))
        return X, y, fold["X_test"], fold["y_test"], {"kernel": "linear"}, folds
    train, test = draw(dataset, task.trial, n_train)
    X, y = dataset.X[train], dataset.y[train]
    folds = list(StratifiedKFold(5, shuffle=True, random_state=task.trial).split(X, y))
    return X, y, dataset.X[test], dataset.y[test], {"gamma": gamma_o(task.dataset)}, folds


def _path(task, dataset) -> list[Measurement]:
    """Thin the whole path, d = 0 to L times the rank, to some 300 points."""
    X, y, X_test, y_test, options, _ = _data(task, dataset)
    model = MKPMClassifier(**options).fit(X, y)
    kept = np.unique(np.linspace(0, model.n_components_, PATH_POINTS).astype(int))
    curves = {
        "test accuracy path": model.score_path(X_test, y_test),
        "training accuracy path": model.score_path(X, y),
        "risk path": model.objective_path_,
    }
    chosen = {"d": [int(d) for d in kept]}
    listed = [Measurement(k, np.nan, chosen, path=curve[kept]) for k, curve in curves.items()]
    for bit, label in enumerate(model.classes_):
        allocated = model.allocation_path_[kept, bit]
        setting = f"class {label}"
        listed.append(
            Measurement("allocation path", np.nan, chosen, path=allocated, setting=setting)
        )
    return listed


def _candidates(model, length: int) -> dict[str, np.ndarray]:
    """Allocations to choose from: the shared budget's path, and equal dimensions."""
    largest = int(model.allocation_path_.max())
    equal = np.tile(np.arange(largest + 1)[:, None], (1, len(model.code_)))
    return {"shared budget": model.allocation_path_[: length + 1], "equal dimensions": equal}


def _ablation(task, dataset) -> list[Measurement]:
    """Choose each budget's dimensions by cross-validation on the training data."""
    X, y, X_test, y_test, options, folds = _data(task, dataset)
    options |= {"rank": BIT_RANK, "code": task.method, "random_state": 0}
    correct: dict[str, list] = {"shared budget": [], "equal dimensions": []}
    risks = []
    for train, test in folds:
        model = MKPMClassifier(**options).fit(X[train], y[train])
        for budget, rows in _candidates(model, model.n_components_).items():
            correct[budget].append(model.count_path(X[test], y[test], rows))
        risks.append(model.bit_risk_path(X[test], y[test]) * len(test))
    model = MKPMClassifier(**options).fit(X, y)
    candidates = _candidates(model, model.n_components_)
    best = {budget: candidates[budget][_best(counts)] for budget, counts in correct.items()}
    shortest = min(risk.shape[1] for risk in risks)
    total_risk = np.sum([risk[:, :shortest] for risk in risks], axis=0)
    best["independent dimensions"] = np.array([first_best(-risk / len(y)) for risk in total_risk])
    return [
        Measurement(
            "accuracy",
            float(model.score_path(X_test, y_test, allocation[None])[0]),
            {"d": int(allocation.sum()), "allocation": [int(d) for d in allocation]},
            n_test=len(y_test),
            setting=budget,
        )
        for budget, allocation in best.items()
    ]


def _best(counts) -> int:
    shortest = min(len(c) for c in counts)
    return first_best(np.sum([c[:shortest] for c in counts], axis=0))


def _losses(task, dataset) -> list[Measurement]:
    """Compare losses on the first 15 components of 400 points, d by cross-validation."""
    X, y, X_test, y_test, options, _ = _data(task, dataset, LOSS_SAMPLES)
    if is_fmri(task.dataset):
        size = min(LOSS_SAMPLES, len(y))
        kept = np.random.default_rng(task.trial).choice(len(y), size, replace=False)
        X, y = X[kept], y[kept]
    options |= {"rank": LOSS_RANK, "loss": task.method}
    correct = []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=task.trial).split(X, y):
        model = MKPMClassifier(**options).fit(X[train], y[train])
        correct.append(model.count_path(X[test], y[test]))
    d = _best(correct)
    model = MKPMClassifier(**options).fit(X, y)
    accuracy = float(model.score_path(X_test, y_test)[d])
    return [Measurement("accuracy", accuracy, {"d": d}, n_test=len(y_test), gap=model.duality_gap_)]


def _bases(task, dataset) -> list[Measurement]:
    """Best accuracy along the path up to d = 1500, by rank of the basis."""
    X, y, X_test, y_test, options, _ = _data(task, dataset)
    model = MKPMClassifier(
        1500, basis=task.method, rank=task.params["rank"], random_state=task.trial, **options
    )
    path = model.fit(X, y).score_path(X_test, y_test)
    chosen = {"d": first_best(path)}
    return [Measurement("best accuracy", float(path.max()), chosen, n_test=len(y_test))]


RUN = {"path": _path, "ablation": _ablation, "losses": _losses, "bases": _bases}
