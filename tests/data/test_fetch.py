"""Cache, mirror and upstream, with all that can go wrong between them."""

from __future__ import annotations

import errno
import gzip
import io
import os
import signal
import subprocess
import sys
import tarfile
import time
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
import requests

import data_fetch
from data_fetch import DataUnavailableError, access, silence, storage
from data_fetch import fetcher as fetching
from data_fetch.catalog import Member, Version
from tests import toy_data as toy
from tests.faulty_server import Answer, FaultyServer, faulty_server

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _toy_world(monkeypatch):
    """Bypass proxies, and forget silent hosts."""
    monkeypatch.setenv("NO_PROXY", "*")
    silence.silent.forget()


@pytest.fixture
def server():
    with faulty_server() as state:
        yield state


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def mirror(tmp_path):
    """Mirror folder that holds the right file."""
    folder = tmp_path / "mirror"
    put(folder, toy.CONTENT)
    return folder


def put(folder: Path, content: bytes, path="toy/a.txt") -> Path:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)
    return target


def files_in(folder: Path) -> list[str]:
    """Data files, hidden partial ones included, without locks."""
    paths = (p for p in folder.rglob("*") if p.is_file() and p.suffix != ".lock")
    return sorted(str(p.relative_to(folder)) for p in paths)


def upstream(server: FaultyServer, *answers, **kwargs):
    """Catalog whose only source is the server."""
    return toy.catalog(toy.version(urls=(server.serve("a.txt", *answers),), **kwargs))


def assert_loads(fetcher):
    dataset = data_fetch.load("toy/a", fetcher)
    order = np.argsort(dataset.X[:, 0])
    np.testing.assert_array_equal(dataset.X[order], toy.X[np.argsort(toy.X[:, 0])])
    return dataset


# The way data should go ---------------------------------------------------------------------


def test_cached_file_is_used_as_it_is_without_writing(cache):
    put(cache, toy.CONTENT)
    assert_loads(toy.fetcher(toy.catalog(toy.version()), cache))
    assert not list(cache.rglob("*.lock"))


def test_mirror_folder_is_copied_to_the_cache(cache, mirror):
    fetcher = toy.fetcher(toy.catalog(toy.version()), cache, mirror)
    entry = fetcher.catalog.entry("toy/a")
    assert fetcher.state(entry) == "mirror"
    assert data_fetch.available("toy/a", fetcher)
    assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/a.txt"]
    assert fetcher.state(entry) == "cached"
    assert (mirror / "toy/a.txt").read_bytes() == toy.CONTENT


def test_http_mirror_with_a_name_that_must_be_quoted(cache, server):
    version = toy.version(path="toy/a+b c.txt")
    server.serve("base/" + quote("toy/a+b c.txt"), toy.CONTENT)
    assert_loads(toy.fetcher(toy.catalog(version), cache, server.url("base/")))


def test_upstream_is_asked_last_and_once(cache, server):
    fetcher = toy.fetcher(upstream(server, toy.CONTENT), cache)
    assert not data_fetch.available("toy/a", fetcher)
    assert_loads(fetcher)
    assert_loads(fetcher)
    assert server.requests["a.txt"] == 1


def test_complete_upstream_file_is_preferred_when_it_is_in_the_cache(cache):
    best = toy.version(path="toy/full.txt")
    partial = Version("toy/part.txt", "partial", toy.sha256(toy.REFORMATTED), len(toy.REFORMATTED))
    put(cache, toy.REFORMATTED, "toy/part.txt")
    fetcher = toy.fetcher(toy.catalog(best, partial), cache)
    assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/part.txt"]
    assert data_fetch.info("toy/a", fetcher).source == "partial"
    put(cache, toy.CONTENT, "toy/full.txt")
    assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/full.txt"]
    assert data_fetch.info("toy/a", fetcher).source == "original"


def test_better_version_in_the_mirror_is_preferred_to_the_one_in_the_cache(cache, mirror):
    best = toy.version()
    partial = replace(toy.version(toy.REFORMATTED, "toy/part.txt"), fidelity="partial")
    put(cache, toy.REFORMATTED, "toy/part.txt")
    fetcher = toy.fetcher(toy.catalog(best, partial), cache, mirror)
    assert data_fetch.info("toy/a", fetcher).source == "original"
    assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/a.txt"]


