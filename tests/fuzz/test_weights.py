"""Whatever the weights and C: a finite, certified answer, or an error that names the remedy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from reprolib.methods.keops import KEOPSClassifierCV
from tests.fuzz.estimators import adapt, assert_sound, configurations, n_classes_of, outcome
from tests.fuzz.strategies import ordinary_sets

WEIGHTED = [case for case in configurations() if has_fit_parameter(case.values[0], "sample_weight")]

#: From the smallest number to the largest that is admitted.
SIZES = [5e-324, 1e-300, 1e-60, 1e-20, 1.0, 1e20, 1e60, 1e300]


@st.composite
def weights(draw, n_samples: int):
    """Weights of one size and some spread, or of any sizes together."""
    if draw(st.booleans()):
        size, spread = draw(st.sampled_from(SIZES)), draw(st.sampled_from([0.0, 3.0, 25.0]))
        exponents = st.floats(-spread, 0.0)
        drawn = draw(st.lists(exponents, min_size=n_samples, max_size=n_samples))
        return np.maximum(size * 10.0 ** np.array(drawn), 5e-324)
    sizes = st.sampled_from([0.0, *SIZES])
    return np.array(draw(st.lists(sizes, min_size=n_samples, max_size=n_samples)))


@pytest.mark.parametrize("estimator", WEIGHTED)
@settings(derandomize=True, deadline=None, max_examples=12)
@given(data=st.data())
def test_any_weights_give_a_finite_answer_or_say_why_not(estimator, data):
    X, y, X_new = data.draw(ordinary_sets(n_classes_of(estimator)))
    X, X_new = adapt(estimator, X, X_new)
    estimator = clone(estimator)
    if isinstance(estimator, KEOPSClassifierCV):
        # Three fits, and an SVM that no solver certifies takes the time of all: a minute in all.
        estimator.set_params(max_iter=5)
    for name in {"C", "alpha"} & set(estimator.get_params()):
        strength = data.draw(st.sampled_from([1e-300, 1e-59, 1.0, 1e5, 1e59]))
        estimator.set_params(**{name: strength})
    found = outcome(estimator, X, y, X_new, sample_weight=data.draw(weights(len(y))))
    if found.error is not None:
        return
    assert np.isfinite(found.values).all()
    for name, value in vars(found.estimator).items():
        is_number = isinstance(value, float | np.ndarray) and np.asarray(value).dtype.kind == "f"
        if name.endswith("_") and is_number and name != "duality_gap_":
            assert np.isfinite(value).all(), name
    assert np.min(getattr(found.estimator, "duality_gap_", 0.0)) >= -1e-9
    assert_sound(found, found.estimator.classes_, len(found.values))


@pytest.mark.parametrize("estimator", WEIGHTED)
def test_a_unit_of_all_weights_changes_nothing_but_C(estimator):
    """With C, where there is one, in the inverse unit; weights up to 1 are left out as a whole."""
    rng = np.random.default_rng(0)
    y = np.arange(24) % n_classes_of(estimator)
    X, X_new = adapt(estimator, *(rng.normal(size=(n, 3)) for n in (24, 5)))
    given, unit = rng.uniform(0.1, 1.0, size=24), 4.0**-30
    plain = outcome(estimator, X, y, X_new, sample_weight=given).values
    scaled = clone(estimator)
    if "C" in scaled.get_params():
        scaled.set_params(C=scaled.C / unit)
    elif "Cs" in scaled.get_params():
        scaled.set_params(Cs=[C / unit for C in scaled.Cs])
    found = outcome(scaled, X, y, X_new, sample_weight=unit * given).values
    np.testing.assert_allclose(found, plain, rtol=0.0, atol=1e-9 * np.abs(plain).max())
