"""Folders of results, and files that are written whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from reprolib.rerun.records import registry

ROOT = Path(__file__).resolve().parents[2]


def test_a_written_file_may_be_read_by_all_and_written_by_its_owner(tmp_path):
    registry.write_atomically(tmp_path / "new" / "file.txt", "text")
    assert (tmp_path / "new" / "file.txt").stat().st_mode & 0o777 == 0o644


def test_a_file_that_cannot_be_written_is_named_with_the_remedy(tmp_path, monkeypatch):
    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(registry.os, "replace", full)
    with pytest.raises(OSError, match="cannot write .*file.txt .No space left on device.; free"):
        registry.write_atomically(tmp_path / "file.txt", "text")


def test_results_of_a_checkout_or_of_a_named_folder_can_be_committed(tmp_path, monkeypatch):
    monkeypatch.delenv("REPROLIB_RESULTS", raising=False)
    assert registry.committed_directory() == ROOT / "results"
    assert registry.can_be_committed()
    monkeypatch.setattr(registry, "PACKAGE", tmp_path / "reprolib")
    assert registry.project_folder("results") == tmp_path / "reprolib/shipped/results"
    assert not registry.can_be_committed()
    monkeypatch.setenv("REPROLIB_RESULTS", str(tmp_path / "named"))
    assert registry.can_be_committed()
