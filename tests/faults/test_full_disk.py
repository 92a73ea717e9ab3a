"""A disk that is full, of records or of tables: a clear error, then the same tables.

Full disks while data are fetched: ``tests/data/test_fetch.py``.
"""

from __future__ import annotations

from contextlib import suppress

import pandas as pd
import pytest

from tests.faults import tiny
from tests.faults.folders import small_disk
from tests.faults.tiny_paper import N_TASKS


@pytest.fixture
def disk(tmp_path):
    with small_disk(tmp_path / "disk", "64k") as folder:
        yield folder


def fill(folder):
    """Leave no room at all."""
    with suppress(OSError), open(folder / "filler", "wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def test_store_on_a_full_disk(undisturbed, disk, tmp_path):
    store = {"REPROLIB_RECORDS": str(disk / "records")}
    fill(disk)
    assert tiny.run(tmp_path / "run", environment=store) == 2
    message = tiny.said(tmp_path / "run")
    assert f"cannot store a finished task in {disk}/records" in message
    assert "No space left on device" in message
    assert "set REPROLIB_RECORDS to another one" in message
    (disk / "filler").unlink()
    assert tiny.run(tmp_path / "run", environment=store) == 0
    pd.testing.assert_frame_equal(tiny.tables(tmp_path / "run"), undisturbed)


def test_store_that_fills_up_in_the_middle(undisturbed, tmp_path):
    """Room for some of the tasks only: they are kept, and the run goes on in a larger copy."""
    with small_disk(tmp_path / "disk", "32k") as disk:
        store = {"REPROLIB_RECORDS": str(disk / "records")}
        assert tiny.run(tmp_path / "run", environment=store) == 2
        assert "No space left on device" in tiny.said(tmp_path / "run")
        kept = list((disk / "records").rglob("*.json"))
        assert 0 < len(kept) < N_TASKS
        for path in kept:
            target = tmp_path / "run" / path.relative_to(disk)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    assert tiny.run(tmp_path / "run") == 0, tiny.said(tmp_path / "run")
    pd.testing.assert_frame_equal(tiny.tables(tmp_path / "run"), undisturbed)


def test_tables_on_a_full_disk(undisturbed, disk, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    (run / "build").symlink_to(disk)
    fill(disk)
    assert tiny.run(run) == 2
    message = tiny.said(run)
    assert "cannot write build/results/kpm/records.csv.xz (No space left on device)" in message
    assert "name another folder; finished tasks are stored" in message
    assert not [path for path in disk.rglob("*") if path.is_file() and path.name != "filler"]
    assert len(tiny.stored(run)) == N_TASKS
    (disk / "filler").unlink()
    assert tiny.run(run) == 0, tiny.said(run)
    pd.testing.assert_frame_equal(tiny.tables(run), undisturbed)
