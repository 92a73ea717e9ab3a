"""Input of estimators: data whose products do not overflow, hyperparameters, labels, folds."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import validation
from sklearn.utils.multiclass import check_classification_targets

from reprolib.methods.shared.sklearn_private import Interval


class ConstantClassifierWarning(UserWarning):
    """A fitted classifier gives every training point the same class."""


def warn_if_constant(predicted, estimator, stacklevel: int = 5):
    """Warn if all predictions on the training data are the same.

    Parameters
    ----------
    predicted : ndarray of shape (n,)
        The predictions, as classes or in any other form.
    estimator : estimator
        Named in the warning.
    stacklevel : int
        Number of calls from here to the caller of ``fit``.
    """
    if np.all(predicted == predicted[0]):
        warnings.warn(
            f"{type(estimator).__name__} gives all training points the same class. Scale the "
            "features, for example with sklearn.preprocessing.StandardScaler, choose other "
            "hyperparameters, or give a rare class more weight (sample_weight).",
            ConstantClassifierWarning,
            stacklevel=stacklevel,
        )


#: Features larger than this overflow where a method multiplies Gram matrices.
LARGEST_FEATURE = 1e60

#: Training data of smaller features only underflow there.
SMALLEST_FEATURE = 1e-60

#: Kernel values larger than this overflow when they are squared and summed.
LARGEST_KERNEL_VALUE = 1e120

#: A Gram matrix of n points may have eigenvalues down to minus this times n times its largest.
ROUND_OFF_OF_EIGENVALUES = 100 * float(np.finfo(np.float64).eps)

#: Hyperparameters larger than this overflow where they meet kernel values.
LARGEST_PARAMETER = 1e60

#: Factors of the loss smaller than this underflow there.
SMALLEST_PARAMETER = 1e-60

#: Values that hyperparameters may have, for ``_parameter_constraints`` of estimators.
POSITIVE = Interval(Real, 0.0, LARGEST_PARAMETER, closed="neither")
NON_NEGATIVE = Interval(Real, 0.0, LARGEST_PARAMETER, closed="left")
COUNT = Interval(Integral, 1, None, closed="left")


def validate_data(estimator, X, y="no_validation", **options):
    """`sklearn.utils.validation.validate_data`, and what our estimators need beyond it.

    A sparse matrix may hold an entry in several parts, which add up. They are added in a copy, so
    that every estimator finds each entry once.

    Parameters
    ----------
    estimator : estimator
        Named in messages; learns ``n_features_in_`` and the names of the features.
    X : array-like or sparse matrix of shape (n, p)
        The data, whose entries must not over- or underflow where they are multiplied.
    y : array-like of shape (n,), optional
        Labels of one kind, none of them missing.
    **options
        Go to scikit-learn, such as ``dtype``, ``accept_sparse`` and ``reset`` (False for new
        data).

    Returns
    -------
    X or (X, y)
        The data as an array or sparse matrix; with the labels where y was given.

    Raises
    ------
    ValueError
        For scikit-learn's reasons; because X has three axes; because an entry exceeds
        ``LARGEST_FEATURE`` in size; because no entry of the training data reaches
        ``SMALLEST_FEATURE``, unless all are zero; or for a label that `refuse_labels` refuses.
    """
    if y is not None and not isinstance(y, str):
        refuse_labels(y)
    if getattr(X, "ndim", 2) == 3:
        raise ValueError(
            f"Found array with dim 3, of shape {np.shape(X)}; {type(estimator).__name__} takes one "
            "row of features an example. Put mne.decoding.Vectorizer() before it in a pipeline, or "
            "give X.reshape(len(X), -1)."
        )
    # The sum by which scikit-learn looks for NaN may be inf - inf.
    with np.errstate(invalid="ignore", over="ignore"), _conversion(X):
        checked: Any = validation.validate_data(estimator, X, y, **options)
    X, *labels = checked if isinstance(checked, tuple) else (checked,)
    if not isinstance(X, np.ndarray) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    largest = _largest(check_magnitude(X, "X"))
    if options.get("reset", True) and 0.0 < largest < SMALLEST_FEATURE:
        raise ValueError(
            f"X has no entry larger than {largest:.3g}, and products of such numbers "
            "underflow. Scale the features, for example with sklearn.preprocessing.StandardScaler."
        )
    return (X, *labels) if labels else X


def validate_array(X, **options):
    """`sklearn.utils.validation.check_array`, and refuse numbers that overflow.

    Parameters
    ----------
    X : array-like
        The data.
    **options
        Go to scikit-learn.

    Returns
    -------
    ndarray
        The data as an array of numbers.
    """
    with np.errstate(invalid="ignore"), _conversion(X):
        X = validation.check_array(X, **options)
    return check_magnitude(X, "X")


@contextmanager
def _conversion(X):
    """Name X where NumPy cannot make floats of it."""
    fields = getattr(getattr(X, "dtype", None), "names", None)
    if isinstance(X, np.ndarray) and fields:
        raise ValueError(
            f"X is an array of records with the fields {fields}; give a matrix, as by "
            "numpy.lib.recfunctions.structured_to_unstructured(X)."
        )
    try:
        yield
    except OverflowError as error:
        raise ValueError(
            f"X has a number that is too large for a float ({error}). Scale the features."
        ) from error


def refuse_labels(y):
    """Refuse labels of which one is missing, or that are not all of one kind.

    An array is numbers or text as a whole. A list or an array of objects is looked through: NumPy
    would turn the 1 of ``[1, "a"]`` into a text, so that no prediction ever equals it.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of any type.

    Raises
    ------
    ValueError
        If one is missing (None, NaN, or pandas' NA and NaT), or if they are texts and numbers
        mixed, or bytes, or objects of another type. It names the row and the remedy.
    """
    labels = np.asarray(y, dtype=object) if isinstance(y, list | tuple) else np.asarray(y)
    if labels.dtype.kind not in "OfS":
        return
    kinds: dict[str, int] = {}
    for row, label in enumerate(labels.ravel().tolist()):
        missing = label is None or type(label).__name__ in ("NAType", "NaTType")
        if missing or (isinstance(label, Real) and label != label):
            raise ValueError(
                f"Input y contains NaN: the label of row {row} is missing ({label}). Leave such "
                "rows out of X and y."
            )
        if isinstance(label, str):
            kind = "text"
        elif isinstance(label, int | float | np.number | np.bool_):
            kind = "numbers"
        elif isinstance(label, list | tuple | np.ndarray):
            kind = "sequences"  # rows of indicators have a message of scikit-learn's own
        else:
            kind = type(label).__name__
        kinds.setdefault(kind, row)
    if len(kinds) > 1:
        found = " and ".join(f"{kind} (as in row {row})" for kind, row in kinds.items())
        raise ValueError(
            f"Unknown label type: y mixes {found}. Give labels of one kind: "
            "numpy.array(y).astype(str)."
        )
    (kind,) = kinds or ("text",)
    if kind not in ("text", "numbers", "sequences"):
        raise ValueError(
            f"Unknown label type: y holds labels of the type {kind}. Give whole numbers or text: "
            "numpy.array(y).astype(str)."
        )
    if kind == "numbers" and isinstance(getattr(y, "dtype", None), np.dtypes.ObjectDType):
        raise ValueError(
            "Unknown label type: y is an array of objects that are numbers. Give whole numbers, as "
            "y.astype(int), or text, as y.astype(str)."
        )


def encode_labels(estimator, y):
    """Classes in sorted order, and the index of every label among them.

    Parameters
    ----------
    estimator : estimator
        Named in the message.
    y : array-like of shape (n,)
        Labels of at least two classes.

    Returns
    -------
    classes : ndarray of shape (T,)
        The labels that occur, sorted.
    indices : ndarray of int of shape (n,)
        Class of every example, from 0 to T - 1.

    Raises
    ------
    ValueError
        If y holds no class labels, or one class only.
    """
    check_classification_targets(y)
    classes, indices = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only, {classes[0]}; {type(estimator).__name__} needs at least 2 "
            "classes. Give labels of all the classes to be told apart (in stratified folds)."
        )
    return classes, indices


def known_labels(y, classes):
    """Index of every label among the training classes.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of new data.
    classes : ndarray of shape (T,)
        Labels of the training data, sorted.

    Returns
    -------
    ndarray of int of shape (n,)
        From 0 to T - 1.

    Raises
    ------
    ValueError
        If y holds a label that was not in the training data.
    """
    y = np.asarray(y)
    if not np.isin(y, classes).all():
        raise ValueError(
            f"y holds labels {np.setdiff1d(y, classes)[:5]} that are not among the training "
            f"classes {classes}."
        )
    return np.searchsorted(classes, y)


def as_numbers(values, name: str):
    """Array of floats from a hyperparameter.

    Parameters
    ----------
    values : array-like
        What the user gave.
    name : str
        Of the hyperparameter, for the message.

    Returns
    -------
    ndarray
        The numbers, in the same shape.

    Raises
    ------
    ValueError
        If there is something else than numbers in it.
    """
    try:
        numbers = np.asarray(values)
        if numbers.dtype.kind == "c":  # NumPy would leave out half of each and only warn
            raise TypeError("complex numbers")
        return numbers.astype(np.float64, copy=False)
    except OverflowError as error:
        raise ValueError(f"{name} has a number that is too large for a float.") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is {values!r}; give numbers only.") from error


def list_folds(cv, X, y, groups=None) -> list:
    """Training and test indices of every split of a cross-validation splitter.

    Parameters
    ----------
    cv : cross-validation splitter
        Has the method ``split``.
    X, y : array-like
        Data and labels that it divides.
    groups : array-like of shape (n,), optional
        For a splitter that keeps groups together.

    Returns
    -------
    list of (training indices, test indices)
        One pair of arrays for each split.

    Raises
    ------
    ValueError
        If there is none, or they are no indices of rows.
    """
    rows = np.arange(len(y))
    try:
        folds = [(rows[train], rows[test]) for train, test in cv.split(X, y, groups)]
    except (IndexError, TypeError, ValueError) as error:
        labels, counts = np.unique(y, return_counts=True)
        raise ValueError(
            f"cv gives no folds to use: {error} The smallest class is {labels[counts.argmin()]}, "
            f"with {counts.min()} of the {len(y)} rows. Use fewer folds, or more rows of it."
        ) from error
    if not folds or any(index.ndim != 1 for fold in folds for index in fold):
        raise ValueError(
            "cv gives no pairs of training and test indices; give a number of folds, a splitter "
            "of sklearn.model_selection, or a list of such pairs."
        )
    return folds


def check_magnitude(values, name: str, limit: float = LARGEST_FEATURE):
    """Return the values if none is NaN or too large in size.

    Parameters
    ----------
    values : ndarray or sparse matrix
        Numbers of any shape.
    name : str
        What the message calls them.
    limit : float
        Largest size that is accepted.

    Returns
    -------
    ndarray or sparse matrix
        The values themselves.

    Raises
    ------
    ValueError
        If there is one.
    """
    largest = _largest(values)
    if not largest <= limit:
        raise ValueError(
            f"{name} has an entry of size {largest:.3g}, and products of numbers beyond {limit:g} "
            "overflow. Scale the features, for example with sklearn.preprocessing.StandardScaler, "
            "or use a kernel that grows less."
        )
    return values


def require_positive_semidefinite(K, name: str = "K"):
    """Return a symmetric matrix if it is positive semidefinite up to round-off.

    Certificates of convex problems hold for such kernels only. One Cholesky factorisation
    (n^3 / 3 operations) of K, raised on the diagonal by the tolerance at most, accepts a matrix;
    where it fails, the eigenvalues (4 n^3 / 3) decide.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric and finite, as `reprolib.methods.shared.kernels.check_gram` returns it.
    name : str
        Of the matrix, in the error.

    Returns
    -------
    ndarray of shape (n, n)
        The matrix itself.

    Raises
    ------
    ValueError
        If the smallest eigenvalue is below minus ``ROUND_OFF_OF_EIGENVALUES`` times n times the
        largest one.

    See Also
    --------
    reprolib.methods.shared.kernels.check_gram : Shape and symmetry.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.validation import require_positive_semidefinite
    >>> require_positive_semidefinite(np.eye(2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    size = _largest(K)
    if size == 0.0:
        return K
    raised = K / size
    raised.flat[:: len(K) + 1] += ROUND_OFF_OF_EIGENVALUES * np.trace(raised)
    try:
        np.linalg.cholesky(raised)
    except np.linalg.LinAlgError:
        pass
    else:
        return K
    eigenvalues = np.linalg.eigvalsh(K / size) * size
    refuse_negative(eigenvalues[0], eigenvalues[-1], ROUND_OFF_OF_EIGENVALUES * len(K), name)
    return K


def refuse_negative(smallest, largest, tol: float, name: str):
    """Refuse a matrix whose smallest eigenvalue is negative beyond ``tol`` times the largest.

    Parameters
    ----------
    smallest, largest : float
        The two eigenvalues.
    tol : float
        Part of the larger of them in size that passes for round-off.
    name : str
        What the message calls the matrix.

    Raises
    ------
    ValueError
        If it is.
    """
    if smallest < -tol * max(abs(largest), abs(smallest)):
        raise ValueError(
            f"{name} is not positive semidefinite but indefinite: its smallest eigenvalue is "
            f"{smallest:.6g}, its largest {largest:.6g}. Use a positive semidefinite kernel, "
            f"computed in double precision, or add {-smallest:.6g} to the diagonal of {name}, or "
            "set its negative eigenvalues to zero (numpy.linalg.eigh)."
        )


def _largest(values) -> float:
    """Largest size of an entry, without a copy; 0 if there is none."""
    entries = values if isinstance(values, np.ndarray) else values.data
    return float(max(entries.max(initial=0.0), -entries.min(initial=0.0)))
