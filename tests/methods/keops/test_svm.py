import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from reprolib.methods.keops.cvxopt_reference import solve_svm_cvxopt
from reprolib.methods.keops.svm import solve_svm
from reprolib.methods.keops.svm_certificate import best_intercept
from reprolib.methods.shared.solution import NotOptimalError


def two_classes(seed, n=40, p=6, shift=0.7):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3 == 0, 1.0, -1.0)
    X = rng.standard_normal((n, p)) + shift * y[:, None] / np.sqrt(p)
    return X @ X.T, y


@settings(derandomize=True, deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 1000),
    log_C=st.floats(-3, 4),
    p=st.integers(1, 60),
    shift=st.floats(0, 6),
)
def test_answer_is_certified_and_agrees_with_cvxopt(seed, log_C, p, shift):
    K, y = two_classes(seed, p=p, shift=shift)
    C = 10.0**log_C
    fast, reference = solve_svm(K, y, C), solve_svm_cvxopt(K, y, C)
    assert abs(fast.relative_gap) < 1e-6
    assert fast.primal_objective == pytest.approx(reference.primal_objective, rel=1e-6, abs=1e-6)
    alpha = fast.variables["alpha"]
    assert alpha.min() >= 0
    assert alpha.max() <= C
    assert abs(y @ alpha) <= 1e-9 * C * len(y)


def test_agrees_with_libsvm():
    K, y = two_classes(3, n=120)
    libsvm = SVC(C=2.0, kernel="precomputed", tol=1e-8).fit(K, y)
    ours = solve_svm(K, y, 2.0)
    coef = np.zeros(120)
    coef[libsvm.support_] = libsvm.dual_coef_[0]
    scores = K @ coef + libsvm.intercept_
    objective = 0.5 * coef @ K @ coef + 2.0 * np.maximum(0, 1 - y * scores).sum()
    assert objective == pytest.approx(ours.primal_objective, rel=1e-6)


def test_zero_kernel_gives_the_majority():
    _, y = two_classes(0)
    solution = solve_svm(np.zeros((40, 40)), y, 1.0)
    assert solution.variables["intercept"] == -1.0
    assert solution.primal_objective == pytest.approx(2 * np.sum(y > 0))
    assert abs(solution.relative_gap) < 1e-9


def test_intercept_is_the_middle_of_a_flat_part():
    y = np.array([1.0, -1.0, 1.0, -1.0])
    assert best_intercept(np.zeros(4), y) == (0.0, 4.0)
    assert best_intercept(0.1 * y, y)[0] == 0.0
    assert best_intercept(np.zeros(2), np.ones(2)) == (1.0, 0.0)
    assert best_intercept(np.zeros(2), -np.ones(2)) == (-1.0, 0.0)


def test_errors_of_cvxopt_are_explained():
    K, y = two_classes(1)
    with pytest.raises(
        NotOptimalError, match=r"CVXOPT cannot factor .* kernel values up to 1e\+200"
    ):
        solve_svm_cvxopt(np.full_like(K, 1e200), y, 1e100)


def test_cycling_is_noticed_and_a_full_free_set_is_no_overrun():
    X = np.array([[0.0], [0.0], [1.0], [1.0], [1.0]])
    y = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    start = np.array([0.5, 0.5, 0.25, 0.5, 0.25])
    solution = solve_svm(X @ X.T, y, 1.0, alpha=start)
    assert solution.status == "optimal"


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 25), st.booleans())
def test_best_intercept_is_the_minimum_over_all_breakpoints(seed, n, with_costs):
    rng = np.random.default_rng(seed)
    y, scores = np.resize([1.0, -1.0], n), rng.integers(-3, 4, n) / 2.0
    costs = rng.uniform(0.5, 3.0, n) if with_costs else np.ones(n)
    _, value = best_intercept(scores, y, costs if with_costs else None)
    assert value == pytest.approx(
        min(costs @ np.maximum(0.0, 1.0 - y * (scores + b)) for b in y - scores)
    )
