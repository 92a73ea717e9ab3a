"""``reprolib readme``: the scoreboard in the README."""

from __future__ import annotations

from reprolib.report.readme import update_file
from reprolib.rerun.registry import PAPERS


def run(arguments) -> int:
    """Rewrite the scoreboard between the markers of the README."""
    update_file(arguments.file, PAPERS)
    return 0
