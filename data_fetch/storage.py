"""The cache folder: hashes, atomic writes, and unpacking."""

from __future__ import annotations

import functools
import gzip
import hashlib
import os
import shutil
import stat
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import ELOOP
from pathlib import Path
from typing import IO, BinaryIO

import platformdirs

from data_fetch.catalog import Version
from data_fetch.environment import configured_folder
from data_fetch.errors import SourceError
from data_fetch.unix_compress import decompress

CHUNK = 1 << 20
#: Most bytes that a compressed text may expand to; the largest known is 50 MB.
MAX_EXPANDED = 200_000_000
#: Faults of an archive's content; RuntimeError is an encrypted member.
_ARCHIVE_FAULTS = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    KeyError,
    EOFError,
    gzip.BadGzipFile,
    RuntimeError,
    NotImplementedError,
)


def cache_directory() -> Path:
    """Folder of downloaded files: ``REPROLIB_DATA``, or the platform's user cache."""
    return configured_folder("REPROLIB_DATA", platformdirs.user_cache_path("reprolib"))


# Hashes -----------------------------------------------------------------------------------------


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


def sha256(path: Path) -> str:
    """Hash of a file's bytes; computed again whenever the file was written to."""
    return _hash(path, _stamp(path), "sha256")


def git_blob(path: Path) -> str:
    """Name that git gives the content of a file: sha1 of "blob <size>", a zero byte, the bytes."""
    return _hash(path, _stamp(path), "git_blob")


def has_hash(path: Path, version: Version) -> bool:
    """Whether a file, or the text in it, has a hash that the catalog gives."""
    if not path.is_file():
        return False
    if not version.bytes or path.stat().st_size == version.bytes:
        if version.sha256 is not None and sha256(path) == version.sha256:
            return True
        if version.sha256 is None and version.git_blob is not None:
            return git_blob(path) == version.git_blob
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
    if version.bytes and (size := path.stat().st_size) != version.bytes:
        return f"{size} bytes instead of {version.bytes}"
    kind = "git blob" if version.git_blob and not version.sha256 else "sha256"
    return f"wrong {kind}: the file is damaged or altered"


# Writing ----------------------------------------------------------------------------------------


def part_of(target: Path) -> Path:
    """Where a file is written before it is complete."""
    return target.with_name(f".{target.name}.part")


def opened_part(part: Path, *, append: bool = False) -> BinaryIO:
    """Open a part for writing: a new file, or our own that goes on.

    In a cache that others can write, a link may lie under its name: it is never followed. The
    umask says who may read what is written.

    Raises
    ------
    OSError
        If what goes on is no plain file of one name.
    """
    if not append:
        part.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if append else os.O_EXCL)
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(part, flags, 0o666), "ab" if append else "wb")
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        file.close()
        raise OSError(ELOOP, "is a link", str(part))
    return file


@contextmanager
def partial_file(target: Path, *, resumable: bool = False) -> Iterator[Path]:
    """Give a temporary path next to ``target``, which replaces it on success only.

    Its bytes are on the disk before it gets the name: after a power cut there is the whole file
    or none.

    Parameters
    ----------
    target : Path
        Its lock is held, so that nobody else writes.
    resumable : bool
        Leave what is there when a source fails, and give it again in the next call.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = part_of(target)
    if not resumable or _is_link(partial):
        partial.unlink(missing_ok=True)
    try:
        yield partial
        _to_disk(partial)
        os.replace(partial, target)
        _to_disk(target.parent)
    except BaseException as error:
        if not resumable or isinstance(error, OSError):
            with suppress(OSError):
                partial.unlink(missing_ok=True)
        raise


def _is_link(path: Path) -> bool:
    """Whether a path is there and is another thing than a file of one name."""
    if not os.path.lexists(path):
        return False
    status = path.lstat()
    return not stat.S_ISREG(status.st_mode) or status.st_nlink > 1


def _to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if path.is_dir() and os.name != "posix":
        return  # a folder cannot be opened there
    descriptor = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def set_aside(path: Path, reason: str) -> Path:
    """Rename a file that is not what its name says, and say why; never delete it."""
    number = 0
    rejected = path.with_name(f"{path.name}.rejected")
    while os.path.lexists(rejected):
        number += 1
        rejected = path.with_name(f"{path.name}.rejected{number}")
    path.rename(rejected)
    warnings.warn(f"{path} is not used ({reason}); it is now {rejected.name}", stacklevel=2)
    return rejected


def copy(source: Path, target: Path) -> None:
    """Copy a file's bytes; what cannot be read is the source's fault."""
    if not os.access(source, os.R_OK):
        raise SourceError("cannot be read: permission denied")
    with open(source, "rb") as read, opened_part(target) as written:
        shutil.copyfileobj(read, written, CHUNK)


# Unpacking --------------------------------------------------------------------------------------


def gzip_unix_compressed(source: Path, target: Path) -> None:
    """Turn a .Z file into a gzip file of the same content (without a date, so reproducible)."""
    text = decompress(source.read_bytes(), MAX_EXPANDED)
    with opened_part(target) as raw, gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as file:
        file.write(text)


def copy_member(archive_path: Path, name: str, target: Path, cap: int) -> None:
    """Write one member of a tar or zip archive to a path that we chose.

    Only this member is read, so that no name, link or device in the archive can reach anything.

    Raises
    ------
    SourceError
        If the archive is broken, or the member is missing, is no regular file, has a path that
        leads out of the archive's folder, or has more than ``cap`` bytes.
    """
    with _members(archive_path) as opened:
        stream, left = opened(name), cap
        with opened_part(target) as file:
            while chunk := stream.read(min(CHUNK, left + 1)):
                left -= len(chunk)
                if left < 0:
                    raise SourceError(f"{archive_path.name}: {name} has more than {cap} bytes")
                file.write(chunk)


def member_hashes(archive_path: Path, names: tuple[str, ...]) -> dict[str, str]:
    """Hashes (sha256) of members as they are in the archive, which is read through once a process.

    Raises
    ------
    SourceError
        As in `copy_member`.
    """
    return _member_hashes(archive_path, names, _stamp(archive_path))


@functools.lru_cache(maxsize=16)
def _member_hashes(archive_path: Path, names: tuple[str, ...], stamp: Stamp) -> dict[str, str]:
    with _members(archive_path) as opened:
        return {
            name: hashlib.file_digest(opened(name), "sha256").hexdigest()  # type: ignore[arg-type]
            for name in names
        }


@contextmanager
def _members(archive_path: Path) -> Iterator[Callable[[str], IO[bytes]]]:
    """Give a function that opens a member by name; faults of the archive become a SourceError."""
    try:
        if zipfile.is_zipfile(archive_path):
            with zipfile.ZipFile(archive_path) as archive:
                yield archive.open
        else:
            with tarfile.open(archive_path) as archive:
                yield functools.partial(_tar_member, archive)
    except _ARCHIVE_FAULTS as error:
        raise SourceError(f"{archive_path.name}: {error}") from error


def _tar_member(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    member = archive.getmember(name)
    tarfile.data_filter(member, "/nowhere")
    stream = archive.extractfile(member) if member.isfile() else None
    if stream is None:
        raise SourceError(f"member {name!r} is not a regular file")
    return stream
