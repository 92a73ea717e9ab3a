"""Simplex methods and peers: S-RLS paths, SC-SVM solvers, Letter, boosting, online methods.

One process, one BLAS thread, CPU time; ours the least of several repetitions, slow peers once.
Generated data: T normal classes in p dimensions; the peers solve their own problem on the same
data. The SC-SVM solvers all solve the same problem and stop at a relative duality gap of 1e-3,
which is printed beside the time; cvxopt only where its matrices, of size n T, are small. The part
"letter" takes the 16,000 training rows of UCI's Letter where they are at hand, else generated rows
of that size; "isolet" needs UCI's Isolet.

    python benchmarks/simplex.py [path] [svm] [isolet] [letter] [boosting] [online] [classes]
"""

from __future__ import annotations

import argparse
import functools
import time
import warnings
from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeClassifierCV, SGDClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

import data_fetch
from reprolib.methods.shared.codes import encode, one_vs_all_code
from reprolib.methods.shared.kernels import gram
from reprolib.methods.simplex import (
    SimplexBoostingClassifier,
    SimplexConeSVC,
    SimplexRLSClassifierCV,
    SimplexSGDClassifier,
    spectrum_alphas,
)


def make_data(n, p, n_classes, seed=0):
    """Draw normal classes of standard deviation 0.6, with centres of norm about 2."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    centres = 2.0 * rng.normal(size=(n_classes, p)) / np.sqrt(p)
    return centres[y] + 0.6 * rng.normal(size=(n, p)), y


def cpu_seconds(work: Callable[..., object], *arguments: object, repeat: int = 3) -> float:
    """Least CPU time of several repetitions of ``work(*arguments)``."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work(*arguments)
        times.append(time.process_time() - start)
    return min(times)


