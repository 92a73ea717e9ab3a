"""Published numbers compared with ours: what the records hold for each, and the verdict on it."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reprolib.rerun.printed.schema import Quantity
from reprolib.rerun.records.folder import state_of
from reprolib.rerun.records.registry import committed_directory, results_directory
from reprolib.rerun.records.rows import (
    failed,
    sources,
    statuses,
)
from reprolib.rerun.records.tables import load_paper
from reprolib.rerun.records.task import HEADLINE
from reprolib.rerun.verdicts import designs, words
from reprolib.rerun.verdicts.errors import UNKNOWN, Error
from reprolib.rerun.verdicts.evidence import Evidence, gathered
from reprolib.rerun.verdicts.printed import Number, Role, controls, numbers
from reprolib.rerun.verdicts.words import WORDS, Word

_NOWHERE = (np.nan, np.nan)


@dataclass(frozen=True)
class Outcome:
    """What our records under one reading say about a published number, in the printed unit.

    Parameters
    ----------
    word : {"to the digit", "reproduced", "undecided", "undecided, differs", "not reproduced"}
        The verdict.
    ours, spread : float
        Our mean and standard deviation over trials.
    interval, interval_90 : tuple of float
        95 % and 90 % interval of the difference ours minus published. For one selection, two
        ranges minus the published one: that in which one more of ours would lie with 95 %, and one
        that holds at least four of five of ours.
    detectable : float
        The difference that this comparison would have detected with 80 % power.
    error : Error
        Of the difference; unknown for a selection judged by its range, zero where no chance is
        left.
    n_trials : int
        How many of ours there are.
    source : str
        Source of the data behind our value.
    """

    word: Word
    ours: float
    spread: float
    interval: tuple[float, float]
    interval_90: tuple[float, float]
    detectable: float
    error: Error
    n_trials: int
    source: str


@dataclass(frozen=True)
class Verdict:
    """The verdict on one published number; its judged run as in `Outcome`, NaN if not run.

    Parameters
    ----------
    number : Number
        The printed one.
    word : {"to the digit", "reproduced", "reproduced in a variant", "undecided", \
"undecided, differs", "not reproduced", "quoted", "not run"}
        What the comparison says.
    reason : str
        Why it is not run or not reproduced, what would decide it, or where it is quoted from.
    reading : str
        The reading behind the word: the judged one, or the one that reproduces the row.
    judged_word : str
        What the judged run alone says, also of a quotation.
    n_readings : int
        Other readings tried on the number's row.
    readings : dict of str to Outcome
        Every other reading of the text.
    """

    number: Number
    word: Word
    ours: float = np.nan
    spread: float = np.nan
    interval: tuple[float, float] = _NOWHERE
    interval_90: tuple[float, float] = _NOWHERE
    detectable: float = np.nan
    error: Error = UNKNOWN
    n_trials: int = 0
    source: str = ""
    reason: str = ""
    reading: str = HEADLINE
    judged_word: Word = "not run"
    n_readings: int = 0
    readings: Mapping[str, Outcome] = field(default_factory=dict)

    @property
    def is_credited(self) -> bool:
        """Whether the word is that of another reading than the judged one."""
        return self.reading in self.readings

    @property
    def shown(self) -> Verdict:
        """The verdict with the values of the run that tables show.

        That is the judged run. Where a row comes out to the digit under another reading, it is that
        one's run.
        """
        if not self.is_credited or not self.readings[self.reading].error.is_zero:
            return self
        return replace(self, **{**vars(self.readings[self.reading]), "word": self.word})

    @property
    def role(self) -> Role:
        """Whose number it is."""
        return self.number.role

    @property
    def quantity(self) -> Quantity:
        """Performance or selection."""
        return self.number.quantity

    @property
    def design(self) -> str:
        """How the printed number was made, which decides the interval."""
        return "the paper's own splits" if self.error.is_zero else designs.text_of(self.number)

    @property
    def margin(self) -> float:
        """Difference up to which the number is reproduced, in the printed unit."""
        return self.number.margin

    @property
    def difference(self) -> float:
        """Ours minus published, in the printed unit."""
        return self.ours - self.number.value

    @property
    def half_width(self) -> float:
        """Half-width of the 95 % interval, in the printed unit."""
        low, high = self.interval
        return np.inf if np.isinf(low) else (high - low) / 2


def judge(number: Number, records: pd.DataFrame, controls: frozenset[str] = frozenset()) -> Verdict:
    """Compare one published number with our records under the reading that is judged.

    The error model is that of the number's design (`designs`), the rule is `words.word_of`.

    Parameters
    ----------
    number : Number
        The printed one.
    records : DataFrame
        Records of the number's paper.
    controls : frozenset of str
        Readings that are experiments of ours and not readings of the text: they are left out where
        the error model asks what the text leaves open.

    Returns
    -------
    Verdict
        Without credit for other readings, which is given to rows (`credit_readings`).
    """
    if number.not_run:
        return _without_records(number, number.not_run)
    by_reading = gathered(number, records, controls)
    outcomes = {reading: outcome(number, evidence) for reading, evidence in by_reading.items()}
    judged = outcomes.pop(number.judged, None)
    if judged is None:
        without = _without_records(number, _why_missing(records, number))
        return replace(without, readings=outcomes)
    reasons = []
    if judged.word not in words.CAME_OUT and number.explanation:
        reasons.append(number.explanation.rstrip("."))
    if judged.word.startswith("undecided"):
        reasons.append(designs.what_would_decide(number, by_reading[number.judged]).rstrip("."))
    return Verdict(
        number,
        **{
            **vars(judged),
            "word": "quoted" if number.quoted else judged.word,
            "reason": number.quoted or ". ".join(reasons),
        },
        reading=number.judged,
        judged_word=judged.word,
        n_readings=len(outcomes),
        readings=outcomes,
    )


def _without_records(number: Number, reason: str) -> Verdict:
    if number.quoted:
        reason = f"{number.quoted}; not run: {reason}"
    word: Word = "quoted" if number.quoted else "not run"
    return Verdict(number, word, reason=reason, reading=number.judged)


def judge_paper(paper: str, directory: Path | None = None) -> list[Verdict]:
    """Verdicts on all numbers of a paper, from the committed results or those in ``directory``.

    They are kept until a file of the results changes.

    Raises
    ------
    ValueError
        If a number that is to be run has no usable record in the committed results: its file
        names records that do not exist, or an experiment was left out.
    """
    root = results_directory(paper, directory)
    return list(_judged(paper, root.resolve(), state_of(root / paper)))


@functools.lru_cache(maxsize=32)
def _judged(paper: str, root: Path, state: tuple) -> tuple[Verdict, ...]:
    records, not_of_text = load_paper(paper, root), controls(paper)
    of_dataset = dict(list(records.groupby("dataset")))
    verdicts = [
        judge(number, of_dataset.get(number.select.get("dataset", ""), records), not_of_text)
        for number in numbers(paper)
    ]
    verdicts = credit_readings(verdicts, not_of_text)
    if len(records) and root == committed_directory(paper).resolve():
        missing = [v for v in verdicts if v.n_trials == 0 and not v.number.not_run]
        if missing:
            lines = [f"{paper}, {v.number.id}: {v.reason}" for v in missing]
            advice = f"`reprolib check {paper}` says what is wrong with the names in the file"
            raise ValueError("\n".join([*lines, advice]))
    return tuple(verdicts)


def credit_readings(verdicts: Sequence[Verdict], controls: Collection[str] = ()) -> list[Verdict]:
    """Credit rows with the one reading that reproduces most of what the judged run does not.

    All numbers of the row that are run count; `words.row_gain` says when a reading may be
    credited. Of equally good readings the first by name is taken. The word of a credited number is
    *reproduced in a variant*, or *to the digit* if the whole row comes out so.

    Parameters
    ----------
    verdicts : sequence of Verdict
        All verdicts of a paper.
    controls : collection of str
        Readings that are none of the paper's text (`printed.controls`): neither counted nor
        credited.
    """
    credited = {}
    for row in by_row(verdicts).values():
        tried = {reading for v in row for reading in v.readings} - set(controls)
        counted = [v for v in row if v.word not in ("quoted", "not run")]
        best, most, under_best = "", 0, {}
        for reading in sorted(tried):
            under = _words_under(reading, counted)
            gain = words.row_gain(
                [v.word for v in counted],
                [v.n_trials for v in counted],
                [under.get(v.number.id) for v in counted],
                [v.readings[reading].n_trials if reading in v.readings else 0 for v in counted],
            )
            if gain > most:
                best, most, under_best = reading, gain, under
        # Beside digits, the numbers of the judged run are those of another procedure.
        replaces = () if "to the digit" in under_best.values() else words.CAME_OUT
        for v in row:
            changed: dict[str, Any] = {"n_readings": len(tried)}
            word = under_best.get(v.number.id)
            # Without an interval of its own a number is not known well enough to ask for another.
            if word in words.CAME_OUT and np.isfinite(v.half_width) and v.word not in replaces:
                credit = word if word == "to the digit" else "reproduced in a variant"
                changed |= {"word": credit, "reading": best}
            credited[v.number.id] = replace(v, **changed)
    return [credited[v.number.id] for v in verdicts]


def _words_under(reading: str, row: Sequence[Verdict]) -> dict[str, Word]:
    """Words of a row's numbers under a reading; digits count only if all performances have them.

    One number in a hundred within a point comes out to the digit by chance, a row of them does not.
    """
    found = {v.number.id: v.readings[reading].word for v in row if reading in v.readings}
    performances = [v.number.id for v in row if v.quantity == "performance"]
    if all(found.get(name) == "to the digit" for name in performances):
        return found
    return {name: "reproduced" if w == "to the digit" else w for name, w in found.items()}


def by_row(verdicts: Iterable[Verdict]) -> dict[tuple[str, str], list[Verdict]]:
    """Verdicts by table and row."""
    rows: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        rows.setdefault((verdict.number.table, verdict.number.row), []).append(verdict)
    return rows


def count_words(verdicts: Iterable[Verdict]) -> dict[Word, int]:
    """How many verdicts of each kind."""
    counts = Counter(verdict.word for verdict in verdicts)
    return {word: counts[word] for word in WORDS}


def performances(verdicts: Iterable[Verdict], role: Role) -> dict[Word, int]:
    """Count the words on a paper's accuracies, errors and areas under curves.

    Quotations and what was chosen on the way to a performance stand nowhere here.

    Parameters
    ----------
    verdicts : iterable of Verdict
        On the numbers of the paper.
    role : {"own", "baseline"}
        Of the method that the paper proposes, or of those that it compares with.

    Examples
    --------
    >>> from reprolib.rerun.verdicts.judge import judge_paper, performances
    >>> own = performances(judge_paper("mkmmc"), "own")
    >>> f"{own['to the digit']} of {sum(own.values())} accuracies of MKMMC are to the digit"
    '0 of 9 accuracies of MKMMC are to the digit'
    """
    return count_words(v for v in verdicts if (v.role, v.quantity) == (role, "performance"))


def _why_missing(records: pd.DataFrame, number: Number) -> str:
    table = records[records["table"] == number.results]
    embedded = sources(table) == "embedded"
    real = table.loc[~embedded, "dataset"]
    if embedded.any() and number.select.get("dataset") not in set(real):
        return "real data not at hand; the run on embedded data is no reproduction"
    broken = failed(table)
    for column in ("dataset", "method"):
        if column in number.select:
            broken = broken[broken[column] == number.select[column]]
    if not broken.empty:
        return str(statuses(broken).iloc[0])
    return "no record of it in these results"


def outcome(number: Number, evidence: Evidence) -> Outcome:
    """Judge a number by what one reading has for it."""
    found = designs.compare(number, evidence)
    difference = evidence.mean - number.value
    if designs.exact.applies(number, evidence):
        word = designs.exact.of_known(difference, number.margin, number.digits)
    else:
        word = words.word_of(*found.ends, number.margin)
    return Outcome(
        word,
        ours=evidence.mean,
        spread=evidence.own_spread,
        interval=(found.ends.low, found.ends.high),
        interval_90=(found.ends.low_90, found.ends.high_90),
        detectable=found.detectable,
        error=found.error,
        n_trials=len(evidence.values),
        source=evidence.source,
    )
