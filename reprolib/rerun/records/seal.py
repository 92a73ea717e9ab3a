"""Seal of a results folder: the sha256 of every file, in the form that ``sha256sum -c`` reads.

Of a compressed file its content is sealed, under its name without ``.gz``: another release of
zlib writes other bytes for the same records.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from collections.abc import Mapping
from pathlib import Path

from reprolib.rerun.records.folders import write_atomically

SEAL, COMPRESSED = "SHA256SUMS", ".gz"
#: A line of a seal; `sha256sum` writes a star before the name of a file that it reads as binary.
_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *]([^/\\]+)")


def write(directory: Path, texts: Mapping[str, str]) -> None:
    """Seal files by the texts that they were meant to hold.

    Parameters
    ----------
    directory : Path
        Folder of the files.
    texts : mapping of str to str
        By name, without `COMPRESSED`.
    """
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    lines = [f"{digests[name]}  {name}\n" for name in sorted(digests)]
    write_atomically(directory / SEAL, "".join(lines))


def names(directory: Path) -> set[str]:
    """Names of the files that are sealed, without `COMPRESSED`; none without a seal."""
    return set(_sealed(directory)[0])


def content(path: Path) -> bytes:
    """What is in a file, unpacked if it is compressed.

    Raises
    ------
    ValueError
        If it cannot be unpacked.
    """
    data = path.read_bytes()
    if path.suffix != COMPRESSED:
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path} cannot be unpacked ({error}).") from error


def faults(directory: Path) -> list[str]:
    """What in a results folder is not as it was sealed, one line each."""
    sealed, lines = _sealed(directory)
    if not sealed and not lines:
        return [f"{directory.name}: there is no {SEAL}; only a full run writes one"]
    found: dict[str, str] = {}
    for path in sorted(directory.iterdir()):
        name = path.name.removesuffix(COMPRESSED)
        if path.name == SEAL or path.name.startswith("."):
            continue
        if path.is_symlink() or not path.is_file():
            kind = "a link" if path.is_symlink() else "a folder"
            lines.append(f"{path.name}: {kind}, not sealed")
        elif name in found:
            lines.append(f"{name}: is there twice, compressed and not")
        elif name not in sealed:
            lines.append(f"{path.name}: not sealed")
        else:
            try:
                found[name] = hashlib.sha256(content(path)).hexdigest()
            except ValueError:
                found[name] = "unreadable"
    for name, digest in sealed.items():
        if name not in found:
            lines.append(f"{name}: sealed, but missing")
        elif found[name] != digest:
            lines.append(f"{name}: changed since it was sealed")
    return [f"{directory.name}/{line}" for line in lines]


def _sealed(directory: Path) -> tuple[dict[str, str], list[str]]:
    """Digests by name, and what is wrong with the seal itself."""
    path = directory / SEAL
    if path.is_symlink() or not path.is_file():
        return {}, []
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    matches = {line: _LINE.fullmatch(line) for line in lines}
    sealed = {match[2]: match[1].lower() for match in matches.values() if match}
    other = [line for line, match in matches.items() if not match]
    return sealed, [f"{SEAL}: {line!r} is no line of a seal" for line in other]
