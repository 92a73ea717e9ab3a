"""The papers' claims, judged by our records: the word on each."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from reprolib.rerun.records.folder import state_of
from reprolib.rerun.records.registry import committed_directory, printed_of, results_directory
from reprolib.rerun.records.tables import load_paper
from reprolib.rerun.records.task import HEADLINE
from reprolib.rerun.verdicts import designs, errors
from reprolib.rerun.verdicts.claim import Cell, Claim, Side, claims_of
from reprolib.rerun.verdicts.errors import Error
from reprolib.rerun.verdicts.evidence import choices_of, pseudo_values, usable
from reprolib.rerun.verdicts.pair import Pair, Runs
from reprolib.rerun.verdicts.printed import Number, numbers
from reprolib.rerun.verdicts.sure import (
    Outcome,
    Tipping,
    bounds,
    outcome,
    tipping,
)
from reprolib.rerun.verdicts.words import Word, of_difference

ClaimWord = Literal["holds", "holds, but", "undecided", "fails"]
CLAIM_WORDS: tuple[ClaimWord, ...] = get_args(ClaimWord)
#: Exceptions with one word that are so few that a table names them.
NAMED = 2


class NoRecordError(LookupError):
    """A side of a claim without usable records."""


@dataclass(frozen=True)
class InCell:
    """Side a minus one side b in one cell, its error, the printed one, and our trials of side a."""

    difference: float
    error: Error
    printed: float
    n_trials: int


@dataclass(frozen=True)
class Contrast:
    """Side a minus one side b, averaged over the cells, in the printed unit.

    Parameters
    ----------
    against : str
        Side b; of a sentence about every data set, also the data set.
    difference : float
        Mean over the cells, side a minus side b.
    error : Error
        Of the difference.
    sides : tuple of float
        Means of either side over the cells.
    by_cell : dict of Cell to InCell
        The same in every cell.
    printed : float
        The same contrast in print; NaN where a number of it is not printed.
    printed_word : {"reproduced", "undecided", "not reproduced", "not run"}
        The verdict on the printed contrast; "not run" where none is printed.
    sources : str
        Of the data: original, partial or resampled.
    tipping : Tipping or None
        What would change the word; None if it is undecided.
    """

    against: str
    difference: float
    error: Error
    sides: tuple[float, float]
    by_cell: dict[Cell, InCell]
    printed: float
    printed_word: Word
    sources: str
    tipping: Tipping | None

    @property
    def word(self) -> ClaimWord:
        """What follows for the sentence."""
        if self.tipping is None:
            return "undecided"
        return "holds" if self.tipping.holds else "fails"


@dataclass(frozen=True)
class ClaimVerdict:
    """The word on one claim: that of its weakest contrast, under every reading.

    Parameters
    ----------
    claim : Claim
        What was judged.
    word : {"holds", "holds, but", "undecided", "fails"}
        "holds, but" where it holds under the judged reading and not under some other.
    contrasts : tuple of Contrast
        Under the judged reading, against every side b.
    exceptions : dict of str to str
        Word under each reading and control that has another one.
    readings : dict of str to Contrast
        The one that decides under every other reading and control that says as much.
    family : dict of str to Contrast
        The one that decides in every setting of the claim's family.
    """

    claim: Claim
    word: ClaimWord
    contrasts: tuple[Contrast, ...]
    exceptions: dict[str, ClaimWord] = field(default_factory=dict)
    readings: dict[str, Contrast] = field(default_factory=dict)
    family: dict[str, Contrast] = field(default_factory=dict)

    @property
    def n_readings(self) -> int:
        """Readings and controls, beside the judged one, that say as much."""
        return len(self.readings)

    @property
    def in_family(self) -> dict[str, ClaimWord]:
        """Word in every setting of the claim's family."""
        return {setting: contrast.word for setting, contrast in self.family.items()}

    @property
    def text(self) -> str:
        """The paper's sentence."""
        return self.claim.text

    @property
    def weakest(self) -> Contrast:
        """The contrast that decides: the word's own, and of these the least in favour."""
        return _weakest(self.claim, self.contrasts)

    @property
    def difference(self) -> float:
        """Side a minus side b of the weakest contrast, in the printed unit."""
        return self.weakest.difference

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the difference."""
        half = self.weakest.error.half_width()
        return self.difference - half, self.difference + half

    @property
    def favour(self) -> float:
        """The difference of the weakest contrast, in favour of the claim."""
        return self.difference if self.claim.larger_is_better else -self.difference

    @property
    def outcome(self) -> Outcome:
        """What the weakest contrast shows of side a, of a sentence of equality."""
        claim, error = self.claim, self.weakest.error
        return outcome(claim.kind, self.favour, error, claim.margin, len(self.contrasts))

    @property
    def tipping(self) -> Tipping | None:
        """What would change the word; None if it is undecided."""
        return self.weakest.tipping

    @property
    def but(self) -> str:
        """In how many readings the word is another one, by that word; a single one is named."""
        if not self.exceptions:
            return ""
        counts = Counter(self.exceptions.values())
        parts = [f"{word} in {counts[word]}" for word in CLAIM_WORDS if counts[word]]
        return f"{', '.join(parts)} of {self.n_readings} other variants{self._the_only_one}"

    @property
    def in_other_variants(self) -> str:
        """In how many readings it holds, fails or is undecided: "7 hold, 1 undecided (“centred”)".

        The rarest exceptions are named, if they are few.
        """
        if self.in_family:
            held = sum(word == "holds" for word in self.in_family.values())
            of_family = f"holds in {held} of {len(self.in_family)} {self.claim.family}"
            alone = replace(self, family={})
            return "; ".join([of_family, *([alone.in_other_variants] if self.n_readings else [])])
        if not self.n_readings:
            return "none run"
        own = "holds" if self.word.startswith("holds") else self.word
        words = {name: contrast.word for name, contrast in self.readings.items()}
        others = Counter(word for word in words.values() if word != own)
        if not others and self.n_readings > 1:
            return f"the same in all {self.n_readings}"
        verbs = {"holds": "hold", "fails": "fail"}
        counts = Counter({own: self.n_readings - others.total()}) + others
        rarest = min(reversed(others), key=lambda word: others[word], default=None)
        parts = []
        for word, n in counts.items():
            names = [f"“{name}”" for name, w in words.items() if w == word == rarest]
            told = f" ({', '.join(names)})" if 0 < len(names) <= NAMED else ""
            parts.append(f"{n} {verbs.get(word, word) if n > 1 else word}{told}")
        return ", ".join(parts)

    @property
    def _the_only_one(self) -> str:
        return f" (“{next(iter(self.exceptions))}”)" if len(self.exceptions) == 1 else ""

    @property
    def word_with_exceptions(self) -> str:
        """The word, and the readings under which it is another one."""
        if self.word == "holds, but":
            return f"holds, but {self.but}"
        return f"{self.word} ({self.but})" if self.but else self.word


#: Records of side a and of every side b, by cell.
Pairs = dict[Cell, tuple[Pair, ...]]


def judge_claims(paper: str, directory: Path | None = None) -> list[ClaimVerdict]:
    """Words on all claims of a paper, from the committed results or those in ``directory``.

    They are kept until a file of the results changes. A claim without records on real data there
    is left out.

    Raises
    ------
    ValueError
        If a claim names records that the committed results lack.
    """
    root = results_directory(paper, directory)
    return list(_judged(paper, root.resolve(), state_of(root / paper)))


@functools.lru_cache(maxsize=32)
def _judged(paper: str, root: Path, state: tuple) -> tuple[ClaimVerdict, ...]:
    records, printed = load_paper(paper, root), numbers(paper)
    committed = root == committed_directory(paper).resolve()
    found = []
    for claim in claims_of(printed_of(paper), printed):
        try:
            found.append(judge_claim(claim, records, printed))
        except NoRecordError as error:
            if committed and len(records):
                raise ValueError(f"{paper}, claim {claim.name!r}: {error}") from error
    return tuple(found)


def judge_claim(claim: Claim, records: pd.DataFrame, printed: Sequence[Number]) -> ClaimVerdict:
    """Judge one claim by paired differences on identical trials, under every reading.

    Against every side b, with d the mean difference in the claim's favour:

    - better: holds if the 95 % interval of d is above ``by`` (0, or what the sentence means by
      "far"), fails if it is below;
    - at least as good: holds if the 90 % interval is above minus the margin, fails if the 95 %
      interval is below minus the margin;
    - same: holds if the 90 % interval is inside the margin, fails if the 95 % interval is outside.

    The claim holds if it holds against all, and fails if it fails against one; the more there are,
    the wider the interval by which it may fail (Bonferroni). A sentence about every data set is
    judged on each.

    Another reading is judged where it was run, with a side that it leaves alone as under the
    reading that it changes. It is an exception if it is further from the claim's word than the
    judged reading is on the same cells. An undecided one does not count if it has fewer trials and
    wider intervals: it says less, and nothing else.

    Raises
    ------
    NoRecordError
        If a side has no usable records.
    """
    own = Records(records[records["dataset"].isin({cell.dataset for cell in claim.cells})])
    judged = {cell: _pairs(claim, cell, claim.reading, own) for cell in claim.cells}
    contrasts = _contrasts(claim, judged, printed)
    word = _of_all(contrasts)
    exceptions: dict[str, ClaimWord] = {}
    readings: dict[str, Contrast] = {}
    for reading in _other_readings(claim, own):
        pairs = _measured_pairs(claim, reading, own, judged)
        if not pairs:
            continue
        found = _contrasts(claim, pairs, printed)
        beside = _contrasts(claim, {cell: judged[cell] for cell in pairs}, printed)
        other = _of_all(found)
        if other == "undecided":
            is_wider = all(
                contrast.error.half_width() > as_judged.error.half_width()
                for contrast, as_judged in zip(found, beside, strict=True)
                if contrast.word == "undecided"
            )
            trials = [both for cell in pairs for both in _trials(pairs[cell], judged[cell])]
            one_set = len({cell.dataset for cell in found[0].by_cell}) == 1
            if one_set and is_wider and any(n < n_judged for n, n_judged in trials):
                continue
        readings[reading] = _weakest(claim, found)
        if _distance(other, word) > _distance(_of_all(beside), word):
            exceptions[reading] = other
    if word == "holds" and exceptions:
        word = "holds, but"
    family = {
        setting: _weakest(claim, _contrasts(claim, pairs, printed))
        for setting, pairs in _pairs_of_family(claim, own)
    }
    return ClaimVerdict(claim, word, contrasts, exceptions, readings, family)


def _pairs_of_family(claim: Claim, records: Records) -> Iterator[tuple[str, Pairs]]:
    """Settings of the claim's family that all its data sets have, each with its pairs."""
    settings = {place[3]: None for place in records.places if place[0] == claim.family}
    for setting in settings:
        cells = [replace(cell, results=claim.family, setting=setting) for cell in claim.cells]
        with suppress(NoRecordError):
            yield setting, {cell: _pairs(claim, cell, claim.reading, records) for cell in cells}


