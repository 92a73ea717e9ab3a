"""What the paper did not run: KPM with more components than its training loss needs to be zero.

Along D the training loss falls to zero, and functions of D components get huge just before: the
peak. Beyond it many functions have no loss. Two of them are measured, each with D by the paper's
cross-validation:

- least mean square: sum_i f(x_i)^2 over the training points is the least, as in `KPMClassifier`;
- least norm: ||f|| in the space of the kernel is the least, the hard-margin SVM on D components.

Before the peak the two are one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reprolib.methods.kpm import select_dimension
from reprolib.methods.kpm.components import MAX_NORM, KernelComponents
from reprolib.methods.kpm.estimators import error_path
from reprolib.methods.kpm.hinge_lp import solve_hinge_lp_path
from reprolib.methods.kpm.separator import NO_GUESS, solve_least_norm_separator
from reprolib.methods.shared.kernels import gram
from reprolib.methods.shared.solution import NotOptimalError
from reprolib.methods.shared.tolerances import RANK_TOL
from reprolib.papers.kpm import methods
from reprolib.rerun.records import Measurement

#: Dimensions that are measured: all that Table 2 searches, then a grid through the peak.
DIMENSIONS = (*range(1, 61), *range(65, 101, 5), *range(110, 401, 10))
#: Training loss, as a share of the points, that counts as zero.
ZERO_LOSS = 1e-9
MEAN_SQUARE, LEAST_NORM = "least mean square", "least norm"


@dataclass(frozen=True)
class Path:
    """Decision functions at some D, as coefficients of the kernel, NaN where rounding decides.

    Parameters
    ----------
    dual_coef : ndarray of shape (n, number of D)
        The alpha_i of each.
    intercept, norm : ndarray of shape (number of D,)
        Constant, and norm in the space of the kernel.
    """

    dual_coef: np.ndarray
    intercept: np.ndarray
    norm: np.ndarray

    def errors(self, K, y) -> np.ndarray:
        """Share of errors on points with kernel rows K; NaN where there is no function."""
        known = np.isfinite(self.intercept)
        found = np.full(len(known), np.nan)
        found[known] = error_path(y, K @ self.dual_coef[:, known] + self.intercept[known])
        return found


def past_the_peak(task, X, y, X_test, y_test) -> list[Measurement]:
    """Curves along D through the peak, and the test error at the D of least validated error."""
    gamma = methods.gamma_of(task)
    K, K_test = gram(X, gamma=gamma), gram(X_test, X, gamma=gamma)
    splits = list(methods.folds(task).split(X, y))
    parts = [_components(K[np.ix_(train, train)]) for train, _ in splits]
    whole = _components(K)
    D = [d for d in DIMENSIONS if d <= min(c.rank for c in (whole, *parts))]
    paths, loss = solved(whole, K, y, D)
    lost = {rule: np.zeros(len(D)) for rule in paths}
    for (train, held_out), part in zip(splits, parts, strict=True):
        of_fold, _ = solved(part, K[np.ix_(train, train)], y[train], D)
        for rule, path in of_fold.items():
            errors = path.errors(K[np.ix_(held_out, train)], y[held_out])
            lost[rule] += errors * len(held_out) / len(y)
    weights = np.abs(whole.eigenvectors[:, : D[-1]].T @ y) / np.sqrt(len(y))
    at = {"D": D}
    found = [
        Measurement("label weight path", np.nan, path=weights),
        Measurement("training loss path", np.nan, at, path=loss / len(y)),
    ]
    for rule, path in paths.items():
        test = path.errors(K_test, y_test)
        chosen = select_dimension(np.where(np.isnan(lost[rule] + test), np.inf, lost[rule])) - 1
        found += [
            Measurement("test error", test[chosen], {"D": D[chosen]}, len(y_test), setting=rule),
            Measurement("norm path", np.nan, at, path=path.norm, setting=rule),
            Measurement("training error path", np.nan, at, path=path.errors(K, y), setting=rule),
            Measurement("test error path", np.nan, at, len(y_test), path=test, setting=rule),
            Measurement("cross-validated error path", np.nan, at, path=lost[rule], setting=rule),
        ]
    return found


def _components(K) -> KernelComponents:
    return KernelComponents.from_gram(K, center=False, rank_tol=RANK_TOL)


def solved(components: KernelComponents, K, y, D: list[int]) -> tuple[dict[str, Path], np.ndarray]:
    """Functions of both rules, and the least training loss, at every D.

    Parameters
    ----------
    components : KernelComponents
        Of the training points.
    K : ndarray of shape (n, n)
        Their kernel.
    y : ndarray of shape (n,), of -1 and 1
        Their labels.
    D : list of int
        Numbers of components, in order.

    Returns
    -------
    paths : dict of str to Path
        By rule.
    loss : ndarray
        Least total hinge loss.
    """
    path = components.fit_path(y, D[-1], solve_hinge_lp_path)
    at = np.array(D) - 1
    loss = path.objective[at]
    mean_square = _path(K, path.dual_coef[:, at], path.intercept[at], path.norm[at])
    dual_coef, intercept, rms = path.dual_coef[:, at], path.intercept[at].copy(), path.norm[at]
    dual_coef, rms, active = dual_coef.copy(), rms.copy(), NO_GUESS
    scales = np.sqrt(components.eigenvalues)
    for place in np.flatnonzero(loss <= ZERO_LOSS * len(y)):
        d = D[place]
        features = components.eigenvectors[:, :d] * scales[:d]
        try:
            found = solve_least_norm_separator(features, y, active)
        except NotOptimalError:
            rms[place] = np.inf
            continue
        coef, b, active = (
            found.variables["coef"],
            found.variables["intercept"],
            found.info["active"],
        )
        dual_coef[:, place] = components.eigenvectors[:, :d] @ (coef / scales[:d])
        intercept[place], rms[place] = b, np.sqrt(np.mean((features @ coef + b) ** 2))
    return {MEAN_SQUARE: mean_square, LEAST_NORM: _path(K, dual_coef, intercept, rms)}, loss


def _path(K, dual_coef, intercept, rms) -> Path:
    """Leave out the functions so large that rounding may change a decision."""
    norm = np.sqrt(np.maximum(np.sum(dual_coef * (K @ dual_coef), axis=0), 0.0))
    beyond = rms > MAX_NORM
    return Path(dual_coef, np.where(beyond, np.nan, intercept), np.where(beyond, np.nan, norm))
