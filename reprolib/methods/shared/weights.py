"""Weights of training examples: class weights times sample weights.

An example of weight 2 counts as two equal examples, one of weight 0 as none: estimators leave such
rows out before anything else. Without weights nothing is multiplied.

Weights may be as small or large as floating-point numbers are: problems are solved with weights of
which the largest is between 1 and 4, in a unit that is a power of four. Division by it is exact,
and so is the root of it. A problem that does not change with the unit of the weights leaves it at
that; where C times the loss meets a penalty, `ExampleWeights.strength` is C in that unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils.multiclass import check_classification_targets

from reprolib.methods.shared.sklearn_private import StrOptions
from reprolib.methods.shared.validation import LARGEST_PARAMETER, SMALLEST_PARAMETER, as_numbers

#: Words of ``_parameter_constraints`` for the hyperparameter ``class_weight``.
CLASS_WEIGHT = [dict, StrOptions({"balanced"}), None]

#: Weights beyond this, or as far apart as this, do not count together: sums lose the small ones.
LARGEST_WEIGHT = 1e300
LARGEST_RATIO = 1e30


@dataclass(frozen=True)
class ExampleWeights:
    """Which training examples count, and for how much.

    Parameters
    ----------
    n_samples : int
        Rows of the training data, those of weight zero included.
    rows : slice or ndarray of int of shape (m,)
        The examples of positive weight; all of them as a slice.
    values : ndarray of shape (m,), optional
        Their weights in the problem that is solved, in units of ``unit``; None where no weights
        are given.
    repeats : ndarray of shape (m,), optional
        Their sample weights alone, for scores, in units of ``repeat_unit``; None where none are
        given.
    unit, repeat_unit : float
        Powers of four.
    """

    n_samples: int
    rows: slice | np.ndarray
    values: np.ndarray | None = None
    repeats: np.ndarray | None = None
    unit: float = 1.0
    repeat_unit: float = 1.0

    def select(self, X):
        """Rows with a weight; X itself if all have one, so that kernels recognise it."""
        return X if isinstance(self.rows, slice) else X[self.rows]

    def of(self, positions) -> ExampleWeights:
        """Weights of some of the examples that count, by their positions among them."""
        values = None if self.values is None else self.values[positions]
        repeats = None if self.repeats is None else self.repeats[positions]
        return ExampleWeights(
            len(positions), slice(None), values, repeats, self.unit, self.repeat_unit
        )

    def positions(self, rows):
        """Positions, among the examples that count, of those of ``rows`` that do."""
        if isinstance(self.rows, slice):
            return rows
        position = np.full(self.n_samples, -1)
        position[self.rows] = np.arange(len(self.rows))
        return position[rows][position[rows] >= 0]

    def counted(self, rows):
        """Those of ``rows`` that count."""
        return np.arange(self.n_samples)[self.rows][self.positions(rows)]

    def at(self, rows) -> ExampleWeights:
        """Weights of some rows that count, by their indices in the training data."""
        return self.of(self.positions(rows))

    @property
    def given(self):
        """Weights of all ``n_samples`` rows as they were given; None where none are."""
        if self.values is None:
            return None
        weights = np.zeros(self.n_samples)
        weights[self.rows] = self.unit * self.values
        return weights

    @property
    def relative(self):
        """Weights divided by their mean, shape (m,); None where none are given."""
        return None if self.values is None else self.values / self.values.mean()

    @property
    def total(self):
        """Sum of ``values``; the number of examples where none are given."""
        return self.n_samples if self.values is None else float(self.values.sum())

    @property
    def total_repeats(self):
        """Sum of ``repeats``; the number of examples where none are given."""
        if self.repeats is not None:
            return float(self.repeats.sum())
        return self.n_samples if isinstance(self.rows, slice) else len(self.rows)

    def strength(self, C: float, name: str = "C") -> float:
        """Factor of the losses of the examples, beside ``values``: C in their unit.

        Raises
        ------
        ValueError
            If C times a weight over- or underflows where it meets kernel values.
        """
        bounds = (1.0, 1.0) if self.values is None else (self.values.min(), self.values.max())
        least, most = (float(C * self.unit * bound) for bound in bounds)
        if not (least >= SMALLEST_PARAMETER and most <= LARGEST_PARAMETER):
            given = name if self.values is None else f"{name} times the weights"
            raise ValueError(
                f"{given} reaches from {least:.3g} to {most:.3g}, and products of numbers outside "
                f"{SMALLEST_PARAMETER:g} to {LARGEST_PARAMETER:g} over- or underflow. Scale "
                f"{name}, sample_weight or class_weight to ordinary numbers, such as weights of "
                "mean 1."
            )
        return C * self.unit


def example_weights(y, sample_weight, class_weight=None) -> ExampleWeights:
    """Combine class weights and sample weights.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of the examples.
    sample_weight : array-like of shape (n,), float or None
        How often every example counts; None means once.
    class_weight : dict of label to float, "balanced" or None
        Factor of the weights of a class; 1 for labels that the dict does not name. "balanced":
        the factors with which all classes have the same total weight, and all examples together
        the weight that they have without them.

    Returns
    -------
    ExampleWeights
        Which examples count, and for how much.

    Raises
    ------
    ValueError
        If y holds no class labels, weights do not fit y, are negative or not finite, are all zero,
        are beyond ``LARGEST_WEIGHT`` or further apart than ``LARGEST_RATIO``, or ``class_weight``
        names a class that y does not hold.

    See Also
    --------
    sklearn.utils.class_weight.compute_sample_weight : The same without repetitions.

    Examples
    --------
    >>> from reprolib.methods.shared.weights import example_weights
    >>> example_weights([0, 0, 0, 1], None, "balanced").values.round(3).tolist()
    [0.667, 0.667, 0.667, 2.0]
    >>> example_weights([0, 1, 1], [1.0, 0.0, 2.0]).rows.tolist()
    [0, 2]
    """
    y = np.asarray(y)
    check_classification_targets(y)
    if class_weight is None and sample_weight is None:
        return ExampleWeights(len(y), slice(None))
    if isinstance(class_weight, dict):
        _check_names(class_weight, np.unique(y))
    given = _checked(np.ones(len(y)) if sample_weight is None else sample_weight, len(y))
    repeat_unit = power_of_four(given.max(initial=0.0))
    repeats = given / repeat_unit
    _check_ratio(repeats, given > 0.0)
    factors = _class_factors(y, repeats, class_weight)
    values = repeats * factors
    if not np.all((values >= 0.0) & (values <= LARGEST_WEIGHT / repeat_unit)):
        raise ValueError(
            f"class_weight={class_weight!r} has weights that are negative or too large. Give "
            f"factors that are positive, and with sample_weight at most {LARGEST_WEIGHT:g}."
        )
    counted = (repeats > 0.0) & (factors > 0.0)
    if not counted.any():
        raise ValueError("The weights are all zero; give at least two classes a positive weight.")
    _check_ratio(values, counted)
    unit = power_of_four(values.max())
    rows: slice | np.ndarray = slice(None) if counted.all() else np.flatnonzero(counted)
    return ExampleWeights(
        len(y),
        rows,
        values[rows] / unit,
        None if sample_weight is None else repeats[rows],
        unit * repeat_unit,
        repeat_unit,
    )


def counted_folds(folds, pick) -> list:
    """Numbers of the folds that hold out a row that counts, and what counts of their rows.

    Parameters
    ----------
    folds : list of (training rows, held-out rows)
        Indices of rows of the data.
    pick : callable
        Keeps the rows that count: `ExampleWeights.positions` or `ExampleWeights.counted`.

    Returns
    -------
    list of (number, training rows, held-out rows)
        The folds that hold out a row that counts, by their numbers in ``folds``.

    Raises
    ------
    ValueError
        If no fold holds out a row of positive weight.
    """
    counted = [(number, pick(train), pick(test)) for number, (train, test) in enumerate(folds)]
    kept = [fold for fold in counted if len(fold[2])]
    if not kept:
        raise ValueError(
            "No fold of cv holds out a row of positive weight; give held-out rows some "
            "sample_weight, or use other folds."
        )
    return kept


def merge_repeated(X, y, weights: ExampleWeights):
    """Make one example of equal rows with equal labels, of their total weight.

    The problem is the same and smaller. Its examples are sorted, so that an iterative solver gives
    the same answer, to the last digit, for a weight and for so many repetitions in any order. Data
    without weights and repetitions stay as they are.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n, p)
        The examples, one a row.
    y : ndarray of shape (n,)
        Labels of the examples.
    weights : ExampleWeights
        How often each counts.

    Returns
    -------
    X : ndarray or CSR array of shape (m, p)
        The examples that differ, sorted.
    y : ndarray of shape (m,)
        Their labels.
    weights : ExampleWeights
        Of the m examples, none of weight zero.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.weights import example_weights, merge_repeated
    >>> X, y = np.array([[2.0], [1.0], [2.0], [2.0]]), np.array(["a", "a", "a", "b"])
    >>> X, y, weights = merge_repeated(X, y, example_weights(y, None))
    >>> X[:, 0].tolist(), y.tolist(), weights.values.tolist()
    ([1.0, 2.0, 2.0], ['a', 'a', 'b'], [1.0, 2.0, 1.0])
    """
    labels, indices = np.unique(y[weights.rows], return_inverse=True)
    rows = weights.select(X)
    first, positions = distinct_rows(rows, indices)
    if weights.values is None and len(first) == len(indices):
        return X, y, weights
    total = np.bincount(positions, weights.values).astype(np.float64)
    merged = ExampleWeights(len(first), slice(None), total, unit=weights.unit)
    chosen = rows[first] if issparse(X) else np.ascontiguousarray(rows[first])
    return chosen, labels[indices[first]], merged


def distinct_rows(X, labels):
    """First of each set of equal rows of equal labels, in sorted order, and the set of every row.

    Parameters
    ----------
    X : ndarray or CSR array of shape (n, p)
        The examples, one a row.
    labels : ndarray of int of shape (n,)
        Their classes, as indices.

    Returns
    -------
    first : ndarray of int of shape (m,)
        Of each set, the first row of X that belongs to it.
    positions : ndarray of int of shape (n,)
        Of each row, the place of its set in ``first``.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.weights import distinct_rows
    >>> first, positions = distinct_rows(np.array([[2.0], [1.0], [2.0]]), np.zeros(3, int))
    >>> first.tolist(), positions.tolist()
    ([1, 0], [1, 0, 1])
    """
    if not issparse(X):
        labelled = np.column_stack([labels, X])
        _, first, positions = np.unique(labelled, axis=0, return_index=True, return_inverse=True)
        return first, positions.ravel()
    rows: Any = csr_array(cast(Any, X), copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    parts = [slice(start, end) for start, end in pairwise(rows.indptr)]
    contents = [rows.indices[part].tobytes() + rows.data[part].tobytes() for part in parts]
    keys = list(zip(labels.tolist(), contents, strict=True))
    place = {key: number for number, key in enumerate(sorted(set(keys)))}
    positions = np.array([place[key] for key in keys])
    return np.unique(positions, return_index=True)[1], positions


def _checked(sample_weight: Any, n_samples: int):
    """Sample weights as an array of floats, shape (n,)."""
    weights = as_numbers(sample_weight, "sample_weight")
    if weights.ndim == 0:
        weights = np.full(n_samples, float(weights))
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}; give one weight for each of the "
            f"{n_samples} rows, shape ({n_samples},)."
        )
    if not np.all(np.isfinite(weights) & (weights >= 0.0)):
        raise ValueError("sample_weight has entries that are negative or not finite.")
    if weights.max(initial=0.0) > LARGEST_WEIGHT:
        raise ValueError(
            f"sample_weight has an entry of {weights.max():.3g}, and sums of numbers beyond "
            f"{LARGEST_WEIGHT:g} overflow. Scale it, for example to mean 1."
        )
    return weights


def _check_ratio(weights, counted):
    """Refuse weights of which the small ones would be lost beside the large ones."""
    least, most = weights[counted].min(initial=np.inf), weights.max(initial=0.0)
    if least < most / LARGEST_RATIO:
        raise ValueError(
            f"the smallest sample_weight (times class_weight) is {least / most:.3g} of the "
            f"largest; below {1 / LARGEST_RATIO:g} rounding loses an example in sums. Give such "
            "rows a sample_weight of 0, which leaves them out, or clip the weights."
        )


def _check_names(class_weight: dict, classes):
    unknown = [label for label in class_weight if label not in classes]
    if unknown:
        raise ValueError(
            f"class_weight names {', '.join(map(str, unknown[:5]))}, but the classes are "
            f"{classes[:10].tolist()}; name labels as they are in y."
        )


def _class_factors(y, repeats, class_weight):
    """Factor of every example's weight by its class, shape (n,); 0 where it does not count."""
    counted = repeats > 0.0
    if class_weight is None or not counted.any():
        return counted.astype(np.float64)
    classes, indices = np.unique(y[counted], return_inverse=True)
    if class_weight == "balanced":
        of_class = np.bincount(indices, repeats[counted])
        factors = of_class.sum() / (len(classes) * of_class)
    else:
        factors = as_numbers(
            [class_weight.get(label, 1.0) for label in classes.tolist()], "class_weight"
        )
    values = np.zeros(len(y))
    values[counted] = factors[indices]
    return values


def power_of_two(size: float) -> float:
    """Largest power of two up to a positive number, by which division is exact.

    Parameters
    ----------
    size : float
        The number.

    Returns
    -------
    float
        The power of two; 1 for zero.
    """
    return float(np.ldexp(1.0, np.frexp(size)[1] - 1)) if size > 0.0 else 1.0


def power_of_four(size: float) -> float:
    """Largest power of four up to a positive number; division by it and its root are exact.

    Parameters
    ----------
    size : float
        The number.

    Returns
    -------
    float
        The power of four; 1 for zero.
    """
    if not size > 0.0:
        return 1.0
    exponent = int(np.frexp(size)[1]) - 1
    return float(np.ldexp(1.0, exponent - exponent % 2))
