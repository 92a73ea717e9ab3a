"""Fingerprint of the code behind a number: a record is only as new as the code that made it.

The modules that a protocol reaches through its imports are read as syntax trees, without
docstrings and comments. A name that a package only passes on is followed to the module that
defines it, so that a change of one method does not touch the others.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import json
import platform
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import CodeType
from typing import Any

#: Libraries whose version may change a value.
PACKAGES = ["numpy", "scipy", "scikit-learn", "cvxopt", "numba", "nibabel", "mne"]
_OURS = ("reprolib", "data_fetch")


@dataclass(frozen=True)
class Code:
    """What a number was computed with.

    Parameters
    ----------
    modules : mapping of str to str
        Fingerprint of every module, or function without one, that is reached.
    versions : mapping of str to str
        Of Python and of the numerical libraries.
    """

    modules: Mapping[str, str]
    versions: Mapping[str, str]

    @functools.cached_property
    def fingerprint(self) -> str:
        """One fingerprint of all."""
        return fingerprint_of(json.dumps([dict(self.modules), dict(self.versions)], sort_keys=True))

    def change_since(self, other: Mapping[str, Mapping[str, str]]) -> str:
        """What is another module or version than in ``vars()`` of another code, in words."""
        words = [
            f"{name} {then.get(name, 'new')} -> {now.get(name, 'gone')}" if is_version else name
            for now, then, is_version in (
                (self.modules, other["modules"], False),
                (self.versions, other["versions"], True),
            )
            for name in sorted(now.keys() | then.keys())
            if now.get(name) != then.get(name)
        ]
        return ", ".join(words)


def code_of(functions: Iterable[Callable], modules: Iterable[str] = ()) -> Code:
    """Code that functions and modules reach, with the versions installed here."""
    found: dict[str, str] = {}
    names = set(modules)
    for function in functions:
        function = inspect_target(function)
        module = function.__module__
        if _path(module) is None or "<locals>" in function.__qualname__:
            found[f"{module}:{function.__qualname__}"] = fingerprint_of(_of_code(function.__code__))
        names.add(module)
    found |= {name: module_fingerprint(name) for name in reached(frozenset(names))}
    return Code(found, versions())


def inspect_target(function: Callable) -> Any:
    """Function that is called in the end: that of a partial, or the ``__call__`` of an object."""
    while isinstance(function, functools.partial):
        function = function.func
    return function if hasattr(function, "__code__") else type(function).__call__


@functools.cache
def versions() -> dict[str, str]:
    """Installed versions of Python, without the last number, and of `PACKAGES`."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"Python": python, **package_versions(PACKAGES)}


def package_versions(packages: Iterable[str]) -> dict[str, str]:
    """Installed version of every package, by name."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def module_fingerprint(name: str) -> str:
    """Fingerprint of a module's syntax tree; empty for one without a source file."""
    return _read(name)[0]


@functools.cache
def reached(names: frozenset[str]) -> tuple[str, ...]:
    """Modules that are reached from some, themselves included, in our packages and in theirs."""
    packages = {*_OURS, *(name.split(".")[0] for name in names)} - {"__main__"}
    found: set[str] = set()
    waiting = {name for name in names if _path(name)}
    while waiting:
        name = waiting.pop()
        found.add(name)
        for module, wanted in _imported(name):
            if _path(module):
                source = _definer(f"{module}.{wanted}" if wanted else module)
                if source.split(".")[0] in packages and source not in found:
                    waiting.add(source)
    return tuple(sorted(found))


def _imported(name: str) -> tuple[tuple[str, str], ...]:
    """Module and imported name of every import statement anywhere in a module."""
    return tuple((module, wanted) for module, wanted, _ in _read(name)[1])


