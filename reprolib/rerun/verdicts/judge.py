"""Published numbers compared with ours: the verdict on each."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reprolib.rerun.records.folders import committed_directory, results_directory
from reprolib.rerun.records.rows import failed
from reprolib.rerun.records.tables import load_paper
from reprolib.rerun.records.task import HEADLINE
from reprolib.rerun.verdicts import words
from reprolib.rerun.verdicts.errors import UNKNOWN, Error
from reprolib.rerun.verdicts.evidence import Evidence, gathered
from reprolib.rerun.verdicts.number import Number, Quantity, Role
from reprolib.rerun.verdicts.printed import controls, numbers
from reprolib.rerun.verdicts.remedy import what_would_decide
from reprolib.rerun.verdicts.words import WORDS, Word

_NOWHERE = (np.nan, np.nan)


@dataclass(frozen=True)
class Outcome:
    """What our records under one reading say about a published number, in the printed unit.

    Parameters
    ----------
    word : {"reproduced", "undecided", "not reproduced"}
    ours, spread : float
        Our mean and standard deviation over trials.
    interval, interval_90 : tuple of float
        95 % and 90 % interval of the difference ours minus published. For a selection, the range
        that holds one more of ours with 95 %, minus the published one.
    detectable : float
        The difference that this comparison would have detected with 80 % power.
    error : Error
        Of the difference; unknown for a selection judged by its range.
    n_trials : int
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
    word : {"reproduced", "reproduced under a reading", "undecided", "not reproduced", "quoted", \
"not run"}
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
        return self.number.design

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

    The error model is that of the number's design (`errors`), the rule that of its quantity
    (`words.of_performance`, `words.of_selection`).

    Parameters
    ----------
    number : Number
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
    outcomes = {reading: _outcome(number, evidence) for reading, evidence in by_reading.items()}
    judged = outcomes.pop(number.judged, None)
    if judged is None:
        return _without_records(number, _why_missing(records, number))
    return Verdict(
        number,
        **{
            **vars(judged),
            "word": "quoted" if number.quoted else judged.word,
            "reason": number.quoted or _reason(number, judged.word, by_reading[number.judged]),
        },
        reading=number.judged,
        judged_word=judged.word,
        n_readings=len(outcomes),
        readings=outcomes,
    )


def _reason(number: Number, word: Word, evidence: Evidence) -> str:
    """Explanation from an experiment; of an undecided number also what would decide it."""
    if word == "reproduced":
        return ""
    parts = [number.explanation]
    parts += [what_would_decide(number, evidence)] if word == "undecided" else []
    return ". ".join(part.rstrip(".") for part in parts if part)


def _without_records(number: Number, reason: str) -> Verdict:
    if number.quoted:
        return Verdict(number, "quoted", reason=f"{number.quoted}; not run: {reason}")
    return Verdict(number, "not run", reason=reason)


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


