"""``reprolib readme``: the scoreboard in the README."""

from __future__ import annotations

from reprolib.protocols import PAPERS
from reprolib.readme import update_file


def run(arguments) -> int:
    """Rewrite the scoreboard between the markers of the README."""
    update_file(arguments.file, PAPERS)
    return 0
