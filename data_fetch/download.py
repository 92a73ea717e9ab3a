"""Download one address to one file. The only code that touches the network."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pooch
import requests

from data_fetch.errors import SourceError
from data_fetch.progress import progress_bar

#: Seconds to connect, and between two packets.
TIMEOUT = (5.0, 20.0)
ATTEMPTS = 2
#: Seconds for which a host that did not answer is not asked again.
HOST_PENALTY = 60.0
CHUNK = 1 << 16

_silent_hosts: dict[str, float] = {}


def download(url: str, target: Path, timeout: tuple[float, float]) -> None:
    """Download an address to a file; retried a little, then given up.

    Raises
    ------
    SourceError
        If the server cannot be reached, stalls, or answers with an error.
    """
    host = urlsplit(url).netloc
    if time.monotonic() < _silent_hosts.get(host, 0.0):
        raise SourceError(f"{host} did not answer a moment ago")
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with progress_bar(url.rpartition("/")[2], sys.stderr) as bar:
                pooch.HTTPDownloader(
                    progressbar=bar,
                    chunk_size=CHUNK,
                    timeout=timeout,
                    headers={"Accept-Encoding": "identity"},
                )(url, str(target), None)
            return
        except requests.RequestException as error:
            if attempt == ATTEMPTS or _is_final(error):
                if isinstance(error, requests.ConnectionError | requests.Timeout):
                    _silent_hosts[host] = time.monotonic() + HOST_PENALTY
                raise SourceError(_reason(error)) from error
            time.sleep(0.2 * attempt)


def _is_final(error: requests.RequestException) -> bool:
    """Whether trying again is no use: the server's answer is about our request."""
    if isinstance(error, requests.TooManyRedirects):
        return True
    status = error.response.status_code if error.response is not None else 0
    return 400 <= status < 500


def _reason(error: requests.RequestException) -> str:
    if isinstance(error, requests.TooManyRedirects):
        return "redirected without end"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the transfer broke off"
    if error.response is not None:
        return f"the server answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, requests.Timeout) or "timed out" in str(error).lower():
        return "the server does not answer (timeout)"
    if isinstance(error, requests.ConnectionError):
        return "no connection (is there a network?)"
    return f"{type(error).__name__}: {error}"
