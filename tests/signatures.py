"""Constants and defaults of the package: a stored list, so that none changes unnoticed.

``python -m tests.signatures`` writes ``tests/signatures.txt`` anew, after a change that was meant.
Tests seldom run a tolerance at its edge, and never a default that they give themselves.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import reprolib
from tests.golden import as_json, constants_of

PATH = Path(__file__).with_suffix(".txt")
#: Houses of which the constants are listed; those of the papers are in their golden lists.
LISTED = ("methods", "rerun", "report", "cli")


def modules() -> Iterator[ModuleType]:
    """Every module of the package."""
    for found in pkgutil.walk_packages(reprolib.__path__, "reprolib."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def lines() -> list[str]:
    """One line for every constant, function with defaults, and data class."""
    found: list[str] = []
    for module in modules():
        name = module.__name__
        if name.split(".")[1] in LISTED:
            found += [
                f"constant | {name} | {constant} | {as_json(value)}"
                for constant, value in constants_of(module).items()
                if not isinstance(value, Path)
            ]
        for own in vars(module).values():
            if getattr(own, "__module__", None) == name:
                found += _of(f"{name}.{own.__qualname__}", own) if callable(own) else []
    return sorted(set(found))


def _of(name: str, own: Any) -> Iterator[str]:
    """Lines of a function, or of a class and its methods."""
    if inspect.isclass(own):
        if dataclasses.is_dataclass(own):
            frozen = own.__dataclass_params__.frozen  # type: ignore[attr-defined]
            yield f"data class | {name} | frozen {frozen}"
        for method in vars(own).values():
            function = getattr(method, "__func__", method)
            if inspect.isfunction(function):
                yield from _defaults(f"{name}.{function.__name__}", function)
    else:
        yield from _defaults(name, getattr(own, "py_func", own))


def _defaults(name: str, function: Any) -> Iterator[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return
    given = {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}
    if given:
        yield f"defaults | {name} | {as_json(given)}"


if __name__ == "__main__":
    PATH.write_text("\n".join(lines()) + "\n", encoding="utf-8")
    print(PATH)
