"""Get files: cache -> mirror -> upstream, each verified."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from urllib.parse import quote, urlsplit

import filelock

from data_fetch import storage
from data_fetch.advice import advice
from data_fetch.catalog import Catalog, Entry, Version, default_catalog
from data_fetch.download import TIMEOUT, download
from data_fetch.environment import expanded_folder
from data_fetch.errors import DataUnavailableError, SourceError

#: Seconds to wait for another process that fetches the same file.
LOCK_TIMEOUT = 1800.0


@dataclass(frozen=True)
class LocalFile:
    """A file in the cache. Not ``verified``: its bytes are new to us, its content must decide."""

    path: Path
    version: Version
    verified: bool
    origin: str


class _NoSourceError(Exception):
    """No source has a file."""

    def __init__(self, failures: list[str]):
        super().__init__(*failures)
        self.failures = failures


@dataclass
class Fetcher:
    """Gets the files of data sets.

    Parameters
    ----------
    catalog : Catalog
    cache : Path
        Default: `storage.cache_directory`.
    mirror : str or None
        Folder or http(s) base address with the same layout. Default: ``REPROLIB_MIRROR``.
    upstream_only : bool
        Take neither the mirror nor partial copies in the cache.
    timeout : tuple of float
        Seconds to connect, and between two packets.
    rejected : set of str
        Addresses whose bytes turned out to be other data; they are not asked again.
    """

    catalog: Catalog = field(default_factory=default_catalog)
    cache: Path = field(default_factory=storage.cache_directory)
    mirror: str | None = field(default_factory=lambda: os.environ.get("REPROLIB_MIRROR") or None)
    upstream_only: bool = False
    timeout: tuple[float, float] = TIMEOUT
    rejected: set[str] = field(default_factory=set)

    def state(self, entry: Entry) -> str:
        """Where the data set would come from: cached, mirror or needs download."""
        places = [self._place(self.catalog.versions(entry, name)) for name in entry.files]
        for place in ("needs download", "mirror"):
            if place in places:
                return place
        return "cached"

    def _place(self, versions: tuple[Version, ...]) -> str:
        if any(self._cached(v) or self._archive_at_hand(v, self.cache) for v in versions):
            return "cached"
        if any(self._in_mirror_folder(v) for v in versions):
            return "mirror"
        return "needs download"

    def expected(self, entry: Entry) -> list[Version]:
        """Version of every file that `get` would give: at hand, or the one to be downloaded."""
        return [self._expected(self.catalog.versions(entry, name)) for name in entry.files]

    def _expected(self, versions: tuple[Version, ...]) -> Version:
        cached = [v for v in versions if self._cached(v) or self._archive_at_hand(v, self.cache)]
        mirrored = [v for v in versions if self._in_mirror_folder(v)]
        return [*cached, *mirrored, *versions][0]

    def get(self, entry: Entry) -> list[LocalFile]:
        """Get every file of a data set, from the first source that has it.

        Raises
        ------
        DataUnavailableError
            If no source has one of the files; says what to download by hand, and where to put
            it.
        """
        found: list[LocalFile] = []
        missing: dict[str, list[str]] = {}
        for name in entry.files:
            try:
                found.append(self._get_file(entry, name))
            except _NoSourceError as error:
                missing[name] = error.failures
        if missing:
            raise DataUnavailableError(advice(self.catalog, self.cache, entry, missing))
        return found

    def _get_file(self, entry: Entry, name: str) -> LocalFile:
        versions = self.catalog.versions(entry, name)
        cached = self._first_cached(versions)
        if cached is not None:
            return cached
        # Files of one archive are unpacked together, so they share a lock.
        with self._locked(self.cache / (versions[0].archive or versions[0].path)):
            return self._obtain(entry, versions)

    def _obtain(self, entry: Entry, versions: tuple[Version, ...]) -> LocalFile:
        """Get the best version that the first source with any of them has; hold the lock."""
        cached = self._first_cached(versions)
        if cached is not None:
            return cached
        for version in versions:
            storage.remove_leftovers(self.cache / version.path)
        failures = list(self._delete_damaged(versions))
        folder = self._mirror_folder()
        if folder is not None and not folder.is_dir():
            failures.append(f"{folder}: no such folder (see REPROLIB_MIRROR)")
        for source, attempt in self._sources(entry, versions):
            try:
                return attempt()
            except SourceError as error:
                failures.append(f"{source}: {error}")
        raise _NoSourceError(failures)

    def reject(self, local: LocalFile) -> None:
        """Delete an unverified file whose content is not the data set's; try others from now on."""
        self.rejected.add(local.origin)
        local.path.unlink(missing_ok=True)

    def _first_cached(self, versions: tuple[Version, ...]) -> LocalFile | None:
        """Return the best version in the cache; None if a better one is there to be unpacked."""
        for version in versions:
            found = self._cached(version)
            if found or self._archive_at_hand(version, self.cache):
                return found
        return None

    def _cached(self, version: Version) -> LocalFile | None:
        """Return the cached file if it is intact, or of unknown bytes that we may look into."""
        path = self.cache / version.path
        if not path.is_file() or (self.upstream_only and version.fidelity == "partial"):
            return None
        verified = self._intact(self.cache, version)
        if verified or version.digest_decides:
            return LocalFile(path, version, verified, str(path))
        return None

    def _delete_damaged(self, versions: tuple[Version, ...]) -> Iterator[str]:
        for version in versions:
            path = self.cache / version.path
            # A member is overwritten when its archive is there.
            if version.archive is None and path.is_file() and not self._intact(self.cache, version):
                path.unlink()
                yield f"{path}: wrong sha256, the damaged or altered file was deleted"

    @contextmanager
    def _locked(self, target: Path) -> Iterator[None]:
        """Hold the lock of a target; problems of the cache folder become a clear error."""
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with filelock.FileLock(f"{target}.lock", timeout=LOCK_TIMEOUT):
                yield
        except filelock.Timeout as error:
            raise DataUnavailableError(
                f"another process has held {target}.lock for {LOCK_TIMEOUT:.0f} s; "
                "end it, or set REPROLIB_DATA to another folder"
            ) from error
        except DataUnavailableError:
            raise
        except (OSError, NotImplementedError) as error:
            raise DataUnavailableError(
                f"cannot write to the data folder {self.cache}: {error}; free some space, or set "
                "REPROLIB_DATA to a folder that can be written"
            ) from error

    def _mirror_folder(self) -> Path | None:
        if self.mirror is None or self.upstream_only or _is_address(self.mirror):
            return None
        return expanded_folder("REPROLIB_MIRROR", self.mirror)

    def _in_mirror_folder(self, version: Version) -> bool:
        folder = self._mirror_folder()
        return folder is not None and (
            self._intact(folder, version) or self._archive_at_hand(version, folder)
        )

    def _intact(self, folder: Path, version: Version) -> bool:
        """Whether a file in a folder has the hash that it must have.

        A member of an archive has the hash that it has inside the verified archive: nothing that
        lies beside it in the cache can vouch for it.
        """
        if version.archive is None or version.sha256 is not None:
            return _has_hash(folder / version.path, version)
        path = folder / version.path
        return path.is_file() and storage.sha256(path) == self._hash_in_archive(version)

    def _hash_in_archive(self, version: Version) -> str | None:
        """Hash of a member inside its archive; None if that is in neither cache nor mirror."""
        assert version.archive is not None
        assert version.member is not None
        for folder in (self.cache, self._mirror_folder()):
            if folder is not None and self._archive_at_hand(version, folder):
                names = self.catalog.members(version.archive)
                with contextlib.suppress(SourceError):
                    return storage.member_hashes(folder / version.archive, names)[version.member]
        return None

    def _archive_at_hand(self, version: Version, folder: Path) -> bool:
        """Whether a folder has the intact archive from which a version can be unpacked."""
        if version.archive is None:
            return False
        return _has_hash(folder / version.archive, self.catalog.archives[version.archive])

    def _sources(
        self, entry: Entry, versions: tuple[Version, ...]
    ) -> Iterator[tuple[str, Callable[[], LocalFile]]]:
        """Yield the sources outside the cache, best first: their address, and how to get it."""
        for v in versions:
            if v.archive is not None and self._archive_at_hand(v, self.cache):
                yield v.archive, partial(self._from_archive, entry, v)
        for v in versions:
            yield from self._mirrored(entry, v)
        for v in versions:
            for url in v.urls:
                if url not in self.rejected:
                    yield url, partial(self._download, v, url, strict=False)
            if v.archive is not None:
                yield v.archive, partial(self._from_archive, entry, v)

    def _mirrored(
        self, entry: Entry, version: Version
    ) -> Iterator[tuple[str, Callable[[], LocalFile]]]:
        if self.mirror is None or self.upstream_only:
            return
        folder = self._mirror_folder()
        if version.archive is not None:
            if folder is not None and self._archive_at_hand(version, folder):
                yield version.archive, partial(self._from_archive, entry, version)
        elif folder is None:
            address = f"{self.mirror.rstrip('/')}/{quote(version.path)}"
            yield address, partial(self._download, version, address, strict=True)
        elif (folder / version.path).is_file():
            source = folder / version.path
            yield str(source), partial(self._copy, version, source)

    def _copy(self, version: Version, source: Path) -> LocalFile:
        target = self.cache / version.path
        try:
            intact = _has_hash(source, version)
        except OSError as error:
            raise SourceError(f"cannot be read: {error}") from error
        if not intact:
            raise SourceError("wrong sha256: the mirror's copy is damaged or altered")
        with storage.partial_file(target) as part:
            shutil.copyfile(source, part)
            if storage.sha256(part) != version.sha256:
                raise SourceError("the copy differs from the mirror's file")
        return LocalFile(target, version, True, str(source))

    def _download(self, version: Version, url: str, *, strict: bool) -> LocalFile:
        """Download to the cache; bytes with another hash stay only where the content may decide."""
        target = self.cache / version.path
        with storage.partial_file(target) as part:
            download(url, part, self.timeout)
            if version.unpack == "compress" and not strict:
                storage.gzip_unix_compressed(part, part)
            verified = storage.sha256(part) == version.sha256
            if not verified and (strict or not version.digest_decides):
                raise SourceError(_wrong_bytes(part, version.bytes))
        return LocalFile(target, version, verified, url)

    def _from_archive(self, entry: Entry, version: Version) -> LocalFile:
        """Get the archive like any file, and unpack all members of the data set at once."""
        assert version.archive is not None
        archive = self.catalog.archives[version.archive]
        try:
            local = self._obtain(entry, (archive,))
        except _NoSourceError as error:
            raise SourceError("; ".join(error.failures)) from error
        storage.unpack_members(local.path, self._members(entry, archive.path))
        target = self.cache / version.path
        if not self._intact(self.cache, version):
            raise SourceError(f"{target} is not as it was in the archive")
        return LocalFile(target, version, True, archive.path)

    def _members(self, entry: Entry, archive: str) -> dict[str, Path]:
        versions = (v for name in entry.files for v in self.catalog.versions(entry, name))
        return {
            v.member: self.cache / v.path for v in versions if v.archive == archive and v.member
        }


def _is_address(mirror: str) -> bool:
    return urlsplit(mirror).scheme in {"http", "https"}


def _has_hash(path: Path, version: Version) -> bool:
    """Whether a file has the size and hash that the catalog gives."""
    if not path.is_file() or path.stat().st_size != version.bytes:
        return False
    return storage.sha256(path) == version.sha256


def _wrong_bytes(path: Path, expected: int) -> str:
    size = path.stat().st_size
    if size != expected:
        return f"{size} bytes instead of {expected}"
    return "wrong sha256: the file is damaged or altered"
