"""Where records come from: the commit of a run, and what changed in the code since then."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reprolib.rerun.records.fingerprint import Code, changed_names
from reprolib.rerun.records.registry import project_of

#: What stands behind a commit if files were changed since.
WITH_CHANGES = " with changes"
_COMMIT = re.compile(f"([0-9a-f]{{40}})({WITH_CHANGES})?")
#: What can have become of the code of a record.
NOTHING, TEXTS, CODE, VERSIONS, UNKNOWN = (
    "nothing changed",
    "docstrings or comments changed",
    "code that it reaches changed",
    "versions of libraries changed",
    "made by code of which run.json says nothing",
)


def is_commit(text: object) -> bool:
    """Whether a text is the name of a commit, with or without changes."""
    return isinstance(text, str) and _COMMIT.fullmatch(text) is not None


def commit_of(paper: str) -> str:
    """Commit of a paper's checkout, and whether files were changed since; empty without git."""
    project = project_of(paper)
    if not (project / "pyproject.toml").is_file():
        return ""
    found = []
    for words in (("rev-parse", "HEAD"), ("status", "--porcelain", "--untracked-files=no")):
        try:
            done = subprocess.run(
                ["git", "-C", str(project), *words], capture_output=True, text=True, check=True
            )
        except (OSError, subprocess.CalledProcessError):
            return ""
        found.append(done.stdout.strip())
    commit, changes = found
    return commit + (WITH_CHANGES if changes else "")


@dataclass(frozen=True)
class Change:
    """What changed between the code that made records, and the code here.

    Parameters
    ----------
    what : str
        `NOTHING`, `TEXTS`, `CODE`, `VERSIONS` or `UNKNOWN`.
    names : tuple of str
        Modules, statements of the paper, or libraries.
    commits : tuple of str
        Those at which tasks were run with that code.
    """

    what: str
    names: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()

    def __str__(self) -> str:
        since = f" since {', '.join(c[:8] + c[40:] for c in self.commits)}" if self.commits else ""
        return f"{self.what}{since}" + (f": {', '.join(self.names)}" if self.names else "")


def change_of(code: Code, fingerprint: str, run: Mapping[str, Any]) -> Change:
    """What changed in the code of a task since its records were made.

    Parameters
    ----------
    code : Code
        The code here.
    fingerprint : str
        Of the code that made the records.
    run : mapping
        What ``run.json`` says.
    """
    then = run.get("code", {}).get(fingerprint)
    if then is None:
        same = fingerprint == code.fingerprint
        return Change(NOTHING) if same else Change(UNKNOWN)
    commits = tuple(then["commits"])
    # What is no longer reached is seen in what reached it.
    reached = {name: tree for name, tree in then["modules"].items() if name in code.modules}
    if trees := changed_names(code.modules, reached):
        return Change(CODE, tuple(trees), commits)
    if libraries := changed_names(code.versions, then["versions"]):
        told = (f"{n} {then['versions'].get(n)} -> {code.versions.get(n)}" for n in libraries)
        return Change(VERSIONS, tuple(told), commits)
    texts = changed_names(code.texts, {n: then["texts"].get(n, "") for n in code.texts})
    return Change(TEXTS if texts else NOTHING, tuple(texts), commits)
