"""The fMRI row of Table 1, and the multiclass machines that the paper asks for."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    LeaveOneGroupOut,
    train_test_split,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.fixes import parse_version

from reprolib.methods.mkpm import MKPMClassifier, MKPMClassifierCV
from reprolib.methods.shared.kernels import gram
from reprolib.methods.simplex import SimplexRLSClassifier
from reprolib.papers.mkpm._common import (
    CROSS_VALIDATED,
    PAPER,
    TRAINING_SIZE,
    accuracy_and_d,
    first_best,
    selected,
)
from reprolib.rerun.records import HEADLINE, Measurement, Task, path_matrix, select
from reprolib.rerun.tasks.folds import mean_over_folds

ONE_D = "one d of least held-out error for all folds"
TWELVE = "twelve runs"
SCALED = "voxels scaled to [0, 1]"
CENTRED = "voxels centred"
Z_SCORED = "z-scored in each run (extra)"
RAW = "raw"
#: log10 of the costs of the text: C = 10^-t, -6 < t < 4.
LOG10_C = tuple(range(-3, 6))
#: C of the machines that the paper does not have, on inputs of mean square one.
RELATIVE_C = (1e-3, 1e-2, 1e-1)
KERNELS: dict[str, dict[str, Any]] = {
    "linear": {"kernel": "linear"},
    "poly 2": {"kernel": "poly", "degree": 2},
    "poly 3": {"kernel": "poly", "degree": 3},
    "rbf 1/4": {"kernel": "rbf", "relative_gamma": 0.25},
    "rbf 1": {"kernel": "rbf", "relative_gamma": 1.0},
    "rbf 4": {"kernel": "rbf", "relative_gamma": 4.0},
}
#: Settings of the SVM.
ONE_VS_ONE, ONE_VS_REST, CRAMMER_SINGER = "one-vs-one", "one-vs-rest", "Crammer-Singer"
#: Methods and settings.
LINEAR_MKPM = ("mkpm", "linear")
SVMS = tuple(("svm", setting) for setting in (ONE_VS_ONE, ONE_VS_REST, CRAMMER_SINGER))
SIMPLEX_RLS = ("simplex RLS", "")
#: alpha of simplex RLS on the same inputs, where the eigenvalues of K / n sum to the number of
#: voxels.
ALPHAS = (0.01, 0.1, 1.0, 10.0)
#: Machines compared with the linear MKPM in each condition.
COMPARED = {
    RAW: (*SVMS, SIMPLEX_RLS),
    Z_SCORED: (*SVMS, SIMPLEX_RLS),
    SCALED: (("svm", ONE_VS_ONE),),
    CENTRED: (SIMPLEX_RLS,),
}


def tasks(profile, name, dataset) -> list[Task]:
    """Tables 1, svm_cost and haxby."""
    trials = range(10 if profile == "full" else 3)
    listed = [Task(PAPER, "table1", name, "mkpm", HEADLINE, t) for t in trials]
    listed += [Task(PAPER, "svm_cost", name, "svm", HEADLINE, t) for t in trials]
    if profile == "quick":
        return listed
    twelve = range(12)
    for reading, runs, condition in [(TWELVE, 12, RAW), (SCALED, 10, SCALED)]:
        params = {"runs": runs, "condition": condition}
        for t in trials if runs == 10 else twelve:
            listed.append(Task(PAPER, "table1", name, "mkpm", reading, t, params))
            listed.append(Task(PAPER, "svm_cost", name, "svm", reading, t, params))
    centred = {"runs": 10, "condition": CENTRED}
    listed += [Task(PAPER, "table1", name, "mkpm", CENTRED, t, centred) for t in trials]
    listed += [Task(PAPER, "table1", name, "mkpm", TRAINING_SIZE, t) for t in trials]
    listed += [Task(PAPER, "table1", name, "mkpm", CROSS_VALIDATED, t) for t in trials]
    listed += [
        Task(PAPER, "haxby", name, "mkpm", RAW, t, {"kernel": kernel}, setting=kernel)
        for kernel in KERNELS
        for t in trials
    ]
    for condition, methods in COMPARED.items():
        params = {"runs": 12, "condition": condition}
        reading = f"{condition}, twelve runs"
        listed += [
            Task(PAPER, "haxby", name, method, reading, t, params, setting=setting)
            for method, setting in (LINEAR_MKPM, *methods)
            for t in twelve
        ]
    return listed


def pooled_tasks(name, records: pd.DataFrame) -> list[Task]:
    """Give the SVM the cost that did best over all folds, as the text does; likewise one d."""
    listed = []
    costs = select(records, table="svm_cost", metric="accuracy path")
    for reading, rows in costs.groupby("reading"):
        C = 10.0 ** LOG10_C[first_best(path_matrix(rows).mean(axis=0))]
        listed += [
            Task(PAPER, "table1", name, "svm", str(reading), int(t), {**_params(reading), "C": C})
            for t in sorted(rows["trial"])
        ]
    paths = select(records, table="table1", metric="held-out accuracy path", reading=HEADLINE)
    if not paths.empty:
        d = first_best(path_matrix(paths).mean(axis=0))
        listed += [
            Task(PAPER, "table1", name, "mkpm", ONE_D, int(t), {"d": d})
            for t in sorted(paths["trial"])
        ]
    return listed


def _params(reading) -> dict:
    return {
        TWELVE: {"runs": 12, "condition": RAW},
        SCALED: {"runs": 10, "condition": SCALED},
    }.get(reading, {})


def run(task: Task, dataset) -> list[Measurement]:
    """Run one task on one held-out run."""
    fold = prepare(dataset, task.trial, **_fold_options(task))
    if task.table == "haxby":
        return _compare(task, fold)
    if task.table == "svm_cost":
        path = [_svm_accuracy(10.0**k, fold) for k in LOG10_C]
        return [Measurement("accuracy path", np.nan, {"log10 C": LOG10_C}, path=path)]
    if task.method == "svm":
        accuracy = _svm_accuracy(task.params["C"], fold)
        return [Measurement("accuracy", accuracy, {"C": task.params["C"]}, len(fold["y_test"]))]
    if task.reading == CROSS_VALIDATED:
        return _nested(task, fold)
    return _table1(task, fold)


def _fold_options(task):
    return {
        "runs": task.params.get("runs", 10),
        "condition": task.params.get("condition", RAW),
    }


def prepare(dataset, trial: int, *, runs: int = 10, condition: str = RAW) -> dict:
    """Training and test volumes of one held-out run, of the first ``runs`` runs."""
    used = dataset.groups < runs
    X, y, groups = dataset.X[used], dataset.y[used], dataset.groups[used]
    if condition == SCALED:
        X = (X - X.min(axis=0)) / np.maximum(np.ptp(X, axis=0), 1e-12)
    elif condition == Z_SCORED:
        X = z_score_runs(X, groups)
    train, test = groups != trial, groups == trial
    if condition == CENTRED:
        X = X - X[train].mean(axis=0)
    return {
        "X": X[train],
        "y": y[train],
        "groups": groups[train],
        "X_test": X[test],
        "y_test": y[test],
    }


def z_score_runs(X, groups):
    """Subtract every voxel's mean over the run, and divide by its standard deviation."""
    scored = np.empty_like(X)
    for group in np.unique(groups):
        rows = X[groups == group]
        scored[groups == group] = (rows - rows.mean(axis=0)) / np.maximum(rows.std(axis=0), 1e-12)
    return scored


