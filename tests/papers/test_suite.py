"""The papers of this package pass the tests that any paper runs."""

from __future__ import annotations

import functools

import pytest

import data_fetch
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.records.task import get_protocol
from tests import full_profile
from tests.suite.experiment import FileTests, ResultTests, TaskTests


@functools.cache
def embedded(name: str):
    return data_fetch.counterparts(name) if "embedded" not in name else (name,)


class TestPapers(FileTests, TaskTests, ResultTests):
    @pytest.fixture(params=list(PAPERS))
    def paper(self, request):
        return request.param

    @pytest.fixture
    def datasets(self, paper):
        """Generated ones, which are small; `test_full_profile` has the real ones."""
        protocol = get_protocol(paper)
        names = [*protocol.datasets("quick"), *protocol.datasets("full")]
        others = [other for name in names for other in embedded(name)]
        return {name: full_profile.load(name) for name in dict.fromkeys(others)}
