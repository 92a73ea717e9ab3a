import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits

from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.methods.simplex import (
    SimplexConeSVC,
    SimplexRLSClassifier,
    SimplexSGDClassifier,
    make_loss,
    sgd_solver,
)
from reprolib.methods.simplex.sgd import fit_along
from tests.naive import simplex as naive

LOSSES = ["least_squares", "cone", "halfspace", "cone_halfspace"]


def blobs(seed=0, n=60, p=3, T=4):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(T), rng.integers(T, size=n - T)])
    centres = np.random.default_rng(99).normal(size=(T, p)) * 2
    return centres[y] + rng.normal(size=(n, p)), y


@pytest.mark.filterwarnings("ignore:SimplexSGDClassifier ended .* steps are too long")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("project", [True, False])
@pytest.mark.parametrize("eta0", [None, 0.05])
@pytest.mark.parametrize("T", [2, 4])
def test_steps_follow_the_paper(loss, project, eta0, T):
    X, y = blobs(1, T=T)
    X /= 4
    alpha = 0.05
    model = SimplexSGDClassifier(
        loss, alpha=alpha, eta0=eta0, project=project, shuffle=False, max_iter=2
    ).fit(X, y)
    t0 = 0.0 if eta0 is None else 1 / (2 * alpha * eta0) - 1
    order = np.tile(np.arange(60), 2)
    iterates = naive.sgd(make_loss(loss, T), X, y, 2 * alpha, order, t0, project)
    np.testing.assert_allclose(model.coef_, iterates[-1], atol=1e-9)
    model.set_params(average=True).fit(X, y)
    np.testing.assert_allclose(model.coef_, np.mean(iterates, axis=0), atol=1e-9)
    model.set_params(average=41).fit(X, y)
    np.testing.assert_allclose(model.coef_, np.mean(iterates[40:], axis=0), atol=1e-9)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("eta0", [None, "auto", "first", np.float64(1e59)])
@pytest.mark.parametrize("alpha", [1e-59, 1.5e4, np.float64(1e59)])
def test_where_all_features_are_zero_no_step_overflows(eta0, alpha):
    model = SimplexSGDClassifier(alpha=alpha, eta0=eta0, random_state=0)
    assert not model.fit(np.zeros((6, 2)), [0, 1] * 3).coef_.any()


@pytest.mark.parametrize("average", [True, 40, False])
def test_a_mean_of_iterates_leaves_the_last_one_as_it_is(average):
    X, y = blobs(3)
    last = SimplexSGDClassifier(eta0=None, random_state=0).fit(X, y).coef_
    whole = SimplexSGDClassifier(eta0=None, random_state=0, average=average)
    np.testing.assert_array_equal(whole.fit(X, y).last_coef_, last)
    by_pass = SimplexSGDClassifier(eta0=None, random_state=0, average=average)
    for _ in range(by_pass.max_iter):
        by_pass.partial_fit(X, y, classes=np.unique(y))
    np.testing.assert_array_equal(by_pass.last_coef_, last)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("average", [False, True])
def test_sparse_input_gives_the_same_model(loss, average):
    X, y = blobs(2)
    X[np.abs(X) < 1] = 0
    model = SimplexSGDClassifier(loss, alpha=0.01, average=average, random_state=0)
    dense = model.fit(X, y).coef_
    np.testing.assert_allclose(model.fit(sp.csr_array(X), y).coef_, dense, atol=1e-9)


def test_least_squares_converges_to_the_batch_solution():
    X, y = blobs(3, n=200)
    online = SimplexSGDClassifier(
        "least_squares", alpha=0.1, max_iter=300, average=40_001, random_state=0
    ).fit(X, y)
    batch = SimplexRLSClassifier(alpha=0.1).fit(X, y)
    np.testing.assert_allclose(online.coef_, batch.coef_, atol=0.01)


def test_cone_converges_to_the_batch_solution():
    X, y = blobs(4, n=200)
    alpha = 0.05
    online = SimplexSGDClassifier("cone", alpha=alpha, max_iter=300, average=40_001, random_state=0)
    batch = SimplexConeSVC(1 / (2 * 200 * alpha), kernel="linear", max_iter=50_000).fit(X, y)
    loss = make_loss("cone", 4)

    def objective(W):
        return np.mean(loss.value(X @ W.T, y)) + alpha * np.sum(W**2)

    best = objective(batch.coef_)
    assert best <= objective(online.fit(X, y).coef_) <= best * 1.01


def test_projection_keeps_the_frobenius_norm():
    X, y = blobs(5)
    model = SimplexSGDClassifier("cone", alpha=2.0, eta0=10.0, max_iter=1).fit(10 * X, y)
    assert np.linalg.norm(model.coef_) <= 1 / np.sqrt(2 * 2.0) + 1e-12


