"""Sparse rows give the model of the same rows stored densely."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_classification

import reprolib

ESTIMATORS = {
    "KPM": reprolib.KPMClassifier(5),
    "KPM, centred": reprolib.KPMClassifier(5, center=True, loss="square"),
    "KPM, chosen": reprolib.KPMClassifierCV(6, cv=3),
    "kernel MMC": reprolib.KernelMMC(2, constraint="function"),
    "S-RLS": reprolib.SimplexRLSClassifier(0.1),
    "MKPM": reprolib.MKPMClassifier(8),
    "MKPM, Nystrom basis": reprolib.MKPMClassifier(8, basis="nystrom", rank=20, random_state=0),
    "MKPM, Cholesky basis": reprolib.MKPMClassifier(8, basis="cholesky", rank=8),
    "MKPM, chosen": reprolib.MKPMClassifierCV(8, cv=3),
    "MKPM, Nystrom": reprolib.NystromMKPMClassifier(8, rank=20, random_state=0),
    "S-RLS, chosen": reprolib.SimplexRLSClassifierCV(),
    "SC-SVM": reprolib.SimplexConeSVC(tol=1e-11),
    "SC-SVM, interior points": reprolib.SimplexConeSVC(solver="cvxopt", tol=1e-10),
    "SH-SVM": reprolib.SimplexHalfspaceSVC(tol=1e-11),
}
KERNELS = [
    {"kernel": "rbf", "gamma": 0.2},
    {"kernel": "rbf", "gamma": "scale"},
    {"kernel": "poly", "degree": 2},
    {"kernel": "linear"},
]


def rows(seed=0):
    X, y = make_classification(60, 12, n_informative=8, random_state=seed)
    return np.where(np.abs(X) > 0.7, X, 0.0), y


OTHERS = [("KPM", kernel, make) for kernel in KERNELS for make in (sp.csc_matrix, sp.coo_array)]


@pytest.mark.parametrize(
    ("name", "kernel", "container"),
    [(n, kernel, sp.csr_array) for n in ESTIMATORS for kernel in KERNELS] + OTHERS,
)
def test_sparse_rows_are_those_rows(name, kernel, container):
    (X, y), (X_new, _) = rows(), rows(1)
    model = clone(ESTIMATORS[name]).set_params(**kernel)
    dense, sparse = clone(model).fit(X, y), model.fit(container(X), y)
    ask = "transform" if name == "kernel MMC" else "decision_function"
    expected = getattr(dense, ask)(X_new)
    found = getattr(sparse, ask)(container(X_new))
    np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())
    np.testing.assert_allclose(getattr(sparse, ask)(X_new), expected, atol=1e-6)


def in_parts(X):
    """CSR rows of which every entry is stored as two halves, not in the order of the columns."""
    n, p = X.shape
    columns = np.tile(np.r_[np.arange(p)[::-1], np.arange(p)], n)
    data = np.hstack([X[:, ::-1], X]).ravel() / 2
    return sp.csr_array((data, columns, np.arange(0, 2 * n * p + 1, 2 * p)), shape=X.shape)


@pytest.mark.parametrize("kernel", KERNELS[1:], ids=str)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_entries_in_parts_are_their_sums(name, kernel):
    """Also for new data; the matrix of the user stays as it is."""
    (X, y), (X_new, _) = rows(), rows(1)
    model = clone(ESTIMATORS[name]).set_params(**kernel)
    parts, whole = in_parts(X), clone(model).fit(sp.csr_array(X), y)
    ask = "transform" if name == "kernel MMC" else "decision_function"
    expected = getattr(whole, ask)(sp.csr_array(X_new))
    found = getattr(model.fit(parts, y), ask)(in_parts(X_new))
    np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())
    assert parts.nnz == 2 * X.size


def test_online_updates_take_entries_in_parts():
    X, y = rows()
    whole, parts = (
        reprolib.SimplexSGDClassifier(random_state=0).partial_fit(form(X), y, classes=[0, 1])
        for form in (sp.csr_array, in_parts)
    )
    np.testing.assert_allclose(parts.coef_, whole.coef_)


@pytest.mark.parametrize("update", ["gradient", "coordinate"])
def test_trees_of_sparse_rows_are_those_of_dense_ones(update):
    (X, y), (X_new, _) = rows(), rows(1)
    model = reprolib.SimplexBoostingClassifier(8, update=update, random_state=0)
    dense, sparse = clone(model).fit(X, y), model.fit(sp.csr_array(X), y)
    expected = dense.decision_function(X_new)
    np.testing.assert_allclose(sparse.decision_function(sp.csr_array(X_new)), expected, atol=1e-9)
    np.testing.assert_allclose(sparse.predict_proba(X_new), dense.predict_proba(X_new), atol=1e-9)


@pytest.mark.parametrize(
    ("name", "kernel"), [("SC-SVM", KERNELS[0]), ("KPM", KERNELS[0]), ("KPM, centred", KERNELS[3])]
)
def test_repeated_sparse_rows_are_weights(name, kernel):
    """Also where zeros are stored, and entries of a row in any order."""
    X, y = rows()
    model = clone(ESTIMATORS[name]).set_params(**kernel)
    weights = np.arange(60) % 3 + 1.0
    once = clone(model).fit(sp.csr_array(X), y, sample_weight=weights)
    which = np.repeat(np.arange(60), weights.astype(int))
    stored = sp.csr_array(np.where(X[which] == 0.0, 7.0, X[which]))
    stored.data[stored.data == 7.0] = 0.0
    assert stored.nnz == X[which].size
    repeated = model.fit(stored, y[which])
    expected = once.decision_function(X)
    np.testing.assert_allclose(repeated.decision_function(X), expected, atol=1e-6)


@pytest.mark.parametrize("center", [False, True])
def test_coefficients_of_sparse_rows_give_the_decision_values(center):
    X, y = rows()
    model = reprolib.KPMClassifier(5, kernel="linear", center=center).fit(sp.csr_array(X), y)
    values = X @ model.coef_ + model.intercept_
    np.testing.assert_allclose(values, model.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("kernel", ["precomputed", lambda x, z: float(x @ z)])
def test_sparse_rows_are_refused_where_the_kernel_takes_none(kernel):
    X, y = rows()
    with pytest.raises(TypeError, match="[Ss]parse data was passed"):
        reprolib.KPMClassifier(3, kernel=kernel).fit(sp.csr_array(X @ X.T), y)
