"""Which tasks decide the most printed numbers in some minutes, told from the committed results."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

import data_fetch
from reprolib.rerun.records.rows import DISAGREEMENT, OVER_TRIALS
from reprolib.rerun.records.tables import load_paper, load_tasks
from reprolib.rerun.records.task import Protocol, Task
from reprolib.rerun.tasks.experiment import walk
from reprolib.rerun.tasks.plan import costs
from reprolib.rerun.tasks.runner import Selection, code_of_protocol
from reprolib.rerun.tasks.store import RecordStore
from reprolib.rerun.verdicts.evidence import usable
from reprolib.rerun.verdicts.judge import Verdict, judge, judge_paper
from reprolib.rerun.verdicts.number import Number
from reprolib.rerun.verdicts.printed import controls

#: Numbers of trials that are tried for a number.
_TRIALS = (1, 2, 3, 5, 10, 20, 50, 100)
#: Seconds that a number costs whose tasks are all stored: a rate needs more than none.
LEAST_PRICE = 1e-9


@dataclass(frozen=True)
class Aim:
    """A printed number that some tasks are expected to decide, and the seconds that each takes.

    Parameters
    ----------
    number : Number
    seconds : dict of str to float
        By the name of a task, its paper before it. A stored task takes none.
    """

    number: Number
    seconds: Mapping[str, float]


class Chosen(Selection):
    """The tasks of some aims.

    Parameters
    ----------
    aims : collection of Aim
    """

    def __init__(self, aims: Collection[Aim]):
        self.aims = aims
        self.seconds = {name: s for aim in aims for name, s in aim.seconds.items()}
        self._datasets = {aim.number.select["dataset"] for aim in aims}

    def __str__(self) -> str:
        return f"of {len(self.seconds)} tasks"

    def has(self, task: Task) -> bool:
        """Whether a task belongs to an aim."""
        return _name(task) in self.seconds

    def needed(self, datasets: Mapping[str, Collection[str]]) -> list[str]:
        """Data sets of the aims."""
        return [name for name in datasets if name in self._datasets]


def choose(aims: Iterable[Aim], seconds: float) -> Chosen:
    """Take aims, those first that add the most decided numbers a second, until none fits.

    Parameters
    ----------
    aims : iterable of Aim
    seconds : float
        That all tasks may take together.
    """
    left, taken, have = list(aims), list[Aim](), set[str]()
    while left:
        prices = [sum(s for name, s in a.seconds.items() if name not in have) for a in left]
        rates = [
            _n_decided(left, have | a.seconds.keys()) / max(price, LEAST_PRICE) * (price <= seconds)
            for a, price in zip(left, prices, strict=True)
        ]
        best = int(np.argmax(rates))
        if not rates[best]:
            break
        seconds -= prices[best]
        have |= left[best].seconds.keys()
        taken += [aim for aim in left if aim.seconds.keys() <= have]
        left = [aim for aim in left if not aim.seconds.keys() <= have]
    return Chosen(taken)


def _n_decided(aims: Iterable[Aim], names: set[str]) -> int:
    return sum(aim.seconds.keys() <= names for aim in aims)


def aims_of(protocol: Protocol, store: RecordStore | None = None) -> list[Aim]:
    """Performances of a paper that the committed results decide, with the fewest trials for it.

    Only tasks that choose nothing from other records count, on data at hand. With some trials a
    number is expected to be decided if our difference from it, as committed, is one that they
    detect with 80 %, or lies inside the margin with its interval.

    Parameters
    ----------
    protocol : Protocol
    store : RecordStore, optional
        Of finished tasks; the user's by default.
    """
    store, code = RecordStore() if store is None else store, code_of_protocol(protocol)
    tasks = _first_tasks(protocol)
    stored = [store.has(task, code) for task in tasks]
    spent = costs(tasks, load_tasks(protocol.paper)).mask(pd.Series(stored, dtype=bool), 0.0)
    seconds = dict(zip(map(_name, tasks), spent, strict=True))
    records = load_paper(protocol.paper)
    # What is derived from one trial has the name of the task that measured it, and two words more.
    measured = records["task"].str.replace(f"/{OVER_TRIALS}/", "/", regex=False)
    records = records.assign(task=f"{protocol.paper}/" + measured)
    by_dataset = dict(list(records.groupby("dataset")))
    found = (
        _aim(v, by_dataset[v.number.select["dataset"]], seconds, controls(protocol.paper))
        for v in judge_paper(protocol.paper)
        if v.word != "quoted" and v.quantity == "performance" and math.isfinite(v.half_width)
    )
    return [aim for aim in found if aim is not None]


def _name(task: Task) -> str:
    return f"{task.paper}/{task.id}"


def _first_tasks(protocol: Protocol) -> list[Task]:
    names = [name for name in protocol.datasets("full") if data_fetch.available(name)]
    first = replace(protocol, stages=tuple(s for s in protocol.stages if not s.reads))
    tasks, _ = walk(first, "full", {n: data_fetch.load(n) for n in names}, lambda *_: None)
    return tasks


def _aim(
    verdict: Verdict,
    records: pd.DataFrame,
    seconds: Mapping[str, float],
    not_of_text: frozenset[str],
) -> Aim | None:
    """Fewest trials that are expected to decide: of the judged reading, or of all readings."""
    number = verdict.number
    own = usable(records, {"table": number.results, **number.select, "reading": number.judged})
    tables = records["table"].isin([number.results, DISAGREEMENT])
    every = records[tables & (records["method"] == number.select["method"])]
    trials = sorted(own["trial"].unique())
    for n in sorted({*(n for n in _TRIALS if n < len(trials)), len(trials)}):
        for rows in (own, every):
            names = set(rows.loc[rows["trial"] <= trials[n - 1], "task"])
            if names <= seconds.keys():
                few = judge(number, records[records["task"].isin(names)], not_of_text)
                if _is_expected(few, abs(verdict.difference)):
                    return Aim(number, {name: seconds[name] for name in names})
    return None


def _is_expected(few: Verdict, difference: float) -> bool:
    inside = difference + few.error.half_width(0.9) < few.margin
    return inside or difference > few.detectable
