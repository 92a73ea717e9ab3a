"""solver="cvxopt", the papers' programmes as they are printed, beside the default solvers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_blobs

import reprolib
from reprolib.methods.keops import cvxopt_reference as keops_reference
from reprolib.methods.keops.kernel_sets import KernelStack, LinearBlocks
from reprolib.methods.kpm.cvxopt_reference import hinge_lp, solve_hinge_lp_cvxopt
from reprolib.methods.kpm.hinge_lp import solve_hinge_lp_path
from reprolib.methods.shared.solution import NotOptimalError, NotOptimalWarning

examples = settings(derandomize=True, deadline=None, max_examples=15)
pytestmark = pytest.mark.filterwarnings(
    "ignore::reprolib.methods.shared.validation.ConstantClassifierWarning"
)

#: Estimators at a tight tolerance, without their solver, and the largest relative difference of
#: two objectives that their certificates leave.
ESTIMATORS = {
    "KPM": (lambda: reprolib.KPMClassifier(6, gamma=0.3), 1e-6),
    "KPM, centred": (lambda: reprolib.KPMClassifier(6, gamma=0.3, center=True), 1e-6),
    "KPM, features": (lambda: reprolib.KPMClassifier(3, kernel="linear"), 1e-6),
    "MKPM": (lambda: reprolib.MKPMClassifier(8, gamma=0.3, loss="hinge", rank=5), 1e-6),
    "MKPM, code": (
        lambda: reprolib.MKPMClassifier(
            8, gamma=0.05, loss="hinge", rank=4, basis="cholesky", code="random", random_state=0
        ),
        1e-6,
    ),
    "SC-SVM": (lambda: reprolib.SimplexConeSVC(2.0, gamma=0.3, tol=1e-7), 3e-7),
    "SC-SVM, linear": (lambda: reprolib.SimplexConeSVC(0.3, kernel="linear", tol=1e-7), 3e-7),
    "SH-SVM, hull": (lambda: reprolib.SimplexHalfspaceSVC(2.0, gamma=0.3, tol=1e-7), 3e-7),
    "SH-SVM": (
        lambda: reprolib.SimplexHalfspaceSVC(2.0, gamma=0.3, tol=1e-7, convex_hull=False),
        3e-7,
    ),
    "MKL": (lambda: reprolib.MKLClassifier(0.3), 2e-5),
    "MKL, blocks": (lambda: reprolib.MKLClassifier(0.3, blocks=[0, 1, 1], gap_tol=1e-6), 2e-5),
    "MKL, groups": (lambda: reprolib.MKLClassifier(0.3, groups=[0, 0, 1], gap_tol=1e-6), 2e-5),
    "KEOPS": (lambda: reprolib.KEOPSClassifier([[0, 1], [2]], p=0.5, gap_tol=1e-6), 2e-5),
    "KEOPS, not convex": (lambda: reprolib.KEOPSClassifier([[0, 1], [2]], C=3.0), 2e-5),
}
#: Those whose function is unique; the others have several optima where the hinge loss is zero.
UNIQUE = [name for name in ESTIMATORS if name.startswith(("SC", "SH", "MKL", "KEOPS"))]
#: Those whose duality gap is no certificate, since the penalty is not convex.
UNCERTIFIED = ["KEOPS, not convex"]


def noisy(seed=0, n_classes=2):
    """Points of classes that overlap."""
    return make_blobs(
        36, 3, centers=n_classes, cluster_std=3.0, center_box=(-2, 2), random_state=seed
    )


def both_labels(seed=0):
    """Points that are there twice, mostly with both labels, and a constant column."""
    X, y = noisy(seed)
    X[:, 2] = 1.0
    X, y = np.repeat(X[:16], 2, axis=0), np.repeat(y[:16], 2)
    y[1::4] = 1 - y[1::4]
    return X, y


def objective(model):
    """Objectives of all binary problems, or of all points of a path."""
    models = getattr(model, "estimators_", [model])
    names = ("bit_objective_path_", "objective_path_", "objective_")
    found = [next(getattr(m, name) for name in names if hasattr(m, name)) for m in models]
    if not isinstance(models[0], (reprolib.KPMClassifier, reprolib.MKPMClassifier)):
        found = [m.objective_ for m in models]
    return np.concatenate([np.ravel(values) for values in found])


def fitted(name, X, y, **weights):
    """The default solver and cvxopt, fitted to the same data, which neither may change."""
    X.setflags(write=False)
    model = ESTIMATORS[name][0]()
    other = clone(model).set_params(solver="cvxopt")
    return model.fit(X, y, **weights), other.fit(X, y, **weights)


def assert_same_objective(name, fast, reference):
    ours, theirs = objective(fast), objective(reference)
    np.testing.assert_allclose(theirs, ours, rtol=ESTIMATORS[name][1], atol=1e-5)
    gap = getattr(reference, "duality_gap_", 0.0)
    assert name in UNCERTIFIED or abs(gap) <= 1e-5


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ESTIMATORS)
def test_both_solvers_have_the_same_objective(name, seed):
    n_classes = 3 if name.startswith(("MKPM", "SC", "SH")) else 2
    X, y = noisy(seed, n_classes)
    fast, reference = fitted(name, X, y)
    assert_same_objective(name, fast, reference)
    if name in UNIQUE:
        ours, theirs = (model.decision_function(X) for model in (fast, reference))
        np.testing.assert_allclose(theirs, ours, atol=1e-2 * np.abs(ours).max())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", [name for name in ESTIMATORS if "features" not in name])
def test_points_with_both_labels_and_a_constant_feature(name, seed):
    X, y = both_labels(seed)
    assert_same_objective(name, *fitted(name, X, y))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_weights_reach_the_programme(name):
    X, y = noisy(1)
    weights = np.random.default_rng(0).integers(0, 4, size=len(y))
    fast, reference = fitted(name, X, y, sample_weight=weights)
    assert_same_objective(name, fast, reference)
    if "class_weight" in reference.get_params():
        fast.set_params(class_weight={1: 3.0}).fit(X, y)
        reference.set_params(class_weight={1: 3.0}).fit(X, y)
        assert_same_objective(name, fast, reference)


@pytest.mark.parametrize("name", ["KPM", "MKPM", "SC-SVM", "SH-SVM, hull"])
def test_sparse_rows_and_pickles(name):
    X, y = noisy()
    reference = fitted(name, X, y)[1]
    sparse = clone(reference).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(objective(sparse), objective(reference), rtol=1e-6, atol=1e-6)
    again = pickle.loads(pickle.dumps(reference))
    ours, theirs = (model.decision_function(X) for model in (reference, again))
    np.testing.assert_allclose(theirs, ours, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["SC-SVM", "SH-SVM, hull", "SH-SVM", "MKL", "KEOPS"])
def test_a_zero_kernel_has_the_zero_function(name):
    y = np.array([0, 1, 1, 0, 1])
    with np.errstate(all="ignore"):
        model = ESTIMATORS[name][0]().set_params(solver="cvxopt", kernel="linear")
        reference = model.fit(np.zeros((5, 3)), y)
    at_zero = {"SC-SVM": 5 * 2.0, "SH-SVM, hull": 5 * 2.0, "SH-SVM": 5 * 2.0}
    # With an intercept the two points of the rarer class pay twice.
    C = 0.3 if name == "MKL" else 1.0
    assert objective(reference)[-1] == pytest.approx(at_zero.get(name, 4.0 * C))


@pytest.mark.parametrize("loss", ["square", "logistic"])
@pytest.mark.parametrize(
    "make", [reprolib.KPMClassifier, reprolib.KPMClassifierCV, reprolib.MKPMClassifier]
)
def test_other_losses_are_no_linear_programme(make, loss):
    with pytest.raises(ValueError, match=f"loss='{loss}' needs solver='auto'"):
        make(3, loss=loss, solver="cvxopt").fit(*noisy())


def test_cross_validation_solves_every_fold_by_cvxopt():
    X, y = noisy()
    fast = reprolib.KPMClassifierCV(5, gamma=0.3, random_state=0).fit(X, y)
    reference = clone(fast).set_params(solver="cvxopt").fit(X, y)
    np.testing.assert_allclose(reference.cv_error_path_, fast.cv_error_path_)
    np.testing.assert_allclose(reference.objective_path_, fast.objective_path_, atol=1e-5)
    tree = [[0, 1], [2]]
    fast = reprolib.KEOPSClassifierCV(tree, p=0.5, Cs=[0.1, 1.0], gap_tol=1e-6).fit(X, y)
    reference = clone(fast).set_params(solver="cvxopt").fit(X, y)
    assert reference.objective_ == pytest.approx(fast.objective_, rel=2e-5)


@given(seed=st.integers(0, 10**6), n=st.integers(5, 30), gap=st.floats(0.0, 3.0))
@examples
def test_the_linear_programme_of_the_paper(seed, n, gap):
    """Any columns, weights and labels: equal losses, and dual points that are feasible."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    V = rng.normal(size=(n, 4)) + gap * y[:, np.newaxis] * [1.0, 0.0, 0.0, 0.0]
    V[:, 2] = V[:, 0]
    w = rng.uniform(0.5, 2.0, n)
    ours, theirs = (
        solve(V, y, weights=w) for solve in (solve_hinge_lp_path, solve_hinge_lp_cvxopt)
    )
    for D, (fast, reference) in enumerate(zip(ours, theirs, strict=True), start=1):
        assert reference.primal_objective == pytest.approx(
            fast.primal_objective, abs=1e-6 * w.sum()
        )
        assert abs(reference.relative_gap) <= 1e-7
        a = reference.variables["dual"]
        assert (a >= 0.0).all()
        assert (a <= w).all()
        assert np.abs(np.column_stack([V[:, :D], np.ones(n)]).T @ (y * a)).max() <= 1e-6
        beta, b = reference.variables["beta"], reference.variables["intercept"]
        losses = np.maximum(0.0, 1.0 - y * (V[:, :D] @ beta + b))
        assert reference.primal_objective == pytest.approx(w @ losses, abs=1e-9)


