import numpy as np
import pytest
from sklearn.svm import SVC

from reprolib.methods.keops import (
    KEOPSClassifier,
    KernelTree,
    MKLClassifier,
    TreeLassoClassifier,
)
from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.methods.shared.validation import ConstantClassifierWarning
from tests.methods.keops.test_pyramid import CHANNEL, NESTED, REGION, TREE, data


def test_flat_tree_equals_mkl():
    X, y = data()
    flat = KEOPSClassifier(None, 1.0, C=1.0, gap_tol=1e-5, max_iter=20000).fit(X, y)
    mkl = MKLClassifier(C=1.0).fit(X, y)
    assert flat.status_ == mkl.status_ == "optimal"
    assert flat.objective_ == pytest.approx(mkl.objective_, rel=1e-5)
    assert mkl.duality_gap_ < 1e-5


def test_exponents_zero_give_the_plain_svm():
    X, y = data()
    ours = KEOPSClassifier(TREE, 0.0, C=0.5).fit(X, y)
    svc = SVC(C=0.5, kernel="linear", tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.coef_, svc.coef_[0], atol=1e-5)
    assert ours.n_iter_ == 1


def test_composite_kernel_learning_is_the_two_level_case():
    X, y = data()
    tree = KernelTree.from_labels([CHANNEL])
    composite = MKLClassifier(C=2.0, groups=CHANNEL, p=(0.3, 0.5)).fit(X, y)
    keops = KEOPSClassifier(tree, (0.3, 0.5), C=2.0).fit(X, y)
    np.testing.assert_array_equal(composite.coef_, keops.coef_)
    ungrouped = MKLClassifier(C=2.0, groups=CHANNEL, p=(0, 1), gap_tol=1e-5).fit(X, y)
    mkl = MKLClassifier(C=2.0).fit(X, y)
    assert ungrouped.objective_ == pytest.approx(mkl.objective_, rel=2e-5)


@pytest.mark.parametrize("p", [1.0, (0.2, 0.3, 0.5)])
def test_order_of_the_kernels_does_not_matter(p):
    X, y = data()
    order = np.random.default_rng(0).permutation(9)
    shuffled = KernelTree.from_labels([REGION[order], CHANNEL[order]])
    a = KEOPSClassifier(TREE, p, C=50.0).fit(X, y)
    b = KEOPSClassifier(shuffled, p, C=50.0).fit(X[:, order], y)
    np.testing.assert_allclose(a.coef_[order], b.coef_, atol=1e-6)
    assert a.n_selected_ == b.n_selected_


def test_order_of_the_rows_and_names_of_the_classes_do_not_matter():
    X, y = data()
    a = KEOPSClassifier(TREE, C=50.0).fit(X, y)
    b = KEOPSClassifier(NESTED, C=50.0).fit(X[::-1], np.where(y > 0, "target", "other")[::-1])
    np.testing.assert_allclose(a.decision_function(X), b.decision_function(X), atol=1e-6)
    assert set(b.predict(X)) == {"target", "other"}


def test_feature_blocks_equal_their_gram_matrices():
    X, y = data()
    train, test = slice(0, 30), slice(30, 40)
    parts = [X[:, m == CHANNEL] for m in range(5)]
    Ks = np.stack([part[train] @ part[train].T for part in parts])
    cross = np.stack([part[test] @ part[train].T for part in parts])
    tree = [[0, 1], [2], [3, 4]]
    blocks = KEOPSClassifier(tree, C=20.0, blocks=CHANNEL).fit(X[train], y[train])
    grams = KEOPSClassifier(tree, C=20.0, kernel="precomputed").fit(Ks, y[train])
    np.testing.assert_allclose(
        blocks.decision_function(X[test]), grams.decision_function(cross), atol=1e-6
    )
    for bad in (cross[:4], cross[:, :, :29], cross[0]):
        with pytest.raises(ValueError, match=r"have shape \(5, m, 30\)"):
            grams.decision_function(bad)
    with pytest.raises(ValueError, match=r"groups has shape \(8,\); .* of the 9 kernels\."):
        MKLClassifier(groups=np.zeros(8)).fit(X, y)


