"""What the projections of the paper have in common as estimators."""

from __future__ import annotations

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin


class _SupervisedProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of a transformer that learns its directions from labels."""

    def __sklearn_tags__(self):
        """Say that labels are needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
