"""Simplex methods and peers: S-RLS paths, SC-SVM solvers, Letter, boosting, online methods.

One process, one BLAS thread, CPU time; ours the least of several repetitions, slow peers once.
Generated data: T normal classes in p dimensions; the peers solve their own problem on the same
data. The SC-SVM solvers all solve the same problem and stop at a relative duality gap of 1e-3,
which is printed beside the time; cvxopt only where its matrices, of size n T, are small. The part
"letter" takes the 16,000 training rows of UCI's Letter where they are at hand, else generated rows
of that size; "isolet" needs UCI's Isolet.

    python benchmarks/simplex.py [path] [svm] [isolet] [letter] [boosting] [online] [classes]

With --older, SC-SVM and SH-SVM are compared with those of an older commit and with SVC; the table
stands in simplex_svm.md:

    git worktree add ../older COMMIT
    python benchmarks/simplex.py --older ../older
"""

from __future__ import annotations

import argparse
import functools
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeClassifierCV, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

import data_fetch
from reprolib.methods.shared.codes import encode, one_vs_all_code
from reprolib.methods.shared.kernels import gram
from reprolib.methods.simplex import (
    SimplexBoostingClassifier,
    SimplexConeSVC,
    SimplexHalfspaceSVC,
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


def curved(n, n_classes=5, p=20):
    """Draw rows near a surface of four dimensions; its waves make the classes."""
    problem, rng = np.random.default_rng(0), np.random.default_rng(0)
    frame = np.linalg.qr(problem.normal(size=(p, 4)))[0]
    waves, phases = 0.8 * problem.normal(size=(4, 24)), problem.uniform(0, 2 * np.pi, 24)
    heights = problem.normal(size=(24, n_classes))
    latent = rng.normal(size=(n, 4))
    y = np.argmax(np.cos(latent @ waves + phases) @ heights, axis=1)
    wrong = rng.random(n) < 0.05
    y[wrong] = rng.integers(n_classes, size=wrong.sum())
    return latent @ frame.T + 0.05 * rng.normal(size=(n, p)), y


def generated(n):
    """Draw rows in ten classes of two clusters each."""
    return make_classification(n, 20, n_informative=12, n_classes=10, random_state=0)


def drawn(name: str, n: int | None = None):
    """Return standardised training rows of a set, all or n of them; of images, raw pixels."""
    dataset = data_fetch.load(name)
    X, y = np.asarray(dataset.X, dtype=float), np.asarray(dataset.y)
    if name.startswith("uci/"):
        train = dataset.splits[0][0]
        X, y = StandardScaler().fit_transform(X[train]), y[train]
    rows = np.random.default_rng(0).permutation(len(y))[:n]
    return X[rows].reshape(len(rows), -1), y[rows]


SVM_DATA: dict[str, Callable[[], tuple]] = {
    "generated 2000": lambda: generated(2000),
    "generated 1000": lambda: generated(1000),
    "curved 1000": lambda: curved(1000),
    "curved 400": lambda: curved(400),
    "COIL-20 800": lambda: drawn("faces/coil20", 800),
    "Landsat 1500": lambda: drawn("uci/landsat", 1500),
    "Landsat 1000": lambda: drawn("uci/landsat", 1000),
    "Landsat": lambda: drawn("uci/landsat"),
    "Optdigits 1500": lambda: drawn("uci/optdigits", 1500),
    "Optdigits 1000": lambda: drawn("uci/optdigits", 1000),
    "Optdigits": lambda: drawn("uci/optdigits"),
    "Isolet 2000": lambda: drawn("uci/isolet", 2000),
}
#: Data, kernel, C (of the linear kernel in units of 1 / mean square), machine.
SVM_ROWS: list[tuple[str, str, float, type]] = [
    ("Landsat", "rbf", 10, SimplexConeSVC),
    ("Landsat", "linear", 1, SimplexConeSVC),
    ("Landsat", "linear", 10, SimplexHalfspaceSVC),
    ("Optdigits", "linear", 10, SimplexConeSVC),
    ("COIL-20 800", "rbf", 1, SimplexConeSVC),
    ("Landsat 1500", "rbf", 10, SimplexConeSVC),
    ("generated 2000", "rbf", 1, SimplexConeSVC),
    ("generated 1000", "rbf", 100, SimplexConeSVC),
    ("Optdigits 1500", "rbf", 100, SimplexConeSVC),
    ("Landsat 1000", "rbf", 10, SimplexHalfspaceSVC),
    ("curved 1000", "rbf", 1, SimplexConeSVC),
    ("curved 1000", "rbf", 100, SimplexConeSVC),
    ("Optdigits 1500", "rbf", 1, SimplexConeSVC),
    ("generated 1000", "rbf", 1, SimplexHalfspaceSVC),
    ("curved 400", "rbf", 1, SimplexConeSVC),
    ("curved 400", "rbf", 100, SimplexConeSVC),
    ("Landsat 1500", "rbf", 1, SimplexConeSVC),
    ("Landsat 1500", "rbf", 100, SimplexConeSVC),
    ("Landsat", "linear", 100, SimplexConeSVC),
    ("Optdigits 1000", "rbf", 10, SimplexHalfspaceSVC),
    ("generated 1000", "rbf", 100, SimplexHalfspaceSVC),
    ("Isolet 2000", "linear", 1, SimplexHalfspaceSVC),
    ("Isolet 2000", "linear", 100, SimplexHalfspaceSVC),
]


def svm_and_peer(row: int):
    """Return the machine of a row of `SVM_ROWS`, SVC one-vs-rest with its kernel and C, the data.

    All is compiled.
    """
    name, kernel, C, machine = SVM_ROWS[row]
    X, y = SVM_DATA[name]()
    settings = {"kernel": kernel}
    if kernel == "linear":
        C /= np.mean(np.sum(X**2, axis=1))
    else:
        settings["gamma"] = 1 / (X.shape[1] * X.var())
    small = make_data(200, 3, 3)
    for of_small in ({"kernel": "linear"}, {}):
        machine(1e3, **of_small).fit(*small)
    return (
        machine(C, cache_size=4000, **settings),
        OneVsRestClassifier(SVC(C=C, cache_size=4000, **settings)),
        X,
        y,
    )


def answer_svm(row: int) -> None:
    """Child process of `bench_before`: fit once a line of standard input, print seconds and gap."""
    svm, peer, X, y = svm_and_peer(row)
    for line in sys.stdin:
        model = peer if line == "peer\n" else svm
        seconds = cpu_seconds(model.fit, X, y, repeat=1)
        print(seconds, getattr(model, "duality_gap_", np.nan), flush=True)


def bench_before(older: str) -> None:
    """SC-SVM and SH-SVM to a relative gap of 1e-4, in turn with an older commit; medians of three.

    Fits of more than five seconds are made once.
    """
    say("data", "kernel", "C", "machine", "SVC", "before (gap)", "now (gap)", "/ before", "/ SVC")
    for row, (name, kernel, C, machine) in enumerate(SVM_ROWS):
        children = [
            subprocess.Popen(
                [sys.executable, __file__, "--row", str(row)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONPATH": path},
            )
            for path in (older, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        ]
        asked = [(children[1], "peer"), (children[0], "svm"), (children[1], "svm")]
        seconds, gaps = [], [0.0] * 3
        while len(seconds) < 3 and (not seconds or max(seconds[0]) < 5.0):
            seconds.append([0.0] * 3)
            for k, (child, what) in enumerate(asked):
                child.stdin.write(what + "\n")
                child.stdin.flush()
                seconds[-1][k], gaps[k] = map(float, child.stdout.readline().split())
        for child in children:
            child.communicate()
        svc, before, now = np.median(seconds, axis=0)
        cells = [f"{s:.2g} ({gap:.0e})" for s, gap in ((before, gaps[1]), (now, gaps[2]))]
        ratios = [f"{now / before:.2f}", f"{now / svc:.1f}"]
        say(name, kernel, C, machine.__name__[7:-3], f"{svc:.2g}", *cells, *ratios)


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
    parser.add_argument("--older", help="checkout of an older commit, to compare SVMs with")
    parser.add_argument("--row", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.row is not None:
        with threadpool_limits(limits=1):
            answer_svm(given.row)
        return 0
    if given.older:
        bench_before(os.path.abspath(given.older))
        return 0
    chosen = given.parts or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    with threadpool_limits(limits=1):
        for name in chosen:
            print(f"\n== {name}")
            PARTS[name]()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
