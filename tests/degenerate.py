"""Degenerate data for the solvers of simplex coding, and a second interpreter to run on them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
KINDS = (
    "generic",
    "dependent columns",
    "repeated points",
    "zero points",
    "ties",
    "lengths 1e-2 to 1e2",
    "orthogonal",
    "rank one",
    "zero",
)


def degenerate_points(kind: str, rng, *, max_samples: int = 12, max_features: int = 5):
    """Matrix of shape (n, p) with n and p from 1."""
    n, p = int(rng.integers(1, max_samples + 1)), int(rng.integers(1, max_features + 1))
    X = rng.normal(size=(n, p))
    if kind == "dependent columns" and p > 1:
        column = rng.integers(p)
        X[:, column] = np.delete(X, column, axis=1) @ rng.integers(-1, 2, size=p - 1)
    elif kind == "repeated points":
        X = X[rng.integers(max(1, n // 2), size=n)]
    elif kind == "zero points":
        X[rng.integers(n, size=n // 2)] = 0.0
    elif kind == "ties":
        X = np.round(X)
    elif kind == "lengths 1e-2 to 1e2":
        X *= 10.0 ** rng.uniform(-2, 2, size=(n, 1))
    elif kind == "orthogonal":
        X = np.eye(n)
    elif kind == "rank one":
        X = np.outer(rng.normal(size=n), rng.normal(size=p))
    elif kind == "zero":
        X[:] = 0.0
    return X


def degenerate_labels(n_samples: int, n_classes: int, rng):
    """Class indices; now and then all the same, so that the other classes are empty."""
    y = rng.integers(n_classes, size=n_samples)
    return np.full(n_samples, y[0]) if rng.random() < 0.15 else y


def run_python(*parts: str, **environment: str) -> str:
    """Output of a new interpreter that runs the parts; an error there is an error here."""
    code = "\n".join(textwrap.dedent(part) for part in parts)
    answer = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout
