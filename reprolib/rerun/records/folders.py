"""Folders of stored and committed results, and files written so that no reader sees a part."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import platformdirs

from data_fetch.environment import configured_folder
from reprolib.rerun.records.homes import own_project, project_of


def store_directory() -> Path:
    """Folder of the record store: ``REPROLIB_RECORDS``, or one in the user's cache folder."""
    default = platformdirs.user_cache_path("reprolib") / "records"
    return configured_folder("REPROLIB_RECORDS", default)


def project_folder(name: str) -> Path:
    """Folder of the checkout; in an installed package, the copy that ``setup.py`` puts there."""
    return own_project() / name


def committed_directory(paper: str = "") -> Path:
    """Folder with the folder of a paper's committed results.

    That is ``REPROLIB_RESULTS``, or the folder "results" of the project that has the paper: its own
    repository, or this one.
    """
    return configured_folder("REPROLIB_RESULTS", project_of(paper) / "results")


def results_directory(paper: str, named: Path | None = None) -> Path:
    """Folder with the folder of a paper's results: the named one, or that of the committed ones."""
    return committed_directory(paper) if named is None else Path(named)


def can_be_committed(paper: str = "") -> bool:
    """Whether the folder of a paper's committed results is in a checkout, or was named by hand."""
    named = "REPROLIB_RESULTS" in os.environ
    return named or (committed_directory(paper).parent / "pyproject.toml").exists()


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file, texts in UTF-8: a reader sees the old file or the new one, never a part.

    Raises
    ------
    OSError
        If the folder cannot be written to or the disk is full; the old file stays as it was.
    """
    try:
        replace_file(path, content)
    except OSError as error:
        message = (
            f"cannot write {path} ({error.strerror}); free some space there or name another folder"
        )
        raise OSError(error.errno, message) from error


def replace_file(path: Path, content: str | bytes) -> None:
    """Write a file beside the old one, then put it in its place.

    Its bytes are on the disk before it gets the name: after a power cut there is the old file or
    the new one. The umask says who may read it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with open(temporary, "xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
