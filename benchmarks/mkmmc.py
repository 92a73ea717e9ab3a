"""Speed of multiple kernel MMC: against the printed formula, and against its floor.

    python benchmarks/mkmmc.py [--quick]

Peers, all on the same data (eleven Gaussian kernels, ten classes), one BLAS thread, CPU time (ours
and the floor the least of three, the others once):

- ours: one outer step, A by an eigendecomposition of K L K, theta by the quadratic program;
- printed: the same step with L_theta and L_A of equations (22) and (23) summed over all pairs, as
  the paper writes them (n^2 rank-one terms of size n x n: O(n^4));
- floor: the weighted sum of the Gram matrices and its symmetric eigendecomposition, which any outer
  step needs;
- leave-one-out of the whitened projection: from one inverse, against a refit without each point.

Before it times anything it checks that the peers agree.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.linalg import eigh
from threadpoolctl import threadpool_limits

from reprolib.methods.mkmmc import (
    CONSTRAINTS,
    bandwidth_grid,
    leave_one_out_collapsed_path,
    leave_one_out_path,
    margin_laplacian,
    margin_weights,
)
from reprolib.methods.mkmmc._alternate import weight_matrix
from reprolib.methods.mkmmc.stqp import solve_stqp_local
from reprolib.methods.shared.kernels import gram

N_CLASSES, N_COMPONENTS = 10, 9


def problem(n, seed=0):
    """Classes around means of their own, eleven Gram matrices, uniform weights."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % N_CLASSES
    X = rng.normal(size=(N_CLASSES, 50))[y] + 1.5 * rng.normal(size=(n, 50))
    return np.array([gram(X, gamma=g) for g in bandwidth_grid(X)]), y, np.full(11, 1 / 11)


def ours(grams, y, theta):
    """One outer step through the Laplacian: twice the matrix of the weight step, and weights."""
    L = margin_laplacian(y)
    K = np.tensordot(theta, grams, axes=1)
    A, _ = CONSTRAINTS["coefficient"](K, L, N_COMPONENTS)
    M = weight_matrix(grams, L, A)
    return 2 * M, solve_stqp_local(M, theta).variables["weights"]


def printed(grams, y, theta):
    """One outer step through the pairwise sums of equations (22) and (23)."""
    W = margin_weights(y)
    n = len(y)
    G = np.moveaxis(grams, 0, -1)
    L_theta = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            difference = (G[:, i] - G[:, j]) @ theta
            L_theta += W[i, j] * np.outer(difference, difference)
    A = eigh(L_theta)[1][:, ::-1][:, :N_COMPONENTS]
    L_A = np.zeros((len(grams), len(grams)))
    for i in range(n):
        for j in range(n):
            difference = (G[:, i] - G[:, j]).T @ A
            L_A += W[i, j] * difference @ difference.T
    return L_A, solve_stqp_local(L_A / 2, theta).variables["weights"]


def floor(grams, y, theta):
    """Weighted sum of the Gram matrices, and its eigendecomposition."""
    K = np.tensordot(theta, grams, axes=1)
    return eigh(K, driver="evd", check_finite=False)


def refitted(grams, y, theta):
    """Whitened leave-one-out by a refit without each point."""
    return leave_one_out_path(grams[5], y, N_COMPONENTS, constraint="whitened")


def collapsed(grams, y, theta):
    """Whitened leave-one-out from one inverse."""
    return leave_one_out_collapsed_path(grams[5], y)


def check_agreement(n=40):
    """The peers compute the same: matrices, weights, leave-one-out paths."""
    arguments = problem(n)
    (M, theta), (M_printed, theta_printed) = ours(*arguments), printed(*arguments)
    np.testing.assert_allclose(M, M_printed, rtol=1e-6, atol=1e-8 * np.abs(M).max())
    np.testing.assert_allclose(theta, theta_printed, atol=1e-6)
    np.testing.assert_allclose(collapsed(*arguments), refitted(*arguments))


def seconds(function, arguments, repeats):
    """Least CPU time of several runs."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function(*arguments)
        times.append(time.process_time() - start)
    return min(times)


def main(arguments=None) -> int:
    """Check that the peers agree, time them, and print the table."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/mkmmc.py", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--output", type=Path, help="write the table to this CSV file")
    options = parser.parse_args(arguments)
    sizes = (50, 100) if options.quick else (50, 100, 200, 400, 1000)
    printed_up_to, refits_up_to = (50, 100) if options.quick else (200, 200)
    rows = []
    with threadpool_limits(limits=1):
        check_agreement()
        for n in sizes:
            arguments = problem(n)
            row = {"n": n, "ours": seconds(ours, arguments, 3)}
            row["floor"] = seconds(floor, arguments, 3)
            row["ours / floor"] = row["ours"] / row["floor"]
            if n <= printed_up_to:
                row["printed"] = seconds(printed, arguments, 1)
                row["printed / ours"] = row["printed"] / row["ours"]
            row["LOO, one inverse"] = seconds(collapsed, arguments, 1)
            if n <= refits_up_to:
                row["LOO, refits"] = seconds(refitted, arguments, 1)
                row["refits / inverse"] = row["LOO, refits"] / row["LOO, one inverse"]
            rows.append(row)
    frame = pd.DataFrame(rows).set_index("n")
    print("CPU seconds for one outer step (p = 11 kernels), and for whitened leave-one-out:")
    print(frame.to_string(float_format=lambda v: f"{v:.4g}", na_rep="–"))
    if options.output:
        frame.to_csv(options.output, float_format="%.4g")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
