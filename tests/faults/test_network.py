"""Servers, archives, registries and disks that misbehave: nothing crashes, nothing good is lost.

Every fault of the tables ends in an error that names its cause, and so goes on to the next source:
no file is left that could be taken for the data, no more than the cap is written, and a file that
lay in the folder before is there afterwards.
"""

from __future__ import annotations

import errno
import gzip
import io
import re
import tarfile
import zipfile
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import data_fetch
from data_fetch import fetcher as fetching
from data_fetch import silence, storage
from data_fetch.catalog import Member, Version
from data_fetch.download import Limits
from tests import toy_data as toy
from tests.faults.raw_server import Connection, raw_server
from tests.naive.unix_compress import compress

LIMITS = Limits(connect=1.0, silence=0.5, answer=0.8, grace=0.8, min_rate=2000.0, wait=0.3)
#: For faults that end by themselves: a busy machine must not make a timeout of them.
PATIENT = Limits(connect=60.0, silence=60.0, answer=60.0, grace=60.0, min_rate=1.0, wait=0.3)
#: What sockets may swallow before the client hangs up.
BUFFERS = 20_000_000
BIG = 1_500_000


@pytest.fixture(autouse=True)
def _world(toy_world):
    """For all tests."""


@pytest.fixture
def cache(tmp_path):
    """Cache with a file that somebody has put there by hand."""
    folder = tmp_path / "cache"
    (folder / "toy").mkdir(parents=True)
    (folder / "toy/mine.txt").write_text("by hand")
    return folder


def files_in(folder: Path) -> list[str]:
    paths = (p for p in folder.rglob("*") if p.is_file() and p.suffix != ".lock")
    return sorted(str(p.relative_to(folder)) for p in paths)


def told(catalog, cache, limits=LIMITS, **options) -> str:
    """Message of the error that loading ends with; nothing but the file by hand is left."""
    with pytest.raises(data_fetch.DataUnavailableError) as error:
        data_fetch.load("toy/a", toy.fetcher(catalog, cache, limits=limits, **options))
    assert (cache / "toy/mine.txt").read_text() == "by hand"
    return str(error.value)


def endless(connection: Connection, piece: bytes) -> None:
    for _ in range(100_000):
        connection.send(piece)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
HEAD = "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n"
UNKNOWN = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
SAME_SIZE = bytes(reversed(toy.CONTENT))


def moved(location: str):
    return lambda c: c.answer(status="302 Found", Location=location)


