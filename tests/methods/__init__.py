"""Tests of the estimators."""

from sklearn.utils import get_tags


def takes_rows(estimator: type) -> bool:
    """Whether it takes one row of numbers an example; a transformer of recordings or images no."""
    return get_tags(estimator()).input_tags.two_d_array
