"""Power that fails at any change of the disk: nothing false is believed, nothing old is lost."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest

import data_fetch
from data_fetch import fetcher as fetching
from reprolib.rerun.records.fingerprint import Code
from reprolib.rerun.records.registry import replace_file
from reprolib.rerun.records.tables import seal_faults, write_seal
from reprolib.rerun.records.task import Task
from reprolib.rerun.tasks.store import RecordStore
from reprolib.rerun.tasks.worker import Finished
from tests import toy_data as toy
from tests.faults.power import Disk, failing, interruptions
from tests.rerun.made_up import row

TASK = Task("paper", "t", "d", "m", params={"C": 1})
OLD, NEW = Code({"one": "a"}, {"numpy": "2.1"}), Code({"one": "b"}, {"numpy": "2.1"})


@pytest.fixture
def folder(tmp_path):
    def make(name):
        (tmp_path / name).mkdir()
        return tmp_path / name

    return make


@pytest.mark.parametrize("old", [None, b"old" * 1000], ids=["new file", "old file"])
def test_file_is_the_old_or_the_new_one(old, folder):
    new = b"new" * 2000

    def prepared(name):
        place = folder(name)
        if old is not None:
            (place / "a").write_bytes(old)
        return place

    for place, how in interruptions(lambda p: replace_file(p / "a", new), prepared):
        there = (place / "a").read_bytes() if (place / "a").exists() else None
        assert there in (old, new), place
        left = [path.name for path in place.iterdir() if path.name != "a"]
        assert not left or how == "power", "a failed write leaves nothing behind"


def test_the_shim_finds_a_file_that_is_named_before_it_is_flushed(folder):
    """Without the flush there would be half a file: the tests here do see it."""
    place = folder("torn")

    def careless(p):
        with open(p / "part", "wb") as file:
            file.write(b"new" * 2000)
        (p / "part").replace(p / "a")
        (p / "never").mkdir()

    with pytest.raises(BaseException), failing(Disk(place, 4)):  # noqa: B017, PT011
        careless(place)
    assert len((place / "a").read_bytes()) == 3000


@pytest.mark.parametrize("before", [False, True], ids=["empty", "older"])
def test_stored_tasks(before, folder):
    def finished(value):
        return Finished(TASK, [row(value=value)], 2.5, "2026-01-01", {"python": "3.11"})

    def prepared(name):
        place = folder(name)
        if before:
            RecordStore(place).put(finished(0.25), "data", OLD)
        return place

    def put(place):
        RecordStore(place).put(finished(0.75), "data", NEW)

    for place, _ in interruptions(put, prepared):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for code, value in ((OLD, 0.25), (NEW, 0.75)):
                found = RecordStore(place).get(TASK, "data", code)
                assert found is None or found.rows[0]["value"] == value
            either = [RecordStore(place).get(TASK, "data", code) for code in (OLD, NEW)]
        assert any(either) or not before, "the older task is lost"
        put(place)
        assert RecordStore(place).get(TASK, "data", NEW).rows[0]["value"] == 0.75


def write_sealed(place, text):
    texts = {f"{name}.csv": text for name in ("a", "b")}
    for name, content in texts.items():
        replace_file(place / name, content)
    write_seal(place, texts)


@pytest.mark.parametrize("before", [False, True], ids=["first run", "second run"])
def test_results_of_two_runs_have_no_valid_seal(before, folder):
    def prepared(name):
        place = folder(name)
        if before:
            write_sealed(place, "old\n" * 500)
        return place

    for place, _ in interruptions(lambda p: write_sealed(p, "new\n" * 900), prepared):
        texts = {p.read_text() for p in place.glob("*.csv")}
        whole = len(texts) == 1 and len(list(place.glob("*.csv"))) == 2
        assert whole or seal_faults(place), texts
        write_sealed(place, "new\n" * 900)
        assert not seal_faults(place)


def test_fetched_files(folder):
    mirror = folder("mirror")
    (mirror / "toy").mkdir()
    (mirror / "toy/a.txt").write_bytes(toy.CONTENT)
    fetcher = lambda place: toy.fetcher(toy.catalog(toy.version()), place, mirror)  # noqa: E731

    def fetch(place):
        data_fetch.fetch("toy/a", fetcher(place))

    for place, _ in interruptions(fetch, folder):
        fetching._hash.cache_clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dataset = data_fetch.load("toy/a", fetcher(place))
        pd.testing.assert_frame_equal(pd.DataFrame(dataset.X), pd.DataFrame(toy.X))
        assert (place / "toy/a.txt").read_bytes() == toy.CONTENT
