"""Compare the pictures of notebooks, which nbval does not.

Notebooks need nothing of this file to run and to pass ``pytest --nbval``.
"""

from __future__ import annotations

import os

# Before the kernels start: outputs with the same bits.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

import pytest  # noqa: E402


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """After a cell: compare its pictures with those in the file."""
    outcome = yield
    if hasattr(item, "cell") and item.cell.outputs:
        from tests.notebook_outputs import StaleError, check

        try:
            check(item.cell, item.test_outputs, ignored=not item.options["check"])
        except StaleError as error:
            item.raise_cell_error("Cell outputs differ", str(error))
    return outcome
