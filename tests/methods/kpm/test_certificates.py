"""Every certificate of the path solvers and the allocation against an independent answer."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reprolib.methods.kpm import KPMClassifier
from reprolib.methods.kpm.hinge_lp import solve_hinge_lp_path
from reprolib.methods.kpm.hinge_lp._certificate import GAP_TOL, is_certified, require_path
from reprolib.methods.kpm.logistic_path import solve_logistic_path
from reprolib.methods.kpm.nested_basis import NestedBasis
from reprolib.methods.kpm.square_path import solve_square_path, solve_square_path_orthonormal
from reprolib.methods.mkpm import MKPMClassifier
from reprolib.methods.mkpm.allocation import allocation_objective, solve_allocation
from reprolib.methods.shared.solution import NotOptimalError, Solution
from tests.methods.kpm.fallback import solve_by_highs
from tests.naive.certificates import (
    degenerate_problem,
    hinge_optimum,
    logistic_optimum,
    square_optimum,
)
from tests.naive.mkpm import best_allocation

LOSS_AT_ZERO = {"hinge": 1.0, "square": 1.0, "logistic": np.log(2.0)}
OPTIMUM = {"hinge": hinge_optimum, "square": square_optimum, "logistic": logistic_optimum}
SOLVERS = {
    "simplex": ("hinge", solve_hinge_lp_path),
    "highs": ("hinge", solve_by_highs),
    "square": ("square", solve_square_path),
    "logistic": ("logistic", solve_logistic_path),
}
PATHS = [solve_hinge_lp_path, solve_by_highs, solve_square_path, solve_logistic_path]
examples = settings(derandomize=True, deadline=None, max_examples=60)


@functools.cache
def optimum(loss, seed, d):
    """Independent optimal value of the first columns; shared by the solvers of a loss."""
    V, y, weights, _, _ = degenerate_problem(seed)
    return OPTIMUM[loss](V[:, :d], y, weights)


def worst_error(name, seeds):
    """Largest error of the value, and largest gap, relative to the loss of the zero function."""
    loss, solve = SOLVERS[name]
    worst = 0.0
    for seed in seeds:
        V, y, weights, scale, unit = degenerate_problem(seed)
        solutions = solve(scale * V, y, weights=unit * weights)
        size = LOSS_AT_ZERO[loss] * weights.sum()
        columns = {len(s.variables["beta"]): s for s in solutions}
        for d in {1, (1 + V.shape[1]) // 2, V.shape[1]} & set(columns):
            truth = optimum(loss, seed, d) / size
            assert columns[d].scale == pytest.approx(size * unit)
            value = columns[d].primal_objective / (size * unit)
            worst = max(worst, abs(value - truth), abs(columns[d].relative_gap))
    return worst


@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_answers_of_degenerate_problems_are_those_of_independent_solvers(name):
    assert worst_error(name, range(60 if name == "highs" else 200)) < 1e-9


def test_allocations_of_500_degenerate_problems_are_those_of_enumeration():
    rng = np.random.default_rng(0)
    for _ in range(500):
        n_bits, rank = rng.integers(1, 4), rng.integers(1, 5)
        decrements = rng.integers(0, 3, size=(n_bits, rank)) * rng.uniform(0.1, 1.0)
        factor = 10.0 ** rng.uniform(-150, 150)
        objectives = factor * (decrements.sum() - np.cumsum(np.c_[np.zeros(n_bits), decrements], 1))
        solution = solve_allocation(objectives).require_optimal(1e-12)
        for total, allocation in enumerate(solution.variables["allocation_path"]):
            lowest, _ = best_allocation(objectives, total)
            value = allocation_objective(objectives, allocation[np.newaxis])[0]
            assert abs(value - lowest) <= 1e-11 * (solution.scale or 0.0)


def test_least_squares_in_500_spaces_agrees_with_lstsq():
    rng = np.random.default_rng(0)
    for _ in range(500):
        n, rank = rng.integers(2, 10), rng.integers(1, 6)
        features = np.linalg.qr(rng.normal(size=(n, min(n, rank))))[0]
        targets = rng.normal(size=(n, 2)) * 10.0 ** rng.uniform(-150, 150)
        solution = solve_square_path_orthonormal(features, targets).require_optimal(1e-10)
        fitted = features @ np.linalg.lstsq(features, targets, rcond=None)[0]
        residual = np.linalg.norm(targets - fitted) ** 2 / n
        assert abs(solution.primal_objective - residual) <= 1e-12 * (solution.scale or 0.0)


@pytest.mark.parametrize("solve", PATHS)
def test_column_after_a_dependent_one_is_kept(solve):
    V, y = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([-1.0, 1.0])
    solutions = solve(V, y)
    assert solutions[1].relative_gap == pytest.approx(0.0, abs=1e-7)
    assert solutions[1].primal_objective == pytest.approx(0.0, abs=1e-3)
    assert solutions[0].primal_objective > 1.0


def test_path_of_a_regular_hexagon_whose_first_component_is_constant():
    angle = np.arange(6) * np.pi / 3
    X, y = np.column_stack([np.cos(angle), np.sin(angle)]), np.array([0, 1, 1, 0, 1, 0])
    for loss in ("square", "hinge"):
        model = KPMClassifier(6, gamma=1.0, loss=loss).fit(X, y)
        assert model.objective_path_[-1] == pytest.approx(0.0, abs=1e-9)
        assert model.score(X, y) == 1.0


@given(seed=st.integers(0, 10**6), at=st.integers(0, 4), kind=st.sampled_from(["sum", "zero"]))
@examples
def test_a_dependent_column_anywhere_changes_nothing(seed, at, kind):
    rng = np.random.default_rng(seed)
    V, y = rng.normal(size=(9, 4)), rng.choice([-1.0, 1.0], 9)
    before = V[:, :at]
    column = np.zeros(9) if kind == "zero" else 2.0 + before @ rng.integers(-2, 3, before.shape[1])
    wider = np.insert(V, at, column, axis=1)
    for solve in PATHS:
        plain, more = solve(V, y), solve(wider, y)
        kept = [d for d in range(5) if d != at]
        for a, b in zip(plain, (more[d] for d in kept), strict=True):
            assert b.primal_objective == pytest.approx(a.primal_objective, abs=1e-6)
            f, g = (
                M[:, : len(s.variables["beta"])] @ s.variables["beta"]
                for M, s in ((V, a), (wider, b))
            )
            np.testing.assert_allclose(
                g + b.variables["intercept"], f + a.variables["intercept"], atol=1e-5
            )


@pytest.mark.parametrize("solve", PATHS)
@pytest.mark.parametrize("distance", [1e-4, 1e-6, 1e-8])
def test_what_a_column_adds_to_those_before_it_counts_however_little_it_is(solve, distance):
    """The same span, and the same optimum, as with the addition as a column of its own."""
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 20))
    y = np.where(second + 0.5 * rng.normal(size=20) > 0, 1.0, -1.0)
    near = solve(np.column_stack([first, first + distance * second]), y)[-1]
    plain = solve(np.column_stack([first, second]), y)[-1]
    assert near.primal_objective == pytest.approx(plain.primal_objective, rel=1e-5)


@pytest.mark.parametrize("loss", ["hinge", "square", "logistic"])
def test_a_column_that_is_dropped_by_mistake_opens_the_gap(loss, monkeypatch):
    rng = np.random.default_rng(0)
    V, y = rng.normal(size=(20, 3)), np.tile([1.0, -1.0], 10)
    whole = NestedBasis.from_arrays(V, y)
    two = NestedBasis.from_arrays(V[:, :2], y)
    wrong = NestedBasis(
        **{
            **vars(whole),
            "kept": two.kept,
            "signed": two.signed,
            "triangle": two.triangle,
            "dropped": np.array([3]),
            "dropped_signed": (y * V[:, 2])[np.newaxis],
        }
    )
    monkeypatch.setattr(NestedBasis, "from_arrays", classmethod(lambda *arguments: wrong))
    solve = {
        "hinge": solve_hinge_lp_path,
        "square": solve_square_path,
        "logistic": solve_logistic_path,
    }[loss]
    with pytest.raises(RuntimeError, match="3 components"):
        solve(V, y)


@pytest.mark.parametrize("solve", PATHS)
@pytest.mark.parametrize(
    ("scale", "unit"), [(1e-150, 1.0), (1e150, 1.0), (1.0, 1e-150), (3e9, 7e99)]
)
def test_size_of_columns_and_weights_does_not_matter(solve, scale, unit):
    rng = np.random.default_rng(1)
    V, y = rng.normal(size=(30, 6)), rng.choice([-1.0, 1.0], 30)
    weights = rng.uniform(1.0, 2.0, 30)
    for a, b in zip(
        solve(V, y, weights=weights), solve(scale * V, y, weights=unit * weights), strict=True
    ):
        assert b.primal_objective / unit == pytest.approx(a.primal_objective, rel=1e-9)
        assert b.relative_gap == pytest.approx(a.relative_gap, abs=1e-8)
        np.testing.assert_allclose(
            b.variables["beta"] * scale, a.variables["beta"], rtol=1e-6, atol=1e-9
        )


def test_round_off_of_equal_bits_does_not_decide_who_gets_the_dimension():
    rng = np.random.default_rng(0)
    decrements = rng.exponential(size=12)
    G = decrements.sum() - np.append(0.0, np.cumsum(decrements))
    expected = solve_allocation(np.stack([G, G, G])).variables["allocation_path"]
    for _ in range(10):
        noisy = np.stack([G, G, G]) * (1.0 + 1e-15 * rng.normal(size=(3, 13)))
        found = solve_allocation(noisy).variables["allocation_path"]
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("seed", [0, 17, 24])
def test_cholesky_basis_of_points_whose_kernel_has_lost_its_digits(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 2)) * 10.0 ** rng.uniform(-20, 20, size=(12, 1))
    model = MKPMClassifier(basis="cholesky", rank=6).fit(X, np.arange(12) % 3)
    assert np.isfinite(model.dual_coef_).all()


def solved(primal, dual, **changes):
    info = {"round_off": 0.0, "norm": 1.0, "residual": 0.0}
    given = {"status": "optimal", "scale": 10.0, "info": info} | changes
    return Solution({}, primal_objective=primal, dual_objective=dual, **given)


def test_a_path_breaks_at_the_first_component_without_certificate():
    good, worse = solved(2.0, 2.0), solved(2.0, 2.0 - 11 * GAP_TOL)
    assert require_path([good, solved(1.0, 1.0)])[1].primal_objective == 1.0
    with pytest.raises(NotOptimalError, match="LP of 2 components has no certified .* at most"):
        require_path([good, worse])
    with pytest.raises(NotOptimalError, match="rises from 2 to 2.1 at 2 components") as caught:
        require_path([good, solved(2.1, 2.1)])
    assert caught.value.n_certified == 1


def test_gap_that_counts_as_closed_is_a_part_of_the_scale_and_of_round_off():
    assert is_certified(solved(1.0, 1.0 - 9 * GAP_TOL))
    assert not is_certified(solved(1.0, 1.0 - 11 * GAP_TOL))
    assert is_certified(solved(1.0, 1.0 - 11 * GAP_TOL, info={"round_off": 2 * GAP_TOL}))
    assert not is_certified(solved(1.0, 1.0, status="iteration limit"))
    for scale in (0.0, None):
        assert is_certified(solved(0.0, 0.0, scale=scale))
        assert not is_certified(solved(1e-9, 0.0, scale=scale))