class Records:
    """Sound records on real data, found by what a side of a contrast selects.

    Parameters
    ----------
    records : DataFrame
        Of a paper.
    """

    #: Columns by which records are found.
    BY = ("table", "dataset", "method", "setting", "metric", "reading")

    def __init__(self, records: pd.DataFrame):
        self.all = records
        sound = usable(records, {}).sort_values("trial", kind="stable")
        groups: Any = sound.groupby(list(self.BY), sort=False)
        self.places: Mapping[tuple[str, ...], np.ndarray] = groups.indices
        columns = ("trial", "value", "n_test", "reading", "source", "path")
        self._columns = {name: sound[name].to_numpy() for name in columns}

    def of(self, select: Mapping[str, str]) -> dict[str, np.ndarray]:
        """Columns of the records with all of `BY` as given, sorted by trial."""
        places = self.places.get(tuple(select[name] for name in self.BY), np.empty(0, int))
        return {name: column[places] for name, column in self._columns.items()}


def _of_all(contrasts: Sequence[Contrast]) -> ClaimWord:
    words = {contrast.word for contrast in contrasts}
    if "fails" in words:
        return "fails"
    return "undecided" if "undecided" in words else "holds"


def _weakest(claim: Claim, contrasts: Sequence[Contrast]) -> Contrast:
    """The contrast that decides, of those with the word of all.

    What holds changes with the first of them, what fails with the last; undecided is the one that
    is least in favour.
    """
    word, sign = _of_all(contrasts), 1 if claim.larger_is_better else -1
    own = [contrast for contrast in contrasts if contrast.word == word]
    if word != "undecided":
        decides = min if word == "holds" else max
        return decides(own, key=lambda c: c.tipping.noise if c.tipping else math.inf)
    if claim.kind == "same":
        return max(own, key=lambda c: abs(c.difference))
    return min(own, key=lambda c: sign * c.difference)