def test_the_columns_are_taken_as_they_are():
    V, y = np.array([[2.0, 1.0], [-1.0, 1.0], [1.0, 1.0], [0.5, 1.0]]), np.array([1.0, -1, -1, 1])
    w = np.array([1.0, 2.0, 1.0, 0.5])
    beta, a, status, _ = hinge_lp(V, y, w)
    assert status == "optimal"
    (expected,) = solve_hinge_lp_path(V[:, :1], y, weights=w)
    assert w @ np.maximum(0.0, 1.0 - y * (V @ beta)) == pytest.approx(expected.primal_objective)
    assert a.sum() == pytest.approx(expected.primal_objective)


def test_of_many_functions_without_loss_cvxopt_takes_another_one():
    """The default has the least sum of squares; the docstrings say so."""
    X, y = make_blobs(30, 2, centers=[[-3, 0], [3, 0]], random_state=0)
    fast = reprolib.KPMClassifier(4, gamma=0.3).fit(X, y)
    reference = clone(fast).set_params(solver="cvxopt").fit(X, y)
    np.testing.assert_allclose(reference.objective_path_[-1], 0.0, atol=1e-9)
    assert fast.objective_path_[-1] == pytest.approx(0.0, abs=1e-9)
    assert fast.path_.norm[-1] < reference.path_.norm[-1]


