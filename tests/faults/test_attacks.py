"""What somebody could try who serves a file, shares a cache, or stands between: each once."""

from __future__ import annotations

import ast
import base64
import io
import os
import ssl
import stat
import zipfile
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

import data_fetch
from data_fetch import confined, silence, storage
from data_fetch.catalog import Member
from data_fetch.errors import SourceError
from data_fetch.fetcher import Fetcher
from tests import toy_data as toy
from tests.faults.raw_server import raw_server

posix = pytest.mark.skipif(os.name != "posix", reason="links and modes of POSIX")


@pytest.fixture(autouse=True)
def _world(toy_world):
    """For all tests."""


@pytest.fixture
def cache(tmp_path):
    (tmp_path / "cache/toy").mkdir(parents=True)
    return tmp_path / "cache"


def fetched(url: str, cache: Path, **options):
    return data_fetch.fetch("toy/a", toy.fetcher(toy.catalog(toy.version(urls=(url,))), cache))


def failure(url: str, cache: Path) -> str:
    with pytest.raises(data_fetch.DataUnavailableError) as error:
        fetched(url, cache)
    return str(error.value)


@pytest.fixture
def secure(certificate, monkeypatch):
    """Make a server that speaks TLS, which the client trusts."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate[0]))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)

    @contextmanager
    def serve(script):
        with raw_server(script, tls=context) as server:
            yield server

    return serve


# What is sent ---------------------------------------------------------------------------------


@pytest.fixture
def netrc(tmp_path, monkeypatch):
    path = tmp_path / "netrc"
    path.write_text("machine 127.0.0.1 login me password secret\n")
    path.chmod(0o600)
    monkeypatch.setenv("NETRC", str(path))


AUTHORIZATION = "Basic " + base64.b64encode(b"me:secret").decode()


@pytest.mark.fault("network")
@pytest.mark.security(
    "What is sent", "Users and passwords of `.netrc` go over https alone, to the host they are for."
)
def test_netrc_is_for_https_alone(netrc, secure, cache):
    heard = []

    def answer(connection):
        heard.append(connection.headers.get("authorization"))
        connection.answer(toy.CONTENT)

    with raw_server(answer) as plain:
        fetched(plain.url, cache / "1")
    with secure(answer) as server:
        fetched(server.url, cache / "2")
    assert heard == [None, AUTHORIZATION]


@pytest.mark.fault("network")
@pytest.mark.security(
    "What is sent",
    "A user and a password in an address are not sent over plain http to another machine.",
)
def test_password_in_an_insecure_address_is_not_sent(cache):
    message = failure("http://me:secret@data.invalid/a.txt", cache)
    assert "are sent over https only" in message
    assert "secret" not in message


@pytest.mark.fault("network")
@pytest.mark.security("What is sent", "They do not follow a redirect to another host.")
def test_password_does_not_follow_a_redirect(cache):
    heard = []

    def answer(connection):
        heard.append(connection.headers.get("authorization"))
        connection.answer(toy.CONTENT)

    with raw_server(answer) as other:
        script = lambda c: c.answer(status="302 Found", Location=other.url)  # noqa: E731
        with raw_server(script) as first:
            fetched(first.url.replace("//", "//me:secret@"), cache)
    assert heard == [None]


@pytest.mark.fault("network")
@pytest.mark.security("What is sent", "No message and no list shows a mirror's password.")
def test_password_of_a_mirror_is_not_told(cache, monkeypatch, capsys):
    from reprolib.cli.main import main

    with raw_server(lambda c: c.answer(status="404 Not Found")) as server:
        mirror = server.url.rpartition("/")[0].replace("//", "//me:secret@")
        catalog = toy.catalog(toy.version())
        with pytest.raises(data_fetch.DataUnavailableError) as error:
            data_fetch.load("toy/a", toy.fetcher(catalog, cache, mirror))
    assert "answered 404" in str(error.value)
    monkeypatch.setenv("REPROLIB_MIRROR", mirror)
    for command in (["info"], ["data", "list"]):
        main(command)
    said = str(error.value) + "".join(capsys.readouterr())
    assert str(server.port) in said
    assert "secret" not in said


@pytest.mark.fault("network")
@pytest.mark.security("How it is checked", "No redirect leads from https to plain http.")
def test_no_redirect_from_https_to_http(secure, cache):
    with raw_server(lambda c: c.answer(toy.CONTENT)) as plain:
        script = lambda c: c.answer(status="302 Found", Location=plain.url)  # noqa: E731
        with secure(script) as server:
            message = failure(server.url, cache)
    assert "redirected from https to an insecure address" in message
    assert plain.requests == 0


# Who is blamed --------------------------------------------------------------------------------


@pytest.mark.fault("network")
@pytest.mark.security(
    "How it is checked",
    "A host that cannot be reached is left alone for a minute; one that only points to it is not.",
)
def test_host_that_redirects_is_not_blamed_for_the_other(cache):
    with raw_server(lambda c: None) as gone:
        blocked = gone.url
    scripts = (
        lambda c: c.answer(status="302 Found", Location=blocked),
        lambda c: c.answer(toy.CONTENT),
    )
    with raw_server(*scripts[:1]) as server:
        assert "no connection" in failure(server.url, cache)
        server.scripts[:] = [scripts[1]]
        assert fetched(server.url, cache)
    assert silence.silent.holds(blocked.split("/")[2])


# A cache that others can write ----------------------------------------------------------------


@pytest.mark.fault("disk")
@posix
@pytest.mark.parametrize("size", [len(toy.CONTENT), 2_000_000])
@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.security(
    "What is written", "A link that lies in the cache is not followed: nothing outside changes."
)
def test_link_in_the_place_of_a_part_is_not_followed(link, size, tmp_path, cache):
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    victim.chmod(0o600)
    link(victim, storage.part_of(cache / "toy/a.txt"))
    content = toy.CONTENT.ljust(size)
    catalog = toy.catalog(toy.version(content, urls=("http://unused.invalid/",)))
    (tmp_path / "mirror/toy").mkdir(parents=True)
    (tmp_path / "mirror/toy/a.txt").write_bytes(content)
    with raw_server(lambda c: c.answer(content)) as server:
        address = server.url.rpartition("/")[0]
        for mirror in (tmp_path / "mirror", address):
            (cache / "toy/a.txt").unlink(missing_ok=True)
            data_fetch.fetch("toy/a", toy.fetcher(catalog, cache, mirror))
            assert (cache / "toy/a.txt").read_bytes() == content
            if not storage.part_of(cache / "toy/a.txt").exists():
                link(victim, storage.part_of(cache / "toy/a.txt"))
    assert victim.read_bytes() == b"precious"
    assert stat.S_IMODE(victim.stat().st_mode) == 0o600


@posix
@pytest.mark.fault("disk")
def test_link_in_the_place_of_a_lock_is_not_followed(tmp_path, cache):
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (cache / "toy/a.txt.lock").symlink_to(victim)
    with (
        raw_server(lambda c: c.answer(toy.CONTENT)) as server,
        suppress(data_fetch.DataUnavailableError),
    ):
        fetched(server.url, cache)
    assert victim.read_bytes() == b"precious"


@posix
@pytest.mark.fault("disk")
def test_hard_link_is_not_gone_on_with(tmp_path, cache):
    """Where the server would send the rest of what lies there."""
    content = toy.CONTENT.ljust(1_500_000)
    victim = tmp_path / "victim"
    victim.write_bytes(content[:1000])
    os.link(victim, storage.part_of(cache / "toy/a.txt"))

    def rest(c):
        status = "206 Partial" if c.range_start else "200 OK"
        c.answer(content[c.range_start :], status, Content_Range=f"bytes {c.range_start}-9/9")

    with raw_server(rest) as server:
        catalog = toy.catalog(toy.version(content, urls=(server.url,)))
        data_fetch.fetch("toy/a", toy.fetcher(catalog, cache))
    assert victim.read_bytes() == content[:1000]
    assert (cache / "toy/a.txt").read_bytes() == content


@posix
@pytest.mark.fault("disk")
@pytest.mark.parametrize("mask", [0o077, 0o027, 0o022])
@pytest.mark.security("What is written", "The umask decides who may read the files of the cache.")
def test_umask_decides_who_may_read(mask, cache):
    before = os.umask(mask)
    try:
        with raw_server(lambda c: c.answer(toy.CONTENT)) as server:
            (path,) = fetched(server.url, cache)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


@posix
@pytest.mark.fault("disk")
@pytest.mark.security(
    "How it is checked",
    "A file of the cache is checked at every load, whatever date its writer gives it.",
)
def test_altered_file_with_the_old_date_is_noticed(cache):
    """In one process, as in a notebook that stays open."""
    path = cache / "toy/a.txt"
    path.write_bytes(toy.CONTENT)
    fetcher = toy.fetcher(toy.catalog(toy.version()), cache)
    data_fetch.load("toy/a", fetcher)
    status = path.stat()
    path.write_bytes(bytes(reversed(toy.CONTENT)))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_mtime_ns == status.st_mtime_ns
    with (
        pytest.warns(UserWarning, match="is not used"),
        pytest.raises(data_fetch.DataUnavailableError, match="wrong sha256"),
    ):
        data_fetch.load("toy/a", fetcher)


# Files of no known hash -----------------------------------------------------------------------


def matlab_version(content: bytes, url: str):
    return replace(
        toy.version(content, "toy/a.table"), urls=(url,), at_most=5_000_000, unpack="matlab"
    )


def as_mat(**content) -> bytes:
    file = io.BytesIO()
    savemat(file, content)
    return file.getvalue()


TABLE = np.column_stack([toy.Y, toy.X]).astype("<f8")


def test_matlab_file_becomes_the_table_that_is_known(cache):
    with raw_server(lambda c: c.answer(as_mat(X=toy.X, Y=toy.Y[:, None]))) as server:
        version = matlab_version(TABLE.tobytes(), server.url)
        (path,) = data_fetch.fetch("toy/a", toy.fetcher(toy.catalog(version), cache))
    np.testing.assert_array_equal(np.fromfile(path, "<f8").reshape(3, 3), TABLE)


HOSTILE = {
    "page": b"<html>",
    "no table": as_mat(X=toy.X),
    "text": as_mat(X="text", Y="text"),
    "complex": as_mat(X=toy.X * 1j, Y=toy.Y[:, None]),
    "objects": as_mat(X={"a": 1}, Y=toy.Y[:, None]),
    "other values": as_mat(X=toy.X + 1, Y=toy.Y[:, None]),
    "cut": as_mat(X=np.zeros((50, 50)), Y=toy.Y[:, None])[:-100],
}


@pytest.mark.fault("parser")
@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.security(
    "How it is checked",
    "A file whose publisher states no hash is read in a child process with bounds on memory and "
    "time, and only numbers of a known hash come back.",
)
def test_hostile_file_of_no_known_hash(kind, cache):
    with raw_server(lambda c: c.answer(HOSTILE[kind])) as server:
        version = matlab_version(TABLE.tobytes(), server.url)
        with pytest.raises(data_fetch.DataUnavailableError, match="cannot be read|wrong|bytes ins"):
            data_fetch.fetch("toy/a", toy.fetcher(toy.catalog(version), cache))
    assert not (cache / "toy/a.table").exists()


@pytest.mark.fault("parser")
@posix
def test_reader_that_takes_all_memory_ends_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(confined, "MEMORY", 600_000_000)
    part = tmp_path / "part"
    content = {"X": np.zeros((4000, 4000)), "Y": np.zeros((4000, 1))}
    savemat(part, content, do_compression=True, appendmat=False)
    with pytest.raises(SourceError, match="cannot be read"):
        confined.tabulate(part, 10**6)


@pytest.mark.fault("parser")
def test_reader_that_takes_for_ever_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(confined, "SECONDS", 0.01)
    part = tmp_path / "part"
    part.write_bytes(as_mat(X=toy.X, Y=toy.Y[:, None]))
    with pytest.raises(SourceError, match="cannot be read within"):
        confined.tabulate(part, 10**6)


@pytest.mark.fault("parser")
def test_reader_runs_nothing_of_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "numpy.py").write_text("open('executed', 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    part = tmp_path / "part"
    part.write_bytes(as_mat(X=toy.X, Y=toy.Y[:, None]))
    confined.tabulate(part, TABLE.nbytes)
    assert part.read_bytes() == TABLE.tobytes()
    assert not (tmp_path / "executed").exists()


# Bounds ---------------------------------------------------------------------------------------


@pytest.mark.security(
    "How it is checked", "No download brings more bytes than the catalog knows the file to have."
)
def test_every_download_of_the_catalog_has_a_bound():
    catalog = data_fetch.catalog.default_catalog()
    versions = [v for file in catalog.files.values() for v in file.versions]
    for version in [*versions, *catalog.archives.values()]:
        assert version.cap > 0 or not version.urls
        assert version.cap <= 350_000_000 or version.members


@pytest.mark.fault("parser")
def test_member_of_a_verified_archive_is_bounded_too(cache):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", bytes(10**7))
    with raw_server(lambda c: c.answer(file.getvalue())) as server:
        archive = toy.version(file.getvalue(), "toy/a.zip", urls=(server.url,))
        version = replace(toy.version(), members=(Member("toy/a.zip", "a.txt"),))
        with pytest.raises(data_fetch.DataUnavailableError, match="has more than"):
            data_fetch.fetch("toy/a", toy.fetcher(toy.catalog(version, archive=archive), cache))


@pytest.mark.security(
    "How it is checked",
    "Every file and every archive of the catalog is pinned by its hash or by that of its content; "
    "what is unpacked from an archive is compared with the verified archive.",
)
def test_every_file_of_the_catalog_has_a_hash():
    catalog = Fetcher().catalog
    for archive in catalog.archives.values():
        assert archive.sha256
    for file in catalog.files.values():
        for version in file.versions:
            assert version.pinned or version.members


# What the code can do at all ------------------------------------------------------------------

MODULES = sorted((Path(__file__).parents[2] / "data_fetch").rglob("*.py"))


def imported(path: Path) -> set[str]:
    """First parts of the names of all modules that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        found |= {name.partition(".")[0] for name in names}
    return found


@pytest.mark.security("How it is checked", "No pickled file is read.")
@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_nothing_is_unpickled(path):
    assert not imported(path) & {"pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal"}
    assert "allow_pickle=True" not in path.read_text(encoding="utf-8")


@pytest.mark.security("What is sent", "One module talks to the network, `data_fetch/download.py`.")
def test_one_module_talks_to_the_network():
    network = {"requests", "urllib3", "http", "socket", "ssl", "ftplib", "aiohttp", "pooch"}
    assert [path.name for path in MODULES if imported(path) & network] == ["download.py"]
