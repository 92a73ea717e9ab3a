"""One file with the sealed results of a paper, for others: a zip that is safe to read."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reprolib.rerun.records import seal
from reprolib.rerun.records.folders import write_atomically

ABOUT, FORMAT = "published.json", 1
#: Names that an archive may hold: flat, plain, tables and descriptions only.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*\.(csv|json)")
#: Most files, and most bytes of all when unpacked.
MAX_FILES, MAX_BYTES = 200, 500_000_000
#: Time of every file, so that the same results are the same archive.
_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Archive:
    """Results as they were published.

    Parameters
    ----------
    path : Path
    paper, who : str
    date : str
        Of the publication.
    files : mapping of str to bytes
        By name, the seal included.
    """

    path: Path
    paper: str
    who: str
    date: str
    files: Mapping[str, bytes]

    def unpack(self, root: Path) -> Path:
        """Write the files to ``<root>/<paper>``; return that folder."""
        for name, content in self.files.items():
            write_atomically(root / self.paper / name, content)
        return root / self.paper


def pack(folder: Path, who: str, date: str) -> bytes:
    """Archive of the sealed results in a folder that is named after its paper.

    Raises
    ------
    ValueError
        If there is no seal, or a file is not as it was sealed.
    """
    if faults := seal.faults(folder):
        raise ValueError("\n".join([f"{folder} cannot be published:", *faults]))
    about = {"format": FORMAT, "paper": folder.name, "who": who, "date": date}
    content = {name: (folder / name).read_bytes() for name in sorted(seal.names(folder))}
    content[seal.SEAL] = (folder / seal.SEAL).read_bytes()
    content[ABOUT] = (json.dumps(about, indent=1) + "\n").encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(zipfile.ZipInfo(name, _TIME), data, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def read(path: Path) -> Archive:
    """Read an archive without unpacking it; nothing in it is trusted.

    Raises
    ------
    ValueError
        If a file in it is not named like a table, has changed since it was sealed or is not
        sealed, if the seal is missing, or if there are too many files or too large ones.
    OSError
        If the file cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            files = _contents(archive, path)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise ValueError(f"{path} is no archive of results ({error}).") from error
    about = _about(files.pop(ABOUT, b""), path)
    _require_sealed(files, path)
    return Archive(path, about["paper"], about["who"], about["date"], files)


def _contents(archive: zipfile.ZipFile, path: Path) -> dict[str, bytes]:
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if len(names) > MAX_FILES or len(set(names)) < len(names):
        raise ValueError(
            f"{path} holds {len(names)} files; at most {MAX_FILES} are allowed, no two of one name."
        )
    for name in names:
        if name != seal.SEAL and not _NAME.fullmatch(name):
            raise ValueError(
                f"{path} holds {name!r}, which is no table of results; it is left alone."
            )
    files, left = {}, MAX_BYTES
    for entry in entries:
        with archive.open(entry) as file:
            files[entry.filename] = file.read(left + 1)
        left -= len(files[entry.filename])
        if left < 0:
            raise ValueError(f"{path} unpacks to more than {MAX_BYTES:,} bytes; it is left alone.")
    return files


def _about(text: bytes, path: Path) -> dict[str, str]:
    try:
        about = json.loads(text)
        found = {name: about[name] for name in ("paper", "who", "date")}
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} does not say whose results it holds ({ABOUT}).") from error
    if about.get("format") != FORMAT:
        raise ValueError(
            f"{path} has format {about.get('format')!r}, this reprolib reads {FORMAT}."
        )
    if not all(isinstance(value, str) for value in found.values()) or not re.fullmatch(
        r"[a-z][a-z0-9_]*", found["paper"]
    ):
        raise ValueError(f"{path} names the paper {found['paper']!r}, which is not a valid key.")
    return found


def _require_sealed(files: Mapping[str, bytes], path: Path) -> None:
    sealed = seal.parsed(files.get(seal.SEAL, b"").decode("utf-8", "replace"))
    faults = seal.differing(sealed, {n: files[n] for n in files if n != seal.SEAL})
    if faults or not sealed:
        reasons = "; ".join(sorted(faults)) or f"there is no {seal.SEAL}"
        raise ValueError(f"{path} is refused: {reasons}. Ask for the archive again.")
