"""Square and logistic loss over nested subspaces: their parts against naive formulas."""

from __future__ import annotations

import numpy as np
import pytest

from reprolib.methods.kpm import logistic_path
from reprolib.methods.kpm.logistic_path import _Logistic, solve_logistic_path
from reprolib.methods.kpm.nested_basis import NestedBasis
from reprolib.methods.kpm.square_path import solve_square_path


def problem(seed=0, n=25, m=3, penalty=0.7):
    rng = np.random.default_rng(seed)
    signed, weights = rng.normal(size=(m, n)), rng.uniform(0.5, 2.0, n)
    return _Logistic(signed, weights, penalty), rng


def naive_loss(logistic, c):
    margins = [sum(c[k] * row[i] for k, row in enumerate(logistic.signed)) for i in range(25)]
    terms = [w * np.logaddexp(0.0, -m) for w, m in zip(logistic.weights, margins, strict=True)]
    return sum(terms) + 0.5 * logistic.penalty * sum(v * v for v in c)


@pytest.mark.parametrize("seed", range(4))
def test_logistic_objectives_are_those_of_the_problem(seed):
    logistic, rng = problem(seed)
    c = rng.normal(size=3)
    assert logistic.loss(c) == pytest.approx(naive_loss(logistic, c))
    value, p = logistic.dual(c)
    np.testing.assert_allclose(p, 1.0 / (1.0 + np.exp(c @ logistic.signed)))
    u = sum(w * q * x for w, q, x in zip(logistic.weights, p, logistic.signed.T, strict=True))
    entropy = -np.sum(logistic.weights * (p * np.log(p) + (1 - p) * np.log(1 - p)))
    assert value == pytest.approx(entropy - u @ u / (2 * logistic.penalty))
    assert value <= logistic.loss(c)


@pytest.mark.parametrize("seed", range(4))
def test_newton_step_leads_to_the_stationary_point_of_the_quadratic_model(seed):
    logistic, rng = problem(seed)
    c, h = rng.normal(size=3), 1e-4
    step, descent = logistic._newton_step(c)
    units = h * np.eye(3)
    rises = [naive_loss(logistic, c + e) - naive_loss(logistic, c - e) for e in units]
    gradient = np.array(rises) / (2 * h)
    hessian = [
        [
            (
                naive_loss(logistic, c + e + f)
                - naive_loss(logistic, c + e - f)
                - naive_loss(logistic, c - e + f)
                + naive_loss(logistic, c - e - f)
            )
            / (4 * h * h)
            for e in units
        ]
        for f in units
    ]
    np.testing.assert_allclose(hessian @ step, -gradient, rtol=1e-4, atol=1e-5)
    assert descent == pytest.approx(gradient @ step, rel=1e-5)


@pytest.mark.parametrize("factor", [1.0, 3.0, 10.0, 100.0, 1e6])
def test_step_is_halved_until_the_decrease_is_sufficient(factor):
    logistic, rng = problem()
    c = 0.1 * rng.normal(size=3)
    step, descent = logistic._newton_step(c)
    step, descent = factor * step, factor * descent
    lengths = [0.5**k for k in range(30)]
    start = naive_loss(logistic, c)
    good = [t for t in lengths if naive_loss(logistic, c + t * step) <= start + 1e-4 * t * descent]
    assert logistic._step_length(c, step, descent) == good[0]
    assert (good[0] < 1.0) == (factor > 2.0)


@pytest.mark.parametrize("most", [1, 2])
def test_newtons_method_counts_its_steps_where_it_stops_early(monkeypatch, most):
    logistic, _ = problem()
    monkeypatch.setattr(logistic_path, "MAX_ITERATIONS", most)
    c = np.zeros(3)
    for _ in range(most):
        c = c + logistic._newton_step(c)[0]
    found, iterations = logistic.newton(np.zeros(3))
    np.testing.assert_allclose(found, c, rtol=1e-12)
    assert iterations == most


def test_newtons_method_takes_no_more_step_at_the_optimum():
    logistic, _ = problem()
    found, iterations = logistic.newton(np.zeros(3))
    step, descent = logistic._newton_step(found)
    assert 2 < iterations < 9
    assert np.abs(step).max() < 1e-10
    assert abs(descent) < 1e-20
    assert logistic.newton(found)[1] <= 1


def test_a_direction_of_ascent_has_no_step_and_standing_still_has_one():
    logistic, rng = problem()
    c = rng.normal(size=3)
    step, descent = logistic._newton_step(c)
    assert logistic._step_length(c, -step, -descent) == 0.0
    assert logistic._step_length(c, 0.0 * step, 0.0) == 1.0


@pytest.mark.parametrize(("rise", "expected"), [(5e-15, 1.0), (5e-14, 0.125)])
def test_a_rise_within_round_off_is_no_rise(monkeypatch, rise, expected):
    logistic, _ = problem()
    monkeypatch.setattr(logistic, "loss", lambda c: 2.0 * (1.0 + rise * float(c[0])))
    assert logistic._step_length(np.zeros(1), np.ones(1), 0.0) == expected


def lowered_by(monkeypatch, name, solve, amount):
    """Dual objectives without and with an amount of slack for D components of D times it."""
    rng = np.random.default_rng(0)
    V, y = rng.normal(size=(20, 2)), rng.choice([-1.0, 1.0], 20)
    weights, duals, values = 8.0 * rng.uniform(1.0, 2.0, 20), [], []
    for size in (0.0, amount):

        def slack(basis, dual, d, size=size):
            duals.append(dual * basis.weight_unit)
            return size * d / basis.weight_unit

        monkeypatch.setattr(NestedBasis, name, slack)
        values.append(solve(V, y, weights=weights))
    return V, y, weights, duals, values


def test_dual_value_of_least_squares_is_lowered_by_twice_the_slack_of_the_residuals(monkeypatch):
    V, y, weights, duals, values = lowered_by(monkeypatch, "slack", solve_square_path, 1e-6)
    for d, (plain, lowered) in enumerate(zip(*values, strict=True), start=1):
        assert plain.dual_objective - lowered.dual_objective == pytest.approx(2e-6 * d, rel=1e-6)
        residual = y - V[:, :d] @ plain.variables["beta"] - plain.variables["intercept"]
        np.testing.assert_allclose(plain.variables["dual"], residual, atol=1e-12)
        np.testing.assert_allclose(duals[d - 1], weights * y * residual, atol=1e-10)
        assert plain.dual_objective == pytest.approx(weights @ residual**2, rel=1e-12)


def test_dual_value_of_the_logistic_loss_is_lowered_by_the_slack_of_what_is_left_out(monkeypatch):
    V, y, weights, duals, values = lowered_by(
        monkeypatch, "dropped_slack", solve_logistic_path, 1e-6
    )
    for d, (plain, lowered) in enumerate(zip(*values, strict=True), start=1):
        assert plain.dual_objective - lowered.dual_objective == pytest.approx(1e-6 * d, rel=1e-6)
        scores = V[:, :d] @ plain.variables["beta"] + plain.variables["intercept"]
        p = 1.0 / (1.0 + np.exp(y * scores))
        np.testing.assert_allclose(plain.variables["dual"], p, atol=1e-9)
        np.testing.assert_allclose(duals[d - 1], weights * p, atol=1e-7)
