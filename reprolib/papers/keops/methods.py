"""The classifiers of the comparison, each with its grid of seven values, and Table 1's measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from mne.decoding import Vectorizer, XdawnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from data_fetch import Dataset
from data_fetch.p300 import with_audited_labels
from reprolib.methods.keops import KEOPSClassifier, KernelTree, MKLClassifier, TreeLassoClassifier
from reprolib.methods.keops.electrodes import FRONT_TO_BACK, region, tree_from_info
from reprolib.methods.shared.ties import first_largest
from reprolib.papers.keops.splits import characters, draw_split, flash_pool, folds
from reprolib.rerun.records import HEADLINE, Measurement, Task
from reprolib.rerun.records.registry import readings_of

READINGS = readings_of("keops")
#: Cost c, relative: C is c divided by the mean squared norm of a point under uniform weights.
COSTS = tuple(float(f"{10**e:.3g}") for e in np.arange(-2.0, 1.01, 0.5))
#: The same for the non-convex penalty, whose best costs lie lower.
COSTS_KEOPS = tuple(float(f"{10**e:.3g}") for e in np.arange(-2.5, 0.51, 0.5))
#: The same for the convex penalty, whose best costs lie higher.
COSTS_CONVEX = tuple(float(f"{10**e:.3g}") for e in np.arange(-1.0, 2.01, 0.5))
#: alpha of the tree norm, relative to the smallest one that selects nothing.
ALPHAS = tuple(float(f"{a:.3g}") for a in np.geomspace(0.5, 0.02, 7))

#: Regions of the cap with the electrodes PO among the parietal ones.
PO_PARIETAL = {**FRONT_TO_BACK, "parietal": ("P", "PO"), "occipital": ("O", "I")}


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


def by_alternation(mkl: MKLClassifier, tree: KernelTree) -> MKLClassifier:
    """The same problem, by Algorithm 1 in place of the quadratic programme (p = (0, 1))."""
    return mkl.set_params(groups=tree.ancestors()[-2], p=(0.0, 1.0))


def _svm(X, tree, c):
    return KEOPSClassifier(None, 0.0, C=c / _uniform_norm(X, ()))


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
    "mkl": Method(
        lambda X, tree, c: MKLClassifier(C=c / _uniform_norm(X, tree.n_nodes[-1:])),
        COSTS,
        sparse=True,
    ),
    "tree norm": Method(
        lambda X, tree, ratio: TreeLassoClassifier(tree, ratio), ALPHAS, sparse=True
    ),
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
        By which the scores are made.

    Returns
    -------
    auc : ndarray of shape (n_grid,)
        Mean over the folds, for every value of the grid.
    accuracy : ndarray of shape (n_grid,)
        Zero where there is nothing to choose.
    """
    if len(method.grid) == 1:
        return np.zeros(1), np.zeros(1)

    def auc_and_accuracy(value, train, test):
        model = method.make(X[train], tree, value).fit(X[train], y[train])
        scores = model.decision_function(X[test])
        return roc_auc_score(y[test], scores), np.mean((scores > 0) == (y[test] > 0))

    scores = [[auc_and_accuracy(c, *fold) for c in method.grid] for fold in folds]
    return np.mean(scores, axis=0).T


def regions(channels, grouping: str = "lobes") -> list[str]:
    """Region of every electrode under a named grouping.

    Parameters
    ----------
    channels : sequence of str
        Names of the electrodes.
    grouping : {"lobes", "PO parietal", "random"}
        "random" shuffles the regions of "lobes" over the electrodes (a control, seeded).
    """
    if grouping == "PO parietal":
        return [region(c, PO_PARIETAL) for c in channels]
    lobes = [region(c) for c in channels]
    if grouping == "random":
        return [lobes[i] for i in np.random.default_rng(17).permutation(len(lobes))]
    return lobes


def feature_tree(dataset: Dataset, X, grouping: str = "lobes") -> KernelTree:
    """Regions, channels and frames over the columns of the features."""
    channels, info = dataset.extra["channels"], dataset.extra["raws"][0].info
    n_frames = X.shape[1] // len(channels)
    return tree_from_info(info, n_frames, regions(channels, grouping))


