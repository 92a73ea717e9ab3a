"""Skip tests whose data are not at hand; keep tests away from the user's store of records."""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"  # before numpy is imported: one process a core

import matplotlib  # noqa: E402
import pytest  # noqa: E402

import data_fetch  # noqa: E402

matplotlib.use("Agg")


def pytest_collection_modifyitems(items):
    """Skip what needs data that are neither in the cache nor in the mirror."""
    for item in items:
        needed = [name for mark in item.iter_markers("needs_data") for name in mark.args]
        if missing := [name for name in needed if not data_fetch.available(name)]:
            reason = f"needs real data that are not at hand: {', '.join(missing)}"
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True)
def _own_records(tmp_path_factory, monkeypatch):
    """Give every test a store of its own."""
    monkeypatch.setenv("REPROLIB_RECORDS", str(tmp_path_factory.mktemp("records")))
