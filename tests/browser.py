"""The browser of tests: a Chromium of this machine, none that is downloaded."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
#: It runs as root in containers, draws without a graphics card, and asks nothing of the network.
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


@contextmanager
def chromium() -> Iterator:
    """Launch the browser; the test is skipped without it or without playwright."""
    playwright = pytest.importorskip("playwright.sync_api")
    named = os.environ.get("REPROLIB_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("no Chromium on PATH; install one, or name it in REPROLIB_CHROMIUM")
    with (
        playwright.sync_playwright() as driver,
        driver.chromium.launch(executable_path=found, args=list(FLAGS)) as launched,
    ):
        yield launched
