"""Compiled loops on a few shapes with every index checked; `make bounds` runs all tests so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import numpy as np
from numba import njit
from reprolib import KEOPSClassifier, KPMClassifier, MKPMClassifier

@njit
def beyond(values):
    return values[len(values)]

try:
    beyond(np.zeros(2))
except IndexError:
    print("checked")
for n, p in [(8, 1), (33, 4), (64, 3)]:
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, p)), np.arange(n) % 3
    KPMClassifier(n_components=5, gamma=0.5).fit(X, y == 1).predict(X)
    MKPMClassifier(6, gamma=0.5).fit(X, y).score_path(X, y)
    KEOPSClassifier(None, 0.0, C=1.0).fit(X, y == 1).predict(X)
print("done")
"""


@pytest.mark.slow
def test_compiled_loops_stay_inside_of_their_arrays(tmp_path):
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.stdout.split() == ["checked", "done"], done.stderr
