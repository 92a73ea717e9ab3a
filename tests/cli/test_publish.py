"""Committed results are replaced by sound full runs on real data only."""

from __future__ import annotations

import dataclasses
import io

import pytest
from rich.console import Console

import data_fetch
from reprolib.cli.commands.reproduce import publish
from reprolib.rerun.records import homes
from reprolib.rerun.tasks import data_cache, runner
from reprolib.rerun.tasks.store import RecordStore
from tests import fake_paper


@pytest.fixture
def outcome(monkeypatch, tmp_path):
    """A full run of the fake paper; the committed results are below ``tmp_path``."""
    monkeypatch.setenv("REPROLIB_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(data_fetch, "counterparts", lambda name: [])
    monkeypatch.setattr(data_fetch, "load", lambda name: fake_paper.dataset(name))
    data_cache.clear()
    store = RecordStore(tmp_path / "store")
    yield runner.run_protocol(fake_paper.PROTOCOL, "full", store=store)
    data_cache.clear()


def told(outcome) -> str:
    file = io.StringIO()
    publish(Console(file=file, width=400), outcome)
    return file.getvalue()


def test_a_sound_run_replaces_what_was_there(outcome, tmp_path):
    told(outcome)
    folder = tmp_path / "results" / "fake"
    fewer = outcome.records[outcome.records["table"] == "first"]
    assert {path.name for path in folder.iterdir()} == {
        *("first.csv", "second.csv", "tasks.csv", "run.json", "SHA256SUMS")
    }
    assert "first.csv" in told(dataclasses.replace(outcome, records=fewer))
    assert {path.name for path in folder.iterdir()} == {
        *("first.csv", "tasks.csv", "run.json", "SHA256SUMS")
    }


def test_what_was_not_written_by_us_is_not_deleted(outcome, tmp_path):
    folder = tmp_path / "results" / "fake"
    folder.mkdir(parents=True)
    (folder / "notes.csv").write_text("mine")
    told(outcome)
    assert (folder / "notes.csv").read_text() == "mine"


def test_failed_records_are_kept_out(outcome, tmp_path):
    broken = outcome.records.assign(status=["failed: x", *outcome.records["status"][1:]])
    assert "1 records failed" in told(dataclasses.replace(outcome, records=broken))
    assert not (tmp_path / "results").exists()


def test_embedded_data_are_kept_out(outcome, tmp_path):
    stood_in = dataclasses.replace(outcome, substituted={"real/coins": OSError("no network")})
    assert "embedded data stood in for real/coins" in told(stood_in)
    embedded = dataclasses.replace(outcome, records=outcome.records.assign(source="embedded"))
    assert "on embedded data" in told(embedded)
    assert not (tmp_path / "results").exists()


def test_an_installed_package_writes_nothing_beside_itself(outcome, tmp_path, monkeypatch):
    monkeypatch.delenv("REPROLIB_RESULTS")
    site = tmp_path / "site-packages" / "reprolib"
    monkeypatch.setattr(homes, "PACKAGE", site)
    assert "REPROLIB_RESULTS" in told(outcome)
    assert not (site.parent / "results").exists()
