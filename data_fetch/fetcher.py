"""Get files: cache -> mirror -> upstream, each verified."""

from __future__ import annotations

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
from data_fetch.catalog import Catalog, Entry, File, Version, default_catalog
from data_fetch.download import TIMEOUT, download
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
    """

    catalog: Catalog = field(default_factory=default_catalog)
    cache: Path = field(default_factory=storage.cache_directory)
    mirror: str | None = field(default_factory=lambda: os.environ.get("REPROLIB_MIRROR") or None)
    upstream_only: bool = False
    timeout: tuple[float, float] = TIMEOUT
    #: Addresses whose bytes turned out to be other data.
    rejected: set[str] = field(default_factory=set)

    def state(self, entry: Entry) -> str:
        """Where the data set would come from: cached, mirror or needs download."""
        places = [self._place(entry, name) for name in entry.files]
        for place in ("needs download", "mirror"):
            if place in places:
                return place
        return "cached"

    def _place(self, entry: Entry, name: str) -> str:
        versions = self.catalog.versions(entry, name)
        if any(self._cached(v) for v in versions):
            return "cached"
        folder = self._mirror_folder()
        if folder is not None and any(_intact(folder / v.path, v) for v in versions):
            return "mirror"
        return "needs download"

    def expected(self, entry: Entry) -> list[Version]:
        """Version of every file that `get` would give: at hand, or the one to be downloaded."""
        return [self._expected(entry, name) for name in entry.files]

    def _expected(self, entry: Entry, name: str) -> Version:
        versions = self.catalog.versions(entry, name)
        folder = self._mirror_folder()
        at_hand = [v for v in versions if self._cached(v)]
        if folder is not None:
            at_hand += [v for v in versions if _intact(folder / v.path, v)]
        return (at_hand or list(versions))[0]

    def get(self, entry: Entry) -> list[LocalFile]:
        """Get every file of a data set, from the first source that has it.

        Raises
        ------
        DataUnavailableError
            If no source has one of the files; says what to download by hand, and where to put
            it.
        """
        return [self._get_file(entry, self.catalog.files[name]) for name in entry.files]

    def _get_file(self, entry: Entry, file: File) -> LocalFile:
        versions = self.catalog.versions(entry, file.name)
        cached = self._first_cached(versions)
        if cached is not None:
            return cached
        failures: list[str] = []
        with self._locked(self.cache / versions[0].path):
            cached = self._first_cached(versions)
            if cached is not None:
                return cached
            failures.extend(self._delete_damaged(versions))
            folder = self._mirror_folder()
            if folder is not None and not folder.is_dir():
                failures.append(f"{folder}: no such folder (see REPROLIB_MIRROR)")
            for source, attempt in self._sources(entry, versions):
                try:
                    return attempt()
                except SourceError as error:
                    failures.append(f"{source}: {error}")
        raise DataUnavailableError(self._advice(entry, file, failures))

    def reject(self, local: LocalFile) -> None:
        """Delete an unverified file whose content is not the data set's; try others from now on."""
        self.rejected.add(local.origin)
        local.path.unlink(missing_ok=True)

    # Cache ------------------------------------------------------------------------------------

    def _first_cached(self, versions: tuple[Version, ...]) -> LocalFile | None:
        return next((found for v in versions if (found := self._cached(v))), None)

    def _cached(self, version: Version) -> LocalFile | None:
        """Return the cached file if it is intact, or of unknown bytes that we may look into."""
        path = self.cache / version.path
        if not path.is_file() or (self.upstream_only and version.fidelity == "partial"):
            return None
        verified = _intact(path, version)
        if verified or version.digest_decides:
            return LocalFile(path, version, verified, str(path))
        return None

    def _delete_damaged(self, versions: tuple[Version, ...]) -> Iterator[str]:
        for version in versions:
            path = self.cache / version.path
            if path.is_file() and not _intact(path, version):
                path.unlink()
                yield f"{path}: wrong sha256, the damaged or altered file was deleted"

    @contextmanager
    def _locked(self, target: Path) -> Iterator[None]:
        """Hold the lock of a target; problems of the cache folder become a clear error."""
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with filelock.FileLock(f"{target}.lock", timeout=LOCK_TIMEOUT):
                storage.remove_leftovers(target)
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

    # Sources ----------------------------------------------------------------------------------

    def _mirror_folder(self) -> Path | None:
        if self.mirror is None or self.upstream_only or _is_address(self.mirror):
            return None
        return Path(self.mirror).expanduser()

    def _sources(
        self, entry: Entry, versions: tuple[Version, ...]
    ) -> Iterator[tuple[str, Callable[[], LocalFile]]]:
        """Yield the sources outside the cache, best first: their address, and how to get it."""
        folder = self._mirror_folder()
        for v in versions:
            if v.sha256 is None or self.mirror is None or self.upstream_only:
                continue
            if folder is None:
                address = f"{self.mirror.rstrip('/')}/{quote(v.path)}"
                yield address, partial(self._download, v, address, strict=True)
            elif (folder / v.path).is_file():
                yield str(folder / v.path), partial(self._copy, v, folder / v.path)
        for v in versions:
            for url in v.urls:
                if url not in self.rejected:
                    yield url, partial(self._download, v, url, strict=False)
            if v.archive is not None:
                yield v.archive, partial(self._from_archive, entry, v)

    def _copy(self, version: Version, source: Path) -> LocalFile:
        target = self.cache / version.path
        try:
            intact = _intact(source, version)
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
        """Unpack all members of the data set at once, from the archive in the cache or upstream."""
        assert version.archive is not None
        archive = self.catalog.archives[version.archive]
        path = self.cache / archive.path
        with self._locked(path):
            if not (path.is_file() and storage.sha256(path) == archive.sha256):
                self._download_archive(archive.urls, path, archive.sha256, archive.bytes)
            storage.unpack_members(path, self._members(entry, archive.path))
        target = self.cache / version.path
        if not _intact(target, version):
            raise SourceError(f"{target} is not as it was in the archive")
        return LocalFile(target, version, True, archive.path)

    def _members(self, entry: Entry, archive: str) -> dict[str, Path]:
        versions = (v for name in entry.files for v in self.catalog.versions(entry, name))
        return {
            v.member: self.cache / v.path for v in versions if v.archive == archive and v.member
        }

    def _download_archive(self, urls: tuple[str, ...], path: Path, sha256: str, size: int) -> None:
        failures = []
        for url in urls:
            try:
                with storage.partial_file(path) as part:
                    download(url, part, self.timeout)
                    if storage.sha256(part) != sha256:
                        raise SourceError(_wrong_bytes(part, size))
                return
            except SourceError as error:
                failures.append(f"{url}: {error}")
        raise SourceError("; ".join(failures))

    def _advice(self, entry: Entry, file: File, failures: list[str]) -> str:
        """What was tried, and what to do by hand."""
        tried = "".join(f"\n  - {failure}" for failure in failures)
        lines = [f"data set {entry.name!r} could not be had: no source has {file.key}."]
        lines.append(f"Tried:{tried}" if tried else "It cannot be downloaded by a program.")
        best = self.catalog.versions(entry, file.name)[0]
        urls = best.urls
        path = self.cache / best.path
        if best.archive is not None:
            urls, path = self.catalog.archives[best.archive].urls, self.cache / best.archive
        if best.unpack != "compress":
            where = " or ".join(urls) or file.page
            lines.append(f"Download it by hand from {where} and put it at {path}")
        else:
            lines.append(
                f"Download {' or '.join(urls)} by hand, repack it with "
                f"`gzip -dc NAME.Z | gzip > NAME.gz`, and put that at {path}"
            )
        lines.append("(or set REPROLIB_MIRROR to a folder or http address that has the files).")
        return "\n".join(lines)


def _is_address(mirror: str) -> bool:
    return urlsplit(mirror).scheme in {"http", "https"}


def _intact(path: Path, version: Version) -> bool:
    """Whether a file has the hash that it must have."""
    if not path.is_file():
        return False
    expected = version.sha256 if version.archive is None else storage.recorded_sha256(path)
    if expected is None or (version.sha256 and path.stat().st_size != version.bytes):
        return False
    return storage.sha256(path) == expected


def _wrong_bytes(path: Path, expected: int) -> str:
    size = path.stat().st_size
    if size != expected:
        return f"{size} bytes instead of {expected}"
    return "wrong sha256: the file is damaged or altered"
