"""The catalog: every file and data set that we know, read from ``catalog.toml``."""

from __future__ import annotations

import difflib
import functools
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from data_fetch.outside import outside_papers

Fidelity = Literal["original", "container", "rebuilt", "partial"]
#: Most bytes that a compressed text may expand to; the largest known is 50 MB.
MAX_EXPANDED = 200_000_000


@dataclass(frozen=True)
class Member:
    """Where a file lies in an archive, and what it is rebuilt by if its rows lie there only."""

    archive: str
    member: str
    rebuild: str | None = None


@dataclass(frozen=True)
class Version:
    """One accepted form of a file; the fields are explained at the top of ``catalog.toml``."""

    path: str
    fidelity: Fidelity
    sha256: str | None = None
    bytes: int = 0
    git_blob: str | None = None
    md5: str | None = None
    manifest: str | None = None
    at_most: int = 0
    urls: tuple[str, ...] = ()
    content: str | None = None
    unpack: Literal["compress"] | None = None
    members: tuple[Member, ...] = ()
    package: str | None = None
    digest: str | None = None
    seen: bool = True
    only: tuple[str, ...] = ()
    source: Literal["resampled"] | None = None

    @property
    def pinned(self) -> bool:
        """Whether a hash says which bytes the file has, or which each file in it has."""
        return any((self.sha256, self.git_blob, self.md5, self.manifest))

    @property
    def cap(self) -> int:
        """Most bytes that a download may have: those known, where they are."""
        return self.at_most or self.bytes


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
    """A data set: its name, its files, and the embedded data sets that stand in for it.

    ``size`` are rows and features, ``classes`` how many labels there are; 0 where it is not stated.
    ``source`` is that of a data set of whole files, ``partial_source`` where one is partial;
    ``complete`` another data set that takes its place where all its files are at hand; ``papers``
    the keys of the papers that use it; ``notes`` what a user must know of the data. ``loader``
    reads or makes it ("package.module:function"), ``audited`` corrects labels that a test shows to
    be wrong; ``bundled`` names the library that brings real data without files of their own.
    """

    name: str
    title: str
    loader: str
    size: tuple[int, int] = (0, 0)
    classes: int = 0
    files: tuple[str, ...] = ()
    counterparts: tuple[str, ...] = ()
    digest: str | None = None
    source: Literal["original", "partial"] = "original"
    partial_source: Literal["partial", "resampled"] = "partial"
    complete: str | None = None
    papers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    audited: str | None = None
    bundled: str = ""

    @property
    def is_real(self) -> bool:
        """Whether it has values of a publisher, and is not made here."""
        return bool(self.files or self.bundled)

    def under(self, other: Entry) -> Entry:
        """Return this data set with another one's name, and what stands in for that."""
        return replace(self, name=other.name, counterparts=other.counterparts)


#: Keys that are not called like the fields that they fill, and those of tables in tables.
_KEYS = {"versions": "version"}
_NESTED: dict[str, type] = {"version": Version, "members": Member}


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
        return tuple(v for v in versions if not v.only or entry.name in v.only)

    def named(self, word: str) -> list[str]:
        """Names that a word stands for: a data set, a family ("raetsch") or a paper ("kpm").

        Raises
        ------
        ValueError
            If it is none of them.
        """
        of_family = [name for name in self.entries if name.partition("/")[0] == word]
        of_paper = [name for name, entry in self.entries.items() if word in entry.papers]
        return of_family or of_paper or [self.entry(word).name]


@dataclass(frozen=True)
class _Tables:
    """Tables of a catalog, by name."""

    file: Mapping[str, Any] = field(default_factory=dict)
    archive: Mapping[str, Any] = field(default_factory=dict)
    dataset: Mapping[str, Any] = field(default_factory=dict)


