"""Peak memory of every estimator's fit: at 20,000 rows, or in Gram matrices where it holds some.

Every fit has a process and one thread of its own, after a small fit that compiles. The peak is the
resident set (Linux) beyond that before the fit. The rows are those of `large_n`: 32 features, 4
classes. Estimators that hold a whole Gram matrix are fitted to 2,000 rows; at 20,000 one Gram
matrix takes 3,052 MiB.

    python -m benchmarks.memory [--rows 20000] [--gram-rows 2000]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline

import reprolib as r
from benchmarks.large_n import GAMMA, N_FEATURES, make_rows, status

RANK = 500
RBF = {"gamma": GAMMA}
TREE = np.arange(N_FEATURES).reshape(4, -1).tolist()


def landmarks() -> Nystroem:
    """Features of a Gaussian kernel from random rows."""
    return Nystroem(gamma=GAMMA, n_components=RANK, random_state=0)


#: Fits that need no Gram matrix, by what they are called in the table.
WITHOUT_GRAM: dict[str, Callable] = {
    "SimplexSGDClassifier": r.SimplexSGDClassifier,
    "SimplexBoostingClassifier(20)": lambda: r.SimplexBoostingClassifier(20),
    "SimplexRLSClassifier()": r.SimplexRLSClassifier,
    "SimplexRLSClassifierCV()": r.SimplexRLSClassifierCV,
    "SimplexConeSVC(kernel='linear')": lambda: r.SimplexConeSVC(kernel="linear"),
    "SimplexHalfspaceSVC(kernel='linear')": lambda: r.SimplexHalfspaceSVC(kernel="linear"),
    "SimplexConeSVC(), Gaussian kernel": lambda: r.SimplexConeSVC(**RBF),
    "MMC": r.MMC,
    "TreeLassoClassifier": lambda: r.TreeLassoClassifier(TREE),
    "NystromMKPMClassifier(rank=500)": lambda: r.NystromMKPMClassifier(rank=RANK, **RBF),
    "MKPMClassifier(basis='nystrom', rank=500)": lambda: r.MKPMClassifier(
        basis="nystrom", rank=RANK, **RBF
    ),
    "Nystroem(500) + SimplexRLSClassifierCV": lambda: make_pipeline(
        landmarks(), r.SimplexRLSClassifierCV()
    ),
    "Nystroem(500) + KPMClassifier(50)": lambda: make_pipeline(
        landmarks(), r.KPMClassifier(50, kernel="linear")
    ),
}
#: Fits that hold at least one.
WITH_GRAM: dict[str, Callable] = {
    "SimplexRLSClassifier(kernel='rbf')": lambda: r.SimplexRLSClassifier(kernel="rbf", **RBF),
    "SimplexRLSClassifierCV(kernel='rbf')": lambda: r.SimplexRLSClassifierCV(kernel="rbf", **RBF),
    "SimplexHalfspaceSVC()": lambda: r.SimplexHalfspaceSVC(**RBF),
    "KPMClassifier(50)": lambda: r.KPMClassifier(50, **RBF),
    "KPMClassifierCV(50)": lambda: r.KPMClassifierCV(50, **RBF),
    "MKPMClassifier(100)": lambda: r.MKPMClassifier(100, **RBF),
    "MKPMClassifierCV(100)": lambda: r.MKPMClassifierCV(100, **RBF),
    "KernelMMC": lambda: r.KernelMMC(**RBF),
    "MultipleKernelMMC, 11 kernels": r.MultipleKernelMMC,
    "KEOPSClassifier, 32 linear kernels": lambda: r.KEOPSClassifier(TREE),
    "KEOPSClassifierCV, 32 linear kernels": lambda: r.KEOPSClassifierCV(TREE),
    "MKLClassifier, 32 linear kernels": r.MKLClassifier,
}
#: Binary: the first class against the others, so that one problem is solved and not four.
BINARY = ("KPM", "KEOPS", "MKLClassifier", "TreeLasso", "Nystroem(500) + KPM")


def peak(name: str, n: int) -> tuple[float, float]:
    """Fit in this process; MiB beyond what it had before, and seconds of processor time."""
    make = (WITHOUT_GRAM | WITH_GRAM)[name]
    X, y = make_rows(n, 1)
    y = y == 0 if name.startswith(BINARY) else y
    with warnings.catch_warnings(action="ignore"):
        make().fit(X[:700], y[:700])
        Path("/proc/self/clear_refs").write_text("5")
        before, start = status("VmRSS"), time.process_time()
        make().fit(X, y)
    return status("VmHWM") - before, time.process_time() - start


def measured(name: str, n: int) -> tuple[float, float]:
    """`peak` in a process of its own."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    command = [sys.executable, "-m", "benchmarks.memory", "--job", name, str(n)]
    answer = subprocess.run(
        command, env={**os.environ, **threads}, stdout=subprocess.PIPE, text=True, check=True
    )
    megabytes, seconds = map(float, answer.stdout.split())
    return megabytes, seconds


def main(arguments=None) -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.memory", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--gram-rows", type=int, default=2000)
    parser.add_argument("--job", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.job:
        print(*peak(options.job[0], int(options.job[1])))
        return 0
    print(f"| {options.rows:,} rows, no Gram matrix | peak MiB | seconds |\n|---|---|---|")
    for name in WITHOUT_GRAM:
        megabytes, seconds = measured(name, options.rows)
        print(f"| `{name}` | {megabytes:,.0f} | {seconds:.2g} |", flush=True)
    print(
        f"\n| {options.gram_rows:,} rows | peak MiB | Gram matrices | seconds |\n|---|---|---|---|"
    )
    for name in WITH_GRAM:
        megabytes, seconds = measured(name, options.gram_rows)
        grams = megabytes * 2**17 / options.gram_rows**2
        print(f"| `{name}` | {megabytes:,.0f} | {grams:.1f} | {seconds:.2g} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