def _other_readings(claim: Claim, records: Records) -> list[str]:
    """Readings, beside the judged one, of what either side is or may be measured by."""
    sides = (claim.a, *claim.b)
    if not any(side.value is None and "reading" not in side.select for side in sides):
        return []
    tables = {side.select.get("results", cell.results) for side in sides for cell in claim.cells}
    methods = {side.select.get("method") for side in sides}
    metrics = {claim.metric, *(side.select.get("metric") for side in sides)}
    found = {
        reading
        for table, _, method, _, metric, reading in records.places
        if table in tables and method in methods and metric in metrics
    }
    return sorted(found - {claim.reading})


def _pairs(claim: Claim, cell: Cell, reading: str, records: Records) -> tuple[Pair, ...]:
    """Records of side a and of every side b in a cell."""
    ours = _measured(claim, claim.a, cell, reading, records)
    pairs, is_paired = [], designs.pairs_trials(cell.designs)
    for b in claim.b:
        if b.value is not None:
            theirs = replace(ours, values=np.full(len(ours.values), b.value))
        else:
            theirs = _measured(claim, b, cell, reading, records)
        units = _units(claim, b, cell, records)
        choices = _choices(claim, b, cell, reading, records)
        pair = Pair(ours, theirs, claim.scale, cell, choices, is_paired, units)
        if not min(pair.n_trials):
            where = " ".join(filter(None, (cell.dataset, cell.setting)))
            raise NoRecordError(f"{claim.a.name} and {b.name} have no trial in common on {where}")
        pairs.append(pair)
    return tuple(pairs)