#: Name: (what the server does, what the message says).
SERVERS = {
    "403": (lambda c: c.answer(status="403 Forbidden"), "answered 403 Forbidden"),
    "404": (lambda c: c.answer(status="404 Not Found"), "answered 404"),
    "410": (lambda c: c.answer(status="410 Gone"), "answered 410"),
    "500": (lambda c: c.answer(status="500 Oops"), "answered 500 Oops"),
    "502 with a page": (lambda c: c.answer(b"<html>", "502 Bad Gateway"), "answered 502"),
    "204": (lambda c: c.answer(status="204 No Content"), "answered 204"),
    "status 999": (lambda c: c.answer(status="999 What"), "answered 999"),
    "part without being asked": (
        lambda c: c.answer(b"xy", "206 Partial Content", Content_Range="bytes 5-6/9"),
        "another part than the one asked for",
    ),
    "asks to wait an hour": (
        lambda c: c.answer(status="503 Busy", Retry_After="3600"),
        "answered 503 Busy, and to wait 3600 s",
    ),
    "asks to wait until a date": (
        lambda c: c.answer(status="429 Slow", Retry_After="Fri, 01 Jan 2100 00:00:00 GMT"),
        r"answered 429 Slow, and to wait \d+ s",
    ),
    "asks to wait for nonsense": (
        lambda c: c.answer(status="503 Busy", Retry_After="soon"),
        "answered 503 Busy",
    ),
    "body that breaks off": (
        lambda c: c.send(HEAD.format(len(toy.CONTENT)), toy.CONTENT[:9]),
        "the transfer broke off",
    ),
    "chunks that break off": (
        lambda c: c.send(CHUNKED, chunk(toy.CONTENT[:9]), b"5\r\nab"),
        "broke off",
    ),
    "chunk of no size": (lambda c: c.send(CHUNKED, "zz\r\nabc\r\n"), "broke off"),
    "chunk of negative size": (lambda c: c.send(CHUNKED, "-5\r\nabc\r\n"), "broke off"),
    "endless size of a chunk": (
        lambda c: c.send(CHUNKED, b"0" * 70_000, b"\r\n"),
        "broke off|malformed|bytes instead",
    ),
    "length that is negative": (
        lambda c: c.send(HEAD.format(-5), toy.OTHER_VALUES),
        "wrong sha256|bytes instead|broke off|malformed",
    ),
    "length that is no number": (
        lambda c: c.send(HEAD.format("many"), toy.OTHER_VALUES),
        "wrong sha256|bytes instead|malformed",
    ),
    "two lengths": (
        lambda c: c.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef"),
        "malformed answer|broke off|bytes instead",
    ),
    "length of a petabyte": (
        lambda c: c.send(HEAD.format(10**15), b"x"),
        r"gave other data: 10{15} bytes, of at most \d+ expected",
    ),
    "length of 5000 digits": (
        lambda c: c.send(HEAD.format("9" * 5000), b"x"),
        "other data: 9+ bytes|malformed|broke off",
    ),
    "endless body": (
        lambda c: (c.send(UNKNOWN), endless(c, b"x" * 65536)),
        r"gave other data: more than the \d+ bytes expected",
    ),
    "endless chunks": (
        lambda c: (c.send(CHUNKED), endless(c, chunk(b"x" * 65536))),
        "more than the",
    ),
    "endless headers": (
        lambda c: (c.send("HTTP/1.1 200 OK\r\n"), endless(c, b"X-A: b\r\n" * 1000)),
        "broke off|malformed",
    ),
    "header of a megabyte": (
        lambda c: c.send("HTTP/1.1 200 OK\r\nX-A: ", b"b" * 2**20, "\r\n\r\n"),
        "broke off|malformed",
    ),
    "endless interim answers": (
        lambda c: endless(c, b"HTTP/1.1 100 Continue\r\n\r\n" * 100),
        r"does not answer \(timeout\)|broke off",
    ),
    "no HTTP": (lambda c: c.send(b"\x00\xff\x80 hello\r\n\r\n"), "broke off"),
    "bare page": (lambda c: c.send("<html>hello</html>\r\n\r\n"), "broke off"),
    "nothing at all": (lambda c: None, "broke off"),
    "reset": (lambda c: c.reset(), "broke off"),
    "reset in the body": (
        lambda c: (c.send(HEAD.format(len(toy.CONTENT)), b"abc"), c.reset()),
        "broke off",
    ),
    "empty body": (lambda c: c.answer(), "it is empty"),
    "page": (lambda c: c.answer(b"<html><p>Sign in"), "other data: it begins with `<html>"),
    "message in JSON": (lambda c: c.answer(b'{"error": 1}'), "it begins with `{"),
    "pointer to the file": (
        lambda c: c.answer(b"version https://git-lfs.github.com/spec/v1\noid sha256"),
        "it begins with `version https://git-lfs|bytes, of at most",
    ),
    "bytes too many": (lambda c: c.answer(toy.CONTENT + b"\n"), "bytes, of at most"),
    "bytes too few": (lambda c: c.answer(toy.CONTENT[:-2]), "bytes instead of"),
    "wrong bytes": (lambda c: c.answer(SAME_SIZE), "wrong sha256"),
    "coding that is none": (
        lambda c: c.answer(toy.CONTENT, Content_Encoding="gzip"),
        "malformed answer",
    ),
    "coded bomb": (
        lambda c: c.answer(gzip.compress(bytes(10**6))[:25], Content_Encoding="gzip"),
        r"more than the \d+ bytes expected",
    ),
    "silence": (lambda c: c.wait(), r"does not answer \(timeout\)"),
    "silence in the body": (
        lambda c: (c.send(HEAD.format(len(toy.CONTENT)), b"0"), c.wait()),
        r"does not answer \(timeout\)|too slow",
    ),
    "drop by drop": (lambda c: (c.send(UNKNOWN), c.drip(toy.CONTENT)), "too slow|timeout"),
    "header drop by drop": (lambda c: c.drip(b"HTTP/1.1 200 " + b"x" * 900), "timeout"),
    "redirect in a circle": (moved("/a.txt"), "redirected without end"),
    "redirect to nowhere": (moved(""), "answered 302|redirected|malformed"),
    "redirect to half an address": (moved("http://[::1/x"), "malformed"),
    "redirect to an empty label": (moved("http://a..b/x"), "malformed|no connection"),
    "redirect to a long label": (moved("http://" + "a" * 70 + ".org/"), "malformed|no connection"),
    "redirect to a local file": (moved("file:///etc/passwd"), "malformed"),
    "redirect to a port of letters": (moved("http://127.0.0.1:abc/"), "malformed"),
    "redirect to a closed port": (moved("http://127.0.0.1:9/"), "no connection"),
    "redirect to https without TLS": (
        lambda c: c.answer(status="302 F", Location=c.server.url.replace("http:", "https:")),
        r"no secure connection \(TLS\)",
    ),
}