def test_non_convex_exponents_are_sparser_and_end_stationary():
    X, y = data(n=80)
    keops = KEOPSClassifier(TREE, 1.0, C=100.0).fit(X, y)
    convex = KEOPSClassifier(TREE, (0.2, 0.3, 0.5), C=1.0).fit(X, y)
    assert keops.status_ == "stationary"
    assert keops.duality_gap_ == np.inf
    assert keops.selected_.sum() < convex.selected_.sum()
    assert np.array_equal(keops.selected_, keops.kernel_weights_ > 0)
    assert keops.n_selected_ == TREE.n_selected(keops.selected_)


def test_random_start_is_seeded():
    X, y = data()
    a, b = (KEOPSClassifier(TREE, C=50.0, init="random", random_state=3).fit(X, y) for _ in "ab")
    np.testing.assert_array_equal(a.coef_, b.coef_)


@pytest.mark.parametrize("flat_value", [0.0, 3.0])
def test_flat_channel_gets_weight_zero(flat_value):
    X, y = data()
    X[:, 6:] = flat_value
    for model in (KEOPSClassifier(TREE, C=50.0), MKLClassifier(C=1.0)):
        model.fit(X, y)
        assert not model.selected_[6:].any()
        assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("offset", [1e6, -1e9, 1e11])
@pytest.mark.parametrize(
    "model", [KEOPSClassifier(p=0.5, C=5.0), MKLClassifier(C=5.0), TreeLassoClassifier()]
)
def test_an_offset_is_no_reason_to_drop_a_feature(model, offset):
    rng = np.random.default_rng(0)
    X, y = rng.integers(-64, 65, size=(60, 4)) / 16, np.arange(60) % 2
    X[:, 0] += 4.0 * y
    expected = model.fit(X, y).decision_function(X)
    coef, selected = model.coef_, model.selected_
    shifted = X + np.array([offset, 0.0, offset, 0.0])
    model.fit(shifted, y)
    assert selected[0]
    np.testing.assert_array_equal(model.selected_, selected)
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.decision_function(shifted), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("offset", [1e6, 1e11])
def test_round_off_around_an_offset_is_no_feature(offset):
    X, y = data()
    noise = np.random.default_rng(0).integers(-1, 2, size=40)
    X[:, 6] = offset + noise * np.spacing(offset)
    for model in (KEOPSClassifier(TREE, C=50.0), MKLClassifier(C=1.0), TreeLassoClassifier()):
        assert not model.fit(X, y).selected_[6]


def test_all_features_constant_predicts_the_majority():
    y = np.array([0, 0, 0, 1, 1])
    for model in (KEOPSClassifier(C=1.0), MKLClassifier(C=1.0)):
        model.fit(np.ones((5, 3)), y)
        assert model.n_selected_ == (0,)
        np.testing.assert_array_equal(model.predict(np.ones((2, 3))), [0, 0])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"p": [-1]}, "every exponent must be a finite number >= 0"),
        ({"p": (1, 1)}, r"one per level of the tree \(1\)"),
        ({"tree": [[0, 1], [1]]}, r"Kernels \[1\] occur in two groups"),
        ({"tree": KernelTree.flat(4)}, "The tree has 4 kernels, the data 9"),
        ({"blocks": [0, 1]}, r"blocks has shape \(2,\)"),
        ({"blocks": [0, 0, 0, 0, 0, 0, 0, 0, 2]}, "blocks must use every number"),
        ({"blocks": np.arange(9) < 4}, "blocks is a mask"),
        ({"kernel": "precomputed"}, r"shape \(n_kernels, 40, 40\)"),
    ],
)
def test_bad_parameters(params, message):
    X, y = data()
    with pytest.raises(ValueError, match=message):
        KEOPSClassifier(**params).fit(X, y)


def test_too_few_outer_steps_warn():
    X, y = data()
    with pytest.warns(NotOptimalWarning, match="not settled after 2 outer steps"):
        KEOPSClassifier(TREE, C=50.0, max_iter=2).fit(X, y)


@pytest.mark.parametrize("model", [KEOPSClassifier(kernel="precomputed"),
                                   MKLClassifier(kernel="precomputed")])  # fmt: skip