@pytest.mark.parametrize("broken", [ArithmeticError("0"), ValueError("Rank(A) < p")])
def test_a_breakdown_of_cvxopt_is_explained(monkeypatch, broken):
    import cvxopt

    def fail(*arrays, **options):
        raise broken

    for name in ("lp", "qp", "coneqp"):
        monkeypatch.setattr(cvxopt.solvers, name, fail)
    X, y = noisy()
    for name in ("KPM", "MKPM", "SC-SVM", "MKL", "KEOPS"):
        with pytest.raises(NotOptimalError, match="(?i)cvxopt (broke down|cannot factor)"):
            ESTIMATORS[name][0]().set_params(solver="cvxopt").fit(X, y)


def test_an_answer_that_is_not_optimal_is_refused_or_warned_of(monkeypatch):
    """The gap is that of the points, whatever cvxopt says of itself."""
    X, y = noisy()
    y_signs = 2.0 * y - 1.0
    solve = keops_reference.mkl_socp
    monkeypatch.setattr(
        keops_reference, "mkl_socp", lambda *a: (0.5 * solve(*a)[0], *solve(*a)[1:])
    )
    kernels = LinearBlocks(X, np.arange(3))
    with pytest.warns(NotOptimalWarning, match="relative duality gap of 0"):
        answer = keops_reference.solve_mkl_cvxopt(kernels, y_signs, 0.3, prune_tol=1e-6)
    assert answer.status == "inaccurate"
    assert answer.relative_gap > 1e-2
    monkeypatch.setattr(
        "reprolib.methods.kpm.cvxopt_reference.hinge_lp",
        lambda V, y, w, tol: (np.zeros(V.shape[1]), np.zeros(len(y)), "unknown", 7),
    )
    with pytest.raises(NotOptimalError, match="1 components has no certified answer: status 'unk"):
        reprolib.KPMClassifier(2, solver="cvxopt").fit(X, y)


def test_copies_of_a_kernel_share_its_norm_and_change_no_objective():
    X, y = noisy()
    K = X @ X.T
    signs = 2.0 * y - 1.0
    once, twice = (
        keops_reference.solve_mkl_cvxopt(KernelStack(np.stack(Ks)), signs, 0.3, prune_tol=1e-6)
        for Ks in ([K], [K, K])
    )
    assert twice.primal_objective == pytest.approx(once.primal_objective, rel=1e-6)
    assert twice.variables["effective"].sum() == pytest.approx(1.0)
