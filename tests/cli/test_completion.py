"""The script that a shell completes by."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from reprolib.cli.commands import COMMANDS
from reprolib.cli.main import main
from reprolib.rerun.registry import PAPERS, STUDIES


def offered(script: str, *words: str) -> set[str]:
    """What bash offers after some words."""
    line = f"COMP_WORDS=(reprolib {' '.join(words)} ''); COMP_CWORD={len(words) + 1}; _reprolib"
    program = f'{script}\n{line}\nprintf "%s\\n" "${{COMPREPLY[@]}}"'
    answer = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    return set(answer.stdout.split())


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_offers_commands_options_and_papers(capsys):
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    assert offered(script) == set(COMMANDS)
    assert {*PAPERS, *STUDIES, "--full", "--only"} <= offered(script, "reproduce")
    assert {"fetch", "list"} <= offered(script, "data")


def test_zsh_reads_the_same(capsys):
    assert main(["completion", "zsh"]) == 0
    assert capsys.readouterr().out.startswith("autoload -Uz bashcompinit")
