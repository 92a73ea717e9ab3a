"""How KPM and the SVM are measured on one realisation."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from data_fetch import Dataset
from data_fetch.raetsch import PUBLISHED_SVM
from reprolib.methods.kpm import KPMClassifier, KPMClassifierCV, select_dimension
from reprolib.methods.kpm.estimators import error_path
from reprolib.methods.shared.kernels import gram
from reprolib.methods.shared.sklearn_private import libsvm
from reprolib.rerun.records import Measurement, Task
from reprolib.rerun.records.registry import readings_of
from reprolib.rerun.tasks.remembered import Remembered

#: Largest D searched; where that is less, the numerical rank of the smallest training fold, or the
#: last D whose decisions do not depend on rounding (`components.MAX_NORM`): paths in the
#: records are then shorter.
MAX_COMPONENTS = 60
N_FOLDS = 5
READINGS = readings_of("kpm")
#: D and its duality gap.
_SELECTED = Remembered("dimension of KPM", size=1000)
FIGURE1_COMPONENTS = 30
FIGURE1_C = tuple(round(0.2 * k, 1) for k in range(1, 101))


def published(dataset: str) -> tuple[float, float]:
    """Raetsch's C and width for a benchmark."""
    return PUBLISHED_SVM[dataset.split("/")[1]]


def realisation(task: Task, dataset: Dataset):
    """Training and test points of a task."""
    if task.params.get("partition"):  # of the pool, as many training points as published ones have
        rows = np.random.default_rng([2004, task.trial]).permutation(len(dataset.y))
        n_train = len(dataset.splits[0][0])
        train, test = rows[:n_train], rows[n_train:]
    else:
        train, test = dataset.splits[task.trial]
    X_train, X_test = dataset.X[train], dataset.X[test]
    if task.params.get("standardise"):
        scaler = StandardScaler().fit(X_train)
        X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
    return X_train, dataset.y[train], X_test, dataset.y[test]


def gamma_of(task: Task) -> float:
    """Of the kernel exp(-gamma d^2), from Raetsch's width and what a reading makes of it."""
    _, width = published(task.dataset)
    return 1.0 / (width * float(task.params.get("width_factor", 1.0)))


def folds(task: Task):
    """Folds of a realisation: the same for KPM and SVM."""
    splitter = StratifiedKFold if task.params.get("stratified") else KFold
    seed = 1000 * int(task.params["fold_seed"]) + task.trial
    return splitter(N_FOLDS, shuffle=True, random_state=seed)


def _path_model(task: Task) -> KPMClassifierCV:
    return KPMClassifierCV(
        max_components=MAX_COMPONENTS,
        cv=folds(task),
        gamma=gamma_of(task),
        center=bool(task.params.get("center", False)),
        loss=str(task.params.get("loss", "hinge")),
    )


def cross_validated(task, X, y, X_test, y_test) -> list[Measurement]:
    """Table 2: D by cross-validation; under the headline also the other rules of selection."""
    model = _path_model(task).fit(X, y)
    _SELECTED.of((X, y, _path_model(task)), lambda: _selection(model))
    test_path = model.error_path(X_test, y_test)
    train_path = model.error_path(X, y)
    rules = {task.reading: {}} if task.setting else READINGS.measured("kpm", task.reading)
    measurements = []
    for reading, rule in rules.items():
        largest = rule.get("largest", MAX_COMPONENTS)
        D = select_dimension(model.cv_error_path_[:largest], rule.get("tie_break", "smallest"))
        picked = {"D": D}
        measurements += [
            Measurement(
                "test error",
                test_path[D - 1],
                picked,
                n_test=len(y_test),
                gap=model.duality_gap_,
                reading=reading,
            ),
            Measurement("selected D", D, picked, reading=reading),
        ]
    measurements += [
        Measurement("test error path", np.nan, path=test_path, n_test=len(y_test)),
        Measurement("training error path", np.nan, path=train_path, n_test=len(y)),
        Measurement("cross-validated error path", np.nan, path=model.cv_error_path_),
    ]
    return measurements