@functools.cache
def _read(name: str) -> tuple[str, tuple[tuple[str, str, str], ...]]:
    """Fingerprint of a module; module, name and own name of what it imports. No tree is kept."""
    path = _path(name)
    if path is None:
        return "", ()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = name if _is_package(name) else name.rpartition(".")[0]
    found: list[tuple[str, str, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += ((alias.name, "", alias.asname or alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            module = ".".join(part for part in (above, node.module) if part)
            found += ((module, alias.name, alias.asname or alias.name) for alias in node.names)
    return fingerprint_of(repr(_plain(tree))), tuple(found)


#: A name at the top of a module; an asterisk stands for all of them.
Place = tuple[str, str]


def definitions(roots: Iterable[Place], without: Iterable[Place], package: str) -> dict[str, str]:
    """Fingerprint of the statements, at the top of a package's modules, that names depend on.

    Parameters
    ----------
    roots : iterable of (str, str)
        Module and name to begin with.
    without : iterable of (str, str)
        Module and name that are not followed.
    package : str
        Names of other packages are not followed.

    Returns
    -------
    dict of str to str
        By module and name, without that of the package.
    """
    found: dict[str, str] = {}
    waiting, seen = list(roots), {*roots, *without}
    while waiting:
        module, name = waiting.pop()
        statements = _statements(module)
        wanted = [node for node, names in statements if name == "*" or name in names]
        key = f"{module}.{name}".removeprefix(f"{package}.")
        found[key] = fingerprint_of(repr(list(map(_plain, wanted))))
        for place in (place for node in wanted for place in _used(module, node)):
            if place not in seen and f"{place[0]}.".startswith(f"{package}."):
                seen.add(place)
                waiting.append(place)
    return found


@functools.cache
def _statements(module: str) -> list[tuple[ast.stmt, frozenset[str]]]:
    """Statements at the top of a module but its imports, and the names that each binds or changes.

    What is done to a name, in a loop or by a call, is taken for a change of it.
    """
    path = _path(module)
    found: list[tuple[ast.stmt, frozenset[str]]] = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body if path else ():
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append((node, frozenset([node.name])))
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            is_bound = isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign)
            names = (part for part in ast.walk(node) if isinstance(part, ast.Name))
            bound = (n.id for n in names if not (is_bound and isinstance(n.ctx, ast.Load)))
            found.append((node, frozenset(bound)))
    return found


def _used(module: str, node: ast.AST) -> Iterable[Place]:
    """Places that a statement names, in its own module or imported."""
    imported = {own: (source, name) for source, name, own in _read(module)[1] if "." not in own}
    dotted_names = [own for *_, own in _read(module)[1] if "." in own]
    own_names = {name for _, names in _statements(module) for name in names}
    whole = {id(part.value) for part in ast.walk(node) if isinstance(part, ast.Attribute)}
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            source, name = imported.get(part.value.id, ("", ""))
            if source and _path(dotted := f"{source}.{name}" if name else source):
                yield (dotted, part.attr)
        if isinstance(part, ast.Name) and part.id in own_names:
            yield (module, part.id)
        elif isinstance(part, ast.Name) and part.id not in imported:
            yield from ((own, "*") for own in dotted_names if own.startswith(f"{part.id}."))
        elif isinstance(part, ast.Name):
            source, name = imported[part.id]
            if not _path(f"{source}.{name}" if name else source):
                yield (_definer(f"{source}.{name}"), name)
            elif id(part) not in whole:
                yield (f"{source}.{name}" if name else source, "*")


def _definer(dotted: str) -> str:
    """Module that defines a name: the name itself, or where its package has it from."""
    if _path(dotted):
        return dotted
    module, _, wanted = dotted.rpartition(".")
    if _is_package(module):
        for source, name in _imported(module):
            if name == wanted and _path(source):
                return _definer(f"{source}.{name}")
    return module


@functools.cache
def _path(name: str) -> Path | None:
    """Source file of a module: of a package with a stub, which lists lazy names, the stub."""
    module = sys.modules.get(name)
    try:
        spec = getattr(module, "__spec__", None) or importlib.util.find_spec(name)
    except (ImportError, AttributeError, ValueError):
        return None
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        return None
    path = Path(spec.origin)
    stub = path.with_suffix(".pyi")
    path = stub if stub.is_file() else path
    return path if path.is_file() else None


def _is_package(name: str) -> bool:
    path = _path(name)
    return path is not None and path.stem == "__init__"


def _plain(node: Any) -> Any:
    """Syntax tree as nested tuples, the same for every version of Python, without docstrings."""
    if isinstance(node, ast.AST):
        fields = dict(ast.iter_fields(node))
        if isinstance(fields.get("body"), list):
            fields["body"] = [
                part
                for part in fields["body"]
                if not isinstance(part, ast.Expr)
                or not isinstance(part.value, ast.Constant)
                or not isinstance(part.value.value, str)
            ]
        named = ((name, _plain(value)) for name, value in fields.items() if name != "ctx")
        return (type(node).__name__, *((n, v) for n, v in named if v not in (None, ())))
    if isinstance(node, list):
        return tuple(map(_plain, node))
    return None if node is None else repr(node)


def _of_code(code: CodeType) -> str:
    """Compiled code of a function that was not read from one of our files."""
    parts = [_of_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return repr((code.co_code, code.co_names, parts))


def fingerprint_of(text: str) -> str:
    """Fingerprint of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
