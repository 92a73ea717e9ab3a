"""What the tables of the notebooks show on the committed records, against a stored list."""

from __future__ import annotations

import json

import pytest

from tests import shown
from tests.report.test_pictures import flat


@pytest.mark.parametrize("key", shown.KEYS)
def test_tables_show_what_they_did(key):
    stored = dict(flat(json.loads((shown.FOLDER / f"{key}.json").read_text(encoding="utf-8"))))
    found = dict(flat(shown.shown(key)))
    renew = f"if that was meant: `python -m tests.shown {key}`"
    assert list(found) == list(stored), renew
    for at, value in found.items():
        near = isinstance(value, int | float)
        expected = pytest.approx(stored[at], rel=1e-6, abs=1e-6) if near else stored[at]
        assert value == expected, f"{at}; {renew}"
