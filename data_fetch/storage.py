"""The cache folder: hashes, atomic writes, and unpacking."""

from __future__ import annotations

import functools
import glob
import gzip
import hashlib
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import platformdirs

from data_fetch.environment import configured_folder
from data_fetch.errors import SourceError
from data_fetch.unix_compress import decompress

CHUNK = 1 << 20


def cache_directory() -> Path:
    """Folder of downloaded files: ``REPROLIB_DATA``, or the platform's user cache."""
    return configured_folder("REPROLIB_DATA", platformdirs.user_cache_path("reprolib"))


@functools.lru_cache(maxsize=256)
def _sha256(path: Path, size: int, mtime_ns: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256(path: Path) -> str:
    """Hash of a file's bytes; computed again only when its size or time has changed."""
    stat = path.stat()
    return _sha256(path, stat.st_size, stat.st_mtime_ns)


@contextmanager
def partial_file(target: Path) -> Iterator[Path]:
    """Give a temporary path next to ``target``, which replaces it on success only."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    os.close(handle)
    partial = Path(name)
    try:
        yield partial
        os.chmod(partial, 0o644)
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)


def remove_leftovers(target: Path) -> None:
    """Delete partial files of a killed process; call it with the target's lock held."""
    if target.parent.is_dir():
        for partial in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
            partial.unlink(missing_ok=True)


def gzip_unix_compressed(source: Path, target: Path) -> None:
    """Turn a .Z file into a gzip file of the same content (without a date, so reproducible)."""
    text = decompress(source.read_bytes())
    with open(target, "wb") as raw, gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as file:
        file.write(text)


def _checked_member(archive: tarfile.TarFile, name: str) -> tarfile.TarInfo:
    member = archive.getmember(name)
    tarfile.data_filter(member, "/nowhere")
    if not member.isfile():
        raise SourceError(f"member {name!r} is not a regular file")
    return member


def unpack_members(archive_path: Path, members: Mapping[str, Path]) -> None:
    """Unpack named members of a tar archive, each to its own path, atomically.

    Only the members asked for are read, and their bytes are copied to paths that we chose, so
    that no name, link or device inside the archive can reach anything else.

    Raises
    ------
    SourceError
        If the archive is broken, a member is missing, is no regular file, or has a path that
        leads out of the archive's folder.
    """
    for name, stream in _streams(archive_path, tuple(members)):
        with partial_file(members[name]) as partial, open(partial, "wb") as file:
            shutil.copyfileobj(stream, file, CHUNK)


def member_hashes(archive_path: Path, names: tuple[str, ...]) -> dict[str, str]:
    """Hashes (sha256) of members as they are in the archive, which is read through once a process.

    Raises
    ------
    SourceError
        As in `unpack_members`.
    """
    stat = archive_path.stat()
    return _member_hashes(archive_path, names, stat.st_size, stat.st_mtime_ns)


@functools.lru_cache(maxsize=16)
def _member_hashes(
    archive_path: Path, names: tuple[str, ...], size: int, mtime_ns: int
) -> dict[str, str]:
    return {
        name: _hash_of_stream(stream).hexdigest() for name, stream in _streams(archive_path, names)
    }


def _hash_of_stream(stream: IO[bytes]):
    h = hashlib.sha256()
    while chunk := stream.read(CHUNK):
        h.update(chunk)
    return h


def _streams(archive_path: Path, names: tuple[str, ...]) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the content of named members; a fault of the archive becomes a SourceError."""
    try:
        with tarfile.open(archive_path) as archive:
            for name in names:
                stream = archive.extractfile(_checked_member(archive, name))
                assert stream is not None  # a regular file, as checked
                yield name, stream
    except (tarfile.TarError, KeyError, EOFError, gzip.BadGzipFile) as error:
        raise SourceError(f"{archive_path.name}: {error}") from error
