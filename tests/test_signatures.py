"""Constants and defaults of the package against a stored list."""

from __future__ import annotations

import pytest

from tests import signatures


def test_constants_and_defaults_are_the_stored_ones():
    pytest.importorskip("distributed", reason="reprolib.rerun.tasks.cluster is in the list")
    stored = signatures.PATH.read_text(encoding="utf-8").splitlines()
    found = signatures.lines()
    changed = [f"- {line}" for line in stored if line not in set(found)]
    changed += [f"+ {line}" for line in found if line not in set(stored)]
    renew = "if that was meant: `python -m tests.signatures`"
    assert found == stored, "\n".join([*changed, renew])