@pytest.mark.filterwarnings("ignore:SimplexSGDClassifier ended .* steps are too long")
@pytest.mark.parametrize("loss", LOSSES)
def test_the_library_schedule_by_definition(loss):
    """GURLS: t0 = ceil(||x_1|| / sqrt(lambda)), radius sqrt(T / lambda), mean of all iterates."""
    X, y = blobs(9)
    alpha = 0.003
    model = SimplexSGDClassifier(
        loss, alpha=alpha, eta0="first", project=2.0, average=True, shuffle=False, max_iter=2
    ).fit(X, y)
    lam = 2 * alpha
    t0 = np.ceil(np.linalg.norm(X[0]) / np.sqrt(lam))
    order = np.tile(np.arange(60), 2)
    iterates = naive.sgd(make_loss(loss, 4), X, y, lam, order, t0, radius=np.sqrt(4 / lam))
    assert max(map(np.linalg.norm, iterates)) > 1 / np.sqrt(lam)
    np.testing.assert_allclose(model.coef_, np.mean(iterates, axis=0), atol=1e-9)


def test_partial_fit_goes_on_where_it_stopped():
    X, y = blobs(6)
    whole = SimplexSGDClassifier(shuffle=False, eta0=0.1, max_iter=1).fit(X, y)
    parts = SimplexSGDClassifier(shuffle=False, eta0=0.1)
    for rows in (slice(0, 7), slice(7, 41), slice(41, 60)):
        parts.partial_fit(X[rows], y[rows], classes=np.arange(4))
    np.testing.assert_allclose(parts.coef_, whole.coef_, atol=1e-12)
    assert parts.t_ == whole.t_ == 60


def test_memory_mapped_rows_stream_to_the_same_model(tmp_path):
    X, y = blobs(7)
    X.tofile(tmp_path / "rows.bin")
    mapped = np.memmap(tmp_path / "rows.bin", mode="r", dtype=X.dtype).reshape(X.shape)
    from_file = SimplexSGDClassifier(random_state=0).fit(mapped, y).coef_
    np.testing.assert_array_equal(from_file, SimplexSGDClassifier(random_state=0).fit(X, y).coef_)
    streamed = SimplexSGDClassifier(random_state=0)
    for epoch in range(5):
        for start in np.random.default_rng(epoch).permutation([0, 16, 32, 48]):
            rows = slice(start, start + 16)
            streamed.partial_fit(mapped[rows], y[rows], classes=np.arange(4))
    assert streamed.t_ == 5 * 60
    assert streamed.score(X, y) > 0.7


def test_single_precision_is_used_as_it_is():
    X, y = blobs(8)
    single = SimplexSGDClassifier(random_state=0).fit(X.astype(np.float32), y)
    double = SimplexSGDClassifier(random_state=0).fit(X, y)
    np.testing.assert_allclose(single.coef_, double.coef_, atol=1e-3)


def test_accuracy_on_digits():
    X, y = load_digits(return_X_y=True)
    for loss, least in (("least_squares", 0.88), ("cone", 0.78), ("halfspace", 0.88)):
        model = SimplexSGDClassifier(loss, alpha=0.01, average=1000, random_state=0)
        assert model.fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > least


def test_partial_fit_needs_the_classes_first():
    X, y = blobs()
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        SimplexSGDClassifier().partial_fit(X, y)


def test_partial_fit_names_unseen_labels():
    X, y = blobs()
    with pytest.raises(ValueError, match=r"y has labels \[3\] that are not in classes"):
        SimplexSGDClassifier().partial_fit(X, y, classes=[0, 1, 2])


GAUSSIAN = np.random.default_rng(0).normal(size=(100, 3))
THIRDS = np.arange(100) % 3


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("average", [False, True])
def test_divergence_is_an_error_that_names_eta0(container, average):
    model = SimplexSGDClassifier(
        "least_squares", eta0=10.0, project=False, max_iter=50, average=average
    )
    with pytest.raises(ValueError, match=r"diverged: .* eta0=10\.0, .* decrease eta0"):
        model.fit(container(GAUSSIAN), THIRDS)


def test_divergence_of_a_stream_is_an_error_and_leaves_the_last_finite_model():
    model = SimplexSGDClassifier("least_squares", eta0=10.0, project=False)
    model.partial_fit(GAUSSIAN[:5], THIRDS[:5], classes=np.arange(3))
    before, steps = model.coef_.copy(), model.t_
    for _ in range(2):
        with pytest.raises(ValueError, match="diverged"):
            model.partial_fit(np.tile(GAUSSIAN, (50, 1)), np.tile(THIRDS, 50))
        np.testing.assert_array_equal(model.coef_, before)
    assert np.isfinite(before).all()
    assert model.partial_fit(GAUSSIAN[:5], THIRDS[:5]).t_ == steps + 5


def test_overflow_before_a_projection_is_no_zero_model():
    model = SimplexSGDClassifier("least_squares", eta0=None, alpha=1e-60)
    with pytest.raises(ValueError, match="diverged"):
        model.fit(1e59 * GAUSSIAN, THIRDS)


