import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from reprolib.methods.keops.alternating import solve_pyramid_alternating
from reprolib.methods.keops.kernel_sets import KernelStack, LinearBlocks
from reprolib.methods.keops.mkl_features import solve_mkl_features
from reprolib.methods.keops.norms import (
    check_exponents,
    dual_norm,
    effective_weights,
    node_norms,
    norm_exponents,
    pyramid_weights,
)
from reprolib.methods.keops.tree import KernelTree
from reprolib.methods.shared.solution import NotOptimalWarning
from tests.naive import keops as naive

NESTED = [[[0, 1, 2], [3]], [[4, 5]], [[6], [7, 8]]]
TREE = KernelTree.from_nested(NESTED)
REGION = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2])
CHANNEL = np.array([0, 0, 0, 1, 2, 2, 3, 4, 4])
exponents = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0]), min_size=3, max_size=3)
norms = st.lists(st.floats(0.1, 5), min_size=9, max_size=9)


def data(seed=0, n=40, p=9):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = rng.standard_normal((n, p)) + 0.1
    X[:, 0] += 0.8 * y
    X[:, 4] -= 0.5 * y
    return X, y


def linear(X):
    return LinearBlocks(X, np.arange(X.shape[1]))


# ---- the tree


def test_tree_from_labels_and_from_nested_lists_agree():
    by_labels = KernelTree.from_labels([REGION, CHANNEL])
    assert by_labels.n_nodes == TREE.n_nodes == (3, 5, 9)
    for a, b in zip(by_labels.ancestors(), TREE.ancestors(), strict=True):
        np.testing.assert_array_equal(a, b)
    assert TREE.n_selected(np.arange(9) < 4) == (1, 2, 4)
    groups = [np.array([0, 1]), np.array([2])]
    assert KernelTree.from_nested(groups).n_nodes == KernelTree.from_nested([[0, 1], [2]]).n_nodes


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ([[0, 1], [1, 2]], r"Kernels \[1\] occur in two groups"),
        ([[0, 1], []], r"empty node at position \[1\]"),
        ([[0, 1], "ab"], r"'ab' at position \[1\]; give nested lists"),
        ([], "empty node"),
        ([[0, 1], [[2]]], r"depths \[2, 3\]"),
        ([[0, 1], [3]], r"missing \[2\], unknown \[3\]"),
    ],
)
def test_what_is_not_a_tree(nested, message):
    with pytest.raises(ValueError, match=message):
        KernelTree.from_nested(nested)


def test_labels_that_are_not_nested_or_of_wrong_length():
    with pytest.raises(
        ValueError, match=r"Group 'a' lies in two groups of the level above, 0 and 1"
    ):
        KernelTree.from_labels([[0, 0, 1], ["a", "b", "a"]])
    with pytest.raises(ValueError, match=r"levels\[1\] has shape \(2,\), levels\[0\] has 3"):
        KernelTree.from_labels([[0, 0, 1], ["a", "b"]])
    with pytest.raises(ValueError, match="levels is empty"):
        KernelTree.from_labels([])
    with pytest.raises(ValueError, match="at least one kernel"):
        KernelTree.flat(0)


# ---- norms and weights


@settings(derandomize=True, deadline=None, max_examples=50)
@given(exponents, norms)
def test_node_norms_by_definition(p, a):
    gammas = norm_exponents(p)
    found = node_norms(TREE, gammas, a)[0][0]
    assert found == pytest.approx(naive.mixed_norm(NESTED, gammas, a), rel=1e-10)


@settings(derandomize=True, deadline=None, max_examples=25)
@given(exponents, norms)
def test_closed_form_weights_attain_the_mixed_norm_and_the_numerical_minimum(p, a):
    p, a = np.array(p), np.array(a)
    gammas = norm_exponents(p)
    weights = pyramid_weights(TREE, gammas, a)
    for level in weights:
        assert level.sum() == pytest.approx(1.0)
    value = np.sum(a**2 / effective_weights(TREE, p, weights))
    assert value == pytest.approx(node_norms(TREE, gammas, a)[0][0] ** 2, rel=1e-9)
    paths = list(zip(REGION, CHANNEL, range(9), strict=True))
    assert value == pytest.approx(naive.minimal_penalty(paths, p, a), rel=1e-6)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.sampled_from([(0, 0, 0), (0, 0, 1), (0.5, 0, 0.5), (0.2, 0.3, 0.4), (1, 0, 0)]), norms)
