"""A world without proxies, hosts that are left alone, and pip's configuration of this machine."""

from __future__ import annotations

import os

import pytest

from data_fetch import sources
from tests.faulty_server import faulty_server


@pytest.fixture(autouse=True)
def _toy_world(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(sources, "silent", {})
    monkeypatch.setattr(sources, "TIMEOUT", (2.0, 0.5))
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")


@pytest.fixture
def server():
    with faulty_server() as state:
        yield state


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"
