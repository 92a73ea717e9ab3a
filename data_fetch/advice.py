"""What to tell a user whose data could not be had."""

from __future__ import annotations

from pathlib import Path

from data_fetch.catalog import Catalog, Entry


def advice(catalog: Catalog, cache: Path, entry: Entry, missing: dict[str, list[str]]) -> str:
    """Say what was tried for each missing file, and what to do by hand.

    Parameters
    ----------
    missing : dict of str to list of str
        What went wrong with every source, by name of the file.
    """
    names = ", ".join(catalog.files[name].key for name in missing)
    lines = [f"data set {entry.name!r} could not be had: no source has {names}."]
    tried = dict.fromkeys(failure for failures in missing.values() for failure in failures)
    lines += ["Tried:", *(f"  - {failure}" for failure in tried)] if tried else []
    by_hand = dict.fromkeys(_by_hand(catalog, cache, entry, name) for name in missing)
    lines += ["Download by hand:", *(f"  - {step}" for step in by_hand)]
    lines.append("(or set REPROLIB_MIRROR to a folder or http address that has the files).")
    return "\n".join(lines)


def _by_hand(catalog: Catalog, cache: Path, entry: Entry, name: str) -> str:
    best = catalog.versions(entry, name)[0]
    download = best if best.archive is None else catalog.archives[best.archive]
    where = " or ".join(download.urls) or catalog.files[name].page
    repack = ""
    if best.unpack == "compress":
        repack = "repack it with `gzip -dc NAME.Z | gzip > NAME.gz`, "
    return f"{where}, {repack}put it at {cache / download.path}"
