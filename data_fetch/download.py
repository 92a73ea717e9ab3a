"""Download one address to one file: bounded in size and time, resumed where it broke off.

requests and urllib3 speak HTTP, TLS and to proxies. What is here is policy that neither they nor
pooch have: a bound on the bytes while they come, and on the time of the whole transfer (their
timeouts are for one packet); going on where a transfer broke off; redirects that never leave https
and are blamed on the host that failed; users and passwords over https alone; room on the disk
before, and no link followed.
"""

from __future__ import annotations

import http.client
import queue
import re
import shutil
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from errno import ENOSPC
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from requests.utils import get_auth_from_url, get_netrc_auth

from data_fetch.errors import NotAskedError, PassingError, SourceError
from data_fetch.progress import progress_bar
from data_fetch.silence import silent
from data_fetch.storage import gunzipped, opened_part

ATTEMPTS = 2
#: Attempts where the server can send the missing rest alone.
ATTEMPTS_TO_RESUME = 5
CHUNK = 1 << 16
MAX_REDIRECTS = 10
#: Status codes below 500 of faults that may be temporary.
_PASSING = {408, 425, 429}
_MALFORMED = (requests.RequestException, urllib3.exceptions.HTTPError, http.client.HTTPException)


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


def _host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2]


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
    started, left_alone = time.monotonic(), silent.now()
    if _host(url) in left_alone:
        raise NotAskedError(_host(url))
    attempt = 1
    while True:
        reader = _Reader(url, limits, route or Route(), left_alone)
        transfer = _Transfer(url, target, cap, limits, started, reader)
        try:
            transfer.run()
            return
        except PassingError as error:
            last = ATTEMPTS_TO_RESUME if transfer.resumes else ATTEMPTS
            if attempt >= last or error.wait > limits.wait:
                raise
            attempt += 1
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


class _Reader(threading.Thread):
    """Asks, and reads what comes; whoever takes it away need not wait for ever."""

    def __init__(self, url: str, limits: Limits, route: Route, left_alone: frozenset[str]):
        super().__init__(daemon=True)
        self._url, self._route, self._left_alone = url, route, left_alone
        self._host, self.headers = _host(url), {"Accept-Encoding": "identity"}
        self._timeout = limits.connect, limits.silence
        self._items: queue.Queue = queue.Queue(4)
        self._adapter = _Adapter()
        self._stopped = False

    def run(self) -> None:
        with requests.Session() as session:
            for scheme in ("http://", "https://"):
                session.mount(scheme, self._adapter)
            try:
                response = self._answer(session)
                self._put(response)
                while not self._stopped and (
                    chunk := response.raw.read1(CHUNK, decode_content=False)
                ):
                    self._put(chunk)
                self._put(b"")
            except Exception as error:  # handed over to whoever takes
                self._put(error)

    def _answer(self, session: requests.Session) -> requests.Response:
        """Ask, and follow redirects; each host answers for itself."""
        url, proxy = self._url, self._route.proxy
        for _ in range(MAX_REDIRECTS + 1):
            self._host = _host(url)
            if self._host in self._left_alone:
                raise NotAskedError(self._host)
            response = session.get(
                without_credentials(url),
                headers=self.headers,
                auth=_credentials(url, self._url),
                allow_redirects=False,
                timeout=self._timeout,
                stream=True,
                verify=self._route.cert,
                proxies={"http": proxy, "https": proxy} if proxy else None,
            )
            location = session.get_redirect_target(response)
            if location is None:
                return response
            response.close()
            url = _next(url, location)
        raise requests.TooManyRedirects

    def stop(self) -> None:
        """End it, wherever it is."""
        self._stopped = True
        for sock in self._adapter.sockets:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def _put(self, item) -> None:
        while not self._stopped:
            with suppress(queue.Full):
                self._items.put(item, timeout=0.2)
                break

    def take(self, seconds: float):
        """Return the next item; an error of the connection becomes a `SourceError`."""
        try:
            item = self._items.get(timeout=seconds)
        except queue.Empty:
            raise PassingError("the server does not answer (timeout)") from None
        if isinstance(item, Exception):
            raise _named(item, self._host) from item
        return item


def _next(url: str, location: str) -> str:
    """Address that a redirect leads to; never from a secure site to another."""
    following = urljoin(url, location)
    if urlsplit(url).scheme == "https" and urlsplit(following).scheme != "https":
        raise SourceError("redirected from https to an insecure address")
    return following


def _origin(url: str) -> tuple[str, str]:
    return urlsplit(url).scheme, _host(url)


def _credentials(url: str, first: str):
    """User and password for an address: those in the first one on its own host, or of .netrc.

    They go over https only, or to this machine.
    """
    own = get_auth_from_url(first) if _origin(url) == _origin(first) else ("", "")
    scheme, here = urlsplit(url).scheme, urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")
    if any(own):
        if scheme != "https" and not here:
            raise SourceError("a user and a password are sent over https only: change the address")
        return own
    # What is callable keeps requests from looking into .netrc by itself.
    return (get_netrc_auth(url) if scheme == "https" else None) or (lambda request: request)