def test_dual_norm_is_the_largest_inner_product_over_the_unit_ball(p, g):
    gammas, g = norm_exponents(p), np.array(g)

    def negative(log_a):
        a = np.exp(log_a)
        return -(g @ a) / node_norms(TREE, gammas, a)[0][0]

    start = np.log(np.where(g == g.max(), 1.0, 0.1))
    best = -min(minimize(negative, x0, method="BFGS").fun for x0 in (start, np.log(g)))
    found = dual_norm(TREE, gammas, g)
    assert best <= found * (1 + 1e-9)
    assert best >= found * (1 - 2e-2)


def test_printed_formulas_for_three_levels():
    X, y = data()
    p = np.array([1.0, 1.0, 1.0])
    values, printed = naive.straightforward_keops(X, y, REGION, CHANNEL, p, 200.0, 5)
    with pytest.warns(NotOptimalWarning, match="not settled after 6 outer steps"):
        ours = solve_pyramid_alternating(
            linear(X), y, TREE, p, 200.0, max_iter=6, decrease_tol=0, prune_tol=0
        )
    for level, expected in zip(weights_after(X, y, p, 5), printed, strict=True):
        np.testing.assert_allclose(level, expected, rtol=1e-4, atol=1e-9)
    # J(sigma_t+1) <= P(f_t) <= J(sigma_t)
    for t, objective in enumerate(ours.variables["objective_path"][:4]):
        assert values[t + 1] <= objective * (1 + 1e-8)
        assert objective <= values[t] * (1 + 1e-8)


def weights_after(X, y, p, steps):
    with pytest.warns(NotOptimalWarning):
        return solve_pyramid_alternating(
            linear(X), y, TREE, p, 200.0, max_iter=steps, decrease_tol=0, prune_tol=0
        ).variables["weights"]


def test_dead_nodes_stay_dead_and_give_no_nan():
    a = np.array([1.0, 2, 0, 0, 0, 0, 3, 0, 0])
    weights = pyramid_weights(TREE, norm_exponents([1, 1, 1]), a)
    assert weights[0][1] == 0
    assert all(np.isfinite(level).all() for level in weights)
    d = effective_weights(TREE, np.array([0.0, 1.0, 1.0]), weights)
    np.testing.assert_array_equal(d > 0, a > 0)
    assert all(not level.any() for level in pyramid_weights(TREE, norm_exponents([1, 1, 1]), 0 * a))


def test_exponents_are_checked():
    np.testing.assert_array_equal(check_exponents(1, 3), [1, 1, 1])
    with pytest.raises(ValueError, match=r"p is \(1, -1, 0\); every exponent"):
        check_exponents((1, -1, 0), 3)
    with pytest.raises(ValueError, match=r"one per level of the tree \(3\)"):
        check_exponents((1, 1), 3)


# ---- the learning problems


@settings(derandomize=True, deadline=None, max_examples=20)
@given(st.integers(0, 100), exponents, st.floats(-1, 3))
def test_the_objective_never_rises(seed, p, log_C):
    X, y = data(seed)
    C = 10.0**log_C
    solution = solve_pyramid_alternating(linear(X), y, TREE, p, C, max_iter=3000, gap_tol=1e-5)
    path = solution.variables["objective_path"]
    assert np.all(np.diff(path) <= 1e-8 * path[0])
    f = X @ (solution.variables["effective"] * (X.T @ (y * solution.variables["alpha"])))
    w = solution.variables["effective"] * (X.T @ (y * solution.variables["alpha"]))
    assert np.abs(X @ w - f).max() < 1e-9
    stated = naive.pyramid_objective(
        X, y, NESTED, norm_exponents(p), C, w, solution.variables["intercept"]
    )
    assert solution.primal_objective == pytest.approx(stated, rel=1e-9)


