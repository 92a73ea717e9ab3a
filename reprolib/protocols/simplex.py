"""Simplex coding, NIPS 2012, section 6: Table 2 on the five UCI columns.

Raw features, official splits. Regularisation on the scale of the data: with m the mean of ||x||^2
over the training set, grids of lambda are multiples of m, and grids of C of 1/m.

- ``s-ls``, ``s-ls rbf``: all 100 lambdas by exact leave-one-out, n lambda on a logarithmic grid
  over the spectrum of K; rbf with exp(-d^2 / (2 sigma^2)), sigma the 25th percentile of the
  distances. Letter (n = 16,000): lambda by leave-one-out on 2,000 Nystrom features, the model
  itself exact.
- online methods: lambda by hold-out (80/20), ten passes, steps 1/(lambda t) and projection as in
  Pegasos, last iterate; five seeds of split and order.
- SVM one-vs-all: C by hold-out; liblinear's hinge loss for libsvm's linear kernel, libsvm for rbf.
- boosting: decision stumps.

Beyond the paper: batch SC-SVM and SH-SVM with certified duality gaps (table "batch_svm"), and
linear competitors at equal tuning effort (table "peers").
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from data_fetch import Dataset
from reprolib.kernels import distance_percentile, gram, nystrom_landmarks, nystrom_map
from reprolib.protocols.base import HEADLINE, Measurement, Profile, Protocol, Task
from reprolib.simplex import (
    SimplexBoostingClassifier,
    SimplexConeSVC,
    SimplexHalfspaceSVC,
    SimplexRLSClassifier,
    SimplexRLSClassifierCV,
    SimplexSGDClassifier,
    spectrum_alphas,
)
from reprolib.solvers import NotOptimalWarning

PAPER = "simplex"
SETS = tuple(f"uci/{name}" for name in ("landsat", "optdigits", "pendigits", "letter", "isolet"))
EMBEDDED_SET = "embedded/optdigits"
QUICK_SETS = ("uci/landsat", "uci/optdigits", "uci/pendigits")

ONLINE_LOSSES = {
    "sc-svm online": "cone",
    "sh-svm online": "halfspace",
    "s-ls online": "least_squares",
}
ONLINE_READINGS: Mapping[str, Mapping[str, object]] = {
    HEADLINE: {},
    "averaged": {"average": True},
    "intercept": {"intercept": True},
    "standardised": {"standardise": True},
}
RLS_READINGS: Mapping[str, Mapping[str, object]] = {
    HEADLINE: {},
    "linear grid": {"grid": "linear"},
    "lambda on the spectrum of K": {"grid": "gram"},
    "intercept": {"intercept": True},
    "standardised": {"standardise": True},
}
RBF_READINGS: Mapping[str, Mapping[str, object]] = {
    HEADLINE: {},
    "exp(-d^2/sigma^2)": {"gamma_factor": 2.0},
}
BATCH_SVMS: Mapping[str, Callable[..., SimplexConeSVC | SimplexHalfspaceSVC]] = {
    "sc-svm": SimplexConeSVC,
    "sh-svm": SimplexHalfspaceSVC,
    "sh-svm without hull": functools.partial(SimplexHalfspaceSVC, convex_hull=False),
}
PEERS = (
    "simplex rls",
    "one-vs-all ridge",
    "sc-svm",
    "linear svm, one-vs-rest",
    "linear svm, Crammer-Singer",
    "logistic regression",
)
N_SEEDS, N_SEEDS_OTHERS = 5, 2
N_PASSES = 10
#: Beyond this many training examples, rbf S-LS selects lambda on Nystrom features.
LARGEST_EXACT = 10_000
N_LANDMARKS = 2000
#: Interior point for linear batch SVMs up to this p (T - 1), descent beyond.
LARGEST_INTERIOR_POINT = 1000
BATCH_TOL = 1e-3
#: Iterations of a batch SVM: epochs or interior-point steps (linear), working sets (rbf).
BATCH_ITERATIONS = {"linear": 100, "rbf": 500}


def _datasets(profile: Profile) -> list[str]:
    return list(QUICK_SETS) if profile == "quick" else [*SETS, EMBEDDED_SET]


def table2_stage(
    profile: Profile, datasets: Mapping[str, Dataset], records: pd.DataFrame
) -> list[Task]:
    """Table 2 under all readings."""
    return [task for name in datasets for task in _table2_tasks(profile, name)]


def extra_stage(
    profile: Profile, datasets: Mapping[str, Dataset], records: pd.DataFrame
) -> list[Task]:
    """What the paper did not run: linear competitors, certified batch SVMs."""
    if profile == "quick":
        return []
    kernels = ("linear", "rbf")
    methods = [("peers", peer) for peer in PEERS]
    methods += [("batch_svm", f"{svm}, {kernel}") for kernel in kernels for svm in BATCH_SVMS]
    return [
        Task(PAPER, table, name, method, params={"seed": 0})
        for table, method in methods
        for name in datasets
    ]


def _table2_tasks(profile: Profile, name: str) -> list[Task]:
    def task(method, reading, params, trial=0):
        return Task(PAPER, "table2", name, method, reading, trial, {"seed": trial, **params})

    full = profile == "full"
    all_readings = full and name != EMBEDDED_SET
    readings = (lambda r: r) if all_readings else (lambda r: {HEADLINE: r[HEADLINE]})
    tasks = [
        task(method, reading, params, trial)
        for method in ONLINE_LOSSES
        for reading, params in readings(ONLINE_READINGS).items()
        for trial in range(_n_seeds(profile, reading))
    ]
    tasks += [task("s-ls", reading, p) for reading, p in readings(RLS_READINGS).items()]
    if full:
        tasks += [task("s-ls rbf", reading, p) for reading, p in RBF_READINGS.items()]
    rounds = {"n_estimators": 300 if full else 30}
    tasks += [task("svm ova", HEADLINE, {}), task("svm rbf ova", HEADLINE, {})]
    tasks.append(task("boosting", HEADLINE, rounds))
    return tasks


def _n_seeds(profile: Profile, reading: str) -> int:
    if profile == "quick":
        return 1
    return N_SEEDS if reading == HEADLINE else N_SEEDS_OTHERS


def run(task: Task, dataset: Dataset) -> list[Measurement]:
    """Run one task on the official split."""
    train, test = dataset.splits[0]
    X, X_test = _features(task, dataset.X[train], dataset.X[test])
    measure = _METHODS.get((task.table, task.method)) or _METHODS[task.table]
    return measure(task, X, dataset.y[train], X_test, dataset.y[test])


def _features(task: Task, X, X_test):
    if task.params.get("standardise"):
        scaler = StandardScaler().fit(X)
        X, X_test = scaler.transform(X), scaler.transform(X_test)
    if task.params.get("intercept"):
        X, X_test = (np.column_stack([part, np.ones(len(part))]) for part in (X, X_test))
    return X, X_test


def _accuracy(model, X_test, y_test, chosen, **more) -> Measurement:
    return Measurement(
        "accuracy", float(model.score(X_test, y_test)), chosen, n_test=len(y_test), **more
    )


def _hold_out(make, grid, X, y, seed, *, kernel=None):
    """Best parameter of the grid on 20 % of the training data, the first of equally good ones.

    Returns the model refitted on all training data, its parameter, and the hold-out accuracies.
    X is a Gram matrix if ``kernel`` is "precomputed".
    """
    a, b = train_test_split(np.arange(len(X)), test_size=0.2, random_state=seed)
    A, B = (X[a][:, a], X[b][:, a]) if kernel == "precomputed" else (X[a], X[b])
    scores = [float(make(value).fit(A, y[a]).score(B, y[b])) for value in grid]
    best = grid[int(np.argmax(scores))]
    return make(best).fit(X, y), float(best), scores


def _mean_square(X) -> float:
    return float(np.mean(np.sum(X**2, axis=1)))


def _online(task, X, y, X_test, y_test) -> list[Measurement]:
    grid = np.geomspace(1.0, 1e-7, 8) * _mean_square(X)
    average = N_PASSES // 2 * len(X) if task.params.get("average") else False

    def make(alpha):
        return SimplexSGDClassifier(
            ONLINE_LOSSES[task.method],
            alpha=alpha,
            max_iter=N_PASSES,
            eta0=None,
            average=average,
            random_state=task.params["seed"],
        )

    model, alpha, scores = _hold_out(make, grid, X, y, task.params["seed"])
    return [_accuracy(model, X_test, y_test, {"alpha": _rounded(alpha)}, path=scores)]


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def _grid(name: str):
    """Rule for the 100 lambdas of S-LS."""
    if name == "linear":
        return lambda s, n: np.linspace(s[-1], s[0], 100) / n
    if name == "gram":
        return lambda s, n: n * spectrum_alphas(s, n)
    return spectrum_alphas


def _rls(task, X, y, X_test, y_test) -> list[Measurement]:
    model = SimplexRLSClassifierCV(_grid(task.params.get("grid", "log"))).fit(X, y)
    return [_with_loo(model, X_test, y_test)]


def _with_loo(model, X_test, y_test, **more) -> Measurement:
    chosen: dict[str, Any] = {
        "alpha": _rounded(model.alpha_),
        "loo": _rounded(float(model.loo_score_path_.max())),
    } | more
    return _accuracy(model, X_test, y_test, chosen, path=model.loo_score_path_)


def _gamma(task, X) -> float:
    sigma = distance_percentile(X, 25)
    return float(task.params.get("gamma_factor", 1.0)) / (2 * sigma**2)


def _rls_rbf(task, X, y, X_test, y_test) -> list[Measurement]:
    gamma = _gamma(task, X)
    if len(X) <= LARGEST_EXACT:
        model = SimplexRLSClassifierCV(kernel="rbf", gamma=gamma).fit(X, y)
        return [_with_loo(model, X_test, y_test)]
    landmarks = X[nystrom_landmarks(len(X), N_LANDMARKS, task.params["seed"])]
    M = nystrom_map(gram(landmarks, gamma=gamma))
    low_rank = SimplexRLSClassifierCV().fit(gram(X, landmarks, gamma=gamma) @ M, y)
    exact = SimplexRLSClassifier(low_rank.alpha_, kernel="rbf", gamma=gamma).fit(X, y)
    chosen: dict[str, Any] = {"alpha": _rounded(low_rank.alpha_), "landmarks": N_LANDMARKS}
    nystrom = _with_loo(low_rank, gram(X_test, landmarks, gamma=gamma) @ M, y_test, **chosen)
    exact_model = _accuracy(exact, X_test, y_test, chosen)
    if task.reading != HEADLINE:
        return [exact_model]
    return [exact_model, replace(nystrom, reading="Nystrom only")]


def _svm_ova(task, X, y, X_test, y_test) -> list[Measurement]:
    scale = _mean_square(X)
    grid = 10.0 ** np.arange(-2, 3) / scale

    def make(C):
        return LinearSVC(
            C=C, loss="hinge", intercept_scaling=np.sqrt(scale), max_iter=5000, random_state=0
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, C, scores = _hold_out(make, grid, X, y, task.params["seed"])
    chosen = {"C": _rounded(C), "converged": bool(np.max(model.n_iter_) < 5000)}
    return [_accuracy(model, X_test, y_test, chosen, path=scores)]


def _svm_rbf_ova(task, X, y, X_test, y_test) -> list[Measurement]:
    gamma = _gamma(task, X)
    kernel, cross = "rbf", X_test
    if len(X) <= LARGEST_EXACT:
        kernel, cross, X = "precomputed", gram(X_test, X, gamma=gamma), gram(X, gamma=gamma)

    def make(C):
        return OneVsRestClassifier(SVC(C=C, kernel=kernel, gamma=gamma, cache_size=500))

    grid = 10.0 ** np.arange(-1, 4)
    model, C, scores = _hold_out(make, grid, X, y, task.params["seed"], kernel=kernel)
    return [_accuracy(model, cross, y_test, {"C": C}, path=scores)]


def _boosting(task, X, y, X_test, y_test) -> list[Measurement]:
    rounds = task.params["n_estimators"]
    model = SimplexBoostingClassifier(rounds, random_state=task.params["seed"]).fit(X, y)
    path = [float(np.mean(labels == y_test)) for labels in model.staged_predict(X_test)]
    return [_accuracy(model, X_test, y_test, {"rounds": len(model.steps_)}, path=path)]


def _batch_svm(task, X, y, X_test, y_test) -> list[Measurement]:
    """Batch SVM with C by hold-out; the gap is that of the refit on all training data."""
    method, kernel = task.method.split(", ")
    if kernel == "linear":
        grid = 10.0 ** np.arange(-1, 3) / _mean_square(X)
        settings: dict[str, Any] = {"kernel": "linear", "solver": _linear_solver(X, y)}
    else:
        grid = 10.0 ** np.arange(3)
        settings = {"gamma": _gamma(task, X), "cache_size": 2100}

    def make(C):
        return BATCH_SVMS[method](C=C, tol=BATCH_TOL, max_iter=BATCH_ITERATIONS[kernel], **settings)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotOptimalWarning)
        model, C, scores = _hold_out(make, grid, X, y, task.params["seed"])
    optimal = model.duality_gap_ <= 1.01 * BATCH_TOL
    chosen = {"C": _rounded(C), "optimal": bool(optimal)}
    return [_accuracy(model, X_test, y_test, chosen, gap=model.duality_gap_, path=scores)]


def _linear_solver(X, y) -> str:
    small = X.shape[1] * (len(np.unique(y)) - 1) <= LARGEST_INTERIOR_POINT
    return "cvxopt" if small else "descent"


def _peer(task, X, y, X_test, y_test) -> list[Measurement]:
    """Linear methods without intercept on standardised features, ten values of C each.

    The ridge pair has n alpha = 1 / (2 C) and selects by leave-one-out, the others by hold-out.
    """
    scaler = StandardScaler().fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    grid = np.geomspace(1e-4, 1e1, 10) / X.shape[1]
    if task.method == "simplex rls":
        model = SimplexRLSClassifierCV(1 / (2 * grid * len(X))).fit(X, y)
        return [_with_loo(model, X_test, y_test)]
    if task.method == "one-vs-all ridge":
        model = RidgeClassifierCV(1 / (2 * grid), fit_intercept=False).fit(X, y)
        return [_accuracy(model, X_test, y_test, {"alpha": _rounded(float(model.alpha_))})]
    make = _PEER_MODELS[task.method]
    if task.method == "sc-svm":
        make = functools.partial(make, solver=_linear_solver(X, y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, C, scores = _hold_out(make, grid, X, y, task.params["seed"])
    gap = getattr(model, "duality_gap_", None)
    return [_accuracy(model, X_test, y_test, {"C": _rounded(C)}, path=scores, gap=gap)]


_PEER_MODELS: Mapping[str, Callable[..., Any]] = {
    "sc-svm": lambda C, solver: SimplexConeSVC(
        C, kernel="linear", solver=solver, tol=BATCH_TOL, max_iter=BATCH_ITERATIONS["linear"]
    ),
    "linear svm, one-vs-rest": lambda C: LinearSVC(C=C, dual=False, fit_intercept=False),
    "linear svm, Crammer-Singer": lambda C: LinearSVC(
        C=C, multi_class="crammer_singer", fit_intercept=False, random_state=0
    ),
    "logistic regression": lambda C: LogisticRegression(C=C, fit_intercept=False, max_iter=200),
}

_METHODS: Mapping[object, Callable[..., list[Measurement]]] = {
    **{("table2", method): _online for method in ONLINE_LOSSES},
    ("table2", "s-ls"): _rls,
    ("table2", "s-ls rbf"): _rls_rbf,
    ("table2", "svm ova"): _svm_ova,
    ("table2", "svm rbf ova"): _svm_rbf_ova,
    ("table2", "boosting"): _boosting,
    "batch_svm": _batch_svm,
    "peers": _peer,
}

PROTOCOL = Protocol(PAPER, 1, _datasets, (table2_stage, extra_stage), run)
