"""Hinge LP for D = 1, ..., 60: our path against GLPK, HiGHS and cvxopt called once per D.

Every solver gets the same components and labels; one process, one BLAS thread, CPU time: of paths
the least of several repetitions. Solvers that are called per D are timed once, at some D only, and
their cost for all D is the integral of the interpolated cost per D. GLPK and HiGHS have their
default tolerances, cvxopt 1e-9; the largest relative difference from our objectives is printed,
and at how many D cvxopt found no optimum.
The floor is the eigendecomposition of the Gram matrix, which every method needs first.

    python benchmarks/kpm.py [--sizes 200 400 700] [--max-components 60] [--seed 0] [--plot]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cvxopt
import cvxopt.glpk
import numpy as np
from cvxopt import solvers
from scipy.optimize import linprog
from sklearn.datasets import make_moons
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from reprolib.methods.kpm import KPMClassifierCV
from reprolib.methods.kpm.hinge_lp import solve_hinge_lp_path
from reprolib.methods.shared.kernels import gram, gram_eigh

OURS, EIGH, GLPK = "simplex path (ours)", "eigendecomposition", "GLPK, per D"
GAMMA = 1.0
TOLERANCES = {"show_progress": False, "abstol": 1e-9, "reltol": 1e-9, "feastol": 1e-9}
PROTOCOL_SIZES = {
    "banana": 400,
    "breast_cancer": 200,
    "diabetis": 468,
    "flare_solar": 666,
    "german": 700,
    "heart": 170,
}
PROTOCOL_COMPONENTS, PROTOCOL_FOLDS, PROTOCOL_COSTS, PROTOCOL_TRIALS = 60, 5, 100, 100


@dataclass
class Timing:
    """CPU seconds and objective of one solver at each number of components that was timed."""

    dimensions: np.ndarray
    seconds: np.ndarray
    objectives: np.ndarray
    per_dimension: bool

    def total(self, max_components: int) -> float:
        """Seconds for all of 1, ..., max_components, interpolated between those timed."""
        if not self.per_dimension:
            return float(self.seconds[-1])
        every = np.arange(1, max_components + 1)
        return float(np.interp(every, self.dimensions, self.seconds).sum())


def half_circles(n: int, seed: int = 0):
    """Two noisy half-circles: X of shape (n, 2), y in {-1, 1}."""
    X, labels = make_moons(n, noise=0.3, random_state=seed)
    return X, 2.0 * labels - 1.0


def primal_lp(V, y, dense: bool):
    """Objective, G, h of the primal LP (10)-(11) for cvxopt, variables (beta, b, xi)."""
    n, D = V.shape
    margins = y[:, np.newaxis] * np.hstack([V, np.ones((n, 1))])
    objective = cvxopt.matrix(np.concatenate([np.zeros(D + 1), np.ones(n)]))
    minus = cvxopt.spdiag([-1.0] * n)
    G = cvxopt.sparse([[cvxopt.matrix(-margins), cvxopt.matrix(0.0, (n, D + 1))], [minus, minus]])
    h = cvxopt.matrix(np.concatenate([-np.ones(n), np.zeros(n)]))
    return objective, cvxopt.matrix(G) if dense else G, h


def glpk_single(V, y) -> float:
    objective, G, h = primal_lp(V, y, dense=False)
    _, x, *_ = cvxopt.glpk.lp(objective, G, h, options={"msg_lev": "GLP_MSG_OFF"})
    return (objective.T * x)[0]


def cvxopt_dense_single(V, y) -> float:
    answer = solvers.conelp(*primal_lp(V, y, dense=True), options=TOLERANCES)
    return answer["primal objective"] if answer["status"] == "optimal" else np.nan


def highs_single(V, y) -> float:
    """HiGHS with its default options on the dual LP."""
    n, D = V.shape
    rows = y * np.vstack([V.T, np.ones(n)])
    answer = linprog(-np.ones(n), A_eq=rows, b_eq=np.zeros(D + 1), bounds=(0, 1), method="highs")
    return -answer.fun


def objectives_of_path(solve: Callable) -> Callable:
    return lambda V, y: np.array([solution.primal_objective for solution in solve(V, y)])


PATHS: dict[str, Callable] = {OURS: objectives_of_path(solve_hinge_lp_path)}
SINGLES: dict[str, Callable] = {
    GLPK: glpk_single,
    "HiGHS, per D": highs_single,
    "cvxopt, dense, per D": cvxopt_dense_single,
}


def cpu_seconds(function: Callable, repetitions: int):
    """Least CPU time of several calls, and the value returned."""
    best, value = np.inf, None
    for _ in range(repetitions):
        start = time.process_time()
        value = function()
        best = min(best, time.process_time() - start)
    return best, value


def time_solvers(n: int, max_components: int, n_timed: int, repetitions: int, seed: int):
    """Time every solver on one sample of size n; returns {name: Timing}."""
    X, y = half_circles(n, seed)
    K = gram(X, gamma=GAMMA)
    seconds, (_, V) = cpu_seconds(lambda: gram_eigh(K), repetitions)
    V = np.sqrt(n) * V[:, :max_components]
    every = np.arange(1, V.shape[1] + 1)
    timed = np.unique(np.linspace(1, V.shape[1], n_timed).round().astype(int))
    timings = {EIGH: Timing(every[-1:], np.array([seconds]), np.array([]), False)}
    for name, solve_path in PATHS.items():
        solve_path(V[:, :1], y)
        at = [cpu_seconds(lambda d=d, s=solve_path: s(V[:, :d], y), repetitions) for d in timed]
        elapsed, objectives = np.array([pair[0] for pair in at]), at[-1][1]
        timings[name] = Timing(timed, elapsed, objectives[timed - 1], False)
    for name, solve in SINGLES.items():
        at = [cpu_seconds(lambda d=d, s=solve: s(V[:, :d], y), 1) for d in timed]
        timings[name] = Timing(timed, *map(np.array, zip(*at, strict=True)), per_dimension=True)
    return timings


def largest_difference(timing: Timing, reference: Timing) -> float:
    """Largest relative difference of objectives where both have an optimum."""
    if not len(timing.objectives):
        return np.nan
    scale = np.maximum(1.0, np.abs(reference.objectives))
    return float(np.nanmax(np.abs(timing.objectives - reference.objectives) / scale))


def print_table(n: int, timings: dict[str, Timing], max_components: int):
    floor, ours = (timings[name].total(max_components) for name in (EIGH, OURS))
    print(f"\nn = {n}, D = 1..{max_components}")
    print(f"{'':31}{'seconds':>10}{'/ eigh':>9}{'/ ours':>9}{'rel. diff. of objective':>24}")
    for name, timing in timings.items():
        total = timing.total(max_components)
        difference = largest_difference(timing, timings[OURS])
        failed = np.count_nonzero(np.isnan(timing.objectives))
        print(
            f"{name:31}{total:10.4f}{total / floor:9.2f}{total / ours:9.1f}"
            + (f"{difference:24.1e}" if np.isfinite(difference) else "")
            + (f"  (no optimum at {failed} of {len(timing.objectives)} D)" if failed else "")
        )


def protocol_estimate(sizes: dict[str, int], n_costs_timed: int):
    """Extrapolate Table 2 (100 realisations of each set): (KPM, SVM) CPU seconds."""
    kpm = svm = 0.0
    for n in sizes.values():
        X, y = half_circles(n)
        model = KPMClassifierCV(PROTOCOL_COMPONENTS, cv=PROTOCOL_FOLDS, random_state=0, gamma=GAMMA)
        kpm += PROTOCOL_TRIALS * cpu_seconds(lambda m=model, X=X, y=y: m.fit(X, y), 1)[0]
        n_train = n * (PROTOCOL_FOLDS - 1) // PROTOCOL_FOLDS
        machines = [
            SVC(C=30.0 * (k + 1) / n_costs_timed, gamma=GAMMA) for k in range(n_costs_timed)
        ]
        X, y = X[:n_train], y[:n_train]
        seconds = sum(
            cpu_seconds(lambda svc=svc, X=X, y=y: svc.fit(X, y), 1)[0] for svc in machines
        )
        svm += PROTOCOL_TRIALS * PROTOCOL_FOLDS * PROTOCOL_COSTS * seconds / n_costs_timed
    return kpm, svm


def plot(results: dict[int, dict[str, Timing]], max_components: int, target: Path):
    """Cost of all D against n, and cost up to D at the largest n."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.5), layout="constrained")
    by_size, by_dimension = figure.subplots(1, 2)
    sizes = sorted(results)
    for k, name in enumerate(results[sizes[0]]):
        color = f"C{k}"
        totals = [results[n][name].total(max_components) for n in sizes]
        by_size.plot(sizes, totals, "o-", color=color, label=name)
        timing = results[sizes[-1]][name]
        if timing.per_dimension:
            every = np.arange(1, max_components + 1)
            cost = np.cumsum(np.interp(every, timing.dimensions, timing.seconds))
            by_dimension.plot(every, cost, color=color)
        elif name == EIGH:
            by_dimension.axhline(timing.seconds[-1], color=color)
        else:
            by_dimension.plot(timing.dimensions, timing.seconds, color=color)
    by_size.set(xlabel="sample size n", title=f"cost of D = 1, ..., {max_components}")
    by_dimension.set(xlabel="number of components D", title=f"cost of 1, ..., D at n = {sizes[-1]}")
    for axis in (by_size, by_dimension):
        axis.set(yscale="log", ylabel="CPU seconds, one thread")
        axis.grid(alpha=0.3)
    figure.legend(loc="outside right upper", frameon=False)
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, dpi=150)
    print(f"\nplot: {target}")


