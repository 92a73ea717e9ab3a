"""Every path of every data set of the catalog: no reader sees bytes that no hash vouches for."""

from __future__ import annotations

import io
import shutil
import tarfile
from dataclasses import replace

import pytest

import data_fetch
from data_fetch import access, package, silence
from data_fetch import fetcher as fetching
from data_fetch.catalog import default_catalog
from data_fetch.errors import SourceError
from data_fetch.fetcher import Fetcher
from tests.toy_data import sha256

REAL = [name for name, entry in default_catalog().entries.items() if entry.files]
#: Where files come from that nobody here has seen, so that no digest of their values is known.
UNSEEN = ("p300/iib_11", "p300/iib_19", "haxby/subj1", "raetsch/banana")
FALSE = b"bytes of somebody else"


def packed(names, content: bytes) -> bytes:
    """Archive with the same content under all names."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


def false_files(folder, catalog, entry):
    """Write a false file to every path that the cache or a mirror may have for a data set."""
    versions = [v for name in entry.files for v in catalog.versions(entry, name)]
    members = [member for version in versions for member in version.members]
    contents = {version.path: FALSE for version in versions}
    for archive in {member.archive for member in members}:
        names = [member.member for member in members if member.archive == archive]
        contents[archive] = packed(names, FALSE)
    for path, content in contents.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


@pytest.fixture
def read(monkeypatch):
    """What readers are given; the package index is not asked."""
    seen = []

    def reader(name, paths):
        seen.extend(path.read_bytes() for path in paths.values())
        raise ValueError("a reader was called")

    monkeypatch.setattr(access, "resolve", lambda dotted: reader)
    silence.silent.note(package.REGISTRY)
    yield seen
    silence.silent.forget()


@pytest.mark.security(
    "How it is checked",
    "Sets whose values have no digest, as nobody here has seen their files (p300/iib_11, "
    "p300/iib_19, the complete Haxby, Raetsch's complete file), are held by the sha256 or the git "
    "blob id of each file or of its archive, before a reader sees it, from every source.",
)
@pytest.mark.fault("parser")
@pytest.mark.parametrize("place", ["cache", "mirror folder", "mirror address", "sites"])
@pytest.mark.parametrize("name", UNSEEN)
@pytest.mark.filterwarnings("ignore:.*is not used")
def test_no_false_file_reaches_a_reader(name, place, read, tmp_path, monkeypatch):
    catalog, cache, there = default_catalog(), tmp_path / "cache", tmp_path / "there"
    false_files(there, catalog, catalog.entry(name))
    asked = []

    def download(url, target, *args):
        asked.append(url)
        if place not in ("sites", "mirror address"):
            raise SourceError("no network")
        target.write_bytes(FALSE)

    monkeypatch.setattr(fetching, "download", download)
    if place == "cache":
        shutil.copytree(there, cache)
    mirror = {"mirror folder": str(there), "mirror address": "https://mirror.invalid"}.get(place)
    with pytest.raises(data_fetch.DataUnavailableError):
        data_fetch.load(name, Fetcher(catalog, cache, mirror))
    assert not read
    assert asked


@pytest.mark.fault("parser")
@pytest.mark.parametrize("name", UNSEEN)
def test_what_is_taken_without_a_digest_is_what_the_hash_says(name, read, tmp_path):
    """The other side: with the hashes of these bytes in the catalog, the reader is called."""
    catalog = default_catalog()
    entry = catalog.entry(name)
    false_files(tmp_path, catalog, entry)
    archives = {
        path: replace(archive, sha256=sha256((tmp_path / path).read_bytes()), bytes=0)
        for path, archive in catalog.archives.items()
        if (tmp_path / path).exists()
    }
    files = dict(catalog.files)
    for file_name in entry.files:
        versions = []
        for version in catalog.versions(entry, file_name):
            known = replace(version, sha256=sha256(FALSE), git_blob=None, bytes=len(FALSE))
            versions.append(known if version.pinned else version)
        files[file_name] = replace(files[file_name], versions=tuple(versions))
    catalog = replace(catalog, files=files, archives={**catalog.archives, **archives})
    with pytest.raises(ValueError, match="a reader was called"):
        data_fetch.load(name, Fetcher(catalog, tmp_path, None))
    assert set(read) == {FALSE}


def test_every_version_without_a_digest_is_among_the_sets_that_are_named():
    """So that the sentence of SECURITY.md names them all."""
    catalog = default_catalog()
    for name in REAL:
        entry = catalog.entry(name)
        versions = [v for file in entry.files for v in catalog.versions(entry, file)]
        if entry.digest is None or not all(version.seen for version in versions):
            assert name in UNSEEN or name.startswith("raetsch/"), name
        for version in versions:
            members = [catalog.archives[m.archive].pinned for m in version.members]
            assert version.pinned or (members and all(members)), name
