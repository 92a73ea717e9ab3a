"""What all simplex classifiers share: labels to class indices, vectors to decisions."""

from __future__ import annotations

from sklearn.base import ClassifierMixin

from reprolib.methods.shared.codes import simplex_code
from reprolib.methods.shared.probabilities import simplex_probabilities
from reprolib.methods.shared.ties import first_largest
from reprolib.methods.shared.types import Array, Data
from reprolib.methods.shared.validation import encode_labels


class SimplexClassifierMixin(ClassifierMixin):
    """Simplex coding and decoding around a vector-valued function f: X -> R^(T-1).

    The estimator implements ``_vector_function(X)``, shape (n, T-1).
    """

    def _encode_classes(self, y):
        """Set ``classes_`` and ``code_``, return class indices of shape (n,)."""
        self.classes_, indices = encode_labels(self, y)
        self._set_code()
        return indices

    def _set_code(self):
        self.code_ = simplex_code(len(self.classes_))

    def decision_function(self, X: Data) -> Array:
        """Scores <c_q, f(x)> per class, or, for two classes, the score of ``classes_[1]``.

        Parameters
        ----------
        X : array-like of shape (n, p)
            One example a row, or its kernel values with the training examples.

        Returns
        -------
        ndarray of shape (n, T), or (n,) when T = 2
            The larger a score, the surer the class; the largest one is predicted. For two classes,
            the second one is predicted where the score is positive.
        """
        scores = self._class_scores(X)
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def predict(self, X: Data) -> Array:
        """Class of the nearest code word (the first of equally near ones, up to round-off).

        Parameters
        ----------
        X : array-like of shape (n, p)
            One example a row, or its kernel values with the training examples.

        Returns
        -------
        ndarray of shape (n,)
            The predicted class of every example.
        """
        scores = self._class_scores(X)
        return self.classes_[first_largest(scores)]

    def _class_scores(self, X):
        """Scores <c_q, f(x)>, shape (n, T)."""
        return self._vector_function(X) @ self.code_


class LeastSquaresProbabilities(SimplexClassifierMixin):
    """Probabilities of the classes, by the square loss."""

    def predict_proba(self, X: Data) -> Array:
        """Probability of every class: (1 + (T - 1) <c_q, f(x)>) / T, the nearest distribution.

        Least squares in the simplex code estimates sum_q P(q | x) c_q; see
        `reprolib.methods.shared.probabilities.simplex_probabilities`. The penalty draws the
        probabilities towards 1 / T, and without an intercept (``fit_intercept``, or a feature that
        is constant) f cannot follow the shares of the classes: calibrate where that matters
        (`sklearn.calibration.CalibratedClassifierCV`).

        Parameters
        ----------
        X : array-like of shape (n, p), or kernel values of shape (n, n_train) if precomputed
            One example a row, or its kernel values with the training examples.

        Returns
        -------
        ndarray of shape (n, T)
            One row an example, one column a class in the order of ``classes_``; rows sum to one.
        """
        return simplex_probabilities(self._class_scores(X))


def gram_name(kernel) -> str:
    """Name of a Gram matrix of training data in errors."""
    return "X" if kernel == "precomputed" else f"the Gram matrix of kernel={kernel!r}"
