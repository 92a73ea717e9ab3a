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
from tests.methods import takes_rows

FOLDERS = ("shared", "kpm", "mkpm", "mkmmc", "simplex", "keops")
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
ESTIMATORS = {
    name: c for name, c in ESTIMATORS.items() if hasattr(c, "get_params") and takes_rows(c)
}
#: The solvers of the simplex SVMs are called by their estimators, which have the examples.
DOCUMENTED = {n: f for n, f in {**SOLVERS, **ESTIMATORS}.items() if ".simplex.svm_" not in n}


def test_solvers_and_estimators_are_found():
    assert len(SOLVERS) > 12
    assert len(ESTIMATORS) > 10


@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_a_solver_returns_solutions(name):
    annotation = inspect.signature(SOLVERS[name]).return_annotation
    assert getattr(annotation, "__name__", annotation) in ("Solution", "list[Solution]")


def test_what_returns_a_public_solution_is_named_a_solver():
    """Raw steps of a solver may live in private modules; `require_` and `certify_` only judge."""
    returning = [
        name
        for name, function in own(inspect.isfunction).items()
        if "._" not in name and "Solution" in str(inspect.signature(function).return_annotation)
    ]
    assert returning
    allowed = ("solve_", "require_", "certify_")
    assert [n for n in returning if not n.rsplit(".", 1)[1].startswith(allowed)] == []


@pytest.mark.parametrize("name", sorted(DOCUMENTED))
def test_docstrings_are_complete(name):
    doc = inspect.getdoc(DOCUMENTED[name]) or ""
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
