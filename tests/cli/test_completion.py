"""What a shell is offered, asked as argcomplete's scripts ask: by variables and a file."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from reprolib.cli.commands import COMMANDS
from reprolib.rerun.records.registry import PAPERS


def offered(line: str, tmp_path) -> set[str]:
    """What is offered at the end of a line."""
    answer = tmp_path / "answer"
    environment = {
        **os.environ,
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "_ARGCOMPLETE_IFS": "\n",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    program = "import sys; from reprolib.cli.main import main; sys.exit(main())"
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=120)
    return {word.strip() for word in answer.read_text(encoding="utf-8").split("\n")}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("reprolib ", COMMANDS),
        ("reprolib repr", ["reproduce"]),
        ("reprolib reproduce ", list(PAPERS)),
        ("reprolib reproduce --", ["--full", "--only"]),
        ("reprolib tables ", PAPERS),
        ("reprolib tables kpm --format ", ["csv", "md", "tex", "html"]),
        ("reprolib figures kpm --format ", ["pdf", "svg", "png"]),
        ("reprolib data ", ["fetch", "list"]),
    ],
)
def test_commands_options_and_papers_are_offered(line, words, tmp_path):
    assert set(words) <= offered(line, tmp_path)
