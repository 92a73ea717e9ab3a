"""Every test of the report starts with matplotlib's own settings."""

from __future__ import annotations

import matplotlib
import pytest


@pytest.fixture(autouse=True)
def _plain_matplotlib():
    """A test that sets the project's style must not decide how another one's figures look."""
    matplotlib.rcdefaults()