def parse(argv: Sequence[str] | None):
    parser = argparse.ArgumentParser(
        prog="python benchmarks/kpm.py", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[200, 400, 700])
    parser.add_argument("--max-components", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0, help="of the generated data (default: 0)")
    parser.add_argument("--timed", type=int, default=11, help="numbers of components timed")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--no-estimate", action="store_true", help="leave out the protocol's cost")
    parser.add_argument(
        "--plot",
        type=Path,
        nargs="?",
        const=Path("build/bench_kpm.png"),
        help="draw the times (without a name: %(const)s)",
    )
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parse(argv)
    D = arguments.max_components
    with threadpool_limits(1):
        results = {}
        for n in arguments.sizes:
            results[n] = time_solvers(n, D, arguments.timed, arguments.repetitions, arguments.seed)
            print_table(n, results[n], D)
        print(f"\nPer-D solvers are timed at {arguments.timed} of {D} D and interpolated.")
        if not arguments.no_estimate:
            kpm, svm = protocol_estimate(PROTOCOL_SIZES, n_costs_timed=5)
            print(
                f"Estimate for Table 2 in full, from generated data of the sizes of its "
                f"{len(PROTOCOL_SIZES)} sets ({PROTOCOL_TRIALS} realisations, {PROTOCOL_FOLDS} "
                f"folds), on two cores: KPM with D up to {PROTOCOL_COMPONENTS} and a refit "
                f"{kpm / 120:.1f} min, SVM with {PROTOCOL_COSTS} values of C and no refit "
                f"{svm / 120:.1f} min, together {(kpm + svm) / 120:.1f} min."
            )
    if arguments.plot:
        plot(results, D, arguments.plot)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
