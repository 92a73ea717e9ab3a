"""What the names in the folder promise."""

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