def test_a_model_worse_than_zero_is_said_once():
    model = SimplexSGDClassifier(eta0=None, alpha=1e-60, project=False)
    with pytest.warns(NotOptimalWarning, match="decrease eta0") as caught:
        model.fit(GAUSSIAN, THIRDS)
    assert len(caught) == 1
    assert caught[0].filename == __file__, "the line that calls fit"


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_squares_of_single_precision_do_not_overflow(container, scale):
    X = container((scale * GAUSSIAN).astype(np.float32))
    model = SimplexSGDClassifier(alpha=1e-4 * scale**2, random_state=0).fit(X, THIRDS)
    plain = SimplexSGDClassifier(alpha=1e-4, random_state=0).fit(GAUSSIAN, THIRDS)
    np.testing.assert_allclose(scale * model.coef_, plain.coef_, atol=1e-3)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_features_that_overflow_are_refused(container):
    with pytest.raises(ValueError, match="overflow"):
        SimplexSGDClassifier().fit(container(1e150 * GAUSSIAN), THIRDS)
    with pytest.raises(ValueError, match="overflow"):
        SimplexSGDClassifier().partial_fit(container(1e150 * GAUSSIAN), THIRDS, [0, 1, 2])


def test_a_refused_first_batch_leaves_nothing_behind():
    X, y = blobs()
    model = SimplexSGDClassifier(random_state=0)
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(np.full_like(X, np.nan), y, classes=np.unique(y))
    model.partial_fit(X, y, classes=np.unique(y))
    again = SimplexSGDClassifier(random_state=0).partial_fit(X, y, classes=np.unique(y))
    np.testing.assert_array_equal(model.coef_, again.coef_)


def test_averages_where_average_is_true_or_a_number():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 3

    def coef(average):
        return SimplexSGDClassifier(average=average, random_state=0).fit(X, y).coef_

    np.testing.assert_array_equal(coef(np.False_), coef(False))
    np.testing.assert_array_equal(coef(np.True_), coef(True))
    np.testing.assert_array_equal(coef(0), coef(True))
    assert not np.array_equal(coef(True), coef(False))


def test_a_first_batch_with_an_unknown_label_starts_nothing():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([0, 1, 2])
    model = SimplexSGDClassifier(eta0="auto", random_state=0)
    with pytest.raises(ValueError, match=r"y has labels \[9\]"):
        model.partial_fit(1e3 * X, [0, 1, 9], classes=[0, 1, 2])
    expected = SimplexSGDClassifier(eta0="auto", random_state=0).partial_fit(X, y, [0, 1, 2])
    model.partial_fit(X, y, classes=[0, 1, 2])
    np.testing.assert_array_equal(model.coef_, expected.coef_)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("lam", [1e-7, 1e-3, 10.0])  # with the first the scale is folded often
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_steps_in_blocks_are_the_same_steps(loss, lam, dtype, monkeypatch):
    """Data with many classes and features take them, small ones do not."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 7)).astype(dtype), rng.integers(4, size=150)
    weights, order, states = rng.uniform(0.5, 2.0, size=150), rng.permutation(150), []
    for many in (0, 10**9):
        monkeypatch.setattr(sgd_solver, "MANY", many)
        state = sgd_solver.SGDState(4, 7)
        for part in (order[:3], order, order[:130]):
            sgd_solver.run_sgd(
                state, X, y, part, loss=loss, lam=lam, average_from=140, weights=weights
            )
        states.append(state)
    blocks, single = states
    for found, expected in (
        (blocks.class_weights(), single.class_weights()),
        (blocks.average_class_weights(), single.average_class_weights()),
    ):
        np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("alpha", [1e-5, 1e-2, 5.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fewer_rows_than_features_take_the_same_steps(loss, alpha, dtype, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 170)).astype(dtype), rng.integers(4, size=150)
    models = []
    for many in (0, 10**9):
        monkeypatch.setattr(sgd_solver, "MANY", many)
        model = SimplexSGDClassifier(loss, alpha=alpha, max_iter=3, average=200, random_state=0)
        # A later batch goes on from where the fit stopped.
        models.append(model.fit(X, y).partial_fit(X[:90], y[:90]))
    for name in ("coef_", "last_coef_"):
        found, expected = (getattr(model, name) for model in models)
        np.testing.assert_allclose(found, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("n_features", [6, 4200])
def test_the_fits_along_alpha_are_those_of_each_alpha(n_features):
    """With many features they share the inner products of the rows."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, n_features)), np.arange(30) % 3
    model = SimplexSGDClassifier("halfspace", max_iter=2, random_state=0)
    for alpha, found in zip([0.1, 10.0], fit_along(model, [0.1, 10.0], X, y), strict=True):
        alone = SimplexSGDClassifier("halfspace", alpha=alpha, max_iter=2, random_state=0)
        np.testing.assert_array_equal(found.coef_, alone.fit(X, y).coef_)
