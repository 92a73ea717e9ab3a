"""Multiple kernel learning beside MKLpy 0.6: accuracy, kernels used, processor seconds.

Each side runs in an interpreter of its own, as MKLpy needs PyTorch and an older Python:

    python benchmarks/mkl.py ours
    python3.10 benchmarks/mkl.py mklpy      # where MKLpy, torch and scikit-learn are installed

Breast cancer (569 rows, 30 columns), ten stratified halves. Two sets of kernels: thirty linear,
one a column, and ten Gaussian widths on all columns. Both sides get the same Gram matrices, scaled
to trace n; the cost of the SVM is chosen by five-fold cross-validation on the training half, of
EasyMKL lambda, too, is left at its default.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

COSTS = (0.1, 1.0, 10.0, 100.0)
N_SPLITS = 10


def columns(A, B):
    """One linear kernel a column."""
    return np.stack([np.outer(a, b) for a, b in zip(A.T, B.T, strict=True)])


def widths(A, B):
    """Ten Gaussian kernels."""
    return np.stack([rbf_kernel(A, B, gamma=g) for g in np.logspace(-4, 0, 10)])


def average(train, y, test):
    """The SVM on the mean of all kernels."""
    return svm_on(np.full(len(train), 1.0 / len(train)), train, y, test)


def mkl(train, y, test):
    """Ours."""
    from reprolib import MKLClassifier

    def accuracy(C, fold):
        fit, out = fold
        model = MKLClassifier(C, kernel="precomputed").fit(train[:, fit][:, :, fit], y[fit])
        return model.score(train[:, out][:, :, fit], y[out])

    model = MKLClassifier(best_cost(accuracy, y), kernel="precomputed").fit(train, y)
    return model.predict(test), model.kernel_weights_


def of_mklpy(name):
    """A learner of MKLpy: its weights from all training rows, then the SVM on them."""

    def run(train, y, test):
        import torch
        from MKLpy import algorithms

        learner = getattr(algorithms, name)()
        learner.fit([torch.tensor(K) for K in train], torch.tensor(y))
        return svm_on(np.asarray(learner.solution.weights, dtype=float), train, y, test)

    return run


def svm_on(weights, train, y, test):
    """Predictions of an SVM on a weighted sum of kernels."""
    K = np.tensordot(weights, train, axes=1)

    def accuracy(C, fold):
        fit, out = fold
        svm = SVC(C=C, kernel="precomputed").fit(K[np.ix_(fit, fit)], y[fit])
        return svm.score(K[np.ix_(out, fit)], y[out])

    svm = SVC(C=best_cost(accuracy, y), kernel="precomputed").fit(K, y)
    return svm.predict(np.tensordot(weights, test, axes=1)), weights


def best_cost(accuracy, y):
    """The C of best mean accuracy over five folds."""
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(y, y))
    return COSTS[int(np.argmax([np.mean([accuracy(C, f) for f in folds]) for C in COSTS]))]


def main() -> None:
    """Print one line a method and set of kernels."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/mkl.py", description=__doc__.splitlines()[0]
    )
    parser.add_argument("side", choices=["ours", "mklpy"])
    side = parser.parse_args().side
    methods = {"SVM on the mean": average}
    if side == "ours":
        methods["MKLClassifier"] = mkl
    else:
        methods |= {name: of_mklpy(name) for name in ("EasyMKL", "CKA", "PWMK")}
    X, y = load_breast_cancer(return_X_y=True)
    print(f"{'kernels':10} {'method':16} {'accuracy':>9} {'kernels used':>13} {'seconds':>8}")
    for kernels in (columns, widths):
        for name, method in methods.items():
            accuracies, used, seconds = [], [], []
            splits = StratifiedShuffleSplit(N_SPLITS, test_size=0.5, random_state=0)
            for fit, out in splits.split(X, y):
                scaler = StandardScaler().fit(X[fit])
                A, B = scaler.transform(X[fit]), scaler.transform(X[out])
                train = kernels(A, A)
                scale = len(A) / np.trace(train, axis1=1, axis2=2)[:, None, None]
                started = time.process_time()
                found, weights = method(train * scale, y[fit], kernels(B, A) * scale)
                seconds.append(time.process_time() - started)
                accuracies.append(100 * np.mean(found == y[out]))
                used.append(np.count_nonzero(weights > 1e-6 * np.max(weights)))
            print(
                f"{kernels.__name__:10} {name:16} {np.mean(accuracies):9.1f} "
                f"{np.mean(used):13.1f} {np.mean(seconds):8.2f}"
            )


if __name__ == "__main__":
    main()
