"""Constants and defaults of the package against a stored list."""

from __future__ import annotations

from tests import signatures


def test_constants_and_defaults_are_the_stored_ones():
    stored = signatures.PATH.read_text(encoding="utf-8").splitlines()
    found = signatures.lines()
    changed = [f"- {line}" for line in stored if line not in set(found)]
    changed += [f"+ {line}" for line in found if line not in set(stored)]
    renew = "if that was meant: `python -m tests.signatures`"
    assert found == stored, "\n".join([*changed, renew])
