"""Classifiers by an output code: the code from its name or a matrix, decisions, dimensions."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from reprolib.methods.mkpm._paths import decode_first
from reprolib.methods.mkpm.allocation import solve_allocation
from reprolib.methods.shared.codes import (
    decision_values,
    one_vs_all_code,
    random_code,
    simplex_code,
)
from reprolib.methods.shared.types import Array, Data
from reprolib.methods.shared.validation import as_numbers

CODES = ("one-vs-all", "simplex", "random")


def make_code(code, n_classes: int, random_state=None):
    """Code matrix by a name of `CODES`, or as it is given.

    Parameters
    ----------
    code : str or array-like of shape (L, n_classes)
        The name, or the matrix.
    n_classes : int
        Number of columns.
    random_state : int, RandomState or None
        Seed of the random code.

    Returns
    -------
    ndarray of shape (L, n_classes)
        One code word a column.

    Raises
    ------
    ValueError
        If `check_code` refuses the matrix.
    """
    if not isinstance(code, str):
        return check_code(code, n_classes)
    if code == "one-vs-all":
        return one_vs_all_code(n_classes)
    if code == "simplex":
        return simplex_code(n_classes)
    length = int(np.ceil(10 * np.log2(n_classes)))
    return random_code(n_classes, length, random_state=random_state)


def check_code(code, n_classes: int):
    """Check a code matrix: finite, a column per class, no two classes alike, no constant row.

    Parameters
    ----------
    code : array-like of shape (L, n_classes)
        One code word a column.
    n_classes : int
        Number of columns that it needs.

    Returns
    -------
    ndarray of shape (L, n_classes)
        The code as an array of floats.

    Raises
    ------
    ValueError
        If it is not so.
    """
    code = as_numbers(code, "code")
    if code.ndim != 2 or code.shape[1] != n_classes:
        raise ValueError(
            f"code has shape {code.shape}, but y holds {n_classes} classes; it needs one column "
            "per class. A class may be missing from this part of the data."
        )
    if not np.all(np.isfinite(code)):
        raise ValueError("code has entries that are not finite.")
    if len(np.unique(code, axis=1).T) < n_classes:
        raise ValueError("code gives two classes the same column, so they cannot be told apart.")
    constant = np.flatnonzero(np.all(code == code[:, :1], axis=1))
    if len(constant):
        raise ValueError(
            f"code is constant in row {constant[0]}: that bit tells no class from another; "
            "remove the row."
        )
    return code


class CodeClassifierMixin(ClassifierMixin):
    """Bits of an output code that share dimensions; subclasses give ``_bit_scores(X)``, (n, L)."""

    def _allocate(self, objectives, n_components):
        """Share dimensions optimally, for every total up to ``n_components`` (None: all).

        Sets ``n_components_`` and what the path is made of.
        """
        capacity = objectives.shape[0] * (objectives.shape[1] - 1)
        self.n_components_ = capacity if n_components is None else min(int(n_components), capacity)
        allocation = solve_allocation(objectives, self.n_components_).require_optimal()
        self.bit_objective_path_ = objectives
        self.allocation_path_ = allocation.variables["allocation_path"]
        self.objective_path_ = allocation.variables["objective_path"]
        self.allocation_ = self.allocation_path_[-1]

    def decision_function(self, X: Data) -> Array:
        """Nearness to the code words at the end of the path; the nearest has the largest value.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), or (n, n_train) for kernel="precomputed"
            New data; or the kernel between them and the training data.

        Returns
        -------
        ndarray of shape (n, n_classes), or (n,) for two classes
            Columns in the order of ``classes_``; of two classes positive for ``classes_[1]``.
        """
        check_is_fitted(self)
        return decision_values(self.code_, self._bit_scores(X))

    def predict(self, X: Data) -> Array:
        """Class of the nearest code word at the end of the path.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), or (n, n_train) for kernel="precomputed"
            New data; or the kernel between them and the training data.

        Returns
        -------
        ndarray of shape (n,)
            A label of ``classes_`` for every row; of code words equally near, the first.
        """
        check_is_fitted(self)
        return self.classes_[decode_first(self.code_, self._bit_scores(X))]
