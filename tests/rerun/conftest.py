"""A paper that runs in milliseconds, for the machinery."""

import dataclasses

import pytest

import data_fetch
from reprolib.rerun.tasks import data_cache, worker
from tests import fake_paper


@pytest.fixture
def fake(monkeypatch):
    """Register the fake paper and its data; count the tasks that are really run."""
    ran = []

    def counting(task, data):
        ran.append(task)
        return fake_paper.run(task, data)

    protocol = dataclasses.replace(fake_paper.PROTOCOL, run=counting)
    monkeypatch.setattr(worker, "get_protocol", lambda paper: protocol)
    monkeypatch.setattr(data_fetch, "load", lambda name: fake_paper.dataset(name))
    monkeypatch.setattr(data_fetch, "counterparts", lambda name: ["embedded/coins"])
    monkeypatch.setattr(data_fetch, "available", lambda name: True)
    data_cache.clear()
    yield protocol, ran
    data_cache.clear()
