"""What the projections of the paper have in common as estimators."""

from __future__ import annotations

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from reprolib.methods.shared.sklearn_private import StrOptions
from reprolib.methods.shared.validation import COUNT, NON_NEGATIVE


class _SupervisedProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of a transformer that learns its directions from labels."""

    _parameter_constraints: dict = {  # noqa: RUF012
        "n_components": [COUNT, None],
        "within_weight": [NON_NEGATIVE],
        "within": [StrOptions({"scatter", "covariance"})],
    }

    def __sklearn_tags__(self):
        """Say that labels are needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