def _choices(claim: Claim, b: Side, cell: Cell, reading: str, records: Records) -> np.ndarray:
    """Means of a - b at other draws of a choice made once; of a alone where b does not hang on it.

    Empty where the claim is on other results than those of the printed number.
    """
    number = cell.number
    of_this_table = claim.a.select.get("results", number.results) == number.results
    if not of_this_table or claim.metric != number.select["metric"]:
        return np.empty(0)
    choices = choices_of(number, records.all, reading)
    select = {**number.select, "method": b.select.get("method", "")}
    theirs = choices_of(replace(number, select=select), records.all, reading)
    if len(theirs):
        choices = choices.sub(theirs).dropna()
    return choices.to_numpy() * claim.scale


def _measured_pairs(claim: Claim, reading: str, records: Records, judged: Pairs) -> Pairs:
    """Pairs in the cells where the reading was run, in more than a single trial of many."""
    found = {}
    for cell in claim.cells:
        try:
            pairs = _pairs(claim, cell, reading, records)
        except NoRecordError:
            continue
        is_run = any(reading in pair.a.readings | pair.b.readings for pair in pairs)
        if is_run and not any(n == 1 < m for n, m in _trials(pairs, judged[cell])):
            found[cell] = pairs
    return found


def _trials(pairs: Sequence[Pair], judged: Sequence[Pair]) -> list[tuple[int, int]]:
    """Trials of every side in a cell, and of the same side as judged."""
    both = zip(pairs, judged, strict=True)
    return [counts for p, j in both for counts in zip(p.n_trials, j.n_trials, strict=True)]


def _distance(one: ClaimWord, other: ClaimWord) -> int:
    order = ("fails", "undecided", "holds")
    return abs(order.index(one) - order.index(other))