def test_indefinite_and_asymmetric_kernels_are_refused(model):
    X, y = data()
    good = X @ X.T
    bad = good - 0.5 * np.eye(len(y))
    smallest = f"{np.linalg.eigvalsh(bad)[0]:.3g}"
    with pytest.raises(ValueError, match=rf"X\[1\] is not positive semidefinite.*{smallest}"):
        model.fit(np.stack([good, bad]), y)
    with pytest.raises(ValueError, match=r"X\[0\] is not symmetric"):
        model.fit(np.stack([np.triu(good), good]), y)
    round_off = 1e-15 * np.trace(good) * np.eye(len(y))
    assert model.fit(np.stack([good, good - round_off]), y).status_ == "optimal"


@pytest.mark.parametrize("model", [KEOPSClassifier(p=0.5), KEOPSClassifier(p=2.0), MKLClassifier()])
def test_data_in_volts_predict_by_their_scores_or_say_why_not(model):
    X, _ = data(n=120)
    balanced, one_in_six = np.arange(120) % 2 == 0, np.arange(120) % 6 == 0
    X[:, 0] += 2.0 * balanced
    model.fit(1e-6 * X, balanced)
    assert model.score(1e-6 * X, balanced) > 0.7
    with pytest.warns(ConstantClassifierWarning, match=r"tiny beside 1 / C = 1.*raise C") as seen:
        model.fit(1e-6 * X, one_in_six)
    assert [warning.filename for warning in seen] == [__file__]
    assert model.status_ in ("optimal", "stationary")
    assert not model.predict(1e-6 * X).any()


def test_units_and_C_trade_off():
    X, y = data()
    for p in (0.5, 2.0):
        plain = KEOPSClassifier(p=p, C=10.0).fit(X, y)
        volts = KEOPSClassifier(p=p, C=np.ldexp(10.0, 40)).fit(np.ldexp(X, -20), y)
        np.testing.assert_allclose(np.ldexp(volts.coef_, -20), plain.coef_, rtol=1e-9)
        assert volts.duality_gap_ == pytest.approx(plain.duality_gap_, rel=1e-6)


def test_mkl_falls_back_on_the_alternation_where_the_quadratic_programme_is_inaccurate():
    X = np.random.default_rng(0).normal(size=(13, 1))
    model = MKLClassifier(C=1e6).fit(X, np.arange(13) % 2)
    assert model.status_ == "optimal"
    assert model.duality_gap_ < 1e-6


def test_kernels_of_single_features_may_come_in_any_order():
    X, y = np.random.default_rng(0).normal(size=(80, 4)), np.arange(80) % 2
    X[:, 0] += 4.0 * y
    X[:, 3] -= 2.0 * y
    ours, order = MKLClassifier(C=0.1).fit(X, y), np.array([1, 2, 0, 3])
    given = MKLClassifier(C=0.1, blocks=order).fit(X, y)
    assert given.status_ == "optimal"
    assert len(given.objective_path_) == 1, "from the quadratic programme, too"
    np.testing.assert_allclose(given.coef_, ours.coef_, atol=1e-9)
    np.testing.assert_allclose(given.kernel_weights_[order], ours.kernel_weights_, atol=1e-9)
    np.testing.assert_allclose(given.kernel_norms_[order], ours.kernel_norms_, atol=1e-9)
    assert given.score(X, y) > 0.95


@pytest.mark.parametrize("make", [KEOPSClassifier, MKLClassifier])
def test_a_refit_on_given_kernels_forgets_the_features(make):
    pd = pytest.importorskip("pandas")
    X, y = data()
    model = make().fit(pd.DataFrame(X, columns=list("abcdefghi")), y)
    assert model.n_features_in_ == 9
    Ks = np.stack([np.outer(x, x) for x in X.T])
    model.set_params(kernel="precomputed").fit(Ks, y)
    assert model.n_features_in_ == 40, "the training columns, as in scikit-learn"
    assert not hasattr(model, "coef_")
    assert not hasattr(model, "feature_names_in_")
    assert model.set_params(kernel="linear").fit(X, y).n_features_in_ == 9
    assert model.coef_.shape == (9,)


def test_the_path_of_the_objective_is_one_number_from_the_quadratic_programme():
    X, y = data()
    exact, stepped = MKLClassifier().fit(X, y), KEOPSClassifier(p=1.0).fit(X, y)
    assert exact.n_iter_ > 1
    assert exact.objective_path_.tolist() == [exact.objective_]
    assert stepped.objective_path_.shape == (stepped.n_iter_,)
