"""Speed of MKPM: fit with the whole path scored, against the floor and against peers.

Every entry of the table runs ``--repeats`` times on one thread, and the median of its processor
time is printed (other processes disturb that less than wall time). All see the same simulated
data (Gaussian classes, RBF kernel):

- floor: the Gram matrix and its eigendecomposition, which every exact kernel PCA needs;
- ours: `MKPMClassifier.fit` (allocation for every d up to N included) and `score_path` on the test
  set, for every d;
- KernelPCA + least squares refitted for ``--refits`` equally spaced d, with scikit-learn;
- SVC one-vs-one, five values of C.

Last, one fit of N = 50,000 points with a Nystrom basis of rank 1500 and its scores for every d, in
a process of its own: processor time, peak memory of the whole process (Linux), best accuracy.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np
import pandas as pd
from sklearn.decomposition import KernelPCA
from sklearn.linear_model import LinearRegression
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from reprolib.methods.mkpm import MKPMClassifier
from reprolib.methods.shared.codes import encode, one_vs_all_code
from reprolib.methods.shared.kernels import gram, gram_eigh

N_CLASSES = 6
N_FEATURES = 36
GAMMA = 0.02
C_GRID = (1, 4, 16, 64, 256)


def simulate(n_samples: int, seed: int):
    """Gaussian classes with overlapping means."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % N_CLASSES
    means = np.random.default_rng(0).normal(scale=0.45, size=(N_CLASSES, N_FEATURES))
    return means[y] + rng.normal(size=(n_samples, N_FEATURES)), y


def floor(X, y, X_test, y_test):
    gram_eigh(gram(X, gamma=GAMMA))
    return np.nan


def whole_path(X, y, X_test, y_test):
    return MKPMClassifier(len(X), gamma=GAMMA).fit(X, y).score_path(X_test, y_test).max()


def kernel_pca_refitted(X, y, X_test, y_test, n_refits):
    """Equal dimensions for all bits: what one can do without an allocation."""
    pca = KernelPCA(kernel="rbf", gamma=GAMMA, n_components=len(X) // N_CLASSES)
    features, test_features = pca.fit_transform(X), pca.transform(X_test)
    targets = encode(one_vs_all_code(N_CLASSES), y)
    scores = []
    for d in np.linspace(1, features.shape[1], n_refits).astype(int):
        model = LinearRegression().fit(features[:, :d], targets)
        scores.append(np.mean(model.predict(test_features[:, :d]).argmax(axis=1) == y_test))
    return max(scores)


def svc_grid(X, y, X_test, y_test):
    return max(SVC(C=C, gamma=GAMMA).fit(X, y).score(X_test, y_test) for C in C_GRID)


def median_seconds(function, arguments, repeats: int):
    """Median processor time of ``repeats`` calls, and the value of the last."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        value = function(*arguments)
        times.append(time.process_time() - start)
    return float(np.median(times)), value


def compare(n_samples: int, n_test: int, n_refits: int, repeats: int) -> pd.DataFrame:
    """Table of seconds, ratio to the floor, and best accuracy along what was tried."""
    data = (*simulate(n_samples, 1), *simulate(n_test, 2))
    whole_path(data[0][:60], data[1][:60], data[2][:20], data[3][:20])
    entries = {
        "floor: Gram matrix and its eigendecomposition": (floor, data),
        f"MKPM: fit, and score d = 0..{n_samples}": (whole_path, data),
        f"KernelPCA + least squares, {n_refits} refits": (kernel_pca_refitted, (*data, n_refits)),
        f"SVC one-vs-one, {len(C_GRID)} values of C": (svc_grid, data),
    }
    rows = {}
    for label, (function, arguments) in entries.items():
        seconds, best = median_seconds(function, arguments, repeats)
        rows[label] = {"seconds": seconds, "best accuracy": best}
    frame = pd.DataFrame.from_dict(rows, orient="index")
    frame.insert(1, "seconds / floor", frame["seconds"] / frame["seconds"].iloc[0])
    return frame


def fit_large(n_samples: int, rank: int) -> tuple[float, float, float]:
    """Seconds, peak memory of this process in GiB, and accuracy of a fit on a low-rank basis."""
    X, y = simulate(n_samples, 1)
    X_test, y_test = simulate(5000, 2)
    start = time.process_time()
    with threadpool_limits(limits=1):
        model = MKPMClassifier(rank, basis="nystrom", rank=rank, gamma=GAMMA, random_state=0)
        accuracy = model.fit(X, y).score_path(X_test, y_test).max()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return time.process_time() - start, peak, float(accuracy)


def large(n_samples: int, rank: int) -> tuple[float, float, float]:
    """`fit_large` in a process of its own."""
    command = [sys.executable, __file__, "--job", json.dumps([n_samples, rank])]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return tuple(json.loads(answer.stdout))


def main(arguments=None) -> int:
    """Print the comparison, then the large fit."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/mkpm.py", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--samples", type=int, default=1500)
    parser.add_argument("--test", type=int, default=2000)
    parser.add_argument("--refits", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--large", type=int, default=50_000, help="0 leaves the large fit out")
    parser.add_argument("--rank", type=int, default=1500)
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.job:
        print(json.dumps(fit_large(*json.loads(options.job))))
        return 0
    with threadpool_limits(limits=1):
        frame = compare(options.samples, options.test, options.refits, options.repeats)
    print(frame.round(3).to_string())
    if options.large:
        seconds, peak, accuracy = large(options.large, options.rank)
        print(
            f"N = {options.large}, Nystrom rank {options.rank}: {seconds:.0f} s of processor "
            f"time for fit and scores, peak {peak:.2f} GiB, best accuracy {accuracy:.4f}"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