def selected_dimension(task, X, y, X_test, y_test) -> list[Measurement]:
    """D by cross-validation alone; Table 2 has made many of these fits."""
    model = _path_model(task)
    D, gap = _SELECTED.of((X, y, model), lambda: _selection(model.fit(X, y)))
    return [Measurement("selected D", D, gap=gap)]


def _selection(model: KPMClassifierCV) -> tuple[int, float]:
    return model.n_components_, model.duality_gap_


def at_fixed_dimension(task, X, y, X_test, y_test) -> list[Measurement]:
    """Table 1: the error of KPM with the D that the task gives."""
    D = task.params["D"]
    center = bool(task.params.get("center", False))
    model = KPMClassifier(n_components=D, gamma=gamma_of(task), center=center).fit(X, y)
    error = model.error_path(X_test, y_test)[D - 1]
    return [Measurement("test error", error, {"D": D}, n_test=len(y_test), gap=model.duality_gap_)]


def svms(costs, K, y, tol=1e-3) -> tuple[np.ndarray, np.ndarray]:
    """Dual coefficients (n, costs) and intercepts of the SVMs with every C: those of `SVC`.

    Its solver is called without its checks, which take as long. It stops at ``tol``.
    """
    coef, intercept = np.zeros((len(y), len(costs))), np.empty(len(costs))
    K, labels = np.ascontiguousarray(K), np.asarray(y, dtype=np.float64)
    libsvm.set_verbosity_wrap(0)
    for j, C in enumerate(costs):
        support, _, _, of_support, b, *_ = libsvm.fit(K, labels, kernel="precomputed", C=C, tol=tol)
        coef[support, j], intercept[j] = -of_support[0], -b[0]
    return coef, intercept


def svm_at_fixed_cost(task, X, y, X_test, y_test) -> list[Measurement]:
    """Table 1: the error of the SVM with the C that the task gives."""
    C = task.params["C"]
    error = float(np.mean(SVC(C=C, gamma=gamma_of(task)).fit(X, y).predict(X_test) != y_test))
    return [Measurement("test error", error, {"C": C}, n_test=len(y_test))]


def svm_cross_validated(task, X, y, X_test, y_test) -> list[Measurement]:
    """Table 2: C by cross-validation on 100 values up to three times the published one.

    Data sets that are not in the paper have 20 values in the same range.
    """
    C, _ = published(task.dataset)
    gamma = gamma_of(task)
    n_grid = task.params.get("n_grid", 100)
    grid = 3.0 * C * np.arange(1, n_grid + 1) / n_grid
    K = gram(X, gamma=gamma)

    def errors(train, test) -> np.ndarray:
        coef, intercept = svms(grid, K[np.ix_(train, train)], y[train])
        return error_path(y[test], K[np.ix_(test, train)] @ coef + intercept)

    means = np.mean([errors(*fold) for fold in folds(task).split(X, y)], axis=0)
    C = float(grid[select_dimension(means) - 1])
    error = float(np.mean(SVC(C=C, gamma=gamma).fit(X, y).predict(X_test) != y_test))
    return [
        Measurement("test error", error, {"C": C}, n_test=len(y_test)),
        Measurement("selected C", C),
    ]


def figure1_kpm(task, X, y, X_test, y_test) -> list[Measurement]:
    """Errors against D."""
    model = KPMClassifier(n_components=FIGURE1_COMPONENTS, gamma=gamma_of(task)).fit(X, y)
    return [
        Measurement("test error path", np.nan, path=model.error_path(X_test, y_test)),
        Measurement("training error path", np.nan, path=model.error_path(X, y)),
    ]


def figure1_svm(task, X, y, X_test, y_test) -> list[Measurement]:
    """Errors against C."""
    gamma = gamma_of(task)
    K, K_test = gram(X, gamma=gamma), gram(X_test, X, gamma=gamma)
    picked = {"C": list(FIGURE1_C)}
    coef, intercept = svms(FIGURE1_C, K, y)
    test = error_path(y_test, K_test @ coef + intercept)
    train = error_path(y, K @ coef + intercept)
    return [
        Measurement("test error path", np.nan, picked, path=test),
        Measurement("training error path", np.nan, picked, path=train),
    ]
