"""The plan of the house: which part may import which."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAPERS = sorted(p.parent.name for p in (ROOT / "reprolib/papers").glob("*/printed.toml"))
MODULES = [
    path.relative_to(ROOT)
    for part in ("reprolib", "data_fetch")
    for path in (ROOT / part).rglob("*.py")
]


def module_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


NAMES = {module_name(path) for path in MODULES}


@functools.cache
def imported(path: Path) -> tuple[str, ...]:
    """Names of our modules that a file imports, anywhere in it."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in NAMES else node.module


def part_of(name: str) -> str:
    """``data_fetch``, or the folder of reprolib that a module lies in."""
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] == "reprolib" else parts[0]


#: What each part may import, besides itself.
ALLOWED = {
    "data_fetch": set(),
    "reprolib.methods": set(),
    "reprolib.rerun": {"data_fetch", "reprolib.papers"},
    "reprolib.report": {"reprolib.rerun"},
    "reprolib.papers": {"data_fetch", "reprolib.methods", "reprolib.rerun", "reprolib.report"},
    "reprolib.cli": {"data_fetch", "reprolib.rerun", "reprolib.report"},
}


@pytest.mark.parametrize("part", ALLOWED)
def test_a_part_imports_only_what_it_may(part):
    own = [path for path in MODULES if part_of(module_name(path)) == part]
    assert own
    for path in own:
        others = {
            part_of(n) for n in imported(path) if n.split(".")[0] in ("reprolib", "data_fetch")
        }
        assert others - {part, "reprolib"} <= ALLOWED[part], path


def test_the_machinery_names_no_paper():
    """It imports the empty package of papers only, to look for folders there."""
    for path in MODULES:
        name = module_name(path)
        if part_of(name) in ("reprolib.rerun", "reprolib.report", "reprolib.cli"):
            of_papers = {n for n in imported(path) if n.startswith("reprolib.papers")}
            assert of_papers <= {"reprolib.papers"}, path


@pytest.mark.parametrize("paper", PAPERS)
def test_no_paper_imports_another(paper):
    for path in (ROOT / "reprolib/papers" / paper).glob("*.py"):
        for name in imported(path.relative_to(ROOT)):
            if name.startswith("reprolib.papers"):
                assert name.split(".")[2] == paper, path


def test_no_circle():
    """Walk the imports from every module; a module that is met again on the way is a circle."""
    arrows = {module_name(p): set(imported(p)) & NAMES for p in MODULES}
    finished: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, " -> ".join([*way, name])
        if name not in finished:
            for other in arrows[name] - {name}:
                visit(other, (*way, name))
            finished.add(name)

    for name in sorted(NAMES):
        visit(name, ())
