"""Folders that are named by environment variables."""

from __future__ import annotations

import os
from pathlib import Path


def configured_folder(variable: str, default: Path) -> Path:
    """Folder that an environment variable names, or the default where it is unset or empty."""
    value = os.environ.get(variable)
    return expanded_folder(variable, value) if value else default


def expanded_folder(variable: str, value: str) -> Path:
    """Folder that the value of a variable names, with ``~`` and ``~user`` replaced.

    Raises
    ------
    ValueError
        If the value starts with the home folder of a user who has none here, or is a file.
    """
    user = Path(value).parts[0] if value.startswith("~") else ""
    if user and not os.path.isdir(os.path.expanduser(user)):
        raise ValueError(
            f"{variable} is {value!r}, but {user} is no home folder on this machine; "
            "set it to the full path of a folder."
        )
    folder = Path(os.path.expanduser(value))
    if folder.is_file():
        raise ValueError(f"{variable} is {value!r}, which is a file; set it to a folder.")
    return folder
