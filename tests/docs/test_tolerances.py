"""docs/tolerances.md names every constant below 1e-3 that decides something, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tolerances.md"
#: (module, name, values in their order)
Named = tuple[str, str, tuple[float, ...]]


def small_numbers(node: ast.AST) -> tuple[float, ...]:
    """Literals between 0 and 1e-3 of a piece of code."""
    return tuple(
        number.value
        for number in ast.walk(node)
        if isinstance(number, ast.Constant)
        and isinstance(number.value, float)
        and 0.0 < number.value < 1e-3
    )


def defaults(function: ast.FunctionDef, owner: str) -> Iterator[tuple[str, ast.AST]]:
    """(`function(parameter)`, its default); a class has those of its initialiser."""
    name = owner if function.name == "__init__" else function.name
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    with_default = positional[len(positional) - len(arguments.defaults) :]
    pairs = [
        *zip(with_default, arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    for argument, default in pairs:
        if default is not None:
            yield f"{name}({argument.arg})", default


def assigned(statement: ast.Assign | ast.AnnAssign, owner: str) -> Iterator[tuple[str, ast.AST]]:
    """(name, value) of an assignment; ``A, B = 1.0, 2.0`` has two."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    values: list[ast.AST] = [statement.value or statement]
    if isinstance(targets[0], ast.Tuple) and isinstance(statement.value, ast.Tuple):
        targets, values = targets[0].elts, [*statement.value.elts]
    for target, value in zip(targets, values, strict=False):
        if isinstance(target, ast.Name):
            yield f"{owner}.{target.id}" if owner else target.id, value


def named_in(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[str, ast.AST]]:
    """Constants and defaults of a module or of a class, with their names."""
    for statement in body:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            yield from assigned(statement, owner)
        elif isinstance(statement, ast.FunctionDef):
            yield from defaults(statement, owner)
        elif isinstance(statement, ast.ClassDef):
            yield from named_in(statement.body, statement.name)


def constants(source: str, module: str) -> tuple[set[Named], int]:
    """The named constants below 1e-3 of a module, and how many have no name."""
    tree = ast.parse(source)
    named = {
        (module, name, values)
        for name, value in named_in(tree.body)
        if (values := small_numbers(value))
    }
    return named, len(small_numbers(tree)) - sum(len(values) for _, _, values in named)


def modules() -> Iterator[tuple[str, Path]]:
    """The files that the page is about, by the names that it has for them."""
    for room in ("methods", "rerun"):
        folder = ROOT / "reprolib" / room
        for path in sorted(folder.rglob("*.py")):
            name = path.relative_to(folder).with_suffix("").as_posix()
            yield name if room == "methods" else f"{room}/{name}", path


def on_page(text: str) -> list[Named]:
    """The rows of the page's tables: `module` | `name` | values | what they decide."""
    rows = re.findall(r"^\| `([\w/]+)` \| `([\w.()]+)` \| ([\d., e-]+) \| (.+) \|$", text, re.M)
    return [(module, name, tuple(map(float, v.split(",")))) for module, name, v, _ in rows]


def test_every_small_constant_has_a_name():
    anonymous = [path for module, path in modules() if constants(path.read_text(), module)[1]]
    assert not anonymous, "each has a number below 1e-3 in a function; give it a name"


def test_the_page_names_every_small_constant_and_no_other():
    in_code = set().union(*(constants(path.read_text(), module)[0] for module, path in modules()))
    named = on_page(PAGE.read_text())
    assert len(named) == len(set(named)), "a constant has two rows"
    assert in_code - set(named) == set(), "say on docs/tolerances.md what these decide"
    assert set(named) - in_code == set(), "these are gone, or have another value"


def test_every_row_of_a_table_of_the_page_is_read():
    lines = PAGE.read_text().splitlines()
    rows = [line for line in lines if line.startswith("| `") and line.count(" | ") == 3]
    assert len(on_page(PAGE.read_text())) == len(rows) > 50


def test_constants_are_found_wherever_they_are():
    source = (
        "A, B = 1e-4, 2.0\nT = (1e-2, 1e-5)\nclass K:\n    x: float = 1e-6\n"
        "    def __init__(self, *, tol=1e-7): pass\n"
        "def f(a, b=1e-8, *, c=1e-9):\n    return a > 1e-10\n"
    )
    named, anonymous = constants(source, "m")
    assert {name: values for _, name, values in named} == {
        "A": (1e-4,),
        "T": (1e-5,),
        "K.x": (1e-6,),
        "K(tol)": (1e-7,),
        "f(b)": (1e-8,),
        "f(c)": (1e-9,),
    }
    assert anonymous == 1