def state_of(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Names, times and sizes of the results files in a folder."""
    stats = {path.name: path.stat() for path in sorted(folder.glob("*.*"))}
    return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats.items())


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
        _require_records(paper, verdicts)
    return tuple(verdicts)


def _require_records(paper: str, verdicts: Sequence[Verdict]) -> None:
    """Raise ValueError if a number is not run for another reason than the one in its file."""
    missing = [v for v in verdicts if v.n_trials == 0 and not v.number.not_run]
    if missing:
        lines = [f"{v.number.id}: {v.reason}" for v in missing]
        advice = f"`reprolib check {paper}` says what is wrong with the names in the file"
        raise ValueError("\n".join([*(f"{paper}, {line}" for line in lines), advice]))


def credit_readings(verdicts: Sequence[Verdict], controls: Collection[str] = ()) -> list[Verdict]:
    """Credit rows with the one reading that reproduces most of what the judged run does not.

    All numbers of the row that are run count; `words.row_gain` says when a reading may be
    credited. Of equally good readings the first by name is taken.

    Parameters
    ----------
    verdicts : sequence of Verdict
        All verdicts of a paper.
    controls : collection of str
        Readings that are none of the paper's text (`printed.controls`): neither counted nor
        credited.
    """
    rows = by_row(verdicts)
    tried = {
        key: {reading for v in row for reading in v.readings} - set(controls)
        for key, row in rows.items()
    }
    credited = {key: _credited_reading(row, sorted(tried[key])) for key, row in rows.items()}
    return [
        _with_credit(v, credited[key], len(tried[key]))
        for v in verdicts
        for key in [(v.number.table, v.number.row)]
    ]


def by_row(verdicts: Iterable[Verdict]) -> dict[tuple[str, str], list[Verdict]]:
    """Verdicts by table and row."""
    rows: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        rows.setdefault((verdict.number.table, verdict.number.row), []).append(verdict)
    return rows


def _credited_reading(row: Sequence[Verdict], tried: Iterable[str]) -> str:
    counted = [v for v in row if v.word not in ("quoted", "not run")]
    best, most = "", 0
    for reading in tried:
        outcomes = [v.readings.get(reading) for v in counted]
        gain = words.row_gain(
            [v.word for v in counted],
            [v.n_trials for v in counted],
            [o.word if o else None for o in outcomes],
            [o.n_trials if o else 0 for o in outcomes],
        )
        if gain > most:
            best, most = reading, gain
    return best


def _with_credit(verdict: Verdict, reading: str, n_readings: int) -> Verdict:
    verdict = replace(verdict, n_readings=n_readings)
    outcome = verdict.readings.get(reading)
    if verdict.word in ("reproduced", "quoted", "not run") or outcome is None:
        return verdict
    if outcome.word != "reproduced":
        return verdict
    return replace(verdict, word="reproduced under a reading", reading=reading)


def count_words(verdicts: Iterable[Verdict]) -> dict[Word, int]:
    """How many verdicts of each kind."""
    counts = Counter(verdict.word for verdict in verdicts)
    return {word: counts[word] for word in WORDS}


def _why_missing(records: pd.DataFrame, number: Number) -> str:
    table = records[records["table"] == number.results]
    embedded = table["source"] == "embedded"
    real = table.loc[~embedded, "dataset"]
    if embedded.any() and number.select.get("dataset") not in set(real):
        return "real data not at hand; the run on embedded data is no reproduction"
    broken = failed(table)
    for column in ("dataset", "method"):
        if column in number.select:
            broken = broken[broken[column] == number.select[column]]
    if not broken.empty:
        return str(broken["status"].iloc[0])
    return "no record of it in these results"


def _outcome(number: Number, evidence: Evidence) -> Outcome:
    """Judge a number by what one reading has for it."""
    values = evidence.values
    about: dict[str, Any] = {
        "ours": evidence.mean,
        "spread": float(values.std(ddof=1)) if len(values) > 1 else np.nan,
        "n_trials": len(values),
        "source": evidence.source,
    }
    if number.designs == ("selection",):
        return _selection(number, evidence, about)
    difference, error = evidence.mean - number.value, evidence.error(number)
    half, half_90 = error.half_width(), error.half_width(0.9)
    if number.quantity == "selection":
        ends = (number.value - half, number.value + half)
        word = words.of_selection(evidence.mean, *ends, evidence.searched)
        word = "undecided" if np.isinf(half) else word
    else:
        word = words.of_performance(difference, error, number.margin)
    return Outcome(
        word,
        interval=(difference - half, difference + half),
        interval_90=(difference - half_90, difference + half_90),
        detectable=error.detectable,
        error=error,
        **about,
    )


def _selection(number: Number, evidence: Evidence, about: Mapping[str, Any]) -> Outcome:
    """Judge what was selected once by the range of one more selection."""
    low, high = words.prediction_range(evidence.values)
    searched = evidence.searched or evidence.paths.shape[1]
    word = words.of_selection(number.value, low, high, searched)
    paths = evidence.paths
    if len(paths) and words.ties_with_best(paths.mean(axis=0), number.value):
        word = "reproduced"
    interval = (low - number.value, high - number.value)
    return Outcome(
        word,
        interval=interval,
        interval_90=_NOWHERE,
        detectable=words.detectable_shift(evidence.values),
        error=UNKNOWN,
        **about,
    )
