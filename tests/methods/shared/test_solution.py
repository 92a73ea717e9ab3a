"""The certificate that every solver gives."""

import numpy as np
import pytest

from reprolib.methods.shared.solution import NotOptimalError, Solution


def solution(primal, dual, **more):
    return Solution({}, primal, dual, "optimal", **more)


@pytest.mark.parametrize(
    ("primal", "dual", "scale", "expected"),
    [
        (2.0, 1.5, None, 0.25),
        (-1.5, -2.0, None, 0.25),
        (2.0, 1.5, 10.0, 0.05),
        (1.0, 0.5, 0.0, np.inf),
        (0.0, 0.0, 0.0, 0.0),
        (0.0, 0.0, None, 0.0),
    ],
)
def test_relative_gap_is_of_the_problems_own_size(primal, dual, scale, expected):
    assert solution(primal, dual, scale=scale).relative_gap == expected


def test_answer_that_is_not_optimal_is_refused():
    found = solution(1.0 + 1e-6, 1.0, scale=1.0)
    assert found.require_optimal(1.01e-6) is found
    with pytest.raises(NotOptimalError, match=r"gap 1e-06 \(wanted at most 9e-07\)"):
        found.require_optimal(9e-7)
    with pytest.raises(NotOptimalError, match="status 'iteration limit'"):
        Solution({}, 1.0, 1.0, "iteration limit").require_optimal()
    with pytest.raises(NotOptimalError):
        solution(np.nan, 1.0).require_optimal()
    with pytest.raises(NotOptimalError):
        solution(1.0, 1.5).require_optimal()