def test_upstream_only_replaces_partial_copies(cache, mirror, server):
    best = toy.version(path="toy/full.txt", urls=(server.serve("full.txt", toy.CONTENT),))
    partial = Version("toy/a.txt", "partial", toy.sha256(toy.CONTENT), len(toy.CONTENT))
    put(cache, toy.CONTENT)
    fetcher = toy.fetcher(toy.catalog(best, partial), cache, mirror, upstream_only=True)
    assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/full.txt"]
    assert files_in(cache) == ["toy/a.txt", "toy/full.txt"]


def test_redirects_are_followed(cache, server):
    target = server.serve("moved.txt", toy.CONTENT)
    assert_loads(toy.fetcher(upstream(server, Answer(kind="redirect", location=target)), cache))


def test_unknown_name_suggests_a_near_one():
    with pytest.raises(ValueError, match=r"unknown data set 'raetsch/bananna'.*'raetsch/banana'"):
        data_fetch.load("raetsch/bananna")


# Nothing reads what has no known hash --------------------------------------------------------


@pytest.mark.security(
    "How it is checked",
    "Other bytes than the known ones reach no reader, from whatever source they come.",
)
@pytest.mark.fault("parser")
@pytest.mark.parametrize("content", [toy.REFORMATTED, toy.OTHER_VALUES, b"<html>not found</html>"])
def test_other_bytes_reach_no_reader_and_the_next_source_is_tried(
    cache, server, content, monkeypatch
):
    """Not even where their values are right: a hostile file harms the reader itself."""
    read = []

    def load(name, paths):
        read.extend(path.read_bytes() for path in paths.values())
        return load_toy(name, paths)

    load_toy = toy.load_toy
    monkeypatch.setattr(toy, "load_toy", load)
    urls = (server.serve("bad.txt", content), server.serve("good.txt", toy.CONTENT))
    assert_loads(toy.fetcher(toy.catalog(toy.version(urls=urls)), cache))
    assert read == [toy.CONTENT]
    assert server.requests == {"bad.txt": 1, "good.txt": 1}


@pytest.mark.fault("parser")
def test_text_that_is_packed_in_another_way_is_known_by_its_content(cache):
    version = toy.version(gzip.compress(toy.CONTENT), "toy/a.txt.gz")
    version = replace(version, content=toy.sha256(toy.CONTENT))
    fetcher = toy.fetcher(toy.catalog(version), cache)
    put(cache, gzip.compress(toy.CONTENT, 1, mtime=5), "toy/a.txt.gz")
    assert data_fetch.available("toy/a", fetcher)
    for other in (gzip.compress(toy.REFORMATTED), gzip.compress(toy.CONTENT)[:-1], toy.CONTENT):
        put(cache, other, "toy/a.txt.gz")
        assert not data_fetch.available("toy/a", fetcher)


@pytest.mark.security(
    "How it is checked",
    "Parsed values are compared with a digest, where the catalog has one.",
)
@pytest.mark.fault("parser")
def test_intact_files_with_other_values_than_the_known_ones_are_an_error(cache):
    put(cache, toy.CONTENT)
    fetcher = toy.fetcher(toy.catalog(toy.version(), digest="0" * 64), cache)
    with pytest.raises(data_fetch.AlteredDataError, match=r"toy/a: the files are intact, but"):
        data_fetch.load("toy/a", fetcher)
    assert files_in(cache) == ["toy/a.txt"]


def test_version_that_we_never_saw_is_trusted_by_its_published_hash(cache):
    put(cache, toy.OTHER_VALUES)
    fetcher = toy.fetcher(toy.catalog(toy.version(toy.OTHER_VALUES, seen=False)), cache)
    np.testing.assert_array_equal(data_fetch.load("toy/a", fetcher).X, toy.X + 1)


