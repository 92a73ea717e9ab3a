"""Fingerprint of the code behind a number: a record is only as new as the code that made it.

The code of a task is the function that measures it, and what that reaches: in the paper's own
package statement by statement, elsewhere whole modules. They are read as syntax trees, without
docstrings and comments. A name that a package only passes on is followed to the module that
defines it. Machinery does not count: what it does to a number is compared by `verify`, and what
loads data is covered by their digests.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import json
import platform
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import CodeType, MappingProxyType
from typing import Any

#: Libraries whose version may change a value.
PACKAGES = ["numpy", "scipy", "scikit-learn", "cvxopt", "numba", "nibabel", "mne"]
_OURS = ("reprolib", "data_fetch")
#: What runs tasks and loads data.
MACHINERY = (
    *("reprolib.rerun", "reprolib.report", "reprolib.cli", "reprolib.paper"),
    *(f"data_fetch.{name}" for name in ("access", "catalog", "dataset", "errors", "fetcher")),
)
#: A name at the top of a module; an asterisk stands for all of them.
Place = tuple[str, str]


@dataclass(frozen=True)
class Code:
    """What a number was computed with.

    Parameters
    ----------
    modules : mapping of str to str
        Fingerprint of the syntax tree of every module, or statement of a paper, that is reached.
    versions : mapping of str to str
        Of Python and of the numerical libraries.
    texts : mapping of str to str
        Fingerprint of the text of each, which a comment changes, too.
    readings : mapping of str to mapping
        What the readings change that a task measures, by name.
    """

    modules: Mapping[str, str]
    versions: Mapping[str, str]
    texts: Mapping[str, str] = field(default_factory=dict)
    readings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @functools.cached_property
    def fingerprint(self) -> str:
        """One fingerprint of modules and versions."""
        return fingerprint_of(json.dumps([dict(self.modules), dict(self.versions)], sort_keys=True))

    def about(self) -> dict[str, dict[str, str]]:
        """Modules, versions and texts, as they are stored."""
        return {name: dict(getattr(self, name)) for name in ("modules", "versions", "texts")}

    def change_since(self, other: Mapping[str, Mapping[str, str]]) -> str:
        """What is another module or version than `about` another code said, in words."""
        changed = [
            *changed_names(self.modules, other["modules"]),
            *(
                f"{name} {other['versions'].get(name, 'new')} -> {self.versions.get(name, 'gone')}"
                for name in changed_names(self.versions, other["versions"])
            ),
        ]
        return ", ".join(changed)


def changed_names(now: Mapping[str, str], then: Mapping[str, str]) -> list[str]:
    """Names that have another fingerprint or version, or that only one of both has."""
    return [name for name in sorted(now.keys() | then.keys()) if now.get(name) != then.get(name)]


def code_of(
    function: Callable,
    run: Callable | None = None,
    shared: Mapping[Any, Callable] = MappingProxyType({}),
) -> Code:
    """Code that a function reaches, with the versions installed here.

    Parameters
    ----------
    function : callable
        What measures a task.
    run : callable, optional
        What calls it, and others of its kind.
    shared : mapping of object to callable
        The functions among which ``run`` chooses: it reaches none of them by itself.

    Returns
    -------
    Code
        Of all readings alike.
    """
    trees: dict[str, str] = {}
    texts: dict[str, str] = {}
    elsewhere: set[str] = set()
    others = [place for f in shared.values() for place in _places(f)]
    for callee, without in ((run, [*others, *lists(list(shared.values()))]), (function, [])):
        for target in _targets(callee):
            module = target.__module__
            package = module.rpartition(".")[0] or module
            if _path(module) is None or "<" in target.__qualname__:
                name = f"{module}:{target.__qualname__}"
                trees[name] = texts[name] = fingerprint_of(_of_code(target.__code__))
                elsewhere |= {module} - {"__main__"}
                continue
            roots = [(module, target.__qualname__.partition(".")[0])]
            found, outside = definitions(roots, without, (package, "data_fetch"))
            trees |= {name: tree for name, (tree, _) in found.items()}
            texts |= {name: text for name, (_, text) in found.items()}
            elsewhere |= outside
    for name in reached(frozenset(elsewhere)):
        trees[name], texts[name] = _read(name)
    return Code(trees, versions(), texts)


def _targets(function: Callable | None) -> list[Any]:
    """Functions that are called in the end: of a partial also those among its arguments."""
    if isinstance(function, functools.partial):
        inner = [part for part in function.args if hasattr(part, "__code__")]
        return [t for part in (function.func, *inner) for t in _targets(part)]
    return [] if function is None else [inspect_target(function)]


def _places(function: Callable) -> list[Place]:
    return [(target.__module__, target.__qualname__) for target in _targets(function)]


def lists(functions: Collection[Callable]) -> list[Place]:
    """Names, at the top of modules beside some functions, of mappings to these functions."""
    modules = {target.__module__ for function in functions for target in _targets(function)}
    packages = {module.rpartition(".")[0] or module for module in modules}
    known = set(map(id, functions))
    return [
        (module, name)
        for module in list(sys.modules)
        if _is_in(module, packages)
        for name, it in vars(sys.modules[module]).items()
        if isinstance(it, Mapping) and it and known.issuperset(map(id, it.values()))
    ]


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
        for module, wanted, _ in _imports(name):
            if _is_in(module, packages) and _path(module):
                source = _definer(f"{module}.{wanted}" if wanted else module)
                if source not in found and not _is_in(source, MACHINERY):
                    waiting.add(source)
    return tuple(sorted(found))


def _is_in(module: str, packages: Iterable[str]) -> bool:
    """Whether a module is one of some packages, or lies in one."""
    return any(f"{module}.".startswith(f"{package}.") for package in packages)


@functools.cache
def _read(name: str) -> tuple[str, str]:
    """Fingerprints of a module's syntax tree and text."""
    path = _path(name)
    if path is None:
        return "", ""
    text = path.read_text(encoding="utf-8")
    return fingerprint_of(repr(_plain(ast.parse(text)))), fingerprint_of(text)


