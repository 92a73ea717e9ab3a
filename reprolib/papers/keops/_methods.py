"""The classifiers of the comparison, each with its grid of seven values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mne.decoding import Vectorizer, XdawnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from reprolib.methods.keops import KEOPSClassifier, KernelTree, MKLClassifier, TreeLassoClassifier
from reprolib.rerun.tasks.folds import mean_over_folds

#: Cost c, relative: C is c divided by the mean squared norm of a point under uniform weights.
COSTS = tuple(float(f"{10**e:.3g}") for e in np.arange(-2.0, 1.01, 0.5))
#: The same for the non-convex penalty, whose best costs lie lower.
COSTS_KEOPS = tuple(float(f"{10**e:.3g}") for e in np.arange(-2.5, 0.51, 0.5))
#: The same for the convex penalty, whose best costs lie higher.
COSTS_CONVEX = tuple(float(f"{10**e:.3g}") for e in np.arange(-1.0, 2.01, 0.5))
#: alpha of the tree norm, relative to the smallest one that selects nothing.
ALPHAS = tuple(float(f"{a:.3g}") for a in np.geomspace(0.5, 0.02, 7))


@dataclass(frozen=True)
class Method:
    """A classifier family: how to make one for a grid value, and the grid."""

    make: Callable[[np.ndarray, KernelTree, float], Any]
    grid: Sequence[float]
    sparse: bool = False


def _uniform_norm(X, n_nodes) -> float:
    """Mean squared norm of the rows under the effective kernel of uniform weights, p_h = 1."""
    return float(np.mean(np.sum(X**2, axis=1)) / np.prod(n_nodes, dtype=float))


def _keops(p):
    def make(X, tree, c):
        scale = _uniform_norm(X, [n**e for n, e in zip(tree.n_nodes, p, strict=True)])
        return KEOPSClassifier(tree, p, C=c / scale, gap_tol=1e-3)

    return make


def _mkl(X, tree, c):
    return MKLClassifier(C=c / _uniform_norm(X, tree.n_nodes[-1:]))


def by_alternation(mkl: MKLClassifier, tree: KernelTree) -> MKLClassifier:
    """The same problem, by Algorithm 1 in place of the quadratic programme (p = (0, 1))."""
    return mkl.set_params(groups=tree.ancestors()[-2], p=(0.0, 1.0))


def _svm(X, tree, c):
    return KEOPSClassifier(None, 0.0, C=c / _uniform_norm(X, ()))


def _tree_lasso(X, tree, ratio):
    return TreeLassoClassifier(tree, ratio)


def shrinkage_lda():
    """Linear discriminant analysis with the Ledoit-Wolf shrinkage of the covariance."""
    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")


def _as_epochs(X, n_channels):
    return X.reshape(len(X), n_channels, -1)


def _xdawn_lda(X, tree, n_components):
    as_epochs = FunctionTransformer(_as_epochs, kw_args={"n_channels": tree.n_nodes[1]})
    xdawn = XdawnTransformer(n_components=int(n_components), reg="ledoit_wolf")
    return make_pipeline(as_epochs, xdawn, Vectorizer(), shrinkage_lda())


METHODS = {
    "keops": Method(_keops((1.0, 1.0, 1.0)), COSTS_KEOPS, sparse=True),
    "keops, convex": Method(_keops((1 / 3, 1 / 3, 1 / 3)), COSTS_CONVEX, sparse=True),
    "mkl": Method(_mkl, COSTS, sparse=True),
    "tree norm": Method(_tree_lasso, ALPHAS, sparse=True),
    "svm": Method(_svm, COSTS),
    "lda": Method(lambda X, tree, _: shrinkage_lda(), (0.0,)),
    "xdawn + lda": Method(_xdawn_lda, (2, 4, 8, 16)),
}


def relevance(model) -> np.ndarray:
    """Relevance of every frame, summing to one; that of a channel or region is the sum inside.

    KEOPS and MKL: the weights sigma of the leaves, which add up to those of the levels above.
    Tree norm: absolute coefficients.
    """
    if isinstance(model, TreeLassoClassifier):
        size = np.abs(model.coef_)
        return size / max(size.sum(), 1e-300)
    return model.weights_[-1] * model.selected_


def cross_validated_scores(method: Method, tree: KernelTree, X, y, folds):
    """Mean AUC and accuracy over the folds for every value of the grid.

    Parameters
    ----------
    folds : list of (train, test) index arrays

    Returns
    -------
    auc : ndarray of shape (n_grid,)
    accuracy : ndarray of shape (n_grid,)
        Zero where there is nothing to choose.
    """
    if len(method.grid) == 1:
        return np.zeros(1), np.zeros(1)

    def auc_and_accuracy(value, train, test):
        model = method.make(X[train], tree, value).fit(X[train], y[train])
        scores = model.decision_function(X[test])
        return roc_auc_score(y[test], scores), np.mean((scores > 0) == (y[test] > 0))

    return mean_over_folds(auc_and_accuracy, method.grid, folds).T