def read_catalog(path: Path) -> Catalog:
    """Read a catalog, and check that its data sets name files that it has.

    Raises
    ------
    ValueError
        If the file is not TOML, a key is unknown or missing, a data set names a file without an
        entry, or a file has no hash; the message names the file.
    """
    faults: list[str] = []
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}") from error
    tables = _made(faults, "the file", _Tables, raw)

    def made(kind: str, form: type, key: str = "name", **given: Any) -> dict[str, Any]:
        return {
            name: _made(faults, f"{kind} {name!r}", form, table, **{key: name}, **given)
            for name, table in getattr(tables, kind, {}).items()
        }

    archives = made("archive", Version, "path", fidelity="original")
    catalog = Catalog(made("file", File), archives, made("dataset", Entry))
    if not faults:
        faults = list(_loose_ends(catalog))
    if faults:
        raise ValueError("\n".join(f"{path}: {fault}" for fault in faults))
    return catalog


def _made(faults: list[str], where: str, form: type, table: Any, **given: Any) -> Any:
    """Return an object of a dataclass, made of a table; wrong keys join the faults instead."""
    keys = {_KEYS.get(f.name, f.name): f for f in fields(form) if f.name not in given}
    if not isinstance(table, Mapping):
        faults.append(f"{where} is {table!r}; it must be a table")
        return None
    for key in table.keys() - keys.keys():
        near = difflib.get_close_matches(key, keys, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(sorted(keys))}"
        faults.append(f"{where}: unknown key {key!r}; {hint}")
    for key, of in keys.items():
        if key in table:
            value = table[key]
            if key in _NESTED:
                value = [
                    _made(faults, f"{where}, {key} {number}", _NESTED[key], part)
                    for number, part in enumerate(value, start=1)
                ]
            given[of.name] = tuple(value) if isinstance(value, list) else value
        elif of.default is MISSING and of.default_factory is MISSING:
            faults.append(f"{where}: {key} is missing")
    return None if faults else form(**given)


def _loose_ends(catalog: Catalog) -> Iterator[str]:
    """Yield names of files and archives without an entry, and what no hash checks."""
    for name, entry in catalog.entries.items():
        if missing := [file for file in entry.files if file not in catalog.files]:
            yield f"data set {name!r} names files without an entry: {missing}"
    versions = [version for file in catalog.files.values() for version in file.versions]
    named = {member.archive for version in versions for member in version.members}
    if unknown := sorted(named - catalog.archives.keys()):
        yield f"files name archives without an entry: {unknown}"
    loose = [
        v.path
        for v in versions
        # A file that is unpacked or made anew is another one than the member of its archive.
        if not v.pinned and (not v.members or v.unpack or any(m.rebuild for m in v.members))
    ]
    loose += [archive.path for archive in catalog.archives.values() if not archive.pinned]
    if loose:
        yield f"give the sha256 of {sorted(set(loose))}: nothing reads what has no hash"


@functools.cache
def default_catalog() -> Catalog:
    """The catalog that comes with the package, and those of the papers outside of it.

    Raises
    ------
    ValueError
        If a catalog has a fault, or a name that another one has; the message names the file.
    """
    found = read_catalog(Path(__file__).with_name("catalog.toml"))
    for paper in outside_papers():
        if paper.catalog is not None:
            found = joined(found, read_catalog(paper.catalog), paper.catalog)
    return found


def joined(catalog: Catalog, other: Catalog, path: Path) -> Catalog:
    """Catalog with the files and data sets of another one, which was read from ``path``.

    Raises
    ------
    ValueError
        If a name stands in both, or a data set of the other one has neither files nor a source.
    """
    both = {}
    for kind in ("files", "archives", "entries"):
        ours, theirs = getattr(catalog, kind), getattr(other, kind)
        if doubled := sorted(ours.keys() & theirs.keys()):
            raise ValueError(
                f"{path}: there is another {doubled[0]!r}; begin the name with the paper's key"
            )
        both[kind] = {**ours, **theirs}
    for name, entry in other.entries.items():
        if not entry.is_real and not name.startswith("embedded/"):
            raise ValueError(
                f"{path}: data set {name!r} has no files; say in which library it is bundled, or "
                "begin its name with embedded/ if it is generated"
            )
    return Catalog(**both)