def _arrays(fold):
    return fold["X"], fold["y"], fold["X_test"], fold["y_test"]


def _table1(task, fold) -> list[Measurement]:
    X, y, X_test, y_test = _arrays(fold)
    n_voxels = X.shape[1]
    if task.reading == TRAINING_SIZE:
        kept, _ = train_test_split(
            np.arange(len(y)),
            train_size=min(n_voxels, len(y) - 8),
            stratify=y,
            random_state=task.trial,
        )
        X, y = X[kept], y[kept]
    model = MKPMClassifier(n_voxels, kernel="linear").fit(X, y)
    if task.reading == ONE_D:
        d = min(task.params["d"], model.n_components_)
        accuracy = float(model.score_path(X_test, y_test)[d])
        return accuracy_and_d(d, accuracy, len(y_test), ONE_D)
    choices = selected(model, X, y, X_test, y_test)
    if task.reading != HEADLINE:
        return accuracy_and_d(*choices[HEADLINE], len(y_test), task.reading)
    listed = [
        m
        for reading, (d, accuracy) in choices.items()
        for m in accuracy_and_d(d, accuracy, len(y_test), reading)
    ]
    path = model.score_path(X_test, y_test)
    return [*listed, Measurement("held-out accuracy path", np.nan, path=path)]


def _nested(task, fold) -> list[Measurement]:
    """Choose d by leaving out one of the training runs at a time."""
    X, y, X_test, y_test = _arrays(fold)
    model = MKPMClassifierCV(X.shape[1], cv=LeaveOneGroupOut(), kernel="linear")
    model.fit(X, y, groups=fold["groups"])
    accuracy = model.score(X_test, y_test)
    return accuracy_and_d(model.n_components_, accuracy, len(y_test), CROSS_VALIDATED)


