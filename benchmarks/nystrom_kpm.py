"""KPM on Nystrom components at tens of thousands of rows, beside SVC and logistic regression.

Two classes of which one lies in curved regions of a 4-dimensional surface in 32 features; 5 % of
the labels are redrawn. All kernels are Gaussian of the same width. KPM keeps 50 components of 500
landmarks; its peer is scikit-learn's Nystroem with 500 landmarks and LogisticRegression. Time is
processor time of the fit, in one process; memory is the peak beyond that before the fit (Linux).

    python benchmarks/nystrom_kpm.py [--sizes 4000 20000] [--components 50] [--rank 500]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from reprolib.methods.kpm import NystromKPMClassifier

GAMMA = 0.3
N_TEST = 5000


def make_rows(n_samples: int, seed: int):
    """Rows of the problem in the module docstring, and their labels."""
    problem, rng = np.random.default_rng(0), np.random.default_rng(seed)
    frame = np.linalg.qr(problem.normal(size=(32, 4)))[0]
    frequencies, phases = 0.8 * problem.normal(size=(4, 24)), problem.uniform(0, 2 * np.pi, 24)
    latent = rng.normal(size=(n_samples, 4))
    y = np.cos(latent @ frequencies + phases) @ problem.normal(size=24) > 0.0
    redrawn = rng.random(n_samples) < 0.05
    y[redrawn] = rng.random(int(redrawn.sum())) < 0.5
    return latent @ frame.T + 0.05 * rng.normal(size=(n_samples, 32)), y


def models(n_components: int, rank: int) -> dict:
    """What is compared, by name."""
    features = Nystroem(gamma=GAMMA, n_components=rank, random_state=0)
    found: dict = {
        f"KPM, {loss}": NystromKPMClassifier(
            n_components, rank=rank, loss=loss, gamma=GAMMA, random_state=0
        )
        for loss in ("square", "logistic", "hinge")
    }
    found["SVC"] = SVC(gamma=GAMMA)
    found["Nystroem + LogisticRegression"] = make_pipeline(
        features, LogisticRegression(max_iter=10_000)
    )
    return found


def peak_since(before: float) -> float:
    """Peak MiB of the process beyond what it had, since the peak was reset."""
    lines = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    return peak / 1024 - before


def measure(model, X, y, X_test, y_test) -> tuple[float, float, float]:
    """Seconds of the fit, its MiB, and the test accuracy."""
    Path("/proc/self/clear_refs").write_text("5")
    before = peak_since(0.0)
    start = time.process_time()
    model.fit(X, y)
    seconds, memory = time.process_time() - start, peak_since(before)
    return seconds, memory, model.score(X_test, y_test)


def main(arguments=None) -> int:
    """Print seconds, memory and test accuracy of all models at every size."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/nystrom_kpm.py", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[4000, 20_000])
    parser.add_argument("--components", type=int, default=50)
    parser.add_argument("--rank", type=int, default=500)
    options = parser.parse_args(arguments)
    X_test, y_test = make_rows(N_TEST, 0)
    print("| n | model | seconds | MiB | accuracy in % |\n|---|---|---|---|---|")
    with threadpool_limits(1):
        for model in models(3, 20).values():
            model.fit(X_test[:200], y_test[:200])
        for n in options.sizes:
            X, y = make_rows(n, 1)
            for name, model in models(options.components, options.rank).items():
                seconds, memory, accuracy = measure(model, X, y, X_test, y_test)
                row = f"| {n:,} | {name} | {seconds:.2g} | {memory:.0f} | {100 * accuracy:.1f} |"
                print(row, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
