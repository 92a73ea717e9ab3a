"""Every test of the report starts with matplotlib's own settings."""

from __future__ import annotations

import matplotlib
import pytest

from tests.browser import chromium


@pytest.fixture(autouse=True)
def _plain_matplotlib():
    """A test that sets the project's style must not decide how another one's figures look."""
    matplotlib.rcdefaults()


@pytest.fixture(scope="module")
def browser():
    """One browser for all tests of a module."""
    with chromium() as launched:
        yield launched
