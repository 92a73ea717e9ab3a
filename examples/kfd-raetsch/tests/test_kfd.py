"""KFD fits together and gives its records again; its solution has the largest ratio."""

import numpy as np
import pytest

import data_fetch
from kfd.discriminant import directions
from kfd.experiment import SETS
from reprolib.cli.main import main


def test_file_experiment_records_and_figures_fit_together():
    """With the first and the last task of every table, run again."""
    assert main(["check", "kfd", "--run"]) == 0


@pytest.mark.skipif(
    not all(map(data_fetch.available, SETS)), reason="needs real data that are not at hand"
)
def test_a_part_of_the_committed_results_is_what_the_code_gives():
    """2 % of them, others every day."""
    assert main(["verify", "kfd"]) == 0


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
