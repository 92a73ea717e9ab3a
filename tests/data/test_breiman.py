"""Breiman's distributions: moments by definition, the published SVM errors, the real pools."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

import data_fetch
from data_fetch.embedded.breiman import load_embedded, ringnorm, twonorm, waveform

N = 100_000
MEAN = 2 / np.sqrt(20)
#: A hundred thousand draws estimate means and variances to a few times 1 / sqrt(N).
TOLERANCE = 10 / np.sqrt(N)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_twonorm_moments(rng):
    X, y = twonorm(N, rng)
    for sign in (1, -1):
        np.testing.assert_allclose(X[y == sign].mean(axis=0), sign * MEAN, atol=TOLERANCE)
        np.testing.assert_allclose(np.cov(X[y == sign].T), np.eye(20), atol=2 * TOLERANCE)


def test_twonorm_bayes_error_is_published_value(rng):
    """The best rule is the sign of the sum; its error is Phi(-2), 2.3 % in Breiman's report."""
    X, y = twonorm(N, rng)
    error = np.mean(np.sign(X.sum(axis=1)) != y)
    assert error == pytest.approx(0.02275, abs=0.002)


def test_ringnorm_moments(rng):
    X, y = ringnorm(N, rng)
    np.testing.assert_allclose(X[y == 1].mean(axis=0), 0, atol=2 * TOLERANCE)
    np.testing.assert_allclose(np.cov(X[y == 1].T), 4 * np.eye(20), atol=8 * TOLERANCE)
    np.testing.assert_allclose(X[y == -1].mean(axis=0), MEAN, atol=TOLERANCE)
    np.testing.assert_allclose(np.cov(X[y == -1].T), np.eye(20), atol=2 * TOLERANCE)


def test_waveform_means_are_those_of_the_waves(rng):
    X, y = waveform(N, rng)
    low, middle, high = (np.maximum(6 - abs(np.arange(1, 22) - peak), 0) for peak in (7, 11, 15))
    assert np.mean(y == 1) == pytest.approx(1 / 3, abs=TOLERANCE)
    np.testing.assert_allclose(X[y == 1].mean(axis=0), (low + middle) / 2, atol=0.1)
    expected = ((low + high) / 2 + (middle + high) / 2) / 2
    np.testing.assert_allclose(X[y == -1].mean(axis=0), expected, atol=0.1)


@pytest.mark.parametrize(
    ("name", "n", "p"), [("twonorm", 7400, 20), ("ringnorm", 7400, 20), ("waveform", 5000, 21)]
)
def test_data_set_has_the_format_of_the_suite(name, n, p):
    data = data_fetch.load(f"embedded/{name}")
    info = data_fetch.info(f"embedded/{name}")
    assert data.X.shape == (n, p) == (info.n_samples, info.n_features)
    assert data.source == info.source == info.state == "embedded"
    assert len(data.splits) == 20
    assert all(len(train) == 400 and len(test) == n - 400 for train, test in data.splits)
    np.testing.assert_allclose(data.X.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(data.X.std(axis=0, ddof=1), 1)
    assert load_embedded(f"embedded/{name}").digest() == data.digest()


def test_unknown_distribution():
    with pytest.raises(ValueError, match="no distribution 'embedded/threenorm'; there are twonorm"):
        load_embedded("embedded/threenorm")


def svm_errors(data, C, sigma):
    """Test errors of an SVM with Raetsch's kernel exp(-d^2 / sigma), one per realisation."""
    errors = []
    for train, test in data.splits:
        svm = SVC(C=C, gamma=1 / sigma).fit(data.X[train], data.y[train])
        errors.append(1 - svm.score(data.X[test], data.y[test]))
    return np.array(errors)


@pytest.mark.parametrize(
    ("name", "C", "sigma", "published", "spread"),
    [
        ("twonorm", 3.162, 40, 0.0296, 0.0023),
        ("ringnorm", 1e9, 10, 0.0166, 0.0012),
        ("waveform", 1, 20, 0.0988, 0.0043),
    ],
)
def test_published_svm_errors_hold(name, C, sigma, published, spread):
    """Raetsch's mean over 100 realisations lies in the 99 % interval of the difference.

    Two things vary: the training set (the spread over realisations, theirs and ours), and the
    pool, whose points are the test points of nearly every realisation, so that their binomial
    error does not average out; there are two pools, theirs and ours.
    """
    data = load_embedded(f"embedded/{name}")
    errors = svm_errors(data, C, sigma)
    pool = 2 * published * (1 - published) / len(data.y)
    variance = spread**2 / 100 + errors.var(ddof=1) / len(errors) + pool
    assert abs(errors.mean() - published) < 2.576 * np.sqrt(variance)
    assert errors.std(ddof=1) < 2 * spread


@pytest.mark.needs_data("raetsch/ringnorm")
@pytest.mark.parametrize("name", ["ringnorm", "waveform"])
def test_published_pools_have_these_distributions(name):
    """Class means and variances agree within sampling error, feature by feature."""
    real, ours = data_fetch.load(f"raetsch/{name}"), load_embedded(f"embedded/{name}")
    for sign in (1, -1):
        a, b = real.X[real.y == sign], ours.X[ours.y == sign]
        scale = np.sqrt(a.var(axis=0) / len(a) + b.var(axis=0) / len(b))
        assert np.abs((a.mean(axis=0) - b.mean(axis=0)) / scale).max() < 4.5
        ratio = a.var(axis=0) / b.var(axis=0)
        assert np.abs(np.log(ratio)).max() < 4.5 * np.sqrt(2 / len(a) + 2 / len(b))
