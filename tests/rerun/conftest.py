"""A paper that runs in milliseconds, for the machinery."""

import dataclasses

import pytest

import data_fetch
from reprolib.rerun.tasks import data_cache
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
    data_cache.clear()
    yield protocol, ran
    data_cache.clear()
