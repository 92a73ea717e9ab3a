"""Which kernels of OpenBLAS this processor can run: a test asks here before it forces one.

A kernel of another processor family may end in an illegal instruction, which says nothing of the
project.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys

import pytest

MATRIX_PRODUCT = "import numpy as np; a = np.ones((300, 300)); a @ a"


@functools.cache
def runs(kernel: str) -> bool:
    """Whether a matrix product with this kernel comes to its end here."""
    environment = {**os.environ, "OPENBLAS_CORETYPE": kernel}
    answer = subprocess.run(
        [sys.executable, "-c", MATRIX_PRODUCT], env=environment, capture_output=True, check=False
    )
    return answer.returncode == 0


def skip_unless_it_runs(kernel: str) -> None:
    """Skip the test that calls this, by name, where the processor cannot run the kernel."""
    if not runs(kernel):
        pytest.skip(f"this processor cannot run the {kernel} kernels of OpenBLAS")
