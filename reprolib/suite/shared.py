"""What the tests of a paper work on."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import pandas as pd
import pytest

import data_fetch
from data_fetch import Dataset
from reprolib.rerun.records.registry import get_protocol
from reprolib.rerun.tasks.runner import Run, run_protocol


class OfPaper:
    """Tests of one paper, which ``key`` names."""

    key: str = ""

    @pytest.fixture
    def paper(self) -> str:
        """Key of the paper."""
        assert self.key, 'name the paper in the test class: key = "..."'
        return self.key


@functools.cache
def quick_run(paper: str) -> Run:
    """Run of the quick profile, once in a session; finished tasks are taken from the store."""
    return run_protocol(get_protocol(paper), "quick")


def quick_records(paper: str) -> pd.DataFrame:
    """Records of the quick profile; the test is skipped where no data of the paper are at hand."""
    records = quick_run(paper).records
    if records.empty:
        names = " ".join(get_protocol(paper).datasets("quick"))
        pytest.skip(f"needs real data that are not at hand: `reprolib data fetch {names}`")
    return records


def loaded(names: Iterable[str]) -> dict[str, Dataset]:
    """Data sets that need no download; for others those that stand in for them."""
    sources = [[n] if data_fetch.available(n) else data_fetch.counterparts(n) for n in names]
    return {name: data_fetch.load(name) for names_of_one in sources for name in names_of_one}
