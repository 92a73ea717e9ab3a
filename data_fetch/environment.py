"""Folders that are named by environment variables."""

from __future__ import annotations

import os
from pathlib import Path


def configured_folder(variable: str, default: Path) -> Path:
    """Folder that an environment variable names, or the default where it is unset or empty.

    Parameters
    ----------
    variable : str
        For example "REPROLIB_DATA".
    default : Path

    Raises
    ------
    ValueError
        If the value starts with the home folder of a user who has none here, or is a file.
    """
    value = os.environ.get(variable)
    return expanded_folder(variable, value) if value else default


def expanded_folder(variable: str, value: str) -> Path:
    """Folder that the value of a variable names, with ``~`` and ``~user`` replaced.

    Raises
    ------
    ValueError
        As `configured_folder`.
    """
    folder = Path(_with_home(variable, value))
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{variable} is {value!r}, which is a file; set it to a folder.")
    return folder


def _with_home(variable: str, value: str) -> Path:
    path = Path(value)
    if not value.startswith("~"):
        return path
    user = path.parts[0]
    try:
        home = Path(user).expanduser()
    except RuntimeError:
        home = None
    if home is None or not home.is_dir():
        raise ValueError(
            f"{variable} is {value!r}, but {user} is no home folder on this machine; "
            "set it to the full path of a folder."
        )
    return home.joinpath(*path.parts[1:])