def exponent(sizes, seconds) -> float:
    """Slope of log(seconds) against log(size)."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def say(*cells: object) -> None:
    """Print one row of a table."""
    print(" | ".join(str(cell) for cell in cells), flush=True)


def bench_path() -> None:
    """S-RLS with 100 lambdas and leave-one-out: linear and kernel."""
    say("linear, n, p, T", "S-RLS path", "RidgeClassifierCV", "RidgeClassifierCV / S-RLS")
    for n, p, n_classes in [(4000, 64, 10), (16000, 16, 26), (3000, 300, 26)]:
        X, y = make_data(n, p, n_classes)
        alphas = SimplexRLSClassifierCV().fit(X, y).alphas_
        ours = cpu_seconds(SimplexRLSClassifierCV(alphas).fit, X, y, repeat=2)
        ridge = RidgeClassifierCV(n * alphas, fit_intercept=False)
        peer = cpu_seconds(ridge.fit, X, y, repeat=1)
        say((n, p, n_classes), f"{ours:.2f} s", f"{peer:.2f} s", f"{peer / ours:.1f}")
    heads = ("S-RLS / eigendecomposition", "100 x one fit of KernelRidge")
    say("rbf, n, T", "S-RLS path", "eigendecomposition", *heads)
    for n, n_classes in [(500, 10), (1000, 10), (2000, 10)]:
        X, y = make_data(n, 20, n_classes)
        K = gram(X, gamma=0.05)
        ours = cpu_seconds(SimplexRLSClassifierCV(kernel="precomputed").fit, K, y, repeat=2)
        floor = cpu_seconds(functools.partial(eigh, driver="evd"), K, repeat=2)
        codes = encode(one_vs_all_code(n_classes), y)
        kernel_ridge = KernelRidge(1.0, kernel="precomputed")
        refit = 100 * cpu_seconds(kernel_ridge.fit, K, codes, repeat=1)
        ratio = f"{ours / floor:.2f}"
        refits = f"{refit:.1f} s (no leave-one-out)"
        say((n, n_classes), f"{ours:.2f} s", f"{floor:.2f} s", ratio, refits)


def bench_svm(C: float = 1.0) -> None:
    """SC-SVM to a relative gap of 1e-3: our solver and cvxopt."""
    say("n, p, T", "ours", "cvxopt")
    for n, p, n_classes in [(100, 20, 5), (200, 20, 5), (1000, 20, 5), (4000, 64, 10)]:
        X, y = make_data(n, p, n_classes)
        cells = []
        for solver in ("descent", "cvxopt") if n * n_classes <= 1000 else ("descent",):
            svm = SimplexConeSVC(C, kernel="linear", solver=solver, tol=1e-3)
            seconds = cpu_seconds(svm.fit, X, y, repeat=2)
            cells.append(f"{seconds:.3f} s (gap {svm.duality_gap_:.0e})")
        say((n, p, n_classes), *cells)
    _bench_svm_peers(C)
    for name, sizes, shapes in [
        ("n (p = 20, T = 5, rbf)", [500, 1000, 2000, 4000], lambda n: (n, 20, 5)),
        ("T (n = 1000, p = 20, rbf)", [5, 10, 20, 40], lambda T: (1000, 20, T)),
    ]:
        seconds = []
        for size in sizes:
            X, y = make_data(*shapes(size))
            svm = SimplexConeSVC(C, tol=1e-3)
            seconds.append(cpu_seconds(svm.fit, X, y, repeat=2))
        slope = f"{exponent(sizes, seconds):.2f}"
        say(f"cost exponent in {name}", slope, [f"{s:.2f} s" for s in seconds])


def _bench_svm_peers(C: float) -> None:
    for n_classes in (2, 5):
        X, y = make_data(400, 20, n_classes)
        ours = cpu_seconds(SimplexConeSVC(C).fit, X, y)
        ratio = ours / cpu_seconds(SVC(C=C, gamma=1 / 20).fit, X, y)
        say(f"rbf, n = 400, T = {n_classes}: SC-SVM / SVC, one-vs-one", f"{ratio:.1f}")
    X, y = make_data(8000, 64, 10)
    train, test = slice(0, 4000), slice(4000, None)
    for name, model in [
        ("SC-SVM, linear", SimplexConeSVC(C, kernel="linear", tol=1e-3)),
        ("LinearSVC, Crammer-Singer", CrammerSinger(C)),
        ("SC-SVM, rbf", SimplexConeSVC(10 * C, tol=1e-3)),
        ("SVC, rbf, one-vs-one", SVC(C=10 * C, gamma=1 / 64)),
    ]:
        seconds = cpu_seconds(model.fit, X[train], y[train], repeat=1)
        say(name, f"{seconds:.2f} s", f"test accuracy {model.score(X[test], y[test]):.3f}")


class CrammerSinger(LinearSVC):
    """Crammer and Singer's SVM by liblinear, with at most its default of 1,000 iterations."""

    def __init__(self, C=1.0):
        super().__init__(C=C, multi_class="crammer_singer", random_state=0)

    def fit(self, X, y):
        """Fit without the warning: whether it converged is printed."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return super().fit(X, y)


def bench_isolet(n: int = 1200) -> None:
    """Linear SC-SVM on wide data, as the simplex paper's batch SVMs have it: gap 1e-4, four C."""
    if not data_fetch.available("uci/isolet"):
        say("(UCI's Isolet is not at hand)")
        return
    dataset = data_fetch.load("uci/isolet")
    X, y = dataset.X[:n], dataset.y[:n]
    say(f"isolet, n = {n}, linear, C", "SC-SVM")
    for C in 10.0 ** np.arange(-1, 3) / np.mean(np.sum(X**2, axis=1)):
        svm = SimplexConeSVC(C, kernel="linear")
        seconds = cpu_seconds(svm.fit, X, y, repeat=1)
        say(f"{C:.2g}", f"{seconds:.2f} s (gap {svm.duality_gap_:.0e})")


def bench_letter() -> None:
    """Linear SC-SVM to a relative gap of 1e-3 beside Crammer and Singer's by liblinear."""
    X, y = letter()
    say("letter, linear, C", "SC-SVM", "LinearSVC, Crammer-Singer", "SC-SVM / LinearSVC")
    for C in (1.0, 10.0):
        svm = SimplexConeSVC(C, kernel="linear", tol=1e-3)
        ours = cpu_seconds(svm.fit, X, y, repeat=2)
        peer_svm = CrammerSinger(C)
        peer = cpu_seconds(peer_svm.fit, X, y, repeat=1)
        end = "at its limit" if peer_svm.n_iter_ == peer_svm.max_iter else "converged"
        cells = (f"{ours:.1f} s (gap {svm.duality_gap_:.0e})", f"{peer:.1f} s ({end})")
        say(C, *cells, f"{ours / peer:.2f}")


