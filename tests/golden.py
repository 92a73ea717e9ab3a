"""Golden list of a protocol: tasks of its full profile, what each group measures, its constants.

``python -m tests.golden KEY ...`` writes ``tests/papers/golden/KEY.txt`` anew from the protocol
and the committed records, after a change of either that was meant. It needs the paper's data.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import importlib
import inspect
import itertools
import json
import pkgutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

import data_fetch
from data_fetch import Dataset
from reprolib.rerun import records as results
from reprolib.rerun.records.folders import replace_file
from reprolib.rerun.records.registry import PAPERS, STUDIES, get_protocol
from reprolib.rerun.records.task import Task
from reprolib.rerun.tasks.walk import looked_up, walk

FOLDER = Path(__file__).parent / "papers/golden"
#: Longer lists among the parameters are written as their length and a hash.
LONGEST = 12
#: Modules of a paper that draw, and measure nothing.
DRAWING = {"example", "figures"}
#: Columns that the records of one line have in common.
GROUP = ["table", "dataset", "method", "setting", "reading"]


@functools.cache
def load(name: str) -> Dataset:
    """Data set of that name, loaded once."""
    return data_fetch.load(name)


def is_as_committed(paper: str, name: str) -> bool:
    """Whether the data set at hand is the one that the committed records were made on."""
    return load(name).digest() == results.load_run(paper)["data"].get(name, {}).get("digest")


def with_results() -> list[str]:
    """Papers and studies that have committed records."""
    return [key for key in (*PAPERS, *STUDIES) if results.load_run(key)]


def tasks_of(paper: str, datasets: Mapping[str, Dataset]) -> list[Task]:
    """Tasks of the full profile on some of its data sets."""
    records = results.load_paper(paper)
    tasks, _ = walk(get_protocol(paper), "full", datasets, looked_up(records))
    return tasks


def task_lines(tasks: Iterable[Task]) -> list[str]:
    """One line for the tasks that differ in the trial alone."""
    trials: dict[str, list[int]] = {}
    for task in tasks:
        words = [getattr(task, name) for name in GROUP]
        trials.setdefault(_line("task", *words, _written(task.params)), []).append(task.trial)
    return sorted(_line(words, _ranges(found)) for words, found in trials.items())


def record_lines(records: pd.DataFrame) -> list[str]:
    """One line for the metrics, with the names of what was chosen, that have the same trials."""
    metrics: dict[str, list[str]] = {}
    for group, rows in records.groupby([*GROUP, "metric"]):
        *words, metric = (str(word) for word in group)
        key = _line("record", *words, _ranges(rows["trial"]))
        names = sorted({name for text in set(rows["chosen"]) for name in json.loads(text)})
        metrics.setdefault(key, []).append(f"{metric} ({', '.join(names)})" if names else metric)
    return sorted(_line(key, ", ".join(found)) for key, found in metrics.items())


def constant_lines(paper: str) -> list[str]:
    """One line for every constant that a module of the paper sets, except for its pictures.

    Such as grids, numbers of trials and what a reading changes: records made with other ones may
    agree on every task that is cheap enough to be run in a test.
    """
    package = importlib.import_module(f"reprolib.papers.{paper}")
    names = [m.name for m in pkgutil.iter_modules(package.__path__) if m.name not in DRAWING]
    modules = {name: importlib.import_module(f"{package.__name__}.{name}") for name in names}
    return sorted(
        _line("constant", name, constant, as_json(value))
        for name, module in modules.items()
        for constant, value in constants_of(module).items()
    )


def constants_of(module: ModuleType) -> dict[str, Any]:
    """What a module assigns at its top to names in capitals, except for the protocol itself."""
    body = ast.parse(inspect.getsource(module)).body
    targets = [t for node in body if isinstance(node, ast.Assign) for t in node.targets]
    targets += [node.target for node in body if isinstance(node, ast.AnnAssign)]
    names = [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
    return {n: getattr(module, n) for n in names if n.isupper() and n != "PROTOCOL"}


def as_json(value: Any) -> str:
    """Keys sorted: a test that takes an entry away and puts it back changes their order."""
    return json.dumps(_plain(value), ensure_ascii=False, sort_keys=True)


def _plain(value: Any) -> Any:
    """The same as JSON; of an object, the fields that are; of anything else, what it is called."""
    if isinstance(value, bool | int | str | None):
        return value
    if isinstance(value, float | np.floating):
        return float(f"{value:.10g}")
    if isinstance(value, Mapping):
        return {str(_plain(key)): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | range | np.ndarray):
        return [_plain(entry) for entry in value]
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return getattr(value, "__name__", type(value).__name__)


def golden(paper: str) -> list[str]:
    """Lines of the stored list, without what is said about the file.

    Raises
    ------
    FileNotFoundError
        If the paper has none.
    """
    path = FOLDER / f"{paper}.txt"
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist; write it with {renewal(paper)}")
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def lines_of(paper: str, kind: str, dataset: str | None = None) -> list[str]:
    """Lines of the stored list of one kind, task or record, and on one data set."""
    return [
        line
        for line in golden(paper)
        if line.startswith(f"{kind} | ") and dataset in (None, line.split(" | ")[2])
    ]


def renewal(paper: str) -> str:
    """Command that writes the list of a paper anew."""
    return f"`python -m tests.golden {paper}`"


def write(paper: str) -> Path:
    """Write the list of a paper anew."""
    protocol = get_protocol(paper)
    datasets = {name: data_fetch.load(name) for name in protocol.datasets("full")}
    lines = [
        f"# Full profile and committed records of {paper}; written by {renewal(paper)}.",
        *task_lines(tasks_of(paper, datasets)),
        *record_lines(results.load_paper(paper)),
        *constant_lines(paper),
    ]
    path = FOLDER / f"{paper}.txt"
    replace_file(path, "\n".join(lines) + "\n")
    return path


def _line(*words: str) -> str:
    return " | ".join(words)


def _written(params: Mapping[str, Any]) -> str:
    return json.dumps({k: _short(v) for k, v in sorted(params.items())}, ensure_ascii=False)


def _short(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) <= LONGEST:
        return value
    digest = hashlib.sha256(json.dumps(value).encode()).hexdigest()
    return f"{len(value)} entries, {digest[:12]}"


def _ranges(trials: Iterable[int]) -> str:
    """Such as "trials 0-4 7"; a trial that is there twice is said twice."""
    runs = []
    in_order = sorted(int(trial) for trial in trials)
    counted = [(t, in_order.count(t)) for t in sorted(set(in_order))]
    for _, run in itertools.groupby(enumerate(counted), lambda at: (at[1][0] - at[0], at[1][1])):
        found = [entry for _, entry in run]
        (first, times), (last, _) = found[0], found[-1]
        span = f"{first}" if first == last else f"{first}-{last}"
        runs.append(span if times == 1 else f"{span} x{times}")
    return "trials " + " ".join(runs)


if __name__ == "__main__":
    for key in sys.argv[1:] or with_results():
        print(write(key))
