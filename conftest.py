"""Skip tests and notebook cells that need real data, with a reason, where the data are not.

A test names its data sets with the marker ``needs_data``, a notebook cell with tags
``data:<name>``. Only the cache and the mirror count: a test run never downloads anything
(`make reproduce` does, and fills the cache).
"""

from __future__ import annotations

import os

# Before numpy is imported, here and in the notebooks' kernels: bit-stable outputs.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
# Sliders differ every time; their pictures do not.
os.environ["REPROLIB_STATIC"] = "1"

import pytest  # noqa: E402

import data_fetch  # noqa: E402


def _needed(item) -> list[str]:
    names = [name for mark in item.iter_markers("needs_data") for name in mark.args]
    cell = getattr(item, "cell", None)
    tags = cell.metadata.get("tags", []) if cell is not None else []
    return names + [tag.removeprefix("data:") for tag in tags if tag.startswith("data:")]


def pytest_collection_modifyitems(items):
    """Mark what needs data that are neither in the cache nor in the mirror."""
    for item in items:
        missing = [name for name in _needed(item) if not data_fetch.available(name)]
        if missing:
            reason = f"needs real data that are not at hand: {', '.join(missing)}"
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter):
    """Say how many tests and cells were skipped without their data, and how to get the data."""
    skipped = terminalreporter.stats.get("skipped", [])
    n_missing = sum("needs real data" in str(report.longrepr) for report in skipped)
    if n_missing:
        terminalreporter.write_line(
            f"{n_missing} tests and notebook cells skipped because their data are missing; "
            "`reprolib data fetch` gets the data, or set REPROLIB_MIRROR to a folder that has them"
        )