@pytest.mark.fault("parser")
def test_reader_errors_on_intact_files_are_not_hidden(cache):
    put(cache, b"no numbers")
    fetcher = toy.fetcher(toy.catalog(toy.version(b"no numbers")), cache)
    with pytest.raises(ValueError, match="could not convert"):
        data_fetch.load("toy/a", fetcher)


# Faults ---------------------------------------------------------------------------------------


@pytest.mark.fault("disk")
@pytest.mark.parametrize("damage", [toy.OTHER_VALUES, toy.CONTENT[:10], b""])
def test_corrupted_cache_entry_is_replaced(cache, mirror, damage):
    put(cache, damage)
    assert_loads(toy.fetcher(toy.catalog(toy.version()), cache, mirror))
    assert (cache / "toy/a.txt").read_bytes() == toy.CONTENT


@pytest.mark.fault("disk")
def test_corrupted_cache_entry_without_any_source_is_set_aside_and_named(cache):
    path = put(cache, toy.OTHER_VALUES)
    message = r"wrong sha256.*set aside as a\.txt\.rejected"
    with (
        pytest.warns(UserWarning, match="is not used"),
        pytest.raises(DataUnavailableError, match=message),
    ):
        data_fetch.load("toy/a", toy.fetcher(toy.catalog(toy.version()), cache))
    assert not path.exists()


@pytest.mark.fault("disk")
def test_lying_mirror_is_passed_over(cache, mirror, server):
    put(mirror, toy.OTHER_VALUES)
    fetcher = toy.fetcher(upstream(server, toy.CONTENT), cache, mirror)
    assert not data_fetch.available("toy/a", fetcher)
    assert_loads(fetcher)


@pytest.mark.fault("disk")
def test_mirror_that_does_not_exist_is_said(cache, mirror, server):
    with pytest.raises(DataUnavailableError, match=r"missing: no such folder \(see REPROLIB_MIRR"):
        data_fetch.load("toy/a", toy.fetcher(toy.catalog(toy.version()), cache, mirror / "missing"))


@pytest.mark.fault("disk")
def test_mirror_that_cannot_be_read_is_passed_over(cache, mirror, server, monkeypatch):
    unreadable = mirror / "toy/a.txt"

    def read(path):
        if path == unreadable:
            raise PermissionError(errno.EACCES, "Permission denied")
        return toy.sha256(path.read_bytes())

    monkeypatch.setattr(storage, "sha256", read)
    assert_loads(toy.fetcher(upstream(server, toy.CONTENT), cache, mirror))


@pytest.mark.fault("network")
def test_lying_http_mirror_is_passed_over(cache, server):
    server.serve("mirror/toy/a.txt", toy.REFORMATTED)
    cat = upstream(server, toy.CONTENT)
    data_fetch.fetch("toy/a", toy.fetcher(cat, cache, server.url("mirror")))
    assert (cache / "toy/a.txt").read_bytes() == toy.CONTENT


@pytest.mark.fault("network")
@pytest.mark.parametrize(
    ("answer", "reason", "n_requests"),
    [
        (Answer(toy.CONTENT, "truncated"), "the transfer broke off", 2),
        (Answer(toy.CONTENT[:-3]), r"\d+ bytes instead of \d+", 1),
        (Answer(toy.OTHER_VALUES), r"wrong sha256|bytes instead of", 1),
        (Answer(toy.CONTENT, "stalled"), r"does not answer \(timeout\)", 2),
        (Answer(b"", "error", 500), "answered 500", 2),
        (Answer(b"", "error", 404), "answered 404", 1),
    ],
    ids=["truncated", "short", "wrong bytes", "stalled", "500", "404"],
)
def test_bad_server_fails_with_advice_and_leaves_nothing(cache, server, answer, reason, n_requests):
    fetcher = toy.fetcher(upstream(server, answer), cache)
    with pytest.raises(DataUnavailableError, match=f"(?s){reason}.*Download by hand") as error:
        data_fetch.load("toy/a", fetcher)
    assert str(cache / "toy/a.txt") in str(error.value)
    assert server.url("a.txt") in str(error.value)
    assert server.requests["a.txt"] == n_requests
    assert files_in(cache) == []


