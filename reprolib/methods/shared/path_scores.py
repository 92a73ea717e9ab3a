"""Scores of scikit-learn for every point of a path, from its decision values."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer, get_scorer_names

from reprolib.methods.shared.sklearn_private import StrOptions
from reprolib.methods.shared.ties import first_largest

#: Words of ``_parameter_constraints`` for the hyperparameter ``scoring``.
SCORING = [StrOptions(set(get_scorer_names())), callable, None]

_FOLD_LACKS_A_CLASS = "y_pred contains classes not in y_true|A single label was found"


class _PathPoint(ClassifierMixin, BaseEstimator):
    """One point of a path as a fitted classifier; its X are decision values."""

    def __init__(self, classes, tolerance):
        self.classes = classes
        self.tolerance = tolerance

    def __sklearn_is_fitted__(self):
        return True

    @property
    def classes_(self):
        """As scorers look for them."""
        return self.classes

    def decision_function(self, X):
        """X itself."""
        return X

    def predict(self, X):
        """Class of the largest value, or of the sign of the only one."""
        if X.ndim > 1:
            tolerance = None if self.tolerance is None else self.tolerance(X)
            return self.classes[first_largest(X, tolerance)]
        least = 0.0 if self.tolerance is None else self.tolerance(X[:, np.newaxis])
        return self.classes[(least < X).astype(int)]


def path_scores(
    scoring: str | Callable,
    classes,
    values,
    y,
    *,
    sample_weight=None,
    tolerance: Callable | None = None,
):
    """Score of every point of a path.

    Parameters
    ----------
    scoring : str or callable
        Name of a scorer, or a function (classifier, X, y) -> number, as for
        `sklearn.model_selection.cross_val_score`. It may use decisions and decision values; the X
        that it gets are decision values, too.
    classes : ndarray of shape (T,)
        The labels, sorted.
    values : ndarray of shape (m, n_points), or (m, T, n_points) for more than two classes
        Decision values of the m rows at every point of the path.
    y : ndarray of shape (m,)
        True classes of the rows.
    sample_weight : ndarray of shape (m,), optional
        Handed to the scorer if given.
    tolerance : callable, optional
        Values (m, T) -> difference up to which those of a row tie, for the first class, shape (m,);
        of two classes it gets their difference, shape (m, 1). By default that of
        `reprolib.methods.shared.ties.first_largest`; of two classes, none.

    Returns
    -------
    ndarray of shape (n_points,)
        What the scorer gives at every point; better when larger.

    See Also
    --------
    sklearn.metrics.get_scorer : The scorers.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.shared.path_scores import path_scores
    >>> values = np.array([[-1.0, 1.0], [2.0, 2.0], [1.0, -1.0]])
    >>> path_scores("balanced_accuracy", np.array([0, 1]), values, [0, 1, 1]).tolist()
    [1.0, 0.25]
    """
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    point = _PathPoint(classes, tolerance)
    with warnings.catch_warnings():
        # A fold may lack a class: balanced accuracy is the mean over the others, at every point.
        warnings.filterwarnings("ignore", _FOLD_LACKS_A_CLASS, UserWarning)
        return np.array(
            [score(scorer, point, part, y, **weights) for part in np.moveaxis(values, -1, 0)]
        )


def score(scorer: Callable, classifier, X, y, **weights) -> float:
    """What a scorer gives; one that needs more than the classifier has is refused by name.

    Parameters
    ----------
    scorer : callable
        A function (classifier, X, y) -> number.
    classifier : classifier
        Has decisions and decision values, and no probabilities.
    X, y : array-like
        Held-out data and their classes.
    **weights
        ``sample_weight``, where there is one.

    Returns
    -------
    float
        The score.

    Raises
    ------
    ValueError
        If the scorer needs probabilities, or does not suit the classes.
    """
    try:
        return scorer(classifier, X, y, **weights)
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(
            f"scoring={scorer} cannot be computed: {error}. Models are compared by their decisions "
            "and decision values, before there are probabilities. Take a scoring of these, such as "
            "'accuracy', 'balanced_accuracy' or 'f1_macro', or, for two classes, 'roc_auc' or "
            "'average_precision'."
        ) from error


def require_scores(scores, scoring: str | Callable, fold: int):
    """Return the scores of one fold if there are some.

    Parameters
    ----------
    scores : ndarray
        What `path_scores` gives.
    scoring : str or callable
        Named in the message.
    fold : int
        Number of the fold, for the message.

    Returns
    -------
    ndarray
        The same scores.

    Raises
    ------
    ValueError
        If one is NaN.
    """
    if np.isnan(scores).any():
        raise ValueError(
            f"scoring={scoring!r} is NaN on fold {fold} of cv, as where a single class is held "
            "out. Use folds that hold out every class (fewer or stratified ones), or another "
            "scoring."
        )
    return scores