@functools.cache
def _imports(name: str) -> tuple[tuple[str, str, str], ...]:
    """Module, name, and own name of all that a module imports, anywhere in it."""
    path = _path(name)
    if path is None:
        return ()
    package = name if _is_package(name) else name.rpartition(".")[0]
    found: list[tuple[str, str, str]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += ((alias.name, "", alias.asname or alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            module = ".".join(part for part in (above, node.module) if part)
            found += ((module, alias.name, alias.asname or alias.name) for alias in node.names)
    return tuple(found)


def definitions(
    roots: Iterable[Place], without: Iterable[Place], packages: Collection[str]
) -> tuple[dict[str, tuple[str, str]], set[str]]:
    """Fingerprints of the statements, at the top of a package's modules, that names depend on.

    Parameters
    ----------
    roots : iterable of (str, str)
        Module and name to begin with.
    without : iterable of (str, str)
        Module and name that are not followed.
    packages : collection of str
        The paper's own comes first; names of others than these are not followed.

    Returns
    -------
    found : dict of str to tuple of str
        Fingerprints of syntax tree and text by module and name, without that of the package.
    outside : set of str
        Modules of ours that names are taken from, in other packages.
    """
    own, *_ = packages
    found: dict[str, tuple[str, str]] = {}
    outside: set[str] = set()
    waiting, seen = list(roots), {*roots, *without}
    while waiting:
        module, name = waiting.pop()
        wanted = [s for s in statements(module) if name == "*" or name in s.names]
        key = f"{module}.{name}".removeprefix(f"{own}.")
        trees, texts = ([getattr(s, n) for s in wanted] for n in ("tree", "text"))
        found[key] = fingerprint_of(repr(trees)), fingerprint_of(repr(texts))
        for place in (place for s in wanted for place in s.uses):
            if place in seen or _is_in(place[0], MACHINERY):
                continue
            seen.add(place)
            if _is_in(place[0], packages):
                waiting.append(place)
            elif _is_in(place[0], _OURS):
                outside.add(_definer(".".join(place).removesuffix(".*")))
    return found, outside


@dataclass(frozen=True)
class Statement:
    """A statement at the top of a module: what it binds or changes, and what it uses.

    What is done to a name, in a loop or by a call, is taken for a change of it.
    """

    module: str
    node: ast.stmt
    names: frozenset[str]
    source: str

    @functools.cached_property
    def tree(self) -> str:
        """Fingerprint of the syntax tree."""
        return fingerprint_of(repr(_plain(self.node)))

    @functools.cached_property
    def text(self) -> str:
        """Fingerprint of the text."""
        return fingerprint_of(self.source)

    @functools.cached_property
    def uses(self) -> tuple[Place, ...]:
        """Names that it depends on."""
        return tuple(dict.fromkeys(used(self.module, self.node)))


@functools.cache
def statements(module: str) -> list[Statement]:
    """Statements at the top of a module, but its imports."""
    path = _path(module)
    if path is None:
        return []
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    found = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names = {node.name} if isinstance(node, ast.FunctionDef | ast.ClassDef) else _bound(node)
        source = "".join(lines[node.lineno - 1 : node.end_lineno])
        found.append(Statement(module, node, frozenset(names), source))
    return found


def _bound(node: ast.stmt) -> set[str]:
    """Names that a statement binds or changes, but those of a comprehension in it."""
    is_bound = isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign)
    parts = list(ast.walk(node))
    loops = [part.target for part in parts if isinstance(part, ast.comprehension)]
    inner = {id(name) for target in loops for name in ast.walk(target)}
    names = (part for part in parts if isinstance(part, ast.Name) and id(part) not in inner)
    return {n.id for n in names if not (is_bound and isinstance(n.ctx, ast.Load))}


@functools.cache
def _known(module: str) -> tuple[dict[str, tuple[str, str]], list[str], set[str]]:
    """Names that a module imports, whence; dotted ones; and those of its own."""
    imports = _imports(module)
    return (
        {own: (source, name) for source, name, own in imports if "." not in own},
        [own for *_, own in imports if "." in own],
        {name for statement in statements(module) for name in statement.names},
    )


def used(module: str, node: ast.AST) -> Iterable[Place]:
    """Places that a part of a module names, in its own module or imported."""
    imported, dotted_names, own_names = _known(module)
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
        for source, name, _ in _imports(module):
            if name == wanted and _path(source):
                return _definer(f"{source}.{name}")
    return module


@functools.cache
def _path(name: str) -> Path | None:
    """Source file of a module, which is not imported for it.

    Of a package with a stub, which lists lazy names, the stub.
    """
    parent, _, last = name.rpartition(".")
    spec = getattr(sys.modules.get(name), "__spec__", None)
    if spec is None and parent:
        above = _path(parent)
        if above is None or above.stem != "__init__":
            return None
        places = (above.parent / last / "__init__.py", above.parent / f"{last}.py")
        path = next((place for place in places if place.is_file()), None)
    else:
        try:
            spec = spec or importlib.util.find_spec(name)
        except (ImportError, AttributeError, ValueError):
            return None
        path = Path(spec.origin) if spec is not None and spec.origin else None
    if path is None or path.suffix != ".py" or not path.is_file():
        return None
    stub = path.with_suffix(".pyi")
    return stub if stub.is_file() else path


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