@pytest.mark.fault("network")
@pytest.mark.parametrize("fault", SERVERS)
def test_server(fault, cache):
    script, message = SERVERS[fault]
    limits = LIMITS if re.search("timeout|slow", message) else PATIENT
    with raw_server(script) as server:
        reason = told(toy.catalog(toy.version(urls=(server.url,))), cache, limits)
    assert server.requests <= 2 or "redirect" in fault
    # Interim answers have no end before the time for an answer is over.
    assert server.sent < BUFFERS or "interim" in fault
    tried = reason.partition("Tried:")[2].partition("Download by hand")[0]
    assert server.url in tried
    assert re.search(message, tried), tried
    assert files_in(cache) == ["toy/mine.txt"]


def test_next_address_after_every_kind_of_answer(cache):
    """All in one: the last address has the file."""
    faults = ("page", "endless body", "no HTTP", "two lengths", "redirect to half an address")
    with ExitStack() as stack:
        scripts = [*(SERVERS[fault][0] for fault in faults), lambda c: c.answer(toy.CONTENT)]
        urls = tuple(stack.enter_context(raw_server(script)).url for script in scripts)
        catalog = toy.catalog(toy.version(urls=urls))
        data_fetch.load("toy/a", toy.fetcher(catalog, cache, limits=PATIENT))
    assert files_in(cache) == ["toy/a.txt", "toy/mine.txt"]


def test_server_that_codes_what_is_no_archive(cache):
    with raw_server(lambda c: c.answer(gzip.compress(toy.CONTENT), Content_Encoding="gzip")) as s:
        # The server compresses, so that what comes is larger than the file.
        version = toy.version(urls=(s.url,), at_most=1000)
        data_fetch.load("toy/a", toy.fetcher(toy.catalog(version), cache, limits=PATIENT))


def test_archive_that_the_server_calls_coded_is_kept_as_it_was_sent(cache):
    """Not decoded: its hash is that of the file, not of what is in it."""
    packed = gzip.compress(toy.CONTENT)
    with raw_server(lambda c: c.answer(packed, Content_Encoding="gzip")) as server:
        version = toy.version(packed, "toy/a.txt.gz", urls=(server.url + ".gz",))
        assert data_fetch.fetch("toy/a", toy.fetcher(toy.catalog(version), cache, limits=PATIENT))
    assert (cache / "toy/a.txt.gz").read_bytes() == packed


@pytest.mark.fault("network")
def test_busy_server_is_asked_again_when_it_says(cache):
    busy = lambda c: c.answer(status="503 Busy", Retry_After="0")  # noqa: E731
    with raw_server(busy, lambda c: c.answer(toy.CONTENT)) as server:
        catalog = toy.catalog(toy.version(urls=(server.url,)))
        data_fetch.load("toy/a", toy.fetcher(catalog, cache, limits=PATIENT))
    assert server.requests == 2


# Unreachable hosts ----------------------------------------------------------------------------


@pytest.mark.fault("network")
def test_closed_port_and_the_host_that_is_left_alone(cache):
    with raw_server(lambda c: None) as gone:
        urls = (gone.url, gone.url + "?again")
    reason = told(toy.catalog(toy.version(urls=urls)), cache)
    assert "no connection (is there a network?)" in reason
    assert "did not answer a moment ago" in reason


