"""Download one address to one file: bounded in size and time, resumed where it broke off.

requests and urllib3 speak HTTP, TLS and to proxies. What is here is policy that neither they nor
pooch have: a bound on the bytes while they come, and on the time of the whole transfer (their
timeouts are for one packet); going on where a transfer broke off; redirects that never leave https
and are blamed on the host that failed; users and passwords over https alone; room on the disk
before, and no link followed.
"""

from __future__ import annotations

import itertools
import re
import shutil
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import ENOSPC
from http.client import HTTPException
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from requests import exceptions as rq
from requests.utils import get_auth_from_url, get_netrc_auth
from rich import progress
from rich.console import Console
from urllib3 import exceptions as u3

from data_fetch.errors import SourceError
from data_fetch.silence import silent
from data_fetch.storage import opened_part

ATTEMPTS = 2
#: Attempts where the server can send the missing rest alone.
ATTEMPTS_TO_RESUME = 5
#: Seconds before the next attempt, where the server names no other time.
WAIT = 0.2
CHUNK = 1 << 16
MAX_REDIRECTS = 10
#: Status codes below 500 of faults that may be temporary.
_PASSING = {408, 425, 429}
_TIMEOUT = "the server does not answer (timeout)"
_MALFORMED = (OSError, ValueError, u3.HTTPError, HTTPException)
#: Errors of a connection: what is said, whether it may pass, whether the host is unreachable.
_FAULTS: tuple[tuple[Any, str, bool, bool], ...] = (
    (rq.TooManyRedirects, "redirected without end", False, False),
    (rq.ProxyError, "the proxy cannot be reached or refuses (see HTTPS_PROXY)", False, True),
    (rq.SSLError, "no secure connection (TLS): {}", False, True),
    (rq.ConnectTimeout, _TIMEOUT, True, True),
    ((rq.ReadTimeout, u3.ReadTimeoutError), _TIMEOUT, True, False),
    (u3.NewConnectionError, "no connection (is there a network?)", True, True),
    ((u3.ProtocolError, rq.ConnectionError), "the transfer broke off ({})", True, False),
    (_MALFORMED, "gave a malformed answer ({})", False, False),
)


@dataclass(frozen=True)
class Limits:
    """How long a server may take, in seconds.

    Parameters
    ----------
    connect, silence : float
        To connect, and between two packets.
    answer : float
        From the request to the first byte of the body, redirects included.
    grace, min_rate : float
        After ``grace`` seconds, a transfer must have brought ``min_rate`` bytes a second since.
    wait : float
        Longest wait that a server may ask for (``Retry-After``).
    """

    connect: float = 5.0
    silence: float = 20.0
    answer: float = 60.0
    grace: float = 30.0
    min_rate: float = 10_000.0
    wait: float = 30.0


@dataclass(frozen=True)
class Route:
    """A proxy and a file of certificates, where they are not those of the environment."""

    cert: str | None = None
    proxy: str | None = None


