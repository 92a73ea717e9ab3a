"""Classifiers that decide by the sign of one function; of more than two classes, one for each."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from reprolib.methods.shared.types import Array, Data
from reprolib.methods.shared.validation import (
    ConstantClassifierWarning,
    encode_labels,
    refuse_labels,
)
from reprolib.methods.shared.weights import ExampleWeights, example_weights


class OneVsRestMixin(ClassifierMixin):
    """Two classes outside, labels -1 and 1 inside; subclasses give the function ``_decide(X)``.

    More than two classes are as many problems of one class against the others. Each is solved by a
    clone, with its own choices and its own certificate, in ``estimators_``; the class of the
    largest value is predicted. This is `sklearn.multiclass.OneVsRestClassifier`, with groups and
    weights; those of classes are weights of the examples in all of the problems. ``fit`` calls
    `_fit_each` where `_several_classes` finds more than two.
    """

    #: What is one array of all classes' values, in the order of the classes.
    _stacked: tuple[str, ...] = ("coef_", "intercept_")

    def _several_classes(self, y, sample_weight=None) -> ExampleWeights | None:
        """Weights of the examples if more than two classes count, else None."""
        if y is None:
            return None
        refuse_labels(y)
        if type_of_target(y, raise_unknown=False) != "multiclass":
            return None
        y = column_or_1d(y)
        weights = example_weights(y, sample_weight, getattr(self, "class_weight", None))
        return weights if len(np.unique(y[weights.rows])) > 2 else None

    def _fit_each(self, X, y, weights: ExampleWeights, **parameters):
        """Fit a clone for every class against the others, with other hyperparameters if given."""
        y = column_or_1d(y, warn=True)
        self.classes_ = np.unique(y[weights.rows])
        fit_parameters: dict[str, Any] = {}
        if "class_weight" in self.get_params():
            parameters["class_weight"] = None
        if weights.given is not None:
            fit_parameters["sample_weight"] = weights.given
        blank = clone(self).set_params(**parameters)
        self.estimators_ = [clone(blank) for _ in self.classes_]
        constant, message = [], ""
        for c, model in zip(self.classes_, self.estimators_, strict=True):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", ConstantClassifierWarning)
                model.fit(X, y == c, **fit_parameters)
            for warning in caught:
                if issubclass(warning.category, ConstantClassifierWarning):
                    constant.append(str(c))
                    message = message or str(warning.message)
                else:
                    warnings.warn(warning.message, warning.category, stacklevel=4)
        if constant:
            names = ", ".join(constant[:5]) + (", …" if len(constant) > 5 else "")
            warnings.warn(
                f"For {len(constant)} of the {len(self.classes_)} classes ({names}), each told "
                f"apart from all others: {message}",
                ConstantClassifierWarning,
                stacklevel=4,
            )
        first = self.estimators_[0]
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(first, name):
                setattr(self, name, getattr(first, name))
        if hasattr(first, "n_iter_"):
            self.n_iter_ = max(model.n_iter_ for model in self.estimators_)
        for name in self._stacked:
            if name in vars(first):
                setattr(self, name, np.array([getattr(m, name) for m in self.estimators_]))
        return self

    def _of_each(self, method: str, *data) -> list:
        """What a method of every class's model gives; only the first says that X lacks names."""
        first, *others = [getattr(model, method) for model in self.estimators_]
        values = [first(*data)]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
            return [*values, *(other(*data) for other in others)]

    def _signs(self, y):
        """Set ``classes_`` and return -1 for the first class and 1 for the second, shape (n,).

        Raises
        ------
        ValueError
            If y has not two classes.
        """
        self.classes_, indices = encode_labels(self, y)
        return 2.0 * indices - 1.0

    def decision_function(self, X: Data) -> Array:
        """Value f(x) of every row; positive for ``classes_[1]``.

        Parameters
        ----------
        X : array-like
            New data, of the kind that ``fit`` takes; with precomputed kernels, the kernel values
            between the new and the training data.

        Returns
        -------
        ndarray of shape (n_rows,), or (n_rows, n_classes) for more than two classes
            f(x) of every row; of more than two classes a column for each against the others, in
            the order of ``classes_``.

        Raises
        ------
        ValueError
            If X does not have the shape of new data for the fitted model.
        """
        check_is_fitted(self)
        if hasattr(self, "estimators_"):
            return np.column_stack(self._of_each("decision_function", X))
        return self._decide(X)

    def predict(self, X: Data) -> Array:
        """Class of every row: ``classes_[1]`` where f(x) > 0, else ``classes_[0]``.

        Of more than two classes that of the largest value, the first of equal ones.

        Parameters
        ----------
        X : array-like
            New data, of the kind that ``fit`` takes; with precomputed kernels, the kernel values
            between the new and the training data.

        Returns
        -------
        ndarray of shape (n_rows,)
            A label of ``classes_`` for every row.
        """
        scores = self.decision_function(X)
        if scores.ndim > 1:
            return self.classes_[scores.argmax(axis=1)]
        return self.classes_[(scores > 0.0).astype(int)]
