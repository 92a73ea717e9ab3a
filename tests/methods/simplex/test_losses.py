import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reprolib.methods.shared.codes import decode
from reprolib.methods.simplex import make_loss
from reprolib.methods.simplex.consistency import pointwise_minimizer
from reprolib.methods.simplex.losses import LOSSES
from tests.naive.consistency import (
    comparison_constants,
    comparison_ratio,
    excess_risk,
    expected_loss,
    target_vector,
)
from tests.naive.simplex import loss_value

NAMES = sorted(LOSSES)
SVM_NAMES = ["cone", "halfspace"]
n_classes = st.integers(2, 6)
seeds = st.integers(0, 10_000)


def draw(seed, T, n=20):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, T - 1)), rng.integers(T, size=n)


def draw_probabilities(rng, T, margin=0.02):
    """A distribution over T classes whose most probable class is clear."""
    while True:
        p = rng.dirichlet(np.ones(T))
        top = np.sort(p)[-2:]
        if top[1] - top[0] > margin:
            return p


@pytest.mark.parametrize("name", NAMES)
@settings(derandomize=True, deadline=None, max_examples=15)
@given(seed=seeds, T=n_classes)
def test_values_follow_the_definition(name, seed, T):
    F, y = draw(seed, T)
    by_definition = [loss_value(name, f, label, T) for f, label in zip(F, y, strict=True)]
    np.testing.assert_allclose(make_loss(name, T).value(F, y), by_definition, rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@settings(derandomize=True, deadline=None, max_examples=15)
@given(seed=seeds, T=n_classes)
def test_gradients_match_finite_differences(name, seed, T):
    loss = make_loss(name, T)
    F, y = draw(seed, T)
    step = 1e-6
    for k in range(T - 1):
        shift = np.zeros(T - 1)
        shift[k] = step
        numeric = (loss.value(F + shift, y) - loss.value(F - shift, y)) / (2 * step)
        np.testing.assert_allclose(loss.gradient(F, y)[:, k], numeric, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["cone", "halfspace", "cone_halfspace"])
def test_at_a_kink_the_subgradient_is_that_of_the_flat_side(name):
    """With two classes the code words are 1 and -1, and all hinges have their kink there."""
    loss = make_loss(name, 2)
    assert sorted(loss.code.ravel()) == [-1.0, 1.0]
    F = loss.code[:, :1].T
    np.testing.assert_array_equal(loss.gradient(F, np.array([0])), 0.0)
    assert np.any(loss.gradient(0.999 * F, np.array([0])) != 0.0)


def test_svm_losses_are_the_hinge_for_two_classes():
    F, y = draw(3, 2)
    hinge = np.maximum(0, 1 - np.where(y == 0, 1, -1) * F[:, 0])
    for name in SVM_NAMES:
        np.testing.assert_allclose(make_loss(name, 2).value(F, y), hinge, atol=1e-15)


def test_on_the_convex_hull_both_svm_losses_are_one_linear_function():
    rng = np.random.default_rng(0)
    F = rng.dirichlet(np.ones(4), size=50) @ make_loss("cone", 4).code.T
    y = rng.integers(4, size=50)
    linear = 1 - np.sum(F * make_loss("cone", 4).code.T[y], axis=1)
    for name in SVM_NAMES:
        np.testing.assert_allclose(make_loss(name, 4).value(F, y), linear, atol=1e-12)


def test_unknown_loss_is_named():
    with pytest.raises(ValueError, match="loss is 'hinge'; choose one of"):
        make_loss("hinge", 3)


@pytest.mark.parametrize("name", ["cone", "least_squares", "cone_halfspace", "exponential"])
@settings(derandomize=True, deadline=None, max_examples=20)
@given(seed=seeds, T=st.integers(2, 5))
def test_fisher_consistent_without_constraint(name, seed, T):
    loss = make_loss(name, T)
    p = draw_probabilities(np.random.default_rng(seed), T)
    f = pointwise_minimizer(loss, p)
    assert decode(loss.code, f[None])[0] == np.argmax(p)


@settings(derandomize=True, deadline=None, max_examples=20)
@given(seed=seeds, T=st.integers(2, 5))
def test_halfspace_is_fisher_consistent_on_the_convex_hull(seed, T):
    loss = make_loss("halfspace", T)
    p = draw_probabilities(np.random.default_rng(seed), T)
    f = pointwise_minimizer(loss, p, convex_hull=True)
    assert decode(loss.code, f[None])[0] == np.argmax(p)
    np.testing.assert_allclose(f, loss.code[:, np.argmax(p)], atol=1e-9)


def test_sum_of_the_hinges_is_twice_the_hinge_for_two_classes():
    F, y = draw(3, 2)
    hinge = np.maximum(0, 1 - np.where(y == 0, 1, -1) * F[:, 0])
    np.testing.assert_allclose(make_loss("cone_halfspace", 2).value(F, y), 2 * hinge, atol=1e-15)


@pytest.mark.parametrize("T", [3, 4])
def test_sum_of_the_hinges_is_fisher_consistent_on_a_grid(T):
    """The minimiser is the code word of the likeliest class wherever that class is unique."""
    loss, steps = make_loss("cone_halfspace", T), 8
    counts = np.array(list(np.ndindex(*(steps + 1,) * (T - 1))))
    counts = np.column_stack([counts, steps - counts.sum(axis=1)])
    checked = 0
    for p in counts[(counts >= 0).all(axis=1)] / steps:
        second, first = np.sort(p)[-2:]
        if first == second or first == 1:
            continue
        word = loss.code[:, np.argmax(p)]
        np.testing.assert_allclose(pointwise_minimizer(loss, p), word, atol=1e-7)
        checked += 1
    assert checked > 20


def test_one_vs_all_hinges_are_not_consistent_where_no_class_has_half():
    """The same probabilities: one-vs-all says "none of them", the sum of the hinges decides."""
    p = np.array([0.4, 0.3, 0.3])
    scores = np.linspace(-2, 2, 401)
    one_vs_all = p[:, None] * np.maximum(0, 1 - scores) + (1 - p)[:, None] * np.maximum(
        0, 1 + scores
    )
    np.testing.assert_allclose(scores[one_vs_all.argmin(axis=1)], -1)
    loss = make_loss("cone_halfspace", 3)
    assert decode(loss.code, pointwise_minimizer(loss, p)[None])[0] == 0


def test_halfspace_without_the_hull_is_not_fisher_consistent():
    """Two likely classes of three: f = -2 c_3 costs class 3 alone and ties the other two."""
    loss = make_loss("halfspace", 3)
    p = np.array([0.45, 0.40, 0.15])
    f = pointwise_minimizer(loss, p)
    bayes_word = expected_loss(loss, p, target_vector(loss, p))[0]
    assert expected_loss(loss, p, f)[0] < bayes_word - 0.1
    assert abs(f @ (loss.code[:, 0] - loss.code[:, 1])) < 1e-9


@pytest.mark.parametrize("name", ["cone", "least_squares", "cone_halfspace"])
def test_minimizer_attains_the_target_of_table_1(name):
    rng = np.random.default_rng(7)
    for T in (2, 3, 5):
        loss = make_loss(name, T)
        p = draw_probabilities(rng, T)
        numeric = expected_loss(loss, p, pointwise_minimizer(loss, p))
        by_theorem = expected_loss(loss, p, target_vector(loss, p))
        np.testing.assert_allclose(numeric, by_theorem, rtol=1e-7)


@pytest.mark.parametrize("name", ["cone", "least_squares"])
@settings(derandomize=True, deadline=None, max_examples=25)
@given(seed=seeds, T=n_classes)
def test_comparison_inequality_of_theorem_1(name, seed, T):
    rng = np.random.default_rng(seed)
    loss = make_loss(name, T)
    F = rng.normal(size=(500, T - 1)) * rng.exponential(size=(500, 1))
    assert comparison_ratio(loss, rng.dirichlet(np.ones(T)), F) <= 1 + 1e-9


@settings(derandomize=True, deadline=None, max_examples=25)
@given(seed=seeds, T=n_classes)
def test_comparison_inequality_of_the_halfspace_loss_on_the_hull(seed, T):
    rng = np.random.default_rng(seed)
    loss = make_loss("halfspace", T)
    F = rng.dirichlet(np.ones(T), size=500) @ loss.code.T
    assert comparison_ratio(loss, rng.dirichlet(np.ones(T)), F) <= 1 + 1e-9


def test_theorem_1_has_no_constants_for_the_exponential_loss():
    with pytest.raises(TypeError, match="no constants for ExponentialLoss"):
        comparison_constants(make_loss("exponential", 3))


def test_hull_constraint_is_refused_for_smooth_losses():
    with pytest.raises(ValueError, match="convex_hull applies to the SVM losses"):
        pointwise_minimizer(make_loss("least_squares", 3), np.ones(3) / 3, convex_hull=True)


def test_excess_risk_is_zero_for_the_bayes_class():
    loss = make_loss("cone", 4)
    p = np.array([0.1, 0.5, 0.3, 0.1])
    np.testing.assert_allclose(excess_risk(loss, p, loss.code.T), p.max() - p)
