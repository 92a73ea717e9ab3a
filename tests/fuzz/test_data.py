"""Whatever the data: a model that keeps its promises, or an error that names the remedy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.estimators import adapt, assert_sound, configurations, n_classes_of, outcome
from tests.fuzz.strategies import data_sets, refused_sets

pytestmark = pytest.mark.parametrize("estimator", configurations())


@settings(derandomize=True, deadline=None, max_examples=30)
@given(data=st.data())
def test_fits_soundly_or_says_why_not(estimator, data):
    X, y, X_new = data.draw(data_sets(n_classes_of(estimator)))
    X, X_new = adapt(estimator, X, X_new)
    found = outcome(estimator, X, y, X_new)
    if found.error is None:
        assert_sound(found, y, 3)
        again = outcome(estimator, X, y, X_new)
        np.testing.assert_array_equal(again.values, found.values)
        np.testing.assert_array_equal(again.labels, found.labels)


@settings(derandomize=True, deadline=None, max_examples=12)
@given(data=st.data())
def test_refuses_what_cannot_be_trained_on(estimator, data):
    X, y = data.draw(refused_sets(n_classes_of(estimator)))
    # The Gram matrix of no feature at all would be the zero matrix, which may be fitted.
    X, X_new = adapt(estimator, X, X) if X.shape[1] else (X, X)
    assert outcome(estimator, X, y, X_new).error is not None
