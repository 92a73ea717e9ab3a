"""The pages on security and faults say what the tests hold, and nothing else."""

from __future__ import annotations

import importlib

import pytest

from tests import security


@pytest.mark.parametrize("name", ["security", "fault_table"])
def test_page_is_what_the_tests_say(name):
    made = importlib.import_module(f"tests.{name}")
    hint = f"write it anew: python -m tests.{name}"
    assert made.PATH.read_text(encoding="utf-8") == made.document(), hint


def test_sentence_without_a_test_cannot_be_written(tmp_path, monkeypatch):
    before = security.document()
    text = (
        'import pytest\n\n\n@pytest.mark.security("Elsewhere", "All is well.")\ndef test_x(): ...\n'
    )
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_x.py").write_text(text)
    monkeypatch.setattr(security, "ROOT", tmp_path)
    with pytest.raises(ValueError, match="no section \\['Elsewhere'\\]"):
        security.document()
    (tmp_path / "tests/test_x.py").write_text(text.replace("Elsewhere", "What is run"))
    assert "- All is well.\n  (`tests/test_x.py::test_x`)" in security.document()
    assert "All is well" not in before