@pytest.mark.fault("network")
@pytest.mark.parametrize("fault", ["silence in the body", "drop by drop", "500", "reset"])
def test_host_with_one_slow_or_broken_file_is_asked_for_the_next(fault, cache):
    with raw_server(SERVERS[fault][0]) as server:
        told(toy.catalog(toy.version(urls=(server.url,))), cache)
        server.scripts[:] = [lambda c: c.answer(toy.CONTENT)]
        catalog = toy.catalog(toy.version(urls=(server.url,)))
        data_fetch.load("toy/a", toy.fetcher(catalog, cache, limits=LIMITS))


def test_skipped_files_are_tried_again_at_the_end(cache):
    with raw_server(lambda c: c.answer(toy.CONTENT)) as server:
        catalog = toy.catalog(toy.version(urls=(server.url,)))
        silence.silent.note(server.url.split("/")[2])
        outcomes = []
        failed = data_fetch.access.fetch_all(
            ["toy/a"],
            toy.fetcher(catalog, cache, limits=LIMITS),
            lambda name, outcome: outcomes.append(outcome),
        )
    assert not failed
    assert outcomes == [[cache / "toy/a.txt"]]


@pytest.mark.fault("network")
def test_tls_against_a_server_without_it(cache):
    with raw_server(lambda c: c.send("HTTP/1.1 400 Bad\r\n\r\n")) as server:
        url = server.url.replace("http:", "https:")
        reason = told(toy.catalog(toy.version(urls=(url,))), cache)
    assert "no secure connection (TLS): " in reason


@pytest.mark.fault("network")
@pytest.mark.parametrize("answer", ["closed", "407"])
def test_proxy(answer, cache, monkeypatch):
    scripts = {
        "407": lambda c: c.answer(status="407 Proxy Authentication Required"),
        "closed": lambda c: None,
    }
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "")
    with raw_server(scripts[answer]) as server:
        address = "http://127.0.0.1:9" if answer == "closed" else f"http://127.0.0.1:{server.port}"
        for name in ("HTTPS_PROXY", "https_proxy"):
            monkeypatch.setenv(name, address)
        reason = told(toy.catalog(toy.version(urls=("https://example.org/a.txt",))), cache)
    assert "the proxy cannot be reached or refuses (see HTTPS_PROXY)" in reason


# Going on where a transfer broke off ----------------------------------------------------------

LARGE = np.random.default_rng(0).integers(256, size=BIG).astype(np.uint8).tobytes()


def in_parts(connection: Connection, size: int = 600_000) -> None:
    """Send so many bytes from where it was asked to start, and close."""
    start = connection.range_start
    status = "206 Partial Content" if start else "200 OK"
    connection.answer(
        LARGE[start : start + size],
        status,
        Content_Length=str(BIG - start),
        Content_Range=f"bytes {start}-{BIG - 1}/{BIG}",
        Accept_Ranges="bytes",
    )


def large(url: str, **options):
    return toy.catalog(toy.version(LARGE, urls=(url,), **options))


def test_rest_of_a_large_file_is_asked_for(cache):
    with raw_server(in_parts) as server:
        fetcher = toy.fetcher(large(server.url), cache, limits=LIMITS)
        assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/a.txt"]
    assert server.requests == 3
    assert server.sent < BIG + 10_000


@pytest.mark.fault("network")
def test_download_goes_on_in_the_next_call(cache):
    with raw_server(lambda c: in_parts(c, 300_000), SERVERS["404"][0]) as server:
        told(large(server.url), cache)
        assert files_in(cache) == ["toy/.a.txt.part", "toy/mine.txt"]
        server.scripts.append(lambda c: in_parts(c, BIG))
        fetcher = toy.fetcher(large(server.url), cache, limits=LIMITS)
        assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/a.txt"]
    assert files_in(cache) == ["toy/a.txt", "toy/mine.txt"]


@pytest.mark.fault("network")
@pytest.mark.parametrize(
    "script",
    [
        lambda c: c.answer(LARGE[c.range_start :], "206 Partial", Content_Range="bytes 7-9/10"),
        lambda c: c.answer(status="416 Not Satisfiable"),
        lambda c: c.answer(LARGE),
    ],
    ids=["another part", "416", "all of it"],
)
def test_server_that_cannot_go_on(script, cache):
    storage.part_of(cache / "toy/a.txt").write_bytes(LARGE[:1000])
    with raw_server(script, lambda c: c.answer(LARGE)) as server:
        fetcher = toy.fetcher(large(server.url), cache, limits=LIMITS)
        assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/a.txt"]


