"""The parts of MKPM by hand: paths of bits, ties of code words, bases, codes, blocks of rows."""

import numpy as np
import pytest
from sklearn.model_selection import PredefinedSplit

from reprolib.methods.mkpm import MKPMClassifier, MKPMClassifierCV, NystromMKPMClassifier
from reprolib.methods.mkpm._bases import (
    Basis,
    cholesky_basis,
    kernel_pca_basis,
    nystrom_basis,
)
from reprolib.methods.mkpm._codes import check_code, make_code
from reprolib.methods.mkpm._losses import solved_paths
from reprolib.methods.mkpm._paths import (
    NestedPaths,
    TabulatedPaths,
    TieRule,
    decode_first,
    predict_blocks,
)
from reprolib.methods.shared.codes import encode, one_vs_all_code, simplex_code
from reprolib.methods.shared.kernels import gram
from reprolib.methods.shared.solution import Solution
from reprolib.methods.shared.ties import DIVIDED

NESTED = NestedPaths(
    np.array([[1.0, -2.0], [3.0, 0.5], [-1.0, 4.0]]),
    np.array([[9.0, 8.0, 5.0, 4.0], [7.0, 3.0, 2.0, 1.0]]),
)
TABULATED = TabulatedPaths(
    np.arange(24.0).reshape(2, 4, 3) * np.tri(4, 3, -1),
    np.array([[0.1, 0.2, 0.3, 0.4], [-1.0, -2.0, -3.0, -4.0]]),
    NESTED.objectives,
)
PATHS = pytest.mark.parametrize("paths", [NESTED, TABULATED], ids=["nested", "tabulated"])


@PATHS
def test_scores_are_those_of_every_single_predictor(paths):
    features = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]])
    scores = paths.scores(features)
    assert scores.shape == (2, 2, 4)
    for bit in range(2):
        for d in range(4):
            intercept = paths.intercepts(np.array([d, d]))[bit]
            expected = features[:, :d] @ paths.coefficients(bit, d) + intercept
            np.testing.assert_allclose(scores[:, bit, d], expected)


