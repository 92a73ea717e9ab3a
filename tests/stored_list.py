"""What was made is compared with a stored list: numbers to a tolerance, the rest exactly."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reprolib.rerun.records.folders import replace_file


def flat(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Every text and number, with the way to it."""
    if isinstance(value, dict):
        for name, entry in value.items():
            yield from flat(entry, f"{at} / {name}")
    elif isinstance(value, list):
        yield f"{at} / length", len(value)
        for index, entry in enumerate(value):
            yield from flat(entry, f"{at} / {index}")
    else:
        yield at, value


def write(made: Any, path: Path) -> Path:
    """Write the file anew, a list of numbers and texts on one line."""
    text = json.dumps(made, ensure_ascii=False, indent=0)
    innermost = re.compile(r"\[[^\[\]{}]*\]")
    path.parent.mkdir(exist_ok=True)
    replace_file(path, innermost.sub(lambda found: found[0].replace("\n", ""), text) + "\n")
    return path


def check(made: Any, path: Path, command: str) -> None:
    """Assert that what was made is what the file holds; ``command`` writes the file anew."""
    stored, found = dict(flat(json.loads(path.read_text(encoding="utf-8")))), dict(flat(made))
    renew = f"if that was meant: `python -m {command}`"
    assert list(found) == list(stored), renew
    for at, value in found.items():
        near = isinstance(value, int | float)
        expected = pytest.approx(stored[at], rel=1e-6, abs=1e-6) if near else stored[at]
        assert value == expected, f"{at}; {renew}"
