"""KFD passes all that a paper has to pass; its solution has the largest ratio."""

import numpy as np

from kfd.discriminant import directions
from reprolib.suite import PaperSuite


class TestPaper(PaperSuite):
    """`reprolib.suite` says what each test is for."""

    key = "kfd"


def test_no_other_direction_has_a_larger_ratio():
    """Against the definition, with N written out."""
    rng = np.random.default_rng(0)
    A, second, mu = rng.normal(size=(12, 20)), np.arange(12) < 5, 0.1
    K = A @ A.T
    N = mu * np.eye(12)
    for mark in (second, ~second):
        k = mark.sum()
        N += K[:, mark] @ (np.eye(k) - np.full((k, k), 1 / k)) @ K[:, mark].T / 12
    contrast = K[:, second].mean(axis=1) - K[:, ~second].mean(axis=1)

    def ratio(alpha):
        return (alpha @ contrast) ** 2 / (alpha @ N @ alpha)

    best = directions(K, second, [mu])[:, 0]
    assert all(ratio(best) >= ratio(best + rng.normal(size=12)) for _ in range(50))
    np.testing.assert_allclose(best, np.linalg.solve(N, contrast), rtol=1e-8)