@PATHS
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_shorter_paths_have_the_same_predictors(paths, dimension):
    short = paths.truncate(dimension)
    assert short.objectives.tolist() == paths.objectives[:, : dimension + 1].tolist()
    features = np.array([[1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(
        short.scores(features[:, :dimension]), paths.scores(features)[:, :, : dimension + 1]
    )


@pytest.mark.parametrize(
    ("code", "lead", "largest"),
    [
        (one_vs_all_code(3), 8.0, 4.0),
        (np.array([[0.0, 1.0, 1000.0]]), 1.0, 1e6),
        (np.array([[1.0, -1.0]]), 4.0, 4.0),
    ],
)
def test_the_tie_rule_is_made_of_the_two_nearest_words(code, lead, largest):
    """The nearness of a score f to the word c is 2 f c - c^2 up to a constant a code."""
    rule = TieRule.of(code)
    assert (rule.lead, rule.largest) == (lead, largest)
    values = np.array([[0.0, -0.5 * largest, 0.3 * largest], [5.0 * largest, -1e9, 0.0]])
    np.testing.assert_allclose(rule.tolerance(values), [DIVIDED * lead, 5.0 * DIVIDED * lead])
    np.testing.assert_allclose(rule.tolerance(np.array([-3.0 * largest])), 3.0 * DIVIDED * lead)


@pytest.mark.parametrize(("behind", "first"), [(0.99, 0), (1.01, 1)])
def test_words_tie_up_to_the_part_of_the_lead(behind, first):
    """One-vs-all: the nearness is four times the score, and the right word leads by 8."""
    code = one_vs_all_code(3)
    difference = behind * DIVIDED * 8.0 / 4.0
    scores = np.array([[0.5 - difference, 0.5, -1.0]])
    assert decode_first(code, scores).tolist() == [first]
    paths = TabulatedPaths(np.zeros((3, 1, 0)), scores.T, np.zeros((3, 1)))
    ((_, found),) = predict_blocks(paths, np.zeros((1, 0)), np.zeros((1, 3), dtype=np.intp), code)
    assert found.tolist() == [[first]]


@pytest.mark.parametrize(
    ("n", "rank", "lengths"),
    [(100, 3, [25] * 4), (101, 3, [25] * 4 + [1]), (64, 3, [16] * 4), (40, 9, [16, 16, 8])],
)
def test_blocks_of_rows_have_as_many_scores_as_there_are_rows_and_bits(n, rank, lengths):
    paths = NestedPaths(np.ones((rank, 2)), np.zeros((2, rank + 1)))
    allocation = np.array([[0, 0], [1, 0], [rank, rank]])
    blocks = list(predict_blocks(paths, np.ones((n, rank)), allocation, one_vs_all_code(2)))
    assert [rows.stop - rows.start for rows, _ in blocks] == lengths
    assert [rows.start for rows, _ in blocks] == np.cumsum([0, *lengths[:-1]]).tolist()
    for rows, found in blocks:
        assert found.tolist() == [[0, 0, 0]] * (rows.stop - rows.start)


def test_bits_of_other_losses_are_read_off_the_answers_of_their_solver():
    """Four points, one function: the solver sees a column of zeros and one of length 2."""
    basis, seen = Basis(np.full((4, 1), 0.5), np.arange(4), np.eye(4)[:, :1]), []
    answers = {
        1.0: [(3.0, 0.3, 8.0, 7.9), (5.0, 0.5, 4.0, 4.2)],
        -1.0: [(7.0, 0.7, 2.0, 2.0), (9.0, 0.9, 2.4, 2.4)],
    }

    def solve(V, target, *, weights):
        seen.append((V.tolist(), weights))
        return [
            Solution(
                {"beta": np.array([0.0, beta][: d + 1]), "intercept": b}, primal, dual, "optimal"
            )
            for d, (beta, b, primal, dual) in enumerate(answers[target[0]])
        ]

    paths, gap = solved_paths(basis, np.array([[1.0, -1.0]] * 4), solve)
    assert seen == [([[0.0, 1.0]] * 4, None)] * 2
    assert paths.coef.tolist() == [[[0.0], [10.0]], [[0.0], [18.0]]]
    assert paths.intercept.tolist() == [[0.3, 0.5], [0.7, 0.9]]
    assert paths.objectives.tolist() == [[2.0, 1.0], [0.5, 0.5]], "means, which never rise"
    assert gap == pytest.approx(0.2 / 4.2), "the largest in size"


@pytest.mark.parametrize(("rank_tol", "kept"), [(0.05, 3), (0.15, 2), (0.6, 1)])
def test_approximate_eigenvalues_up_to_the_tolerance_are_left_out(rank_tol, kept):
    """Where all points are landmarks, the approximate eigenvalues are those of K."""
    K = np.diag([4.0, 0.4, 2.0])
    basis = nystrom_basis(lambda i: K[:, i], 3, 7, rank_tol=rank_tol, random_state=0)
    assert basis.features.shape == basis.projection.shape == (3, kept)
    np.testing.assert_allclose(np.abs(basis.features), np.eye(3)[:, [0, 2, 1][:kept]], atol=1e-12)
    np.testing.assert_allclose(K[:, basis.support] @ basis.projection, basis.features, atol=1e-12)


@pytest.mark.parametrize("rank", [4, 12])
def test_bases_are_orthonormal_under_weights_and_carry_over(rank):
    X = np.random.default_rng(0).normal(size=(12, 3))
    K, roots = gram(X, gamma=0.3), np.random.default_rng(1).uniform(0.5, 2.0, size=12)
    for basis in (
        kernel_pca_basis(K, rank_tol=1e-9, roots=roots).truncate(rank),
        nystrom_basis(lambda i: K[:, i], 12, rank, rank_tol=1e-9, random_state=0, roots=roots),
        cholesky_basis(np.diag(K), lambda i: K[:, i], rank, roots=roots),
    ):
        assert basis.values.shape == (12, rank)
        weighted = basis.values.T @ np.diag(roots**2) @ basis.values
        np.testing.assert_allclose(weighted, np.eye(rank), atol=1e-9)
        np.testing.assert_allclose(K[:, basis.support] @ basis.projection, basis.values, atol=1e-7)


@pytest.mark.parametrize(("n_classes", "length"), [(2, 10), (3, 16), (4, 20), (5, 24)])
def test_random_codes_have_ten_bits_for_every_bit_of_the_number_of_classes(n_classes, length):
    assert make_code("random", n_classes, 0).shape == (length, n_classes)
    assert make_code("simplex", n_classes).shape == (n_classes - 1, n_classes)
    assert make_code("one-vs-all", n_classes).shape == (n_classes, n_classes)


def test_a_code_is_a_matrix_of_one_column_a_class():
    for code, shape in (([1.0, -1.0], r"\(2,\)"), (np.ones((1, 2, 2)), r"\(1, 2, 2\)")):
        with pytest.raises(ValueError, match=f"code has shape {shape}, but y holds 2 classes"):
            check_code(code, 2)
    assert check_code([[1, -1]], 2).tolist() == [[1.0, -1.0]]


def fitted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 4
    return MKPMClassifier(gamma=0.2, rank=8).fit(X, y), X, y


def test_allocations_from_nothing_to_all_can_be_scored():
    model, X, y = fitted()
    ends = model.score_path(X, y, [[0, 0, 0, 0], [8, 8, 8, 8]])
    np.testing.assert_array_equal(ends, model.score_path(X, y)[[0, -1]])
    with pytest.raises(ValueError, match="allocations reaches from -1 to 2; the fitted path has"):
        model.score_path(X, y, [[0, -1, 2, 0]])
    with pytest.raises(ValueError, match=r"shape \(4,\); it needs one column per bit, 4"):
        model.score_path(X, y, [0, 1, 2, 0])


def test_coefficients_are_there_from_no_dimension_to_all():
    model, _, _ = fitted()
    np.testing.assert_array_equal(model.dual_coef_at(0), np.zeros((40, 4)))
    np.testing.assert_array_equal(model.dual_coef_at(32), model.dual_coef_)
    with pytest.raises(ValueError, match="n_components is -1; the fitted path has 0 to 32"):
        model.dual_coef_at(-1)


@pytest.mark.parametrize("sample_weight", [None, np.arange(30) % 3 + 0.5])
def test_risks_on_landmarks_are_weighted_means_of_squares(sample_weight):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 3
    code = simplex_code(3)
    model = NystromMKPMClassifier(rank=12, code=code, gamma=0.3, random_state=0)
    model.fit(X, y, sample_weight=sample_weight)
    targets = encode(code, y)
    of_zero = np.average(targets**2, axis=0, weights=sample_weight)
    np.testing.assert_allclose(model.bit_objective_path_[:, 0], of_zero)
    scores = model._bit_scores(X)
    of_all = np.average((scores - targets) ** 2, axis=0, weights=sample_weight)
    np.testing.assert_allclose(model.bit_objective_path_[:, -1], of_all)
    few = NystromMKPMClassifier(5, rank=12, code=code, gamma=0.3, random_state=0)
    few.fit(X, y, sample_weight=sample_weight)
    of_few = np.average((few._bit_scores(X) - targets) ** 2, axis=0, weights=sample_weight)
    assert few.objective_path_[5] == pytest.approx(of_few.sum())
    assert few.allocation_.sum() == few.n_components_ == 5


@pytest.mark.parametrize("estimator", [MKPMClassifier, MKPMClassifierCV, NystromMKPMClassifier])
def test_a_tolerance_of_eigenvalues_is_a_share_of_the_largest(estimator):
    for rank_tol in (0.0, 0.99):
        estimator(rank_tol=rank_tol)._validate_params()
    for rank_tol in (1.0, -1e-10):
        with pytest.raises(ValueError, match="'rank_tol' parameter of"):
            estimator(rank_tol=rank_tol)._validate_params()


def test_the_shortest_path_of_a_fold_is_the_length_of_them_all():
    """Folds of 14 and 8 points for training: the second has eight dimensions a bit."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(22, 3)), np.arange(22) % 2
    part = np.where(np.arange(22) < 8, 0, 1)
    model = MKPMClassifierCV(cv=PredefinedSplit(part), gamma=0.5).fit(X, y)
    assert model.cv_score_path_.shape == (17,)
    right = np.zeros(17)
    for fold in (0, 1):
        train, test = part != fold, part == fold
        alone = MKPMClassifier(gamma=0.5).fit(X[train], y[train])
        right += np.sum(alone.predict_path(X[test]) == y[test, None], axis=0)[:17]
    np.testing.assert_allclose(model.cv_score_path_, right / 22)
    assert model.n_components_ == 1 + np.argmax(right[1:])


BASES = ("kernel_pca", "nystrom", "cholesky")


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("basis", BASES)
def test_every_kernel_is_the_same_one_when_it_is_given(kernel, basis):
    rng = np.random.default_rng(2)
    y, X_new = np.arange(24) % 3, rng.normal(size=(5, 3))
    X = rng.normal(size=(24, 3)) + 2.0 * np.eye(3)[y]
    options = {"basis": basis, "rank": 3, "random_state": 0}
    ours = MKPMClassifier(6, kernel=kernel, gamma=0.5, **options).fit(X, y)
    K, K_new = gram(X, kernel=kernel, gamma=0.5), gram(X_new, X, kernel=kernel, gamma=0.5)
    given = MKPMClassifier(6, kernel="precomputed", **options).fit(K, y)
    np.testing.assert_array_equal(given.support_, ours.support_)
    np.testing.assert_allclose(
        given.decision_function(K_new), ours.decision_function(X_new), atol=1e-8
    )
    np.testing.assert_array_equal(ours.X_fit_, X[ours.support_])
    assert not hasattr(given, "X_fit_")


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_folds_of_every_kernel_are_those_of_the_given_one(kernel):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(24, 3)), np.arange(24) % 2
    ours = MKPMClassifierCV(6, kernel=kernel, gamma=0.5, cv=3).fit(X, y)
    K = gram(X, kernel=kernel, gamma=0.5)
    given = MKPMClassifierCV(6, kernel="precomputed", cv=3).fit(K, y)
    np.testing.assert_allclose(given.cv_score_path_, ours.cv_score_path_)


def test_bases_are_written_in_all_points_in_random_ones_or_in_the_longest():
    X = np.array([[1.0, 0.0], [0.0, 4.0], [3.0, 1.0], [2.0, 2.0], [0.5, 1.0]])
    X, y = np.vstack([X, 0.9 * X]), np.arange(10) % 2
    support = {
        basis: MKPMClassifier(kernel="linear", basis=basis, rank=2, rank_tol=1e-7, random_state=0)
        .fit(X, y)
        .support_.tolist()
        for basis in BASES
    }
    assert support["kernel_pca"] == [*range(10)]
    assert support["cholesky"] == [1, 2], "of what is left, (3, 0) is longer than (2, 0)"
    assert len(set(support["nystrom"])) == 2


@pytest.mark.parametrize(("lead", "expected"), [(0.0, 2), (6e-10, 2), (2e-9, 3)])
def test_of_dimensions_that_tie_the_smallest_is_taken(monkeypatch, lead, expected):
    """Entry 0 is no choice; a lead within the tolerance of scores is rounding."""
    X, y = np.random.default_rng(0).normal(size=(12, 2)), np.arange(12) % 2
    scores = np.array([9.0, 0.5, 0.75, 0.75 + lead, 0.75])
    monkeypatch.setattr(MKPMClassifierCV, "_held_out_score", lambda self, *fold: 4.0 * scores)
    model = MKPMClassifierCV(4, gamma=0.5, cv=3).fit(X, y)
    assert model.n_components_ == expected


@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
@pytest.mark.parametrize("basis", BASES)
def test_the_support_is_rows_of_what_was_given(basis, kernel):
    rng = np.random.default_rng(4)
    X, y, X_new = rng.normal(size=(12, 4)), np.arange(12) % 2, rng.normal(size=(5, 4))
    weights = np.ones(12)
    weights[[0, 3, 4]] = 0.0
    given = X @ X.T if kernel == "precomputed" else X
    new = X_new @ X.T if kernel == "precomputed" else X_new
    model = MKPMClassifier(4, kernel=kernel, basis=basis, rank=3, random_state=0)
    model.fit(given, y, sample_weight=weights)
    assert set(model.support_) <= set(np.flatnonzero(weights))
    expansion = (X_new @ X.T)[:, model.support_] @ model.dual_coef_ + model.intercept_
    np.testing.assert_allclose(model._bit_scores(new), expansion, atol=1e-9)
    if kernel == "linear":
        np.testing.assert_array_equal(model.X_fit_, X[model.support_])


def test_counts_take_a_list_of_weights():
    X, y = np.random.default_rng(5).normal(size=(12, 2)), np.arange(12) % 3
    model = MKPMClassifier(4, gamma=0.5).fit(X, y)
    weights = (np.arange(12) % 4).tolist()
    right = model.predict_path(X) == y[:, None]
    assert model.count_path(X, y, sample_weight=weights).tolist() == (weights @ right).tolist()
    assert model.count_path(X, y).tolist() == right.sum(axis=0).tolist()
