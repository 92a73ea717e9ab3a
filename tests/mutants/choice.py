"""Which tests run a line: from the coverage contexts and the times of one run of all tests."""

from __future__ import annotations

import ast
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import coverage


@dataclass(frozen=True)
class Baseline:
    """What the run of the unmutated tests left behind.

    Parameters
    ----------
    seconds : dict of str to float
        Time of every test that passed, by its node id.
    failed : list of str
        Node ids of the tests that did not pass and were not skipped.
    contexts : CoverageData
        With one context for every test and phase.
    """

    seconds: dict[str, float]
    failed: list[str]
    contexts: coverage.CoverageData

    def by_line(self, path: str) -> dict[int, list[str]]:
        """Contexts that ran each line of a file, wherever the checkout was."""
        files = self.contexts.measured_files()
        own = [file for file in files if file.endswith(f"/{path}")]
        return self.contexts.contexts_by_lineno(own[0]) if own else {}


def read(folder: Path) -> Baseline:
    """Read ``.coverage`` and ``junit.xml`` of a folder."""
    seconds, failed = read_times((folder / "junit.xml").read_text(encoding="utf-8"))
    data = coverage.CoverageData(str(folder / ".coverage"))
    data.read()
    return Baseline(seconds, failed, data)


def read_times(junit: str) -> tuple[dict[str, float], list[str]]:
    """Seconds of the tests that passed, and node ids of those that failed."""
    seconds: dict[str, float] = {}
    failed = []
    for case in ElementTree.fromstring(junit).iter("testcase"):
        module = str(case.get("classname")).replace(".", "/")
        node = f"{module}.py::{case.get('name')}"
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(node)
        elif case.find("skipped") is None:
            seconds[node] = float(str(case.get("time")))
    return seconds, failed


def tests_of(path: str, source: str, line: int, baseline: Baseline) -> list[str]:
    """Tests that run a line; of the mirrored folder if none is known to.

    Those of the mirrored folder come first, then those of the house, the fastest first. Coverage
    does not see what numba compiles, other processes, and what runs at the import.
    """
    known = baseline.by_line(path)
    lines = statement_lines(source, line)
    contexts = {context for at in lines for context in known.get(at, ()) if context}
    near = mirrored(path, baseline.seconds)
    nodes = tests_in(contexts, baseline.seconds) or near

    def distance(node):
        return (
            node not in near,
            not _is_own(node, path),
            baseline.seconds[node],
        )

    return sorted(nodes, key=distance)


def statement_lines(source: str, line: int) -> range:
    """Lines of the innermost statement on a line; of a compound one, those before its body."""
    spans = [
        range(node.lineno, _last_line(node) + 1)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.stmt)
    ]
    return min((span for span in spans if line in span), key=len, default=range(line, line + 1))


def _last_line(node: ast.stmt) -> int:
    body = getattr(node, "body", None)
    return max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or node.lineno


def tests_in(contexts: Iterable[str], seconds: Iterable[str]) -> list[str]:
    """Tests of contexts like "file.py::test|run".

    What the set-up of one test ran may be a fixture of its whole file.
    """
    named = [context.rpartition("|") for context in contexts]
    whole = {node.partition("::")[0] for node, _, phase in named if phase == "setup"}
    single = {node for node, _, _ in named}
    return [n for n in seconds if n in single or n.partition("::")[0] in whole]


def mirrored(path: str, seconds: Iterable[str]) -> list[str]:
    """Tests of the folder that mirrors the file's, and those of its house as a whole.

    Of the tests of all papers those that name the file's paper.
    """
    _, house, inner, *_ = Path(path).parts
    own = [node for node in seconds if node.startswith(f"tests/{house}/{inner}/")]
    general = [node for node in seconds if node.startswith(f"tests/{house}/test_")]
    return own + [node for node in general if house != "papers" or inner in node]


def _is_own(node: str, path: str) -> bool:
    _, house, *_ = Path(path).parts
    return node.startswith(f"tests/{house}/")
