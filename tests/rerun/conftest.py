"""A paper that runs in milliseconds, for the machinery."""

import dataclasses

import pytest

import data_fetch
from reprolib.rerun import records as results
from reprolib.rerun.tasks import runner
from reprolib.rerun.tasks.store import RecordStore
from tests import fake_paper


@pytest.fixture
def fake(monkeypatch, tmp_path):
    """Register the data of the fake paper; count the tasks that are really run."""
    ran = []

    def counting(task, data):
        ran.append(task)
        return fake_paper.run(task, data)

    protocol = dataclasses.replace(fake_paper.PROTOCOL, run=counting)
    monkeypatch.setenv("REPROLIB_RESULTS", str(tmp_path / "no results"))
    monkeypatch.setattr(data_fetch, "load", lambda name: fake_paper.dataset(name))
    monkeypatch.setattr(data_fetch, "counterparts", lambda name: ["embedded/coins"])
    monkeypatch.setattr(data_fetch, "available", lambda name: True)
    fake_paper.forget_data()
    yield protocol, ran
    fake_paper.forget_data()


@pytest.fixture
def committed(fake, monkeypatch, tmp_path):
    """Full results of the fake paper where the committed ones are looked for; its protocol."""
    protocol, ran = fake
    run = runner.run_protocol(protocol, "full", store=RecordStore(tmp_path / "other"))
    folder = tmp_path / "results"
    results.write_results(run.records, folder / "fake", run.tasks, run.about)
    monkeypatch.setenv("REPROLIB_RESULTS", str(folder))
    ran.clear()
    return protocol
