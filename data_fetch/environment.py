"""Folders and addresses that environment variables name."""

from __future__ import annotations

import os
import re
from pathlib import Path

#: What ends a user and a password, however it is written.
_AT = re.compile(r"@|%40|\N{FULLWIDTH COMMERCIAL AT}|\N{SMALL COMMERCIAL AT}")
_HOST = re.compile(r"([\w.-]+|\[[\w:.]+\])(:\d*)?")


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


def without_credentials(address: str) -> str:
    """Return an address as messages show it: no user, no password, no query.

    A password may have any character, and people do not always escape them. So all before the last
    ``@`` is left out, and the host, too, if it does not look like one. A path that exists is
    shown as it is.
    """
    if os.path.exists(os.path.expanduser(address)):
        return address
    *hidden, rest = _AT.split(address)
    scheme, separator, told = address.partition("://")
    if not separator:
        return f"…@{rest}" if hidden else address
    host, *path = re.split(r"(?=[/?#\\])", rest if hidden else told, maxsplit=1)
    shown = re.split(r"[?#]", path[0])[0] if path else ""
    # A scheme is letters; what else stands there may be part of a password.
    scheme = scheme if scheme.isalpha() else "…"
    return f"{scheme}://{host if _HOST.fullmatch(host) else '…'}{shown}"
