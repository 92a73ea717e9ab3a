"""Fixtures of all tests."""

from __future__ import annotations

import itertools
import os

import matplotlib
import pytest
from filelock import FileLock

from reprolib.report import page as report
from reprolib.rerun.records.registry import PAPERS, committed_directory

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
