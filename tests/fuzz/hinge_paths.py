"""Hinge paths on Gram matrices from all ones to almost diagonal: each has to be certified whole.

``python -m tests.fuzz.hinge_paths 0 450`` names the seeds whose path is not.
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.datasets import make_blobs

from reprolib.methods.kpm.hinge_lp import solve_hinge_lp_path
from reprolib.methods.shared.kernels import gram, gram_eigh
from reprolib.methods.shared.solution import NotOptimalError
from reprolib.methods.shared.tolerances import RANK_TOL


def hinge_problem(seed: int):
    """Components of two to four blobs, for a kernel of any width, and labels -1 and 1."""
    rng = np.random.RandomState(seed)
    n, p, D = rng.randint(20, 200), rng.randint(1, 12), rng.randint(1, 40)
    spread, centers = 10 ** rng.uniform(-1, 1.2), rng.randint(2, 5)
    X, labels = make_blobs(n, p, centers=centers, cluster_std=spread, random_state=seed)
    _, V = gram_eigh(gram(X, gamma=10 ** rng.uniform(-2, 1)), rank_tol=RANK_TOL)
    return np.sqrt(n) * V[:, :D], 2.0 * (labels % 2) - 1.0


def main(first: int, last: int):
    """Print what breaks."""
    broken = 0
    for seed in range(first, last):
        try:
            solve_hinge_lp_path(*hinge_problem(seed))
        except NotOptimalError as error:
            broken += 1
            print(seed, error)
    print(f"{broken} of {last - first} paths broken")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
