"""Whether a file is the one that the catalog knows, by its hash."""

from __future__ import annotations

import functools
import gzip
import hashlib
import tarfile
import zipfile
import zlib
from pathlib import Path

from data_fetch.catalog import Version

#: Most bytes that a compressed text may expand to; the largest known is 50 MB.
MAX_EXPANDED = 200_000_000
#: Size, times and number of a file: a writer can set all but the time of its last change.
Stamp = tuple[int, int, int, int]


def _stamp(path: Path) -> Stamp:
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


@functools.lru_cache(maxsize=256)
def _hash(path: Path, stamp: Stamp, kind: str) -> str:
    h = hashlib.sha1(b"blob %d\0" % stamp[0]) if kind == "git_blob" else hashlib.sha256()
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: h).hexdigest()


@functools.lru_cache(maxsize=16)
def _fault(path: Path, stamp: Stamp, manifest: str) -> str | None:
    from data_fetch import images  # numpy: slow, and other files need none

    return images.fault(path, manifest)


def sha256(path: Path) -> str:
    """Hash of a file's bytes; computed again whenever the file was written to."""
    return _hash(path, _stamp(path), "sha256")


def has_hash(path: Path, version: Version) -> bool:
    """Whether a file, or the text in it, has a hash that the catalog gives."""
    if not path.is_file():
        return False
    if not version.bytes or path.stat().st_size == version.bytes:
        if version.sha256 is not None and sha256(path) == version.sha256:
            return True
        if version.sha256 is None and version.git_blob is not None:
            # Name that git gives the content: sha1 of "blob <size>", a zero byte, the bytes.
            return _hash(path, _stamp(path), "git_blob") == version.git_blob
    if version.manifest is not None:
        return _fault(path, _stamp(path), version.manifest) is None
    if version.content is None:
        return False
    try:
        with gzip.open(path) as text:
            return hashlib.sha256(text.read(MAX_EXPANDED + 1)).hexdigest() == version.content
    except (OSError, EOFError, zlib.error):
        return False


def wrong_bytes(path: Path, version: Version) -> str:
    """Say in what a file is not the one that it should be."""
    with open(path, "rb") as file:
        start = file.read(64).lstrip()
    if not start:
        return "gave other data: it is empty"
    if start[:1] in (b"<", b"{") or start.startswith(b"version https://git-lfs"):
        line = start[:24].decode("ascii", "replace").split("\n")[0]
        return f"gave other data: it begins with `{line}`"
    if version.manifest is not None:
        return f"gave other data: {_fault(path, _stamp(path), version.manifest)}"
    if version.bytes and (size := path.stat().st_size) != version.bytes:
        return f"{size} bytes instead of {version.bytes}"
    kind = "git blob" if version.git_blob and not version.sha256 else "sha256"
    return f"wrong {kind}: the file is damaged or altered"


def hashes_inside(archive: Path) -> dict[str, str]:
    """Hash (sha256) of every file in an archive of a known hash, which is read once a process."""
    return _hashes_inside(archive, _stamp(archive))


@functools.lru_cache(maxsize=4)
def _hashes_inside(archive: Path, stamp: Stamp) -> dict[str, str]:
    found = {}
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as members:
            for name in members.namelist():
                with members.open(name) as file:
                    found[name] = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    else:
        with tarfile.open(archive) as members_of_tar:
            for member in members_of_tar:
                content = members_of_tar.extractfile(member) if member.isfile() else None
                if content is not None:
                    found[member.name] = hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]
    return found
