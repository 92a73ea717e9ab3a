"""The browser of tests: a Chromium of this machine, none that is downloaded."""

from __future__ import annotations

import os
import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def executable_or_skip() -> str:
    """Path of the browser; the test is skipped without one."""
    named = os.environ.get("REPROLIB_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    return found or pytest.skip("no Chromium on PATH; install one, or name it in REPROLIB_CHROMIUM")
