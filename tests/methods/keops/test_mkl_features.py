"""The interior-point method that leaves features out on the way, against the one that does not."""

import numpy as np
import pytest

from reprolib.methods.keops import mkl_features
from reprolib.methods.keops.kernel_sets import LinearBlocks
from reprolib.methods.keops.mkl_features import _interior_point, _Point, solve_mkl_features


def problem(seed, n=60, p=90):
    """B = diag(y) X, and y; few features matter."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    X = rng.normal(size=(n, p))
    X[:, :4] += 0.7 * y[:, None]
    return np.ascontiguousarray(y[:, None] * X), y


@pytest.fixture
def runs(monkeypatch):
    """Which features were left in every run of the method."""
    found, run = [], mkl_features._predict_and_correct

    def kept(*args):
        result = run(*args)
        found.append(result[3])
        return result

    monkeypatch.setattr(mkl_features, "_predict_and_correct", kept)
    return found


@pytest.mark.parametrize("C", [1e-2, 1e-1, 1.0, 100.0])
@pytest.mark.parametrize("seed", range(5))
def test_answer_is_that_with_all_features(seed, C, runs):
    (B, y), costs = problem(seed), np.linspace(0.5, 1.5, 60)
    w, alpha, _ = _interior_point(B, y, C, costs, 1e-9, 80)
    assert len(runs[0]) < 0.7 * B.shape[1], "some were left out"
    run = mkl_features._predict_and_correct
    expected, multipliers, _, kept, is_settled = run(B, y, C, costs, 1e-9, 80, 0.0)
    assert is_settled
    assert len(kept) == B.shape[1]
    np.testing.assert_allclose(w, expected, atol=1e-6 * np.abs(expected).max())
    np.testing.assert_allclose(alpha, multipliers, atol=1e-5 * C)
    solution = solve_mkl_features(LinearBlocks(y[:, None] * B, np.arange(90)), y, C, costs=costs)
    assert abs(solution.relative_gap) <= mkl_features.OPTIMAL_GAP


@pytest.mark.parametrize("seed", range(5))
def test_all_take_part_where_one_is_missing(seed, runs, monkeypatch):
    monkeypatch.setattr(mkl_features, "NEGLIGIBLE", 0.1)
    B, y = problem(seed)
    w, alpha, iterations = _interior_point(B, y, 0.1, np.ones(60), 1e-9, 80)
    assert [len(kept) == 90 for kept in runs] == [False, True]
    expected = mkl_features._predict_and_correct(B, y, 0.1, np.ones(60), 1e-9, 80, 0.0)
    np.testing.assert_array_equal(w, expected[0])
    np.testing.assert_array_equal(alpha, expected[1])
    assert iterations == expected[2]


def test_an_early_end_is_tried_again_only_if_features_were_left_out(runs):
    B, y = problem(0)
    for max_iter, n_runs in ((9, 2), (2, 1)):
        runs.clear()
        _interior_point(B, y, 0.1, np.ones(60), 1e-9, max_iter)
        assert len(runs) == n_runs


def test_what_is_left_out_by_hand():
    B, y = problem(0, n=6, p=4)
    point = _Point(B, y, 1.0, np.ones(6))
    slack, multiplier = np.array([1.0, 1e3, 1e6, 1e6]), np.array([2.0, 1e-4, 1e-8, 1e-8])
    point.slacks = (slack, slack, *point.slacks[2:])
    point.multipliers = (multiplier, 0.5 * multiplier, *point.multipliers[2:])
    point.squares = np.ones(4)
    point.leave_out(1e-6)
    assert point.kept.tolist() == [0]
    np.testing.assert_array_equal(point.B, B[:, :1])
    assert [len(s) for s in point.slacks] == [1, 1, 6, 6]
    assert [len(m) for m in point.multipliers] == [1, 1, 6, 6]
    assert point.weights().tolist() == [1.0, 0.0, 0.0, 0.0]


def test_all_are_kept_where_most_matter_and_where_none_does():
    B, y = problem(0, n=6, p=4)
    for features in (B, 0.0 * B):
        point = _Point(features, y, 1.0, np.ones(6))
        point.leave_out(1e-6)
        assert point.B is features
        assert point.kept.tolist() == [0, 1, 2, 3]
