"""Fixtures of all tests; tests that need real data are skipped, with a reason, without them.

A test names its data sets with the marker ``needs_data``. Only the cache and the mirror count: a
test run never downloads anything (`make reproduce` does, and fills the cache).
"""

from __future__ import annotations

import gc
import itertools
import os

# Before numpy is imported: results with the same bits.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

import matplotlib  # noqa: E402
import pytest  # noqa: E402
from filelock import FileLock  # noqa: E402

import data_fetch  # noqa: E402
from reprolib.report import page as report  # noqa: E402
from reprolib.rerun.records.registry import PAPERS, committed_directory  # noqa: E402

matplotlib.use("Agg")
_numbers = itertools.count()


@pytest.fixture(autouse=True)
def _own_records(tmp_path_factory, monkeypatch):
    """Keep every test away from the user's store of records; no folder is made for it."""
    folder = tmp_path_factory.getbasetemp() / "records" / str(next(_numbers))
    monkeypatch.setenv("REPROLIB_RECORDS", str(folder))


@pytest.fixture(scope="session")
def committed_report(tmp_path_factory):
    """The report on the committed results, written once, whatever the number of test processes.

    From an empty folder: what it needs is found wherever a user is.
    """
    own = tmp_path_factory.getbasetemp()
    path = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "report/report.html"
    path.parent.mkdir(exist_ok=True)
    with FileLock(path.with_suffix(".lock")), pytest.MonkeyPatch.context() as patch:
        if not path.is_file():
            patch.chdir(path.parent)
            report.write_report(list(PAPERS), committed_directory(), path, title="A <title>")
    return path


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


def pytest_terminal_summary(terminalreporter):
    """Say how many tests were skipped without their data, and how to get the data."""
    skipped = terminalreporter.stats.get("skipped", [])
    n_missing = sum("needs real data" in str(report.longrepr) for report in skipped)
    if n_missing:
        terminalreporter.write_line(
            f"{n_missing} tests skipped because their data are missing; "
            "`reprolib data fetch` gets the data, or set REPROLIB_MIRROR to a folder that has them"
        )
