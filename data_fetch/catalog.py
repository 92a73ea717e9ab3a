"""The catalog: every file and data set that we know, read from ``catalog.toml``."""

from __future__ import annotations

import difflib
import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

Fidelity = Literal["original", "container", "rebuilt", "partial"]


@dataclass(frozen=True)
class Version:
    """One accepted form of a file; the fields are explained at the top of ``catalog.toml``."""

    path: str
    fidelity: Fidelity
    sha256: str | None = None
    bytes: int = 0
    urls: tuple[str, ...] = ()
    unpack: Literal["compress"] | None = None
    archive: str | None = None
    member: str | None = None
    digest_decides: bool = False
    seen: bool = True


@dataclass(frozen=True)
class File:
    """A file as loaders know it, in one or several versions."""

    name: str
    terms: str
    cite: str
    versions: tuple[Version, ...]
    page: str | None = None

    @property
    def key(self) -> str:
        """Last part of the name: the key in the mapping that loaders get."""
        return PurePosixPath(self.name).name


@dataclass(frozen=True)
class Entry:
    """A data set: what it is called, which files it is made of, what stands in for it.

    ``partial_source`` is the source of a data set made of partial files.
    """

    name: str
    title: str
    size: tuple[int, int] = (0, 0)
    files: tuple[str, ...] = ()
    counterparts: tuple[str, ...] = ()
    digest: str | None = None
    requires: Fidelity | None = None
    partial_source: Literal["partial", "resampled"] = "partial"


@dataclass(frozen=True)
class Catalog:
    """All files, archives and data sets, by name."""

    files: Mapping[str, File] = field(default_factory=dict)
    archives: Mapping[str, Version] = field(default_factory=dict)
    entries: Mapping[str, Entry] = field(default_factory=dict)

    def entry(self, name: str) -> Entry:
        """Return a data set by name.

        Raises
        ------
        ValueError
            If there is none of that name; the message names the nearest ones.
        """
        if name in self.entries:
            return self.entries[name]
        near = difflib.get_close_matches(str(name), self.entries, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        raise ValueError(
            f"unknown data set {name!r}; {hint}data_fetch.names() and "
            "`reprolib data list` give all names"
        )

    def versions(self, entry: Entry, file_name: str) -> tuple[Version, ...]:
        """Versions of a file that will do for a data set, best first."""
        versions = self.files[file_name].versions
        return tuple(v for v in versions if entry.requires in (None, v.fidelity))

    def members(self, archive: str) -> tuple[str, ...]:
        """Names of all members of an archive that files are unpacked from."""
        versions = (v for file in self.files.values() for v in file.versions)
        return tuple(v.member for v in versions if v.archive == archive and v.member)


def _version(table: dict[str, Any]) -> Version:
    return Version(**{**table, "urls": tuple(table.get("urls", ()))})


def read_catalog(path: Path) -> Catalog:
    """Read a catalog, and check that its data sets name files that it has.

    Raises
    ------
    ValueError
        If a data set names a file without an entry, or the file is not TOML.
    """
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    files = {
        name: File(
            name,
            terms=table["terms"],
            cite=table["cite"],
            versions=tuple(_version(v) for v in table["version"]),
            page=table.get("page"),
        )
        for name, table in raw.get("file", {}).items()
    }
    archives = {
        name: _version({"path": name, "fidelity": "original", **table})
        for name, table in raw.get("archive", {}).items()
    }
    entries = {}
    for name, table in raw.get("dataset", {}).items():
        lists = {k: tuple(table.get(k, ())) for k in ("files", "counterparts")}
        size = tuple(table.get("size", (0, 0)))
        entries[name] = Entry(name, **{**table, **lists, "size": size})
        missing = [f for f in lists["files"] if f not in files]
        if missing:
            raise ValueError(f"{path}: data set {name!r} names files without an entry: {missing}")
    return Catalog(files, archives, entries)


@functools.cache
def default_catalog() -> Catalog:
    """The catalog that comes with the package."""
    return read_catalog(Path(__file__).with_name("catalog.toml"))


def without_digests(catalog: Catalog) -> Catalog:
    """Return a catalog whose data sets may have any values (for making digests)."""
    entries = {name: replace(entry, digest=None) for name, entry in catalog.entries.items()}
    return replace(catalog, entries=entries)