@pytest.mark.fault("network")
def test_beginning_of_another_file_is_not_kept(cache):
    storage.part_of(cache / "toy/a.txt").write_bytes(bytes(1000))
    with raw_server(lambda c: in_parts(c, BIG)) as server:
        fetcher = toy.fetcher(large(server.url), cache, limits=LIMITS)
        assert data_fetch.fetch("toy/a", fetcher) == [cache / "toy/a.txt"]
    assert server.requests == 2


# Archives -------------------------------------------------------------------------------------


def zipped(content: bytes = toy.CONTENT, name="sub/a.txt") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        info = zipfile.ZipInfo(name)  # of a fixed date
        archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def tarred(content: bytes = toy.CONTENT) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        info = tarfile.TarInfo("sub/a.txt")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def packed(url: str, content: bytes = b"", archive: Version | None = None, **options):
    """Catalog whose file lies in an archive at an address."""
    archive = archive or toy.version(content, "toy/all.zip", urls=(url,))
    members = (Member(archive.path, "sub/a.txt"),)
    return toy.catalog(toy.version(members=members, **options), archive=archive)


def encrypted() -> bytes:
    content = bytearray(zipped())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + place] |= 1
    return bytes(content)


ARCHIVES = {
    "page": (b"<html>Sign in", "not a gzip file|could not be opened|cannot|begins"),
    "cut zip": (zipped()[:-30], "all.zip"),
    "zip with a flipped bit": (zipped().replace(b"PK\x03\x04", b"PK\x03\x05"), "all.zip"),
    "zip without the member": (zipped(name="b.txt"), "sub/a.txt"),
    "zip bomb": (zipped(bytes(10**7)), r"sub/a\.txt has more than \d+ bytes"),
    "encrypted zip": (encrypted(), "all.zip: .*encrypted"),
    "cut tar": (tarred()[:60], "all.zip"),
    "tar bomb": (tarred(bytes(10**7)), r"sub/a\.txt has more than \d+ bytes"),
    "other values": (zipped(SAME_SIZE), "wrong sha256"),
}


@pytest.mark.fault("parser")
@pytest.mark.parametrize("fault", ARCHIVES)
@pytest.mark.filterwarnings("ignore:.*is not used")
def test_archive(fault, cache):
    content, message = ARCHIVES[fault]
    with raw_server(lambda c: c.answer(content)) as server:
        reason = told(packed(server.url, content), cache)
    assert re.search(message, reason), reason
    assert not (cache / "toy/a.txt").exists()


@pytest.mark.fault("network")
def test_archive_with_a_bad_copy_is_tried_once_a_call(cache):
    """However many files lie in it."""
    with raw_server(lambda c: c.answer(b"wrong")) as server:
        archive = toy.version(zipped(), "toy/all.zip", urls=(server.url,))
        catalog = packed("", archive=archive)
        file = catalog.files["toy/a.txt"]
        others = {f"toy/{n}.txt": replace(file, name=f"toy/{n}.txt") for n in "bcd"}
        entry = replace(catalog.entry("toy/a"), files=(file.name, *others))
        catalog = replace(catalog, files={file.name: file, **others}, entries={"toy/a": entry})
        told(catalog, cache)
    assert server.requests == 1


@pytest.mark.fault("parser")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>", "not a Unix-compressed"),
        (compress(toy.CONTENT)[:-1] + b"\xff\xff\xff", "broken .Z file"),
        (compress(bytes(300_000)), "expands to more than 200000 bytes"),
        (compress(toy.REFORMATTED), "bytes instead of"),
    ],
    ids=["page", "broken", "bomb", "other text"],
)
def test_compressed_text(content, message, cache, monkeypatch):
    monkeypatch.setattr(storage, "MAX_EXPANDED", 200_000)
    archive = zipped(content)
    with raw_server(lambda c: c.answer(archive)) as server:
        assert message in told(packed(server.url, archive, unpack="compress"), cache)
    assert files_in(cache) == ["toy/all.zip", "toy/mine.txt"]


# Disks and files placed by hand ---------------------------------------------------------------


