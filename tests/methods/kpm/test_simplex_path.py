"""The simplex path and the least-norm point through what they solve."""

import numpy as np
import pytest

from reprolib.methods.kpm.hinge_lp._least_norm import least_norm_active_set
from reprolib.methods.kpm.hinge_lp._simplex import line_search, perturbed_targets, simplex_path
from reprolib.methods.kpm.nested_basis import NestedBasis

SEEDS = range(6)
NO_GUESS = np.empty(0, np.int64)


def signed_basis(seed, n, gap):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    V = rng.normal(size=(n, n // 3)) + gap * y[:, np.newaxis] * (np.arange(n // 3) == seed % 5)
    return NestedBasis.from_arrays(V, y, rng.uniform(0.5, 2.0, n))


def test_perturbed_targets_are_all_different_and_close_to_one():
    targets = perturbed_targets(500)
    golden = (1 + np.sqrt(5)) / 2
    np.testing.assert_allclose((targets[:4] - 1) / 1e-7, golden * np.arange(1, 5) % 1, rtol=1e-6)
    assert len(np.unique(targets)) == 500
    assert np.all((targets >= 1.0) & (targets < 1.0 + 1e-7))


@pytest.mark.parametrize("gap", [0.0, 3.0])
@pytest.mark.parametrize("n", [20, 27, 48])
@pytest.mark.parametrize("seed", SEEDS)
def test_path_is_optimal_without_the_fallbacks(seed, n, gap):
    basis = signed_basis(seed, n, gap)
    GT, weights = basis.signed, basis.weights
    coordinates, duals, pivots, _ = simplex_path(GT, weights, perturbed_targets(n), 1e-12)
    for m in range(1, len(GT) + 1):
        c, a = coordinates[m - 1, :m], duals[m - 1]
        loss = weights @ np.maximum(0.0, 1.0 - c @ GT[:m])
        assert loss == pytest.approx(a.sum(), abs=1e-9 * weights.sum())
        assert a.min() >= -1e-9
        assert np.all(a <= weights * (1 + 1e-9))
        assert np.abs(GT[:m] @ a).max() <= 1e-9 * weights.sum()
    separable = ~duals.any(axis=1)
    assert np.all(np.diff(separable.astype(int)) >= 0)
    if separable.any():
        first = int(np.argmax(separable))
        assert np.all(coordinates[first + 1 :] == coordinates[first])
        assert not pivots[first + 1 :].any()


@pytest.mark.parametrize("seed", SEEDS)
def test_path_goes_on_with_the_targets_one_where_others_end_elsewhere(seed):
    basis = signed_basis(seed, 30, 0.3)
    GT, weights = basis.signed, basis.weights
    far = 1.0 + 2e6 * (perturbed_targets(30) - 1.0)
    plain = simplex_path(GT, weights, np.ones(30), 1e-12)
    back = simplex_path(GT, weights, far, 1e-12)
    for m in range(1, len(GT) + 1):
        loss = [
            weights @ np.maximum(0.0, 1.0 - path[0][m - 1, :m] @ GT[:m]) for path in (plain, back)
        ]
        assert loss[1] == pytest.approx(loss[0], abs=1e-9 * weights.sum())
        assert back[1][m - 1].sum() == pytest.approx(loss[1], abs=1e-9 * weights.sum())
    assert back[2].sum() > plain[2].sum()


@pytest.mark.parametrize("seed", SEEDS)
def test_line_search_stops_at_the_minimum_and_flips_what_it_passes(seed):
    rng = np.random.default_rng(seed)
    GT, weights = rng.standard_normal((5, 40)), rng.uniform(0.5, 2.0, 40)
    targets, basic = perturbed_targets(40), np.zeros(40, bool)
    margins, change = rng.normal(size=40), rng.normal(size=40)
    bound = np.where(margins < targets, weights, 0.0)
    load, slope = GT @ bound, -bound @ change
    if slope > 0.0:
        change, slope = -change, -slope
    space = np.empty(40), np.empty(40, np.int64)
    point, step = line_search(
        change, slope, margins, targets, GT, weights, basic, bound, load, *space
    )
    kinks = (targets - margins) / change
    loss = [weights @ np.maximum(0.0, targets - margins - t * change) for t in kinks[kinks > 0]]
    assert point == np.flatnonzero(kinks > 0)[np.argmin(loss)]
    assert step == pytest.approx(kinks[point])
    assert np.flatnonzero(basic).tolist() == [point]
    others = np.arange(40) != point
    below = (margins + step * change < targets) & others
    np.testing.assert_allclose(bound, np.where(below, weights, 0.0), atol=1e-15)
    np.testing.assert_allclose(load, GT @ bound, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_least_norm_point_from_a_guess_with_rows_that_depend_on_others_or_pull_the_wrong_way(seed):
    rng = np.random.default_rng(seed)
    H = rng.normal(size=(12, 5))
    H[6:8] = 2.0 * H[:2]
    h = H @ rng.normal(size=5) - rng.uniform(0.0, 1.0, 12)
    expected, active, solved = least_norm_active_set(H, h, NO_GUESS)
    assert solved
    assert np.linalg.norm(np.linalg.pinv(H[active]) @ h[active] - expected) < 1e-9
    for _ in range(5):
        t, _, solved = least_norm_active_set(H, h, rng.permutation(12))
        assert solved
        np.testing.assert_allclose(t, expected, atol=1e-9)


@pytest.mark.parametrize(("wide", "solved"), [(1e-9, True), (4e-9, False)])
def test_rows_that_contradict_each_other_within_round_off_are_no_contradiction(wide, solved):
    H = np.array([[1.0, 0.0], [-1.0, 0.0]])
    assert least_norm_active_set(H, np.array([1.0, -1.0 + wide]), NO_GUESS)[2] == solved


@pytest.mark.parametrize(("angle", "second"), [(2e-11, 0.5), (0.5e-11, 0.0)])
@pytest.mark.parametrize("guess", [NO_GUESS, np.array([0, 1])])
def test_rows_are_independent_if_enough_of_them_is_outside_of_the_span(angle, second, guess):
    """Two rows that nearly contradict each other; what lies between decides."""
    H, h = np.array([[1.0, 0.0], [-1.0, angle]]), np.array([1.0, -1.0 + 0.5 * angle])
    t, _, solved = least_norm_active_set(H, h, guess)
    assert solved
    np.testing.assert_allclose(t, [1.0, second], atol=1e-3)


@pytest.mark.parametrize(("units", "moves"), [(12, False), (24, True)])
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_violations_within_eight_units_of_round_off_of_the_terms_do_not_count(units, moves, size):
    """The first row makes t = 1; the second wants a few units in the last place more."""
    more = 1.0 + units * np.finfo(float).eps
    H, h = size * np.ones((2, 1)), size * np.array([1.0, more])
    t, *_ = least_norm_active_set(H, h, np.array([0]))
    assert (t[0] > 1.0 + 2 * np.finfo(float).eps) == moves
