"""Time of an estimator over the time of an anchor: what a user of scikit-learn would take.

    python benchmarks/peers.py [--growth] [--to benchmarks/README.md]

Processor seconds of a fit, least of three, one BLAS thread; both sides in one run on the same data.
With ``--growth`` also seconds and memory of fits to twice as many rows each time. ``--to`` replaces
the tables of a page, between its marks.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import resource
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.linalg import eigh
from sklearn.datasets import make_classification
from sklearn.decomposition import KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

import reprolib as r

COSTS = {"C": np.logspace(-2, 3, 11)}
RBF = {"kernel": "rbf", "gamma": 0.004}
#: Rows of the fits that grow, and the seconds of a fit after which the next is left out.
ROWS, LONGEST = (500, 1000, 2000, 4000, 8000, 16000, 20000), 5.0


class Decomposition:
    """A Gaussian Gram matrix and all of its eigenvectors."""

    def fit(self, X, y):
        """Labels play no part."""
        self.values_, self.vectors_ = eigh(rbf_kernel(X, gamma=RBF["gamma"]))


class ClassRidge(KernelRidge):
    """Kernel ridge regression of one indicator a class."""

    def fit(self, X, y):
        """As `KernelRidge`."""
        return super().fit(X, np.eye(y.max() + 1)[y])


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
    """Name, name of the anchor, rows, columns, classes, ours, theirs."""
    tree = np.arange(60).reshape(10, 6).tolist()
    svc, search = SVC(**RBF), GridSearchCV(SVC(**RBF), COSTS)
    yield "MMC", "LDA", 2000, 60, 10, r.MMC(), LinearDiscriminantAnalysis()
    yield "SimplexRLS", "RidgeClassifier", 5000, 60, 10, r.SimplexRLSClassifier(), RidgeClassifier()
    yield (
        "SimplexRLS rbf",
        "KernelRidge",
        2000,
        60,
        10,
        r.SimplexRLSClassifier(**RBF),
        ClassRidge(**RBF),
    )
    yield "SimplexRLS rbf", "SVC", 2000, 60, 10, r.SimplexRLSClassifier(**RBF), svc
    yield "SimplexRLSCV rbf", "eigh", 800, 60, 10, r.SimplexRLSClassifierCV(**RBF), Decomposition()
    kpca = KernelPCA(9, eigen_solver="dense", **RBF)
    yield "KernelMMC", "KernelPCA", 800, 60, 10, r.KernelMMC(**RBF), kpca
    yield "KernelMMC", "eigh", 800, 60, 10, r.KernelMMC(**RBF), Decomposition()
    for C in (0.01, 0.1, 1.0):
        lasso = LogisticRegression(penalty="l1", C=C, solver="liblinear")
        ours = r.TreeLassoClassifier(tree, 0.1)
        yield "TreeLasso", f"LogisticRegression l1, C={C:g}", 400, 60, 2, ours, lasso
    yield "KPM, 60 dimensions", "SVC", 400, 60, 2, r.KPMClassifier(60, **RBF), svc
    yield "KPM, 60 dimensions", "eigh", 400, 60, 2, r.KPMClassifier(60, **RBF), Decomposition()
    yield "KPMClassifierCV", "GridSearchCV(SVC)", 400, 60, 2, r.KPMClassifierCV(**RBF), search
    yield "MKPM", "eigh", 800, 60, 5, r.MKPMClassifier(50, **RBF), Decomposition()
    yield "MKPMClassifierCV", "GridSearchCV(SVC)", 400, 60, 5, r.MKPMClassifierCV(**RBF), search
    linear = GridSearchCV(SVC(kernel="linear"), COSTS)
    yield "KEOPSClassifierCV", "GridSearchCV(SVC)", 200, 60, 2, r.KEOPSClassifierCV(tree), linear
    yield "SC-SVM rbf", "SVC", 2000, 60, 10, r.SimplexConeSVC(1.0, **RBF), svc
    yield "SH-SVM rbf", "SVC", 2000, 60, 10, r.SimplexHalfspaceSVC(1.0, **RBF), svc
    ours = r.SimplexConeSVC(1.0, kernel="linear")
    yield "SC-SVM linear", "LinearSVC", 2000, 60, 10, ours, LinearSVC(loss="hinge")
    ours = r.SimplexSGDClassifier()
    theirs = SGDClassifier(max_iter=ours.max_iter, tol=None)
    yield "SimplexSGD, as many passes", "SGDClassifier", 5000, 60, 10, ours, theirs
    ours, theirs = r.SimplexBoostingClassifier(), HistGradientBoostingClassifier()
    yield "SimplexBoosting", "HistGradientBoosting", 1000, 60, 5, ours, theirs


def growing():
    """Name and estimator of fits that are followed from 500 rows to 20,000."""
    yield "SimplexRLS", r.SimplexRLSClassifier()
    yield "SimplexRLS rbf", r.SimplexRLSClassifier(**RBF)
    yield "SimplexSGD", r.SimplexSGDClassifier()
    yield "SC-SVM rbf", r.SimplexConeSVC(1.0, **RBF)
    yield "KernelMMC", r.KernelMMC(**RBF)
    yield "MKPM, Nystrom", r.NystromMKPMClassifier(50, rank=100, **RBF)
    yield "eigh", Decomposition()
    yield "SVC", SVC(**RBF)


def _measure(model, n, pipe):
    X, y = data(n, 60, 10)
    model.fit(X[:200], y[:200])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    model.fit(X, y)
    taken = time.process_time() - start
    pipe.send((taken, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024))


def grown(model):
    """Seconds and MiB of a fit, by rows, until one takes long; each in a process of its own."""
    found = {}
    for n in ROWS:
        ours, theirs = multiprocessing.Pipe(duplex=False)
        process = multiprocessing.get_context("fork").Process(
            target=_measure, args=(model, n, theirs)
        )
        process.start()
        found[n] = ours.recv()
        process.join()
        if found[n][0] > LONGEST:
            break
    return found


def lines(growth: bool):
    """Yield the lines of the tables."""
    yield "| estimator | anchor | rows, classes | seconds | anchor | times |"
    yield "|---|---|---|---|---|---|"
    for name, anchor, n, p, n_classes, ours, theirs in pairs():
        X, y = data(n, p, n_classes)
        a, b = seconds(ours, X, y), seconds(theirs, X, y)
        yield f"| {name} | {anchor} | {n:,}, {n_classes} | {a:.4f} | {b:.4f} | {a / b:.2f} |"
    if growth:
        yield ""
        yield "| seconds, MiB at n = | " + " | ".join(f"{n:,}" for n in ROWS) + " |"
        yield "|---" * (len(ROWS) + 1) + "|"
        for name, model in growing():
            cells = {n: f"{t:.2f}, {size:.0f}" for n, (t, size) in grown(model).items()}
            yield f"| {name} | " + " | ".join(cells.get(n, "") for n in ROWS) + " |"


def main(arguments=None) -> int:
    """Print the tables, and write them to a page."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/peers.py", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--growth", action="store_true", help="also fits to 500 ... 20,000 rows")
    parser.add_argument("--to", type=Path, help="page whose tables are replaced")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    made = []
    with threadpool_limits(1):
        for line in lines(options.growth):
            print(line, flush=True)
            made.append(line)
    if options.to:
        text = options.to.read_text(encoding="utf-8")
        new = "<!-- tables -->\n" + "\n".join(made) + "\n<!-- end -->"
        found = re.sub(r"<!-- tables -->.*<!-- end -->", lambda _: new, text, flags=re.DOTALL)
        options.to.write_text(found, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