def letter():
    """Standardised rows and labels of UCI's Letter, or generated ones of that size."""
    if not data_fetch.available("uci/letter"):
        say("(generated rows of the size of Letter)")
        return make_data(16_000, 16, 26)
    dataset = data_fetch.load("uci/letter")
    X, y = dataset.X[:16_000], dataset.y[:16_000]
    return StandardScaler().fit_transform(X), y


def bench_boosting(n: int = 4000, p: int = 20, n_classes: int = 10) -> None:
    """A hundred rounds of stumps; the peer has one stump a class and round, on binned features."""
    X, y = make_data(n, p, n_classes)
    train, test = slice(0, n // 2), slice(n // 2, None)
    say(f"{n // 2} x {p}, T = {n_classes}, 100 rounds", "seconds", "test accuracy")
    for model in (
        SimplexBoostingClassifier(100, random_state=0),
        HistGradientBoostingClassifier(
            max_iter=100, max_leaf_nodes=2, early_stopping=False, random_state=0
        ),
    ):
        seconds = cpu_seconds(model.fit, X[train], y[train], repeat=2)
        score = f"{model.score(X[test], y[test]):.3f}"
        say(type(model).__name__, f"{seconds:.2f} s", score)


def bench_online(n: int = 100_000, p: int = 64, n_classes: int = 10, passes: int = 3) -> None:
    """Sample updates a second, one core."""
    X, y = make_data(n, p, n_classes)
    say(f"online, p = {p}, T = {n_classes}", "updates a second")
    for loss in ("least_squares", "cone", "halfspace"):
        for average in (False, True):
            model = SimplexSGDClassifier(loss, max_iter=passes, average=average, random_state=0)
            model.partial_fit(X[:10], y[:10], classes=np.arange(n_classes))
            rate = passes * n / cpu_seconds(model.fit, X, y)
            say(f"simplex {loss}{', averaged' * average}", f"{rate:.3g}")
    peer = SGDClassifier(max_iter=passes, tol=None, random_state=0)
    rate = passes * n / cpu_seconds(peer.fit, X, y, repeat=1)
    say("SGDClassifier, one-vs-all", f"{rate:.3g}")


def bench_classes(n: int = 4000, p: int = 200) -> None:
    """Training and tuning (20 lambdas) against T: one decomposition, or one a class."""
    say("T", "S-RLS, leave-one-out", "RidgeClassifierCV", "ridge refits, class by class")
    for n_classes in (2, 10, 26, 100, 300, 1000):
        X, y = make_data(n, p, n_classes)
        alphas = spectrum_alphas(eigh(X.T @ X, eigvals_only=True), n, n_alphas=20)
        ours = cpu_seconds(SimplexRLSClassifierCV(alphas).fit, X, y, repeat=2)
        ridge = RidgeClassifierCV(n * alphas, fit_intercept=False)
        shared = cpu_seconds(ridge.fit, X, y, repeat=1) if n_classes <= 300 else np.nan
        target = np.where(y == 0, 1.0, -1.0)
        binary = Ridge(n * alphas[10], fit_intercept=False, solver="cholesky")
        refits = n_classes * len(alphas) * cpu_seconds(binary.fit, X, target)
        say(
            n_classes,
            f"{ours:.2f} s",
            "-" if np.isnan(shared) else f"{shared:.2f} s",
            f"{refits:.1f} s (no leave-one-out)",
        )


PARTS: dict[str, Callable[[], None]] = {
    "path": bench_path,
    "svm": bench_svm,
    "isolet": bench_isolet,
    "letter": bench_letter,
    "boosting": bench_boosting,
    "online": bench_online,
    "classes": bench_classes,
}


def main(arguments=None) -> int:
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/simplex.py", description=__doc__.splitlines()[0]
    )
    parser.add_argument("parts", nargs="*", help=f"{', '.join(PARTS)} (default: all)")
    chosen = parser.parse_args(arguments).parts or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    with threadpool_limits(limits=1):
        for name in chosen:
            print(f"\n== {name}")
            PARTS[name]()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
