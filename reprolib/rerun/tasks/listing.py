"""Fingerprint of what a paper's list of tasks follows from, and not of what a task does.

These are the statements in the modules of the paper that the list depends on, without the functions
that run a task and derive statistics; and what the readings change.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from reprolib.rerun.printed.readings import Readings
from reprolib.rerun.records.fingerprint import (
    Code,
    Place,
    definitions,
    fingerprint_of,
    inspect_target,
    statements,
    used,
)
from reprolib.rerun.records.registry import home, readings_of
from reprolib.rerun.records.task import Protocol

#: Name of a paper's experiments in its module, and arguments that say what a task does.
NAME, NOT_OF_LIST = "PROTOCOL", ("run", "measures", "derive")
#: Place of ``run`` among the arguments of a protocol and of an experiment.
PLACE_OF_RUN = 3


def listing_of_paper(paper: str) -> str:
    """Fingerprint of a paper's list of tasks, for which its experiments need not be imported."""
    return _of_module(f"{home(paper).package}.experiment", readings_of(paper))


def listing_of(protocol: Protocol) -> str:
    """Fingerprint of the list of tasks of a protocol."""
    run, derive = inspect_target(protocol.run), inspect_target(protocol.derive)
    listing: list[Any] = [protocol.datasets, *(stage.tasks for stage in protocol.stages)]
    targets = [inspect_target(function) for function in listing]
    tasks = __name__.rpartition(".")[0]
    if all(target.__module__.startswith(f"{tasks}.") for target in targets):
        return _of_module(run.__module__, protocol.readings)
    roots = [
        # One in another function, or without a name, is anywhere in its module.
        (target.__module__, "*" if "<" in target.__qualname__ else target.__name__)
        for target in targets
    ]
    without = [(run.__module__, run.__name__), (derive.__module__, derive.__name__)]
    return _fingerprint(roots, without, run.__module__, protocol.readings)


def _of_module(module: str, readings: Readings | None) -> str:
    nodes = [s.node for s in statements(module) if NAME in s.names]
    without = [
        place
        for node in nodes
        for argument in _not_of_list(node)
        for place in used(module, argument)
    ]
    return _fingerprint([(module, NAME)], without, module, readings)


def _not_of_list(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the arguments, of every call in a statement, that say what a task does."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call):
            yield from call.args[PLACE_OF_RUN : PLACE_OF_RUN + 1]
            yield from (k.value for k in call.keywords if k.arg in NOT_OF_LIST)


def _fingerprint(
    roots: Iterable[Place], without: Iterable[Place], module: str, readings: Any
) -> str:
    found, _ = definitions(roots, without, (module.rpartition(".")[0] or module,))
    trees = {name: tree for name, (tree, _) in found.items()}
    facts = repr([] if readings is None else list(readings.values()))
    return Code({**trees, "facts": fingerprint_of(facts)}, {}).fingerprint
