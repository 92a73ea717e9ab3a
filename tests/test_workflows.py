"""Workflows call commands and targets that exist, and end in time."""

from __future__ import annotations

import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest

from reprolib.cli.main import build_parser

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def run_lines(path) -> list[str]:
    """Lines of shell of a workflow: what stands after ``run:``, or indented below it."""
    lines, depth = [], None
    for line in path.read_text(encoding="utf-8").splitlines():
        indent = len(line) - len(line.lstrip())
        if depth is not None and line.strip() and indent <= depth:
            depth = None
        found = re.match(r"( *(?:- )?)run: (.*)", line)
        if found and found[2] in ("|", ">"):
            depth = len(found[1])
        elif found:
            lines.append(found[2])
        elif depth is not None:
            lines.append(line.strip())
    return [part for line in lines for part in re.split(r"&&|\|\||;| \| |>>", line)]


def words_after(program: str, path) -> list[list[str]]:
    """Arguments of every call of a program in a workflow."""
    calls = [re.match(rf"(?:\S*/)?{program} (.*)", line.strip()) for line in run_lines(path)]
    return [shlex.split(call[1]) for call in calls if call]


def parsed(words) -> bool:
    """Whether a command has the arguments that it is given, or prints its help."""
    try:
        build_parser().parse_args(words)
    except SystemExit as end:
        return end.code == 0
    return True


@workflow
def test_every_reprolib_command_of_a_workflow_has_the_arguments_that_it_is_given(path):
    for words in words_after("reprolib", path):
        assert parsed(words), words


@workflow
def test_every_make_target_of_a_workflow_exists(path):
    text = (ROOT / "Makefile").read_text().replace("$(VENV)", ".venv")
    targets = set(re.findall(r"^([\w./-]+):(?!=)", text, flags=re.MULTILINE))
    for words in words_after("make", path):
        rest = words[2:] if words[0] == "-C" else words
        assert rest
        assert set(rest) <= targets, words


@workflow
def test_every_job_has_an_end_and_no_right_to_write(path):
    text = path.read_text(encoding="utf-8")
    jobs = text.split("\njobs:\n")[1]
    heads = re.findall(r"^  (\w+):$", jobs, flags=re.MULTILINE)
    ends = re.findall(r"^    timeout-minutes: (\d+)$", jobs, flags=re.MULTILINE)
    assert len(ends) == len(heads) > 0
    assert all(int(minutes) < 360 for minutes in ends), "hosted runners end at six hours"
    assert "\npermissions:\n  contents: read\n" in text
    # To attest where a release was built, and nothing else.
    attests = {"id-token", "attestations"} if path.stem == "release" else set()
    assert set(re.findall(r"(\S+): write", text)) == attests
    assert text.count("write") == len(attests)
    # GitHub knows no runner yet where it reads the environment of a job, and refuses the file.
    assert not re.search(r"^ {6}\w+: .*\brunner\.", jobs, flags=re.MULTILINE)


@workflow
def test_actions_are_named_by_commit(path):
    uses = re.findall(r"uses: *(.*)", path.read_text(encoding="utf-8"))
    assert uses
    for line in uses:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", line), line


@workflow
def test_what_is_installed_is_locked(path):
    calls = [words for words in words_after("python -m pip", path) if words[0] != "--version"]
    for words in calls:
        if words[0] == "wheel":
            assert {"--no-deps", "--no-build-isolation"} <= set(words), words
            continue
        built = "--no-deps" in words and words[-1].startswith("wheels/")
        assert built or "--require-hashes" in words or words[1:3] == ["-c", "versions.txt"], words
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    installs = re.findall(r"\$\(INSTALL\) (.*)", makefile)
    assert len(installs) == 3
    for line in installs:
        assert "--require-hashes" in line or "--no-build-isolation -e ." in line, line


def test_make_says_what_it_installs_before_it_is_silent_for_minutes():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    rules = [rule for rule in makefile.split("\n\n") if "$(INSTALL) --require-hashes" in rule]
    assert len([rule for rule in rules if rule.startswith("$(VENV)")]) == 2
    for rule in rules:
        before, _, after = rule.partition("$(INSTALL) --require-hashes")
        assert '@echo "Installing' in before, rule
        assert after.partition("\n")[0].endswith("$(SHOWN)"), "what comes is counted meanwhile"


def test_a_lock_is_installed_without_resolving_again():
    """A lock names every package. An older pip that resolves it again takes `coverage[toml]` of a
    locked package for a second, unlocked one, and refuses the whole lock on the day on which a
    newer coverage is published."""
    files = [ROOT / "Makefile", *WORKFLOWS]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    installs = re.findall(r"pip install (.*--require-hashes.*)", text)
    assert installs
    for line in installs:
        assert "--no-deps" in line, line


def test_release_gives_its_token_to_no_code():
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    build, attest = text.split("\n  attest:\n")
    assert "id-token" not in build
    assert "id-token: write" in attest
    assert "needs: build" in attest
    assert "checkout" not in attest
    commands = re.findall(r"run: *(.*)", attest)
    assert commands == ["cd dist && sha256sum --check --strict SHA256SUMS"]
    lines = run_lines(ROOT / ".github/workflows/release.yml")
    (check,) = (line for line in lines if "GITHUB_REF" in line)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    for tag, status in ((f"v{version}", 0), (f"v{version}.1", 1), ("v", 1)):
        environment = {"GITHUB_REF_NAME": tag, "PATH": "/usr/bin:/bin"}
        done = subprocess.run(["bash", "-c", check], cwd=ROOT, env=environment, check=False)
        assert done.returncode == status, tag
