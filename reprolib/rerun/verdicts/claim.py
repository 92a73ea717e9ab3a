"""One claim that a paper makes about its results: a contrast of two sides over some cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reprolib.rerun.printed import schema
from reprolib.rerun.printed.schema import HEADLINE, Design, File, Kind, OwnSide
from reprolib.rerun.verdicts.printed import Number, designs_of

#: Keys of a side that select records.
SELECTING = ("method", "metric", "setting", "results", "reading")


@dataclass(frozen=True)
class Side:
    """One side of a contrast.

    Parameters
    ----------
    select : dict
        What differs from the cell: method, metric, setting, results (table of records), reading.
    value : float, optional
        A fixed value, in the printed unit, instead of records.
    factor : float
        Times what is measured ("two times sparser": 0.5).
    within : str
        A reading that this side keeps while others are tried: its records are those of it, or of
        "WITHIN, OTHER" under another one.
    at : int, optional
        Position on the recorded path, counted from 1, instead of the value.
    label : str
        What it is called in tables, if the words of the records are not to be shown.
    """

    select: Mapping[str, str]
    value: float | None = None
    factor: float = 1.0
    within: str = ""
    at: int | None = None
    label: str = ""

    def under(self, reading: str, judged: str) -> str:
        """Reading of its records where a claim is judged under another one than ``judged``."""
        if not self.within:
            return reading
        return self.within if reading == judged else f"{self.within}, {reading}"

    @property
    def name(self) -> str:
        """What it is called in tables."""
        if self.label:
            return self.label
        words = [self.select.get("method", ""), self.select.get("setting", "")]
        words += [f"at {self.at}"] if self.at else []
        if self.value is not None:
            return f"{self.value:g}"
        words += [self.select.get("results", "").replace("table", "Table ")]
        text = ", ".join(word for word in words if word)
        return text if self.factor == 1 else f"{self.factor:.2g} of {text}"


@dataclass(frozen=True)
class Cell:
    """Where both sides were measured: a data set in a setting, and how its trials were made.

    ``number`` is the one of side a that is printed there.
    """

    results: str
    dataset: str
    setting: str
    designs: tuple[Design, ...]
    folds: int | None
    trials: int
    number: Number = field(compare=False)


@dataclass(frozen=True)
class Claim:
    """What a paper claims about its results.

    Parameters
    ----------
    paper, name : str
        Key of the paper, and what the claim is called.
    text : str
        The paper's sentence.
    page : int
        Where it stands.
    tables : tuple of str
        Printed tables that it is about.
    kind : {"better", "at least as good", "same"}
        Of side ``a`` against every one of ``b``.
    larger_is_better : bool
        Of the metric.
    scale : float
        Printed value over the unit of our records.
    margin : float
        Difference that counts as none, in the printed unit.
    by : float
        Size that "better" must exceed, in the printed unit: what the sentence means by "far" or
        "large"; else 0.
    each : bool
        Whether the sentence is about every data set: then each is judged apart.
    metric : str
        What is compared.
    reading : str
        The one under which it is judged.
    a : Side
        What the sentence speaks of.
    b : tuple of Side
        What it is compared with.
    cells : tuple of Cell
        Over which the contrast is averaged, or over those of each data set.
    family : str
        Results table whose settings are further ways to make the data: the claim is judged in each.
    bases : dict
        By the name of a reading, the one that it is a change of, or that by method; the headline
        where it says none.
    """

    paper: str
    name: str
    text: str
    page: int
    tables: tuple[str, ...]
    kind: Kind
    larger_is_better: bool
    scale: float
    margin: float
    by: float
    each: bool
    metric: str
    reading: str
    a: Side
    b: tuple[Side, ...]
    cells: tuple[Cell, ...]
    family: str = ""
    bases: Mapping[str, Any] = field(default_factory=dict)

    def base(self, reading: str, method: str) -> str:
        """Reading under which a method is, where another reading does not measure it."""
        base = self.bases.get(reading, HEADLINE)
        return base if isinstance(base, str) else base.get(method, HEADLINE)


def claims_of(file: File, numbers: Sequence[Number]) -> list[Claim]:
    """Every claim of a file that can be judged, in its order."""
    bases = {r.name: r.beside for r in file.readings if r.beside}
    key, stated = file.printed.paper.key, file.printed.claims
    judged = [said for said in stated if said.not_judged is None]
    claims = [_claim(key, said, numbers, bases) for said in judged]
    return [claim for claim in claims if claim is not None]


def _claim(
    paper: str, said: schema.Claim, numbers: Sequence[Number], bases: Mapping[str, Any]
) -> Claim | None:
    """A claim as the file states it; None if no number of its tables is run."""
    tables = said.tables or []
    of_tables = [n for n in numbers if n.table in tables and not n.not_run]
    a = _side(said.a or OwnSide())
    own = [n for n in of_tables if n.select["method"] == a.select.get("method")] or of_tables
    performances = [n for n in own if n.quantity == "performance"]
    own = [n for n in own if n.select["metric"] == said.metric] or performances
    if not own or said.metric is None or said.claims is None:
        return None
    margin = said.margin or own[0].margin
    return Claim(
        paper,
        said.name,
        said.text,
        said.page,
        tuple(tables),
        said.claims,
        said.larger == "better",
        said.scale or own[0].scale,
        margin,
        margin if said.by == "margin" else said.by,
        said.each,
        said.metric,
        said.reading or own[0].judged,
        a,
        tuple(map(_side, said.b or [])),
        _cells(said, own),
        said.family,
        bases,
    )


def _side(said: OwnSide) -> Side:
    select = {name: getattr(said, name) for name in SELECTING if getattr(said, name)}
    value = getattr(said, "value", None)
    return Side(select, value, said.factor, said.within, said.at, said.label)


def _cells(said: schema.Claim, numbers: Sequence[Number]) -> tuple[Cell, ...]:
    """Cells of the printed numbers, or of the data sets that the claim names."""
    cells = dict.fromkeys(
        Cell(
            said.results or n.results,
            n.select["dataset"],
            n.select["setting"],
            designs_of(said.design or n.designs),
            said.folds or n.folds,
            n.trials,
            n,
        )
        for n in numbers
        if said.datasets is None or n.select["dataset"] in said.datasets
    )
    return tuple(cells)