@pytest.mark.parametrize("p", [(0, 0, 1), (0.5, 0, 0.5), (0.3, 0.3, 0.3), (0, 0, 0)])
def test_convex_penalties_are_solved_to_the_gap(p):
    X, y = data()
    solution = solve_pyramid_alternating(linear(X), y, TREE, p, 1.0, gap_tol=1e-5)
    assert solution.status == "optimal"
    assert -1e-9 <= solution.relative_gap <= 1e-5


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.integers(0, 100), st.floats(-2, 3), st.sampled_from([9, 90]))
def test_mkl_of_features_equals_the_l1_optimum(seed, log_C, p):
    """Of 90 features few matter; the others are left out on the way."""
    X, y = data(seed, p=p)
    C = 10.0**log_C
    solution = solve_mkl_features(linear(X), y, C)
    assert solution.status == "optimal"
    assert abs(solution.relative_gap) < 1e-5
    assert solution.primal_objective == pytest.approx(naive.l1_svm_objective(X, y, C), rel=2e-5)


def test_mkl_of_features_is_certified_whatever_the_units():
    X, y = data()
    a, b = (solve_mkl_features(linear(k * X), y, 1.0 / k**2) for k in (1.0, 300.0))
    assert a.status == b.status == "optimal"
    np.testing.assert_allclose(a.variables["effective"], b.variables["effective"], atol=1e-6)
    assert b.gap <= 1e-5 * b.primal_objective
    assert solve_mkl_features(linear(300 * X), y, 1e-5, max_iter=5).status == "inaccurate"


def test_mkl_of_features_equals_the_alternation():
    X, y = data()
    exact = solve_mkl_features(linear(X), y, 1.0)
    slow = solve_pyramid_alternating(
        linear(X), y, KernelTree.flat(9), (1.0,), 1.0, gap_tol=1e-5, max_iter=20000
    )
    assert slow.primal_objective == pytest.approx(exact.primal_objective, rel=1e-5)
    np.testing.assert_allclose(slow.variables["effective"], exact.variables["effective"], atol=5e-3)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_mkl_of_blocks_equals_the_block_norm_optimum(C):
    X, y = data()
    reference = naive.block_norm_svm_objective(X, y, CHANNEL, C)
    solution = solve_pyramid_alternating(
        LinearBlocks(X, CHANNEL), y, KernelTree.flat(5), (1.0,), C, gap_tol=1e-5, max_iter=20000
    )
    assert solution.status == "optimal"
    assert solution.primal_objective == pytest.approx(reference, rel=2e-5)


def test_blocks_and_gram_matrices_give_the_same_answer():
    X, y = data()
    blocks = CHANNEL
    stack = KernelStack(np.stack([X[:, blocks == m] @ X[:, blocks == m].T for m in range(5)]))
    tree = KernelTree.from_labels([[0, 0, 1, 2, 2]])
    by_blocks = solve_pyramid_alternating(LinearBlocks(X, blocks), y, tree, (0.5, 0.5), 1.0)
    by_stack = solve_pyramid_alternating(stack, y, tree, (0.5, 0.5), 1.0)
    assert by_blocks.primal_objective == pytest.approx(by_stack.primal_objective, rel=1e-8)
    np.testing.assert_allclose(
        by_blocks.variables["effective"], by_stack.variables["effective"], atol=1e-6
    )


@pytest.mark.parametrize("prune_tol", [0.1, 0.3, 0.6])
def test_kernels_of_small_norm_lose_their_weight(prune_tol):
    X, y = data()
    with pytest.warns(NotOptimalWarning, match="1 outer steps"):
        found = solve_pyramid_alternating(
            linear(X), y, TREE, np.ones(3), 50.0, prune_tol=prune_tol, max_iter=1
        ).variables
    norms = found["kernel_norms"]
    np.testing.assert_array_equal(found["effective"] > 0, norms > prune_tol * norms.max())
    exact = solve_mkl_features(linear(X), y, 1.0, prune_tol=prune_tol).variables
    kept = exact["effective"][exact["effective"] > 0]
    assert kept.min() > prune_tol * kept.max()
    assert kept.sum() == pytest.approx(1.0)


def test_ancestors_of_a_tree_of_four_levels():
    tree = KernelTree.from_nested([[[[0, 1], [2]], [[3]]], [[[4], [5, 6]]]])
    assert tree.n_nodes == (2, 3, 5, 7)
    expected = [[0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 2, 2, 2], [0, 0, 1, 2, 3, 4, 4], range(7)]
    assert [nodes.tolist() for nodes in tree.ancestors()] == [list(level) for level in expected]
    assert tree.n_selected(np.arange(7) == 3) == (1, 1, 1, 1)
    unordered = KernelTree.from_nested([[2, 0], [1]])
    assert unordered.ancestors()[0].tolist() == [0, 1, 0]
