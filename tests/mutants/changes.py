"""Mutants of the package by cosmic-ray's operators, and which of them change nothing."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SURVIVORS = Path(__file__).with_name("survivors.toml")
#: Decorators without which a function gives the same values, later.
SPEED = {"cache", "functools.cache", "lru_cache", "njit", "numba.njit", "cached_property"}


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    path: str
    operator: str
    occurrence: int
    line: int

    def __str__(self):
        return f"{self.path}:{self.line} {self.operator.removeprefix('core/')} #{self.occurrence}"


@dataclass(frozen=True)
class Accepted:
    """A survivor that no test can notice: its line before and after, and why."""

    path: str
    line: str
    change: str
    reason: str


def mutants_of(path: Path) -> Iterator[Mutant]:
    """All mutants of a file by the operators that take no arguments."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    nodes = list(ast_nodes(get_ast(path.read_text(encoding="utf-8"))))
    name = path.relative_to(ROOT).as_posix()
    for operator in operator_names():
        if get_operator(operator).arguments():
            continue
        positions = get_operator(operator)().mutation_positions
        found = (at for node in nodes for at in positions(node))
        for occurrence, (start, _) in enumerate(found):
            yield Mutant(name, operator, occurrence, start[0])


def mutated(mutant: Mutant, source: str) -> str:
    """Source of the file with the change."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    changed = mutate_code(source, get_operator(mutant.operator)(), mutant.occurrence)
    return source if changed is None else changed


def is_valid(source: str, changed: str) -> bool:
    """Whether a change compiles and may change what the file computes.

    Annotations, docstrings, decorators for speed, bare ``*`` and ``/`` in signatures, and ``==`` in
    place of ``is`` or the reverse beside None or a text do not count: Python has one copy of both.
    """
    try:
        compile(changed, "mutant", "exec")
    except SyntaxError:
        return False
    return _normal_form(source) != _normal_form(changed)


def _normal_form(source: str) -> str:
    return ast.dump(_Simplified().visit(ast.parse(source)))


class _Simplified(ast.NodeTransformer):
    """Tree without what the values do not depend on."""

    def visit_arg(self, node):
        node.annotation = None
        return node

    def visit_arguments(self, node):
        node.args = [*node.posonlyargs, *node.args, *node.kwonlyargs]
        node.defaults = [*node.defaults, *filter(None, node.kw_defaults)]
        node.posonlyargs, node.kwonlyargs, node.kw_defaults = [], [], []
        return self.generic_visit(node)

    def visit_AnnAssign(self, node):
        node.annotation = ast.Constant("any")
        return self.generic_visit(node)

    def visit_FunctionDef(self, node):
        node.returns = None
        node.decorator_list = [d for d in node.decorator_list if _spelled(d) not in SPEED]
        node.body = _without_docstring(node.body)
        return self.generic_visit(node)

    def visit_ClassDef(self, node):
        node.body = _without_docstring(node.body)
        return self.generic_visit(node)

    def visit_Compare(self, node):
        if any(_is_unique(c) for c in node.comparators):
            same = {ast.Eq: ast.Is, ast.NotEq: ast.IsNot}
            node.ops = [same.get(type(op), type(op))() for op in node.ops]
        return self.generic_visit(node)


def _is_unique(compared: ast.expr) -> bool:
    return isinstance(compared, ast.Constant) and isinstance(compared.value, str | None)


def _spelled(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return body[1:] if is_text else body


def changed_lines(source: str, changed: str) -> tuple[str, str]:
    """The lines that differ, before and after, without indentation."""
    pairs = zip(source.splitlines(), changed.splitlines(), strict=False)
    before, after = zip(*[(a.strip(), b.strip()) for a, b in pairs if a != b], strict=True)
    return " ".join(before), " ".join(after)


def accepted(path: Path = SURVIVORS) -> set[Accepted]:
    """Survivors with a reason, from the committed list."""
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    return {Accepted(**entry) for entry in told.get("equivalent", [])}


def is_accepted(mutant: Mutant, source: str, changed: str, known: set[Accepted]) -> bool:
    """Whether the change is in the list."""
    key = (mutant.path, *changed_lines(source, changed))
    return key in {(entry.path, entry.line, entry.change) for entry in known}
