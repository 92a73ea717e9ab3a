"""What all methods promise: solvers, docstrings that run, one door to scikit-learn's privates."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

from reprolib import methods

FOLDERS = ("shared", "kpm", "mkpm", "mkmmc", "keops")
MODULES = {
    info.name: importlib.import_module(info.name)
    for folder in FOLDERS
    for info in pkgutil.walk_packages(
        [f"{methods.__path__[0]}/{folder}"], f"{methods.__name__}.{folder}."
    )
}


def own(kind):
    """Functions or classes by qualified name, each where it is defined."""
    return {
        f"{module}.{name}": value
        for module, namespace in MODULES.items()
        for name, value in vars(namespace).items()
        if kind(value) and value.__module__ == module and not name.startswith("_")
    }


SOLVERS = {name: f for name, f in own(inspect.isfunction).items() if ".solve_" in name}
ESTIMATORS = {name: c for name, c in own(inspect.isclass).items() if hasattr(c, "fit")}
ESTIMATORS = {name: c for name, c in ESTIMATORS.items() if hasattr(c, "get_params")}


def test_solvers_and_estimators_are_found():
    assert len(SOLVERS) > 12
    assert len(ESTIMATORS) > 10


@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_a_solver_returns_solutions(name):
    annotation = inspect.signature(SOLVERS[name]).return_annotation
    assert annotation in ("Solution", "list[Solution]")


@pytest.mark.parametrize("name", sorted(own(inspect.isfunction)))
def test_what_returns_a_public_solution_is_named_a_solver(name):
    """Raw steps of a solver may live in private modules; `require_...` only checks."""
    function, public = own(inspect.isfunction)[name], "._" not in name
    if public and "Solution" in str(inspect.signature(function).return_annotation):
        assert name.rsplit(".", 1)[1].startswith(("solve_", "require_"))


@pytest.mark.parametrize("name", sorted({**SOLVERS, **ESTIMATORS}))
def test_docstrings_are_complete(name):
    doc = inspect.getdoc({**SOLVERS, **ESTIMATORS}[name]) or ""
    for section in ("See Also", "Examples"):
        assert re.search(rf"^{section}\n-+$", doc, flags=re.MULTILINE), section


@pytest.mark.parametrize("module", sorted(MODULES))
def test_examples_run(module):
    assert doctest.testmod(MODULES[module]).failed == 0


@pytest.mark.parametrize("folder", FOLDERS)
def test_private_names_of_scikit_learn_come_through_one_module(folder):
    for path in (Path(methods.__path__[0]) / folder).rglob("*.py"):
        if path.name == "sklearn_private.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
                assert "._" not in node.module, path