def _method(task: Task) -> Method:
    """Method of a task, with the reading's pruning threshold, start or number of outer steps."""
    method = METHODS[task.method]
    changed = {k: task.params[k] for k in ("prune_tol", "init", "max_iter") if k in task.params}
    if not changed:
        return method
    if "init" in changed:
        changed["random_state"] = task.trial

    def make(X, tree, value):
        if task.method == "mkl":
            return by_alternation(method.make(X, tree, value), tree).set_params(**changed)
        return method.make(X, tree, value).set_params(**changed)

    return replace(method, make=make)


def table1(task: Task, dataset: Dataset, X: np.ndarray) -> list[Measurement]:
    """Choose the cost by cross-validation, refit, and measure on the flashes left for test."""
    by_character = bool(task.params.get("by_character"))
    pool = flash_pool(dataset, task.params, task.trial)
    train, tests = draw_split(dataset, task.trial, by_character, pool)
    relabelled = task.params.get("contradicted") == "relabelled"
    y = with_audited_labels(dataset).y if relabelled else dataset.y
    if task.params.get("standardise"):
        X = StandardScaler().fit(X[train]).transform(X)
    grouping = str(task.params.get("grouping", "lobes"))
    tree = feature_tree(dataset, X, grouping)
    method = _method(task)
    inner = folds(y, train, task.trial, characters(dataset) if by_character else None)
    auc, accuracy = cross_validated_scores(method, tree, X[train], y[train], inner)
    best, headline = int(first_largest(auc)), task.reading == HEADLINE
    models = {
        j: method.make(X[train], tree, method.grid[j]).fit(X[train], y[train])
        for j in (range(len(method.grid)) if headline else [best])
    }
    measurements = []
    beside = READINGS.measured(task.method, HEADLINE) if headline else {}
    for name, test in tests.items():
        measurements += _measured(models[best], method, best, tree, X[test], y[test], name)
    if headline:
        other = int(first_largest(accuracy))
        test = tests[None]
        for name in _changing(beside, "chosen_by"):
            measurements += _measured(models[other], method, other, tree, X[test], y[test], name)
        measurements += _paths(models, method, tree, X[test], y[test])
    if method.sparse:
        for name, threshold in _changing(beside, "threshold").items():
            measurements += _counts(models[best], tree, name, threshold)
        measurements.append(Measurement("relevance", np.nan, path=relevance(models[best]).tolist()))
    return measurements


def _changing(readings: Mapping[str, Mapping[str, Any]], what: str) -> dict[str, Any]:
    """What readings change it to, by name."""
    return {name: changes[what] for name, changes in readings.items() if what in changes}


def _measured(model, method, position, tree, X_test, y_test, reading) -> list[Measurement]:
    """AUC of a fitted model, and how many regions, channels and frames it keeps."""
    gap = getattr(model, "duality_gap_", None)
    score = roc_auc_score(y_test, model.decision_function(X_test))
    found = Measurement(
        "auc",
        score,
        {"value": method.grid[position]},
        len(y_test),
        None if gap is None or np.isinf(gap) else gap,
        reading=reading,
    )
    return [found, *(_counts(model, tree, reading) if method.sparse else [])]


def _counts(model, tree, reading, threshold=0.0) -> list[Measurement]:
    """Nodes of every level with a kernel above ``threshold`` times the largest one."""
    size = getattr(model, "kernel_norms_", np.abs(model.coef_))
    counts = tree.n_selected(size > threshold * size.max())
    return [
        Measurement(metric, count, reading=reading)
        for metric, count in zip(("regions", "channels", "frames"), counts, strict=True)
    ]


def _paths(models, method, tree, X_test, y_test) -> list[Measurement]:
    """AUC, and the channels kept, along the grid."""
    grid = {"grid": list(method.grid)}
    auc = [roc_auc_score(y_test, models[j].decision_function(X_test)) for j in sorted(models)]
    paths = [Measurement("auc path", np.nan, grid, len(y_test), path=auc)]
    if method.sparse:
        kept = [tree.n_selected(models[j].coef_ != 0)[1] for j in sorted(models)]
        paths.append(Measurement("channels path", np.nan, grid, path=kept))
    return paths