@pytest.mark.fault("network")
@pytest.mark.parametrize(
    "answer",
    [
        Answer(toy.CONTENT, "truncated"),
        Answer(toy.OTHER_VALUES),
        Answer(b"", "error", 500),
        Answer(b"", "error", 404),
    ],
    ids=["truncated", "wrong bytes", "500", "404"],
)
def test_next_url_is_tried_after_a_bad_one(cache, server, answer):
    urls = (server.serve("bad", answer), server.serve("good", toy.CONTENT))
    assert_loads(toy.fetcher(toy.catalog(toy.version(urls=urls)), cache))


def test_server_error_that_passes_is_retried(cache, server):
    cat = upstream(server, Answer(b"", "error", 500), toy.CONTENT)
    assert_loads(toy.fetcher(cat, cache))
    assert server.requests["a.txt"] == 2


@pytest.mark.fault("network")
def test_endless_redirect_ends(cache, server):
    loop = Answer(kind="redirect", location=server.url("a.txt"))
    with pytest.raises(DataUnavailableError, match="redirected without end"):
        data_fetch.load("toy/a", toy.fetcher(upstream(server, loop), cache))


@pytest.mark.fault("network")
def test_no_network_is_said_and_the_silent_host_is_not_asked_again(cache, monkeypatch):
    with faulty_server() as gone:
        url = gone.url("a.txt")
    cat = toy.catalog(toy.version(urls=(url,)))
    with pytest.raises(DataUnavailableError, match=r"no connection \(is there a network\?\)"):
        data_fetch.load("toy/a", toy.fetcher(cat, cache))
    monkeypatch.setattr(requests.Session, "get", None)
    with pytest.raises(DataUnavailableError, match="did not answer a moment ago"):
        data_fetch.load("toy/a", toy.fetcher(cat, cache))


def test_file_that_no_program_can_download_names_its_page(cache):
    with pytest.raises(DataUnavailableError, match=r"- https://example\.org/toy, put it at"):
        data_fetch.load("toy/a", toy.fetcher(toy.catalog(toy.version()), cache))


def test_compressed_file_is_to_be_repacked_by_hand(cache):
    version = toy.version(unpack="compress")
    with pytest.raises(DataUnavailableError, match=r"toy, repack it with `gzip -dc NAME\.Z \|"):
        data_fetch.load("toy/a", toy.fetcher(toy.catalog(version), cache))


def test_all_missing_files_are_named_at_once(cache):
    cat = toy.catalog(toy.version())
    other = replace(cat.files["toy/a.txt"], name="toy/b.txt", versions=(toy.version(path="b"),))
    entry = replace(cat.entry("toy/a"), files=("toy/a.txt", "toy/b.txt"))
    cat = replace(cat, files={**cat.files, other.name: other}, entries={"toy/a": entry})
    with pytest.raises(DataUnavailableError, match=r"no source has a\.txt, b\.txt\.") as error:
        data_fetch.load("toy/a", toy.fetcher(cat, cache))
    assert str(cache / "toy/a.txt") in str(error.value)
    assert str(cache / "b") in str(error.value)


@pytest.mark.fault("disk")
def test_cache_that_cannot_be_made(tmp_path, mirror):
    occupied = tmp_path / "occupied"
    occupied.write_text("a file")
    with pytest.raises(DataUnavailableError, match=r"cannot write.*REPROLIB_DATA"):
        data_fetch.load("toy/a", toy.fetcher(toy.catalog(toy.version()), occupied, mirror))


