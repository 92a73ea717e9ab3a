"""Sizes, costs, widths, tolerances and counts are not negative: every estimator says so by name."""

from __future__ import annotations

import inspect
from numbers import Real

import numpy as np
import pytest

from tests.methods import takes_rows
from tests.methods.test_estimators import ESTIMATORS

#: Numbers, where one is given; by default they are found from the data.
OF_DATA = ("gamma", "rank", "n_components", "max_components")
#: The added constant of the polynomial and the sigmoid kernel may be; and a seed is no size.
ANY = ("coef0", "random_state")

X, Y = np.arange(24.0).reshape(8, 3) % 7, np.arange(8) % 2


def sizes(name):
    given = inspect.signature(ESTIMATORS[name]).parameters.values()
    for parameter in given:
        default = parameter.default
        is_number = isinstance(default, Real) and not isinstance(default, bool)
        if (is_number or parameter.name in OF_DATA) and parameter.name not in ANY:
            yield parameter.name, -1 if isinstance(default, int) else -0.5


@pytest.mark.parametrize("name", sorted(n for n, c in ESTIMATORS.items() if takes_rows(c)))
def test_a_negative_size_is_refused_by_its_name(name):
    for parameter, value in sizes(name):
        with pytest.raises(ValueError, match=rf"'{parameter}' parameter"):
            ESTIMATORS[name](**{parameter: value}).fit(X, Y)
