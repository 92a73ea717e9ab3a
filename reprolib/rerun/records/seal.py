"""Seal of a results folder: the sha256 of every file, in the form that ``sha256sum -c`` reads."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from reprolib.rerun.records.folders import write_atomically

SEAL = "SHA256SUMS"


def write(directory: Path, texts: Mapping[str, str]) -> None:
    """Seal files by their texts, as they were meant to be written."""
    lines = [f"{hashlib.sha256(text.encode()).hexdigest()}  {name}" for name, text in texts.items()]
    write_atomically(directory / SEAL, "\n".join(sorted(lines, key=_name)) + "\n")


def names(directory: Path) -> set[str]:
    """Names of the files that are sealed; none without a seal."""
    return set(_sealed(directory))


def faults(directory: Path) -> list[str]:
    """Files of a results folder that are not as they were sealed, one line each."""
    sealed = _sealed(directory)
    if not sealed:
        return [f"{directory.name}: there is no {SEAL}; only a full run writes one"]
    files = [p for p in directory.iterdir() if p.name != SEAL and not p.name.startswith(".")]
    lines = differing(sealed, {path.name: path.read_bytes() for path in files})
    return [f"{directory.name}/{fault}" for fault in lines]


def differing(sealed: Mapping[str, str], files: Mapping[str, bytes]) -> list[str]:
    """Files that are not as they were sealed, one line each.

    Parameters
    ----------
    sealed : mapping of str to str
        Digests by name, as `parsed` gives them.
    files : mapping of str to bytes
        By name, without the seal.
    """
    lines = [f"{name}: not sealed" for name in sorted(files.keys() - sealed.keys())]
    for name, digest in sealed.items():
        if name not in files:
            lines.append(f"{name}: sealed, but missing")
        elif hashlib.sha256(files[name]).hexdigest() != digest:
            lines.append(f"{name}: changed since it was sealed")
    return lines


def parsed(text: str) -> dict[str, str]:
    """Digests by name in the text of a seal."""
    return {_name(line): line.partition("  ")[0] for line in text.splitlines()}


def _name(line: str) -> str:
    return line.partition("  ")[2]


def _sealed(directory: Path) -> dict[str, str]:
    path = directory / SEAL
    return parsed(path.read_text(encoding="utf-8")) if path.is_file() else {}
