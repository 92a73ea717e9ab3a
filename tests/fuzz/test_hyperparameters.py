"""Whatever the hyperparameter: a model that keeps its promises, or an error that names it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.base import clone

from reprolib.methods.shared.sklearn_private import Interval
from tests.fuzz.estimators import ALL, ESTIMATORS, QUICK, assert_sound, n_classes_of, outcome

JUNK = {
    "nan": np.nan,
    "inf": np.inf,
    "minus one": -1,
    "minus a half": -0.5,
    "zero": 0,
    "a half": 0.5,
    "huge": 1e300,
    "text": "no such",
    "None": None,
    "empty list": [],
    "list of text": ["a"],
    "matrix": np.zeros((2, 2)),
    "object": object(),
}

PARAMETERS = [
    pytest.param(name, parameter, id=f"{name}.{parameter}")
    for name, estimator_class in sorted(ESTIMATORS.items())
    for parameter in estimator_class().get_params(deep=False)
]


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_junk_is_refused_by_name_or_fitted_soundly(name, parameter):
    template = ESTIMATORS[name](**QUICK.get(name, {}))
    if "random_state" in template.get_params():
        template.set_params(random_state=0)
    rng = np.random.default_rng(0)
    y = np.arange(24) % n_classes_of(template)
    X = rng.normal(size=(24, 3)) + y[:, np.newaxis]
    for junk, value in JUNK.items():
        found = outcome(clone(template).set_params(**{parameter: value}), X, y, X[:5])
        if found.error is None:
            assert_sound(found, y, 5)
        else:
            assert re.search(rf"\b{parameter}\b", str(found.error)), f"{junk}: {found.error}"


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_every_hyperparameter_has_its_constraint(name):
    parameters = ESTIMATORS[name]().get_params(deep=False)
    assert set(ESTIMATORS[name]._parameter_constraints) >= set(parameters)


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        pytest.param(name, parameter, id=f"{name}.{parameter}")
        for name, estimator_class in sorted(ALL.items())
        for parameter, allowed in estimator_class._parameter_constraints.items()
        if any(isinstance(one, Interval) for one in allowed) and "boolean" not in allowed
    ],
)
@pytest.mark.parametrize("value", [True, np.True_, False])
def test_true_is_no_number(name, parameter, value):
    template = ALL[name](**QUICK.get(name, {})).set_params(**{parameter: value})
    with pytest.raises(ValueError, match=rf"'{parameter}' parameter .* Got .*{bool(value)}"):
        template._validate_params()
