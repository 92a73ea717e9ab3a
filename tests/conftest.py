"""Fixtures of all tests."""

from __future__ import annotations

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _own_records(tmp_path, monkeypatch):
    """Keep every test away from the user's store of records."""
    monkeypatch.setenv("REPROLIB_RECORDS", str(tmp_path / "records"))
