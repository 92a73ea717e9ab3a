"""What the names in the folder promise."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import reprolib.methods.simplex as simplex
from reprolib.methods.shared.solution import Solution

MODULES = [
    importlib.import_module(f"{simplex.__name__}.{info.name}")
    for info in pkgutil.iter_modules(simplex.__path__)
]
FUNCTIONS = {
    name: function
    for module in MODULES
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__ and not name.startswith("_")
}


@pytest.mark.parametrize("name", sorted(n for n in FUNCTIONS if n.startswith("solve_")))
def test_solvers_return_a_solution(name):
    annotation = inspect.signature(FUNCTIONS[name], eval_str=True).return_annotation
    assert annotation is Solution


def test_there_are_solvers():
    assert {"solve_simplex_svm_cvxopt", "solve_simplex_svm_working_set"} <= set(FUNCTIONS)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_examples_run(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    "name", sorted(n for n in simplex.__all__ if n.endswith(("Classifier", "CV", "SVC")))
)
def test_estimators_have_examples_and_name_their_relatives(name):
    text = inspect.getdoc(getattr(simplex, name))
    assert "See Also\n--------" in text
    assert ">>> " in text