class _Transfer:
    """One attempt."""

    def __init__(
        self, url: str, target: Path, cap: int, limits: Limits, started: float, reader: _Reader
    ):
        self.url, self.target, self.cap, self.limits = url, target, cap, limits
        self.started, self.reader = started, reader
        self.resumes = False

    def run(self) -> None:
        at_hand = self.target.stat().st_size if self.target.exists() else 0
        reader = self.reader
        if at_hand:
            reader.headers["Range"] = f"bytes={at_hand}-"
        reader.start()
        try:
            response = reader.take(self.limits.answer)
            self._check_status(response, at_hand)
            self.resumes = response.status_code == 206 or _accepts_ranges(response)
            if response.status_code != 206:
                at_hand = 0
            announced = self._announced(response, at_hand)
            with opened_part(self.target, append=at_hand > 0) as file:
                received = self._write(file, at_hand, announced)
        finally:
            reader.stop()
        if announced is not None and received < announced:
            raise PassingError("the transfer broke off")
        if _coded(response) and not _is_packed(self.url):
            _decode(self.target, self.cap)

    def _check_status(self, response: requests.Response, at_hand: int) -> None:
        status = response.status_code
        if status == 206 and _first_byte(response) == at_hand:
            return
        if status in (206, 416):
            self.target.unlink(missing_ok=True)
            raise PassingError("the server sends another part than the one asked for")
        if status != 200:
            reason = f"the server answered {status} {response.reason}"
            if status < 500 and status not in _PASSING:
                raise SourceError(reason)
            wait = _retry_after(response)
            if wait > self.limits.wait:
                raise PassingError(f"{reason}, and to wait {wait:.0f} s", wait)
            raise PassingError(reason, wait)

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

    def _write(self, file, received: int, announced: int | None) -> int:
        with progress_bar(self.url.rpartition("/")[2], sys.stderr, announced) as advance:
            advance(received)
            while chunk := self.reader.take(self.limits.silence + 1):
                received += len(chunk)
                if received > self.cap:
                    raise SourceError(f"gave other data: more than the {self.cap} bytes expected")
                file.write(chunk)
                advance(len(chunk))
                self._check_rate(received)
        return received

    def _check_rate(self, received: int) -> None:
        seconds = time.monotonic() - self.started
        if received < self.limits.min_rate * (seconds - self.limits.grace):
            raise SourceError(f"too slow: {received} bytes in {seconds:.0f} s")


def _named(error: Exception, host: str) -> SourceError:
    """Say what went wrong with a connection; a host that cannot be reached is left alone."""
    if isinstance(error, SourceError):
        return error
    if isinstance(error, requests.TooManyRedirects):
        return SourceError("redirected without end")
    if isinstance(error, requests.exceptions.ProxyError):
        silent.note(host)
        return SourceError("the proxy cannot be reached or refuses (see HTTPS_PROXY)")
    if isinstance(error, requests.exceptions.SSLError):
        silent.note(host)
        return SourceError(f"no secure connection (TLS): {_innermost(error)}")
    if isinstance(error, requests.ConnectTimeout):
        silent.note(host)
        return PassingError("the server does not answer (timeout)")
    if isinstance(error, requests.ReadTimeout | urllib3.exceptions.ReadTimeoutError):
        return PassingError("the server does not answer (timeout)")
    if any(isinstance(e, urllib3.exceptions.NewConnectionError) for e in _chain(error)):
        silent.note(host)
        return PassingError("no connection (is there a network?)")
    if isinstance(error, urllib3.exceptions.ProtocolError | requests.ConnectionError):
        return PassingError(f"the transfer broke off ({_innermost(error)})")
    if isinstance(error, (*_MALFORMED, ValueError, OSError)):
        return SourceError(f"gave a malformed answer ({_innermost(error)})")
    raise error


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, its cause, and so on down to the bottom."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _innermost(error: BaseException) -> str:
    """Say the cause at the bottom of a chain of errors, in one line."""
    *_, last = _chain(error)
    text = re.sub(r"//[^/\s@]+@", "//", " ".join(str(last).split()))
    return text[:120] or type(last).__name__


def _accepts_ranges(response: requests.Response) -> bool:
    return response.headers.get("Accept-Ranges", "").strip().lower() == "bytes"


def _first_byte(response: requests.Response) -> int:
    text = response.headers.get("Content-Range", "").removeprefix("bytes").strip()
    first = text.partition("-")[0]
    return int(first) if first.isdecimal() else -1


def _retry_after(response: requests.Response) -> float:
    """Seconds that the server asks to wait: a number, or a date."""
    try:
        return urllib3.Retry().parse_retry_after(response.headers["Retry-After"].strip())
    except (KeyError, urllib3.exceptions.InvalidHeader, ValueError, OverflowError):
        return 0.2


def _coded(response: requests.Response) -> bool:
    return response.headers.get("Content-Encoding", "").strip().lower() in ("gzip", "x-gzip")


def _is_packed(url: str) -> bool:
    return urlsplit(url).path.lower().endswith((".gz", ".tgz", ".zip", ".z", ".whl"))


def _decode(path: Path, cap: int) -> None:
    content = gunzipped(path, cap)
    with opened_part(path) as file:
        file.write(content)
