"""Which scaling, intercept and lambda of S-LS gives the printed digits on an official split.

Neither S-LS nor an official split leaves anything to chance, so that the right choices give the
printed number to the digit, and on several sets at once. Tried are

- features as they are, standardised, scaled to [0, 1], or rows of unit length;
- no intercept, a constant feature with the penalty of the others, or an intercept without one (its
  leave-one-out is that of the machine on centred features);
- lambda by leave-one-out on each of three grids, or one of 65 values, absolute or in units of the
  mean square of the features;
- accuracy over all test points, or the mean of those of the classes;
- of Letter, which has no official split, the first 16,000 rows to train on, or 10,000, the number
  in the manual of the authors' library, and the other 10,000 or the last 4,000 to test on;
- of the Gaussian kernel the two widths, on features as they are, without an intercept, on Landsat
  and Optdigit. The larger sets take minutes a width, Letter more memory than a laptop has.

Tried before, with no printed digit: the readings of Table 2, and accuracies averaged over classes
for the headline.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
from sklearn.metrics import balanced_accuracy_score
from sklearn.preprocessing import MinMaxScaler, StandardScaler, normalize

from data_fetch import Dataset
from reprolib.methods.shared.codes import simplex_code
from reprolib.methods.shared.kernels import gram
from reprolib.methods.simplex import SimplexRLSClassifierCV
from reprolib.papers.simplex.methods import mean_square, remembered_gamma, rls_grid
from reprolib.rerun.records import Measurement, Task, select
from reprolib.rerun.records import paths as paths_of
from reprolib.rerun.tasks.experiment import Setting
from reprolib.rerun.verdicts.designs.exact import has_printed_digits
from reprolib.rerun.verdicts.printed import numbers

SCALINGS = ("raw", "standardised", "[0, 1]", "unit length")
INTERCEPTS = ("no intercept", "constant feature", "free intercept")
#: Rows of Letter's file: training up to the first number, testing from the second on.
LETTER = {
    "16,000 rows": (16_000, 16_000),
    "10,000 rows": (10_000, 10_000),
    "10,000 rows, last 4,000": (10_000, 16_000),
}
WIDTHS = {"exp(-d^2/(2 sigma^2))": 1.0, "exp(-d^2/sigma^2)": 2.0}
#: Values of lambda that are tried on all sets alike, after the choices by leave-one-out.
GRIDS = ("log", "linear", "gram")
LAMBDAS = 10.0 ** np.arange(-10.0, 6.25, 0.25)
RULES = (
    *(f"leave-one-out, {grid} grid" for grid in GRIDS),
    *(f"lambda = {value:.3g}" for value in LAMBDAS),
    *(f"lambda = {value:.3g} mean squares" for value in LAMBDAS),
)
ACCURACIES = ("over all points", "mean over classes")


def linear_settings(dataset: Dataset) -> list[Setting]:
    """All choices of linear S-LS but that of lambda."""
    rows = list(LETTER) if dataset.name == "uci/letter" else [""]
    return [
        Setting(
            ", ".join(filter(None, parts)),
            params=dict(zip(("scaling", "intercept", "rows"), parts, strict=True)),
        )
        for parts in itertools.product(SCALINGS, INTERCEPTS, rows)
    ]


RBF_SETTINGS = [Setting(name, params={"gamma_factor": factor}) for name, factor in WIDTHS.items()]


def run(task: Task, X, y, X_test, y_test) -> list[Measurement]:
    """Accuracy of one machine by every rule for lambda, both ways of counting."""
    if rows := task.params.get("rows"):
        X, y = np.concatenate([X, X_test]), np.concatenate([y, y_test])
        end, start = LETTER[rows]
        X, y, X_test, y_test = X[:end], y[:end], X[start:], y[start:]
    kernel = {}
    if task.method == "s-ls rbf":
        gamma = remembered_gamma(X, task.params["gamma_factor"])
        kernel = {"kernel": "rbf", "gamma": gamma}
    else:
        X, X_test = scaled(task.params, X, X_test)
    free = task.params.get("intercept") == "free intercept"
    mean = X.mean(axis=0) if free else 0.0
    X, X_test = X - mean, X_test - mean
    alphas = [_by_leave_one_out(grid, X, y, kernel) for grid in GRIDS]
    unit = 1.0 if kernel else mean_square(X)
    alphas += [*LAMBDAS, *(unit * LAMBDAS)]
    predicted = predictions(X, y, X_test, alphas, kernel, free)
    shares = np.mean(predicted == y_test, axis=1)
    balanced = [balanced_accuracy_score(y_test, labels) for labels in predicted]
    return [
        Measurement(f"accuracy {how}", np.nan, n_test=len(y_test), path=path)
        for how, path in zip(ACCURACIES, (shares, balanced), strict=True)
    ]


def scaled(params, X, X_test):
    """Features as the choice of scaling and intercept has them."""
    if params["scaling"] == "unit length":
        X, X_test = normalize(X), normalize(X_test)
    elif params["scaling"] != "raw":
        scaler = StandardScaler() if params["scaling"] == "standardised" else MinMaxScaler()
        scaler.fit(X)
        X, X_test = scaler.transform(X), scaler.transform(X_test)
    if params["intercept"] == "constant feature":
        X, X_test = (np.column_stack([part, np.ones(len(part))]) for part in (X, X_test))
    return X, X_test


def _by_leave_one_out(grid: str, X, y, kernel) -> float:
    return float(SimplexRLSClassifierCV(rls_grid(grid), **kernel).fit(X, y).alpha_)


def predictions(X, y, X_test, alphas, kernel, free: bool) -> np.ndarray:
    """Predicted labels by every lambda, from one eigendecomposition.

    Parameters
    ----------
    X, X_test : ndarray of shape (n, p) and (m, p)
        Features; centred on the training rows for a free intercept.
    y : ndarray of shape (n,)
        Labels.
    alphas : sequence of float
        Values of lambda.
    kernel : dict
        Of `gram`; empty for the linear kernel, by its features.
    free : bool
        Whether the mean code is added, as an intercept without a penalty does.

    Returns
    -------
    ndarray of shape (number of alphas, m)
        Labels.
    """
    classes, place = np.unique(y, return_inverse=True)
    codes = simplex_code(len(classes)).T
    Y = codes[place]
    offset = Y.mean(axis=0) if free else 0.0
    A = gram(X, **kernel) if kernel else X.T @ X
    right = Y - offset if kernel else X.T @ (Y - offset)
    rows = gram(X_test, X, **kernel) if kernel else X_test
    values, vectors = np.linalg.eigh(A)
    left, right = rows @ vectors, vectors.T @ right
    found = []
    for alpha in alphas:
        shift = np.maximum(values, 0.0) + len(y) * alpha
        scores = (left / shift) @ right + offset
        found.append(classes[np.argmax(scores @ codes.T, axis=1)])
    return np.array(found)


def hits(records: pd.DataFrame) -> pd.DataFrame:
    """Choices that give printed digits, those that do so on most sets first.

    Returns
    -------
    DataFrame
        Columns method, setting (without the rows of Letter), rule for lambda, accuracy, and
        sets, the names of those where our accuracy rounds to the printed one. ``attrs["tried"]``
        has how many choices were tried on at least one set, by method.
    """
    rows = select(records, table="printed_choices")
    printed = {
        (n.select["method"], n.select["dataset"]): n.value
        for n in numbers("simplex")
        if n.table == "table2"
    }
    found: dict[tuple[str, ...], list[str]] = {}
    tried: dict[str, set[tuple[str, ...]]] = {}
    for row, path in zip(rows.itertuples(), paths_of(rows), strict=True):
        setting = str(row.setting)
        for of_letter in LETTER:
            setting = setting.removesuffix(f", {of_letter}")
        target = printed[str(row.method), str(row.dataset)]
        how = str(row.metric).removeprefix("accuracy ")
        for rule, value in zip(RULES, path, strict=True):
            choice = (str(row.method), setting, rule, how)
            tried.setdefault(choice[0], set()).add(choice)
            if has_printed_digits(100 * value - target, 2):
                found.setdefault(choice, []).append(str(row.dataset))
    lines = [(*choice, sorted(set(sets))) for choice, sets in found.items()]
    lines.sort(key=lambda line: -len(line[-1]))
    frame = pd.DataFrame(lines, columns=["method", "setting", "lambda", "accuracy", "sets"])
    frame.attrs["tried"] = {method: len(choices) for method, choices in tried.items()}
    return frame