def without_credentials(url: str) -> str:
    """Return an address without the user and the password in it; a path as it is."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


def download(url: str, target: Path, cap: int, limits: Limits, route: Route | None = None) -> None:
    """Download an address to a file, or the rest of it if the file is there already.

    The body is kept as it was sent, but for a gzip coding that the server added to a file which
    is no archive.

    Parameters
    ----------
    url : str
    target : Path
        Appended to, if it is not empty and the server can send the rest.
    cap : int
        Most bytes that are ever written.
    limits : Limits
    route : Route, optional

    Raises
    ------
    SourceError
        If the server cannot be reached, stalls, is too slow, sends more than ``cap`` bytes, or
        answers with an error or what is no answer.
    OSError
        If the file cannot be written.
    """
    started = time.monotonic()
    for attempt in itertools.count(1):
        transfer = _Transfer(url, target, cap, limits, route or Route())
        try:
            transfer.run(started)
            return
        except SourceError as error:
            last = ATTEMPTS_TO_RESUME if transfer.resumes else ATTEMPTS
            if error.wait is None or error.wait > limits.wait or attempt >= last:
                if error.unreachable:
                    silent.note(transfer.host)
                raise
            time.sleep(error.wait)


class _Adapter(requests.adapters.HTTPAdapter):
    """Knows its sockets, so that what has been given up ends at once."""

    def __init__(self) -> None:
        super().__init__()
        self.sockets: list[socket.socket] = []

    def get_connection_with_tls_context(self, *args, **kwargs):
        pool = super().get_connection_with_tls_context(*args, **kwargs)
        sockets = self.sockets

        class Connection(pool.ConnectionCls):  # type: ignore[name-defined]
            def connect(self):
                super().connect()
                sockets.append(self.sock)

        pool.ConnectionCls = Connection
        return pool


class _Transfer:
    """One attempt; ``host`` is the one that is asked now, ``resumes`` if it can send the rest."""

    def __init__(self, url: str, target: Path, cap: int, limits: Limits, route: Route):
        self.url, self.target, self.cap, self.limits, self.route = url, target, cap, limits, route
        self.host, self.resumes = _host(url), False
        self.adapter = _Adapter()

    def run(self, started: float) -> None:
        at_hand = self.target.stat().st_size if self.target.exists() else 0
        try:
            response = self._within(self.limits.answer, self._answer, at_hand)
            self._check_status(response, at_hand)
            self.resumes = (
                response.status_code == 206
                or response.headers.get("Accept-Ranges", "").strip().lower() == "bytes"
            )
            self._write(response, at_hand if response.status_code == 206 else 0, started)
        finally:
            while self.adapter.sockets:
                with suppress(OSError):
                    self.adapter.sockets.pop().shutdown(socket.SHUT_RDWR)

    def _within(self, seconds: float, step: Callable, *arguments) -> Any:
        """Return what a step gives, but wait no longer than that, wherever it hangs."""
        outcome: Future = Future()

        def run() -> None:
            try:
                outcome.set_result(step(*arguments))
            except Exception as error:  # raised again below
                outcome.set_exception(error)

        threading.Thread(target=run, daemon=True).start()
        try:
            return outcome.result(seconds)
        except SourceError:
            raise
        except TimeoutError:
            raise SourceError(_TIMEOUT, wait=WAIT) from None
        except Exception as error:
            raise _named(error) from error

    def _answer(self, at_hand: int) -> requests.Response:
        """Ask, and follow redirects; each host answers for itself."""
        url, proxy = self.url, self.route.proxy
        headers = {"Accept-Encoding": "identity"}
        if at_hand:
            headers["Range"] = f"bytes={at_hand}-"
        session = requests.Session()
        for scheme in ("http://", "https://"):
            session.mount(scheme, self.adapter)
        for _ in range(MAX_REDIRECTS + 1):
            self.host = _host(url)
            silent.check(self.host)
            response = session.get(
                without_credentials(url),
                headers=headers,
                auth=_credentials(url, self.url),
                allow_redirects=False,
                timeout=(self.limits.connect, self.limits.silence),
                stream=True,
                verify=self.route.cert,
                proxies={"http": proxy, "https": proxy} if proxy else None,
            )
            location = session.get_redirect_target(response)
            if location is None:
                return response
            response.close()
            url = _next(url, location)
        raise rq.TooManyRedirects

    def _check_status(self, response: requests.Response, at_hand: int) -> None:
        status = response.status_code
        part = re.match(r"\s*(?:bytes)?\s*(\d+)-", response.headers.get("Content-Range", ""))
        if status == 200 or (status == 206 and part and int(part[1]) == at_hand):
            return
        if status in (206, 416):
            self.target.unlink(missing_ok=True)
            raise SourceError("the server sends another part than the one asked for", wait=WAIT)
        reason = f"the server answered {status} {response.reason}"
        if status < 500 and status not in _PASSING:
            raise SourceError(reason)
        wait = _retry_after(response)
        if wait > self.limits.wait:
            reason += f", and to wait {wait:.0f} s"
        raise SourceError(reason, wait=wait)

    def _announced(self, response: requests.Response, at_hand: int) -> int | None:
        """Size of the whole file, if the server says it; refused when it is too large."""
        text = response.headers.get("Content-Length", "")
        if not text.isdecimal():
            return None
        size = at_hand + int(text[:18])
        if size > self.cap:
            raise SourceError(f"gave other data: {size} bytes, of at most {self.cap} expected")
        free = shutil.disk_usage(self.target.parent).free
        if (needed := size - at_hand) > free:
            raise OSError(ENOSPC, f"{needed} bytes to come, {free} bytes free")
        return size

    def _write(self, response: requests.Response, received: int, started: float) -> None:
        """Write what comes; urllib3 sees if it is less than was announced."""
        limits, announced = self.limits, self._announced(response, received)
        packed = urlsplit(self.url).path.lower().endswith((".gz", ".tgz", ".zip", ".z", ".whl"))
        read = (response.raw.read1, CHUNK, not packed)
        with (
            opened_part(self.target, append=received > 0) as file,
            progress_bar(self.url.rpartition("/")[2], sys.stderr, announced) as advance,
        ):
            advance(received)
            while chunk := self._within(limits.silence + 1, *read):
                received += len(chunk)
                if received > self.cap:
                    raise SourceError(f"gave other data: more than the {self.cap} bytes expected")
                file.write(chunk)
                advance(len(chunk))
                seconds = time.monotonic() - started
                if received < limits.min_rate * (seconds - limits.grace):
                    raise SourceError(f"too slow: {received} bytes in {seconds:.0f} s")


@contextmanager
def progress_bar(label: str, stream: TextIO, total: int | None) -> Iterator[Callable[[int], None]]:
    """Give a function that takes the number of new bytes, and draws a bar on a terminal."""
    columns = (
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
        progress.TimeRemainingColumn(),
    )
    console, off = Console(file=stream), not stream.isatty()
    with progress.Progress(
        "{task.description}", *columns, console=console, transient=True, disable=off
    ) as bar:
        task = bar.add_task(label, total=total)
        yield lambda n: bar.advance(task, n)


def _host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2]


def _next(url: str, location: str) -> str:
    """Address that a redirect leads to; never from a secure site to another."""
    following = urljoin(url, location)
    if urlsplit(url).scheme == "https" and urlsplit(following).scheme != "https":
        raise SourceError("redirected from https to an insecure address")
    return following


def _credentials(url: str, first: str):
    """User and password for an address: those in the first one on its own host, or of .netrc.

    They go over https only, or to this machine.
    """
    parts = urlsplit(url)
    is_first = (parts.scheme, _host(url)) == (urlsplit(first).scheme, _host(first))
    own = get_auth_from_url(first) if is_first else ("", "")
    if any(own):
        if parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
            raise SourceError("a user and a password are sent over https only: change the address")
        return own
    # What is callable keeps requests from looking into .netrc by itself.
    return (get_netrc_auth(url) if parts.scheme == "https" else None) or (lambda request: request)


def _named(error: Exception) -> SourceError:
    """Say what went wrong with a connection; the error itself if it is none of one."""
    chain: list[BaseException] = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None:
        chain.append(cause)
    last = re.sub(r"//[^/\s@]+@", "//", " ".join(str(chain[-1]).split()))[:120]
    for kinds, text, passes, unreachable in _FAULTS:
        if any(isinstance(e, kinds) for e in chain):
            reason = text.format(last or type(chain[-1]).__name__)
            return SourceError(reason, wait=WAIT if passes else None, unreachable=unreachable)
    raise error


def _retry_after(response: requests.Response) -> float:
    """Seconds that the server asks to wait: a number, or a date."""
    try:
        return urllib3.Retry().parse_retry_after(response.headers["Retry-After"].strip())
    except (KeyError, u3.InvalidHeader, ValueError, OverflowError):
        return WAIT
