"""What all simplex classifiers share: labels to class indices, vectors to decisions."""

from __future__ import annotations

from sklearn.base import ClassifierMixin

from reprolib.methods.shared.codes import first_largest, simplex_code
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

    def decision_function(self, X):
        """Scores <c_q, f(x)> per class, or, for two classes, the score of ``classes_[1]``.

        Returns
        -------
        ndarray of shape (n, T), or (n,) when T = 2
        """
        scores = self._vector_function(X) @ self.code_
        return scores[:, 1] if len(self.classes_) == 2 else scores

    def predict(self, X):
        """Class of the nearest code word (the first of equally near ones, up to round-off)."""
        scores = self._vector_function(X) @ self.code_
        return self.classes_[first_largest(scores)]


def gram_name(kernel) -> str:
    """Name of a Gram matrix of training data in errors."""
    return "X" if kernel == "precomputed" else f"the Gram matrix of kernel={kernel!r}"