@pytest.mark.fault("disk")
def test_cache_that_is_read_only(cache, mirror, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(fetching.filelock.FileLock, "acquire", refuse)
    with pytest.raises(DataUnavailableError, match=r"cannot write.*Permission denied"):
        data_fetch.load("toy/a", toy.fetcher(toy.catalog(toy.version()), cache, mirror))


@pytest.mark.fault("disk")
def test_full_disk(cache, server, monkeypatch):
    def fill(url, target, cap, *options):
        target.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(fetching, "download", fill)
    with pytest.raises(DataUnavailableError, match=r"No space left on device.*free some space"):
        data_fetch.load("toy/a", toy.fetcher(upstream(server, toy.CONTENT), cache))
    assert files_in(cache) == []


# Several processes ----------------------------------------------------------------------------

FETCH_IN_PROCESS = """
import sys
from pathlib import Path
from data_fetch import access
from data_fetch.download import Limits
from tests import toy_data as toy
catalog = toy.catalog(toy.version(urls=(sys.argv[1],)))
print(access.fetch("toy/a", toy.fetcher(catalog, Path(sys.argv[2]), limits=Limits())))
"""


def start_fetch(url: str, cache: Path) -> subprocess.Popen:
    command = [sys.executable, "-c", FETCH_IN_PROCESS, url, str(cache)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.fault("network")
def test_two_processes_fetch_once(cache, server):
    url = server.serve("a.txt", toy.CONTENT)
    processes = [start_fetch(url, cache) for _ in range(2)]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    assert server.requests["a.txt"] == 1
    assert files_in(cache) == ["toy/a.txt"]


@pytest.mark.fault("network")
@pytest.mark.skipif(os.name != "posix", reason="kills a process with a signal")
def test_killed_fetch_leaves_no_half_file_and_the_next_one_cleans_up(cache, server):
    url = server.serve("a.txt", Answer(toy.CONTENT, "stalled"))
    process = start_fetch(url, cache)
    assert server.stalling.wait(60)
    deadline = time.monotonic() + 60
    while not files_in(cache) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    assert not (cache / "toy/a.txt").exists()
    assert len(files_in(cache)) == 1
    server.serve("a.txt", toy.CONTENT)
    assert_loads(toy.fetcher(toy.catalog(toy.version(urls=(url,))), cache))
    assert files_in(cache) == ["toy/a.txt"]


# Archives -------------------------------------------------------------------------------------


def make_archive(path: Path, *members: tuple[str | tarfile.TarInfo, bytes]) -> bytes:
    with tarfile.open(path, "w:gz") as archive:
        for member, content in members:
            info = tarfile.TarInfo(member) if isinstance(member, str) else member
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path.read_bytes()


def archived(server, content: bytes, member="sub/a.txt"):
    archive = toy.version(content, "toy/all.tar.gz", urls=(server.serve("all", content),))
    members = (Member(archive.path, member),)
    version = Version("toy/all/a.txt", "original", members=members, seen=False)
    return toy.catalog(version, archive=archive)


def test_member_of_an_archive(tmp_path, cache, server):
    content = make_archive(tmp_path / "x", ("sub/a.txt", toy.CONTENT), ("../../evil", b"!"))
    fetcher = toy.fetcher(archived(server, content), cache)
    assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/all/a.txt"]
    assert_loads(fetcher)
    assert server.requests["all"] == 1
    assert not (tmp_path / "evil").exists()


@pytest.mark.fault("disk")
def test_damaged_member_is_unpacked_again_without_a_download(tmp_path, cache, server):
    content = make_archive(tmp_path / "x", ("sub/a.txt", toy.CONTENT))
    fetcher = toy.fetcher(archived(server, content), cache)
    data_fetch.fetch("toy/a", fetcher)
    put(cache, toy.OTHER_VALUES, "toy/all/a.txt")
    assert_loads(fetcher)
    assert server.requests["all"] == 1


@pytest.mark.fault("disk")
@pytest.mark.parametrize("content", [toy.OTHER_VALUES, toy.REFORMATTED])
def test_altered_member_with_a_hand_made_record_is_unpacked_again(tmp_path, cache, server, content):
    archive = make_archive(tmp_path / "x", ("sub/a.txt", toy.CONTENT))
    fetcher = toy.fetcher(archived(server, archive), cache)
    data_fetch.fetch("toy/a", fetcher)
    member = put(cache, content, "toy/all/a.txt")
    put(cache, f'{{"sha256": "{toy.sha256(content)}"}}'.encode(), "toy/all/a.txt.json")
    assert_loads(fetcher)
    assert member.read_bytes() == toy.CONTENT
    assert server.requests["all"] == 1


@pytest.mark.fault("disk")
def test_member_without_its_archive_is_not_trusted(tmp_path, cache, server):
    archive = make_archive(tmp_path / "x", ("sub/a.txt", toy.CONTENT))
    fetcher = toy.fetcher(archived(server, archive), cache)
    member = put(cache, toy.OTHER_VALUES, "toy/all/a.txt")
    put(cache, f'{{"sha256": "{toy.sha256(toy.OTHER_VALUES)}"}}'.encode(), "toy/all/a.txt.json")
    assert not data_fetch.available("toy/a", fetcher)
    assert_loads(fetcher)
    assert member.read_bytes() == toy.CONTENT
    assert server.requests["all"] == 1


def test_member_in_the_cache_is_checked_by_the_archive_in_the_mirror(
    tmp_path, cache, mirror, server
):
    put(mirror, make_archive(tmp_path / "x", ("sub/a.txt", toy.CONTENT)), "toy/all.tar.gz")
    content = (mirror / "toy/all.tar.gz").read_bytes()
    fetcher = toy.fetcher(archived(server, content), cache, mirror)
    data_fetch.fetch("toy/a", fetcher)
    member = put(cache, toy.OTHER_VALUES, "toy/all/a.txt")
    assert_loads(fetcher)
    assert member.read_bytes() == toy.CONTENT
    assert not server.requests


def test_nothing_beside_a_member_says_what_it_should_hold(tmp_path, cache, server):
    archive = make_archive(tmp_path / "x", ("sub/a.txt", toy.CONTENT))
    data_fetch.fetch("toy/a", toy.fetcher(archived(server, archive), cache))
    assert files_in(cache) == ["toy/all.tar.gz", "toy/all/a.txt"]


@pytest.mark.parametrize("place", ["cache", "mirror"])
def test_archive_at_hand_is_unpacked_and_preferred_to_partial_files(
    tmp_path, cache, mirror, server, place
):
    content = make_archive(tmp_path / "x", ("sub/a.txt", toy.CONTENT))
    put(cache if place == "cache" else mirror, content, "toy/all.tar.gz")
    cat = archived(server, content)
    part = replace(toy.version(), fidelity="partial")
    file = cat.files["toy/a.txt"]
    file = replace(file, versions=(*file.versions, part))
    fetcher = toy.fetcher(replace(cat, files={file.name: file}), cache, mirror)
    if place == "cache":
        put(cache, toy.CONTENT)
    assert fetcher.state(cat.entry("toy/a")) == ("cached" if place == "cache" else "mirror")
    assert data_fetch.info("toy/a", fetcher).source == "original"
    assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/all/a.txt"]
    assert not server.requests


def symlink(name: str, target: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = tarfile.SYMTYPE, target
    return info


@pytest.mark.security(
    "How it is checked",
    "Archives are read member by member by name: no path or link in one leads out of it.",
)
@pytest.mark.fault("parser")
@pytest.mark.parametrize(
    "member",
    ["../../escaped.txt", symlink("sub/a.txt", "../../../secret"), symlink("sub/a.txt", "b.txt")],
    ids=["path", "link outside", "link inside"],
)
def test_archive_that_wants_out_is_refused(tmp_path, cache, server, member):
    content = make_archive(tmp_path / "x", (member, b""))
    name = member if isinstance(member, str) else member.name
    with pytest.raises(DataUnavailableError, match=r"outside|not a regular file"):
        data_fetch.fetch("toy/a", toy.fetcher(archived(server, content, name), cache))
    assert files_in(cache) == ["toy/all.tar.gz"]


@pytest.mark.fault("parser")
def test_archive_without_the_member_or_no_archive_at_all(tmp_path, cache, server):
    content = make_archive(tmp_path / "x", ("other", b""))
    with pytest.raises(DataUnavailableError, match=r"sub/a\.txt"):
        data_fetch.fetch("toy/a", toy.fetcher(archived(server, content), cache))
    with pytest.raises(DataUnavailableError, match="is not available"):
        data_fetch.fetch("toy/a", toy.fetcher(archived(server, b"no archive"), cache / "2"))


@pytest.mark.fault("parser")
def test_archive_with_wrong_hash(tmp_path, cache, server):
    content = make_archive(tmp_path / "x", ("sub/a.txt", toy.CONTENT))
    cat = archived(server, content)
    server.serve("all", content[:-5])
    with pytest.raises(DataUnavailableError, match=r"bytes instead of.*(?s:.)*all\.tar\.gz"):
        data_fetch.fetch("toy/a", toy.fetcher(cat, cache))
    assert files_in(cache) == []


# The catalog of the package -------------------------------------------------------------------


def test_every_data_set_has_a_loader_and_a_counterpart():
    for name in data_fetch.names():
        counterparts = data_fetch.counterparts(name)
        assert counterparts
        assert all(other.startswith("embedded/") for other in counterparts)
        assert set(counterparts) <= set(data_fetch.names())
        assert callable(access.resolve(access.default_catalog().entry(name).loader))
        if name.startswith("embedded/"):
            assert counterparts == (name,)
            assert data_fetch.available(name)


def test_every_version_can_be_checked():
    catalog = access.default_catalog()
    for file in catalog.files.values():
        assert file.terms
        assert file.cite
        for version in file.versions:
            assert {member.archive for member in version.members} <= set(catalog.archives)
            archives = [catalog.archives[member.archive] for member in version.members]
            assert version.pinned or (archives and all(archive.pinned for archive in archives))
            assert version.cap > 0 or version.members
            assert len(version.sha256 or 64 * "0") == 64
            assert len(version.git_blob or 40 * "0") == 40
    keys = [[catalog.files[f].key for f in e.files] for e in catalog.entries.values()]
    assert all(len(set(k)) == len(k) for k in keys)


def test_catalog_that_names_a_missing_file(tmp_path):
    path = tmp_path / "catalog.toml"
    path.write_text('[dataset."toy/a"]\ntitle = "Toy"\nloader = "toy:load"\nfiles = ["toy/b"]\n')
    with pytest.raises(ValueError, match=r"'toy/a' names files without an entry: \['toy/b'\]"):
        data_fetch.catalog.read_catalog(path)


@pytest.mark.security(
    "What is downloaded",
    "Nothing but the files of a catalog, and no catalog may name one without a hash.",
)
@pytest.mark.parametrize("kind", ["file", "archive", "made of a member"])
def test_catalog_with_a_file_that_has_no_hash(tmp_path, kind):
    """Of a paper outside of the package, too."""
    path = tmp_path / "catalog.toml"
    tables = {
        "file": '[file."toy/a"]\nterms = ""\ncite = ""\n[[file."toy/a".version]]\n'
        'path = "toy/a"\nfidelity = "original"\nat_most = 9\nurls = ["https://a.invalid/a"]\n',
        "archive": '[archive."toy/a"]\nat_most = 9\nurls = ["https://a.invalid/a"]\n',
        "made of a member": f'[archive."toy/b"]\nsha256 = "{64 * "0"}"\nat_most = 9\n'
        '[file."toy/a"]\nterms = ""\ncite = ""\n[[file."toy/a".version]]\npath = "toy/a"\n'
        'fidelity = "original"\nunpack = "compress"\n'
        'members = [{ archive = "toy/b", member = "a.Z" }]\n',
    }
    path.write_text(tables[kind])
    with pytest.raises(ValueError, match=r"catalog\.toml: give the sha256 of \['toy/a'\]"):
        data_fetch.catalog.read_catalog(path)


def test_places_come_from_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("REPROLIB_DATA", str(tmp_path / "here"))
    monkeypatch.setenv("REPROLIB_MIRROR", "http://mirror.invalid/data")
    fetcher = fetching.Fetcher()
    assert (fetcher.cache, fetcher.mirror) == (tmp_path / "here", "http://mirror.invalid/data")
    monkeypatch.setenv("REPROLIB_DATA", ".")
    assert fetching.Fetcher().cache == Path()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("REPROLIB_DATA", "~/there")
    assert fetching.Fetcher().cache == tmp_path / "there"
    monkeypatch.delenv("REPROLIB_DATA")
    monkeypatch.setenv("REPROLIB_MIRROR", "")
    fetcher = fetching.Fetcher()
    assert fetcher.cache.name == "reprolib"
    assert fetcher.mirror is None