def _svm_accuracy(C: float, fold) -> float:
    X, y, X_test, y_test = _arrays(fold)
    return float(SVC(kernel="linear", C=C).fit(X, y).score(X_test, y_test))


def _compare(task, fold) -> list[Measurement]:
    """Choose the hyperparameter by five-fold cross-validation over the training runs."""
    X, y, X_test, y_test = _arrays(fold)
    splits = list(GroupKFold(5).split(X, y, fold["groups"]))
    if task.method == "mkpm":
        K, K_test = _kernel(task.params.get("kernel", "linear"), X, X_test)
        model = MKPMClassifierCV(X.shape[1], cv=splits, kernel="precomputed").fit(K, y)
        accuracy, chosen = model.score(K_test, y_test), {"d": model.n_components_}
    elif task.method == "svm":
        accuracy, chosen = _linear_svm(task.setting, fold, splits)
    else:
        accuracy, chosen = _simplex_rls(fold, splits)
    return [Measurement("accuracy", float(accuracy), chosen, n_test=len(y_test))]


def _centred(fold):
    """Centre the voxels on the training volumes, and scale all alike to mean square one."""
    X, y, X_test, y_test = _arrays(fold)
    mean, scale = X.mean(axis=0), np.sqrt(np.mean((X - X.mean(axis=0)) ** 2))
    return (X - mean) / scale, y, (X_test - mean) / scale, y_test


def _simplex_rls(fold, splits) -> tuple[float, dict]:
    """Accuracy of linear simplex RLS, alpha by cross-validation."""
    X, y, X_test, y_test = _centred(fold)
    search = GridSearchCV(SimplexRLSClassifier(), {"alpha": ALPHAS}, cv=splits).fit(X, y)
    return search.score(X_test, y_test), search.best_params_


def _linear_svm(setting: str, fold, splits) -> tuple[float, dict]:
    """Accuracy of a linear SVM on centred voxels of mean square one, C by cross-validation.

    A C whose solver does not converge, on a fold or on all training volumes, is out.
    """
    X, y, X_test, y_test = _centred(fold)

    def accuracy(C, Z, labels, Z_test, test_labels):
        if setting != CRAMMER_SINGER:
            Z, Z_test = Z @ Z.T, Z_test @ Z.T
        return _fit_converged(setting, C, Z, labels).score(Z_test, test_labels)

    def held_out(C, train, test):
        try:
            return accuracy(C, X[train], y[train], X[test], y[test])
        except ConvergenceWarning:
            return -np.inf

    means = mean_over_folds(held_out, RELATIVE_C, splits)
    while True:
        best = first_best(means)
        try:
            return accuracy(RELATIVE_C[best], X, y, X_test, y_test), {"C": RELATIVE_C[best]}
        except ConvergenceWarning:
            if np.isinf(means[best]):
                raise
            means[best] = -np.inf


def warns_at_random() -> bool:
    """Whether scikit-learn reads the iterations of Crammer-Singer from foreign memory."""
    return parse_version(sklearn.__version__) < parse_version("1.9.1")


def _fit_converged(setting: str, C: float, X, y):
    """Fit a machine, or raise the solver's warning that it did not converge."""
    if setting == CRAMMER_SINGER:
        if warns_at_random():
            raise RuntimeError(
                f"the SVM of Crammer and Singer needs scikit-learn 1.9.1 or newer, and this is "
                f"{sklearn.__version__}: earlier ones say at random that it did not converge "
                "(their issue 34029); install a newer one"
            )
        machine = LinearSVC(
            multi_class="crammer_singer", C=C, max_iter=1000, tol=1e-2, random_state=0
        )
    else:
        machine = SVC(kernel="precomputed", C=C)
        if setting == ONE_VS_REST:
            machine = OneVsRestClassifier(machine)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        return machine.fit(X, y)


def _kernel(name: str, X, X_test):
    """Gram matrices; poly and RBF in units of the mean squared norm and distance."""
    options = dict(KERNELS[name])
    norm = np.mean(np.sum(X**2, axis=1))
    if options["kernel"] == "poly":
        options["gamma"] = 1.0 / norm
    elif options["kernel"] == "rbf":
        spread = 2.0 * np.mean(np.sum((X - X.mean(axis=0)) ** 2, axis=1))
        options["gamma"] = options.pop("relative_gamma") / spread
    return gram(X, **options), gram(X_test, X, **options)