def _contrasts(claim: Claim, pairs: Pairs, printed: Sequence[Number]) -> tuple[Contrast, ...]:
    groups: dict[str, list[Cell]] = {}
    for cell in pairs:
        groups.setdefault(cell.dataset if claim.each else "", []).append(cell)
    contrasts = []
    for place, b in enumerate(claim.b):
        for where, cells in groups.items():
            against_b = [pairs[cell][place] for cell in cells]
            of_pairs = [designs.error_of_claim(pair) for pair in against_b]
            by_cell = {
                cell: InCell(
                    pair.difference,
                    error_of_pair,
                    _printed_value(claim, claim.a, cell, printed)
                    - (_printed_value(claim, b, cell, printed) if b.value is None else b.value),
                    pair.n_trials[0],
                )
                for cell, pair, error_of_pair in zip(cells, against_b, of_pairs, strict=True)
            }
            difference = float(np.mean([found.difference for found in by_cell.values()]))
            error = errors.of_mean(
                (found.difference for found in by_cell.values()),
                (found.error for found in by_cell.values()),
                (cell.dataset for cell in by_cell),
            )
            in_print = float(np.mean([found.printed for found in by_cell.values()]))
            to_print = errors.summed(map(designs.error_to_print, against_b), 1 / len(cells))
            printed_word: Word = "not run"
            if not math.isnan(in_print):
                printed_word = of_difference(difference - in_print, to_print, claim.margin)
            contrasts.append(
                Contrast(
                    f"{b.name} on {where}" if where else b.name,
                    difference,
                    error,
                    tuple(np.mean([pair.sides for pair in against_b], axis=0).tolist()),
                    by_cell,
                    in_print,
                    printed_word,
                    ", ".join(sorted({source for p in against_b for source in p.a.sources})),
                    tipping_of(claim, difference, error, len(groups) * len(claim.b)),
                )
            )
    return tuple(contrasts)


def _units(claim: Claim, b: Side, cell: Cell, records: Records) -> np.ndarray | None:
    """Pseudo-values of a - b by run or subject of a partial pool, under the headline; else None."""
    if not cell.number.pool:
        return None

    def difference(reading: str) -> float:
        ours = _measured(claim, claim.a, cell, reading, records).values.mean()
        theirs = b.value
        if theirs is None:
            theirs = _measured(claim, b, cell, reading, records).values.mean()
        return float(ours - theirs)

    readings = sorted({key[-1] for key in records.places})
    left_out = [name for name in readings if name.startswith(cell.number.pool.without)]
    without = np.array([difference(reading) for reading in left_out])
    return pseudo_values(difference(HEADLINE), without)


def tipping_of(
    claim: Claim, difference: float, error: Error, n_contrasts: int = 1
) -> Tipping | None:
    """Whether a difference a - b, one of several, makes the claim hold or fail, and how surely."""
    favour = difference if claim.larger_is_better else -difference
    return tipping(*bounds(claim.kind, favour, error, claim.margin, claim.by, n_contrasts))


def _measured(claim: Claim, side: Side, cell: Cell, reading: str, records: Records) -> Runs:
    """Value, test points and source of every trial of one side in one cell.

    Raises
    ------
    NoRecordError
        If there are none.
    """
    select = {
        "table": cell.results,
        "dataset": cell.dataset,
        "setting": cell.setting,
        "metric": claim.metric,
        "reading": side.under(reading, claim.reading),
        **{("table" if k == "results" else k): v for k, v in side.select.items()},
    }
    rows = records.of(select)
    if not len(rows["trial"]) and "reading" not in side.select and not side.within:
        # As under the headline, unless it says another.
        rows = records.of({**select, "reading": claim.base(reading, select["method"])})
    values = rows["value"].astype(float)
    if side.at is not None:  # a path may end before
        reached = [str(path).split()[side.at - 1 : side.at] for path in rows["path"]]
        values = np.array([float(place[0]) if place else np.nan for place in reached])
    is_there = ~np.isnan(values)
    if not is_there.any():
        raise NoRecordError(f"no usable record of {select}")
    return Runs(
        rows["trial"][is_there],
        values[is_there] * claim.scale * side.factor,
        rows["n_test"][is_there],
        set(rows["reading"][is_there]),
        set(rows["source"][is_there]),
    )


def _printed_value(claim: Claim, side: Side, cell: Cell, printed: Sequence[Number]) -> float:
    own = {
        "dataset": cell.dataset,
        "setting": cell.setting,
        "metric": claim.metric,
        **{k: v for k, v in side.select.items() if k not in ("results", "reading")},
    }
    results = side.select.get("results", cell.results)
    for number in printed:
        if number.results == results and all(number.select.get(k) == v for k, v in own.items()):
            return number.value * side.factor
    return math.nan
