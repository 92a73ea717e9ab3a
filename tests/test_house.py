"""The plan of the house: which part may import which."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAPERS = sorted(p.parent.name for p in (ROOT / "reprolib/papers").glob("*/experiment.py"))
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


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(tree(path)):
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


#: What each part may import, besides itself; "reprolib" is its version and place.
ALLOWED = {
    "data_fetch": set(),
    "reprolib.methods": set(),
    "reprolib.rerun": {"data_fetch", "reprolib", "reprolib.papers"},
    "reprolib.report": {"data_fetch", "reprolib.rerun"},
    "reprolib.paper": {"data_fetch", "reprolib.report", "reprolib.rerun"},
    "reprolib.papers": {"data_fetch", "reprolib.methods", "reprolib.rerun", "reprolib.report"},
    "reprolib.cli": {"data_fetch", "reprolib", "reprolib.rerun", "reprolib.report"},
}
#: What each room of the machinery may import, besides itself.
ROOMS = {
    "printed": set(),
    "records": {"printed"},
    "tasks": {"printed", "records"},
    "verdicts": {"printed", "records"},
    "checks": {"printed", "records", "tasks", "verdicts"},
}
#: Parts that must not know any paper.
MACHINERY = ("reprolib.rerun", "reprolib.report", "reprolib.paper", "reprolib.cli")


@pytest.mark.parametrize("part", ALLOWED)
def test_a_part_imports_only_what_it_may(part):
    own = [path for path in MODULES if part_of(module_name(path)) == part]
    assert own
    for path in own:
        others = {
            part_of(n) for n in imported(path) if n.split(".")[0] in ("reprolib", "data_fetch")
        }
        assert others - {part} <= ALLOWED[part], path


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_of_the_machinery_imports_only_those_below_it(room):
    own = [p for p in MODULES if module_name(p).startswith(f"reprolib.rerun.{room}")]
    assert own
    for path in own:
        others = {n.split(".")[2] for n in imported(path) if n.startswith("reprolib.rerun.")}
        assert others - {room} <= ROOMS[room], path


def test_verdicts_need_no_heavy_library():
    """They are for anyone's table: NumPy, SciPy and pandas."""
    heavy = {"mne", "nibabel", "numba", "cvxopt", "sklearn", "matplotlib", "distributed"}
    code = (
        "import sys, reprolib.rerun.verdicts.judge; print(*{m.split('.')[0] for m in sys.modules})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not heavy & set(run.stdout.split())


def test_the_machinery_imports_no_paper():
    """It imports the empty package of papers only, to look for folders there."""
    for path in MODULES:
        if part_of(module_name(path)) in MACHINERY:
            of_papers = {n for n in imported(path) if n.startswith("reprolib.papers")}
            assert of_papers <= {"reprolib.papers"}, path


def test_no_part_imports_an_example():
    examples = {path.parent.name for path in (ROOT / "examples").glob("*/*/printed.toml")}
    assert examples
    for path in MODULES:
        assert not {name.split(".")[0] for name in imported(path)} & examples, path


def texts(path: Path) -> Iterator[str]:
    """Texts in the code of a file, without its docstrings."""
    own = [node for node in ast.walk(tree(path)) if isinstance(node, ast.Expr)]
    docstrings = {id(node.value) for node in own}
    for node in ast.walk(tree(path)):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in docstrings:
            yield node.value


def test_the_machinery_names_no_paper_in_its_texts():
    for path in MODULES:
        if part_of(module_name(path)) in MACHINERY:
            named = [text for text in texts(path) if text.split(".")[-1] in PAPERS]
            assert not named, path


def private(path: Path) -> Iterator[tuple[str, str]]:
    """Private modules and names that a file imports, each with the module that has it."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module:
            parts = [*node.module.split("."), *(alias.name for alias in node.names)]
            depth = len(node.module.split("."))
            for i, name in enumerate(parts):
                if name.startswith("_") and not name.startswith("__"):
                    yield ".".join(parts[: min(i, depth)]), name


def test_no_folder_takes_private_modules_or_names_of_another():
    for path in MODULES:
        folder = ".".join(path.parent.parts)
        for owner, name in private(path):
            if owner.startswith(("reprolib", "data_fetch")):
                assert owner == folder or owner.startswith(f"{folder}."), f"{path}: {owner}.{name}"


def test_figures_and_examples_take_no_private_names():
    for path in MODULES:
        if path.name in ("figures.py", "example.py"):
            assert not [
                name for owner, name in private(path) if owner.count(".") > 2 and owner in NAMES
            ], path


def test_private_names_of_other_packages_are_in_one_module():
    """A release may change them; then one file has to follow."""
    for path in MODULES:
        foreign = [o for o, _ in private(path) if not o.startswith(("reprolib", "data_fetch"))]
        assert not foreign or path.name == "sklearn_private.py", path


def constants(path: Path) -> Iterator[tuple[str, object]]:
    """Numbers by name at the top of a module."""
    for node in tree(path).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict):
            try:
                values = ast.literal_eval(node.value)
            except ValueError:
                continue
            yield from ((str(key), value) for key, value in values.items())


def test_published_parameters_of_a_data_set_stand_in_one_paper_only():
    """What two papers use is with the data set's description in `data_fetch`."""
    names = {"banana", "heart", "segment", "dna", "satimage", "landsat", "letter", "orl", "yale"}
    known: dict[str, str] = {}
    for path in MODULES:
        if path.parts[:2] == ("reprolib", "papers") and len(path.parts) == 4:
            for name in {name for name, _ in constants(path)} & names:
                assert known.setdefault(name, path.parts[2]) == path.parts[2], path


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