@pytest.mark.fault("disk")
def test_no_room_for_what_is_announced(cache, monkeypatch):
    usage = type("usage", (), {"free": 10})
    monkeypatch.setattr("data_fetch.download.shutil.disk_usage", lambda folder: usage)
    with raw_server(lambda c: c.answer(toy.CONTENT)) as server:
        reason = told(toy.catalog(toy.version(urls=(server.url,))), cache)
    assert re.search(r"31 bytes to come, 10 bytes free; free some space", reason)
    assert files_in(cache) == ["toy/mine.txt"]


@pytest.mark.fault("disk")
def test_disk_that_is_full_in_the_middle(cache, monkeypatch):
    def copy_file(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(fetching.storage, "copy", copy_file)
    mirror = cache.parent / "mirror/toy"
    mirror.mkdir(parents=True)
    (mirror / "a.txt").write_bytes(toy.CONTENT)
    reason = told(toy.catalog(toy.version()), cache, mirror=mirror.parent)
    assert "No space left on device; free some space" in reason
    assert files_in(cache) == ["toy/mine.txt"]


@pytest.mark.fault("disk")
def test_folder_in_the_place_of_a_file(cache):
    (cache / "toy/a.txt/inside").mkdir(parents=True)
    with raw_server(lambda c: c.answer(toy.CONTENT)) as server:
        reason = told(toy.catalog(toy.version(urls=(server.url,))), cache)
    assert "cannot write to the data folder" in reason
    assert (cache / "toy/a.txt/inside").is_dir()


@pytest.mark.security(
    "What is written",
    "A file that was placed by hand and is not the known one is set aside, never deleted.",
)
@pytest.mark.fault("disk")
@pytest.mark.parametrize("content", [b"<html>Sign in", toy.OTHER_VALUES, toy.REFORMATTED, b""])
def test_file_by_hand_that_is_not_the_right_one_is_renamed(content, cache):
    (cache / "toy/a.txt").write_bytes(content)
    catalog = toy.catalog(toy.version())
    with pytest.warns(UserWarning, match=r"a\.txt is not used \(.*\); it is now a\.txt\.rejected"):
        told(catalog, cache)
    assert (cache / "toy/a.txt.rejected").read_bytes() == content
    assert files_in(cache) == ["toy/a.txt.rejected", "toy/mine.txt"]


@pytest.mark.fault("disk")
def test_second_wrong_file_by_hand_does_not_replace_the_first(cache):
    for content in (b"one", b"two"):
        (cache / "toy/a.txt").write_bytes(content)
        with pytest.warns(UserWarning, match="is not used"):
            told(toy.catalog(toy.version()), cache)
    assert (cache / "toy/a.txt.rejected").read_bytes() == b"one"
    assert (cache / "toy/a.txt.rejected1").read_bytes() == b"two"


FIRST, SECOND = toy.CONTENT.splitlines()[0], b"\n".join(toy.CONTENT.splitlines()[1:])


def two_files(first: str, *second: str):
    """Data set of two files."""
    catalog = toy.catalog()
    file = catalog.files["toy/a.txt"]
    files = {}
    for name, urls, content in (("toy/a.txt", (first,), FIRST), ("toy/b.txt", second, SECOND)):
        version = toy.version(content, name, urls=urls)
        files[name] = replace(file, name=name, versions=(version,))
    entry = replace(catalog.entry("toy/a"), files=tuple(files))
    return replace(catalog, files=files, entries={"toy/a": entry})


@pytest.mark.fault("network")
@pytest.mark.parametrize("bad", [b"<html>Sign in", SECOND.replace(b"8.0", b"9.0")])
def test_one_bad_file_of_two_costs_the_good_one_nothing(bad, cache):
    """The good one has one address only, the bad one's second address is right."""
    with ExitStack() as stack:
        servers = [
            stack.enter_context(raw_server(lambda c, body=body: c.answer(body)))
            for body in (FIRST, bad, SECOND)
        ]
        catalog = two_files(*(server.url for server in servers))
        dataset = data_fetch.load("toy/a", toy.fetcher(catalog, cache, limits=LIMITS))
    np.testing.assert_array_equal(dataset.X, toy.X)
    assert [server.requests for server in servers] == [1, 1, 1]
    assert files_in(cache) == ["toy/a.txt", "toy/b.txt", "toy/mine.txt"]
