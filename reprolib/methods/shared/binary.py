"""Binary classifiers that decide by the sign of one function."""

from __future__ import annotations

from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from reprolib.methods.shared.validation import encode_labels


class BinaryClassifierMixin(ClassifierMixin):
    """Two classes outside, labels -1 and 1 inside; subclasses give the function ``_decide(X)``."""

    def __sklearn_tags__(self):
        """Mark the classifier as binary."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _signs(self, y):
        """Set ``classes_`` and return -1 for the first class and 1 for the second, shape (n,).

        Raises
        ------
        ValueError
            If y has not two classes.
        """
        self.classes_, indices = encode_labels(self, y)
        return 2.0 * indices - 1.0

    def decision_function(self, X):
        """Value f(x) of every row; positive for ``classes_[1]``.

        Parameters
        ----------
        X : array-like
            New data, of the kind that ``fit`` takes; with precomputed kernels, the kernel values
            between the new and the training data.

        Returns
        -------
        ndarray of shape (n_rows,)

        Raises
        ------
        ValueError
            If X does not have the shape of new data for the fitted model.
        """
        check_is_fitted(self)
        return self._decide(X)

    def predict(self, X):
        """Class of every row: ``classes_[1]`` where f(x) > 0, else ``classes_[0]``.

        Parameters
        ----------
        X : array-like
            As for ``decision_function``.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        positive = self.decision_function(X) > 0.0
        return self.classes_[positive.astype(int)]
