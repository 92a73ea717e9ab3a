"""Progress of long runs: a bar on a terminal, ten lines a stage elsewhere."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from reprolib.cli.console import LINES, shown_progress


def printed(*calls, terminal: bool) -> str:
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=200)
    with shown_progress(console, "kpm") as progress:
        for call in calls:
            progress(*call)
    return file.getvalue()


@pytest.mark.parametrize("total", [1, 7, 10, 452])
def test_a_line_for_every_tenth_where_there_is_no_terminal(total):
    calls = [(done, total, 1, 2) for done in range(1, total + 1)]
    lines = printed(*calls, terminal=False).splitlines()
    assert len(lines) == min(total, LINES)
    assert lines[-1] == f"kpm 1/2: {total} of {total} tasks"


def test_one_stage_needs_no_number():
    assert printed((1, 1), terminal=False) == "kpm: 1 of 1 tasks\n"


def test_a_bar_for_every_stage_on_a_terminal():
    text = printed((1, 4, 1, 2), (2, 2, 2, 2), terminal=True)
    for part in ("kpm 1/2", "1/4", "kpm 2/2", "2/2"):
        assert part in text
