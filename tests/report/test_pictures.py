"""What the figures show on the committed records, against a stored list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests import pictures


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


@pytest.mark.parametrize("key", pictures.KEYS)
def test_figures_show_what_they_did(key):
    stored = dict(flat(json.loads((pictures.FOLDER / f"{key}.json").read_text(encoding="utf-8"))))
    found = dict(flat(pictures.described_of(key)))
    renew = f"if that was meant: `python -m tests.pictures {key}`"
    assert list(found) == list(stored), renew
    for at, value in found.items():
        near = isinstance(value, int | float)
        expected = pytest.approx(stored[at], rel=1e-6, abs=1e-6) if near else stored[at]
        assert value == expected, f"{at}; {renew}"
