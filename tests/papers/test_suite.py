"""The papers of this package pass the tests that any paper runs."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest

import data_fetch
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.records.task import get_protocol
from reprolib.suite import FileTests, ResultTests, TaskTests
from tests import full_profile


@functools.cache
def embedded(name: str):
    return data_fetch.counterparts(name) if "embedded" not in name else (name,)


class TestPapers(FileTests, TaskTests, ResultTests):
    @pytest.fixture(params=list(PAPERS))
    def paper(self, request):
        return request.param

    @pytest.fixture
    def datasets(self, paper):
        """Generated ones, which are small; `test_full_profile` has the real ones."""
        protocol = get_protocol(paper)
        names = [*protocol.datasets("quick"), *protocol.datasets("full")]
        others = [other for name in names for other in embedded(name)]
        return {name: full_profile.load(name) for name in dict.fromkeys(others)}


def test_a_failure_in_another_repository_says_why(tmp_path):
    """pytest rewrites the asserts of test files; those of the suite it has to be told of."""
    (tmp_path / "test_mine.py").write_text(
        "import nbformat\nimport pytest\nfrom reprolib.suite import NotebookTests\n\n\n"
        "class TestMine(NotebookTests):\n    @pytest.fixture\n    def notebook(self):\n"
        "        cell = nbformat.v4.new_markdown_cell('$$a$$ and $$b$$')\n"
        "        return nbformat.v4.new_notebook(cells=[cell])\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "formulas"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    run = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "assert 4 == 2" in run.stdout, run.stdout
