"""Time of an estimator over the time of the one that a user of scikit-learn would take.

    python benchmarks/peers.py

Processor seconds of a fit, least of three, one BLAS thread; both sides in one run on the same data.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from sklearn.datasets import make_classification
from sklearn.decomposition import KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import reprolib as r

COSTS = {"C": np.logspace(-2, 3, 11)}
RBF = {"kernel": "rbf", "gamma": 0.004}


def data(n, p, n_classes):
    """Rows of classes that overlap."""
    return make_classification(
        n,
        p,
        n_informative=p // 2,
        n_redundant=0,
        n_classes=n_classes,
        n_clusters_per_class=1,
        random_state=0,
    )


def seconds(model, X, y):
    """Least of three fits, after one that compiles."""
    found = []
    for _ in range(4):
        start = time.process_time()
        model.fit(X, y)
        found.append(time.process_time() - start)
    return min(found[1:])


def pairs():
    """Name, rows, columns, classes, ours, theirs."""
    tree = np.arange(60).reshape(10, 6).tolist()
    yield "MMC, LDA", 2000, 60, 10, r.MMC(), LinearDiscriminantAnalysis()
    ridge = RidgeClassifier()
    yield "SimplexRLS, RidgeClassifier", 5000, 60, 10, r.SimplexRLSClassifier(), ridge
    ours = r.SimplexRLSClassifier(**RBF)
    yield "SimplexRLS rbf, SVC", 2000, 60, 10, ours, SVC(**RBF)
    kpca = KernelPCA(9, eigen_solver="dense", **RBF)
    yield "KernelMMC, KernelPCA", 800, 60, 10, r.KernelMMC(**RBF), kpca
    for C in (0.01, 0.1, 1.0):
        lasso = LogisticRegression(penalty="l1", C=C, solver="liblinear")
        name = f"TreeLasso, LogisticRegression l1, C={C:g}"
        yield name, 400, 60, 2, r.TreeLassoClassifier(tree, 0.1), lasso
    search = GridSearchCV(SVC(**RBF), COSTS)
    yield "KPMClassifierCV, GridSearchCV(SVC)", 400, 60, 2, r.KPMClassifierCV(**RBF), search
    yield "MKPMClassifierCV, GridSearchCV(SVC)", 400, 60, 5, r.MKPMClassifierCV(**RBF), search
    linear = GridSearchCV(SVC(kernel="linear"), COSTS)
    yield "KEOPSClassifierCV, GridSearchCV(SVC)", 200, 60, 2, r.KEOPSClassifierCV(tree), linear
    yield "SC-SVM, SVC", 2000, 60, 10, r.SimplexConeSVC(1.0, **RBF), SVC(**RBF)


def main(arguments=None) -> int:
    """Print one line a pair."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/peers.py", description=__doc__.splitlines()[0]
    )
    parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        for name, n, p, n_classes, ours, theirs in pairs():
            X, y = data(n, p, n_classes)
            a, b = seconds(ours, X, y), seconds(theirs, X, y)
            print(f"{name:40} {n:5} x {p}  {a:8.4f} s {b:8.4f} s  {a / b:6.2f}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
