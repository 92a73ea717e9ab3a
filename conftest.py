"""Skip tests that need real data, with a reason, where the data are not; compare pictures.

A test names its data sets with the marker ``needs_data``. Only the cache and the mirror count: a
test run never downloads anything (`make reproduce` does, and fills the cache). Notebooks need
nothing of this file to run and to pass ``pytest --nbval``: here their pictures are compared, too.
"""

from __future__ import annotations

import gc
import os

# Before numpy is imported, here and in the notebooks' kernels: bit-stable outputs.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

import pytest  # noqa: E402

import data_fetch  # noqa: E402


def pytest_collection_modifyitems(items):
    """Mark what needs data that are neither in the cache nor in the mirror."""
    for item in items:
        needed = [name for mark in item.iter_markers("needs_data") for name in mark.args]
        missing = [name for name in needed if not data_fetch.available(name)]
        if missing:
            reason = f"needs real data that are not at hand: {', '.join(missing)}"
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Leave out the garbage collector of what stays to the end: tests by the thousand, modules."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """After a notebook cell: compare its pictures with those in the file, which nbval does not."""
    outcome = yield
    if hasattr(item, "cell") and item.cell.outputs:
        from tests.notebook_outputs import StaleError, check

        try:
            check(item.cell, item.test_outputs, ignored=not item.options["check"])
        except StaleError as error:
            item.raise_cell_error("Cell outputs differ", str(error))
    return outcome


def pytest_terminal_summary(terminalreporter):
    """Say how many tests were skipped without their data, and how to get the data."""
    skipped = terminalreporter.stats.get("skipped", [])
    n_missing = sum("needs real data" in str(report.longrepr) for report in skipped)
    if n_missing:
        terminalreporter.write_line(
            f"{n_missing} tests skipped because their data are missing; "
            "`reprolib data fetch` gets the data, or set REPROLIB_MIRROR to a folder that has them"
        )
