"""Published numbers against ours: the verdict on each."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from reprolib.rerun.records.folders import committed_directory
from reprolib.rerun.records.tables import load_paper
from reprolib.rerun.records.task import HEADLINE
from reprolib.rerun.verdicts import rules
from reprolib.rerun.verdicts.number import Number, Quantity, Role
from reprolib.rerun.verdicts.printed import controls, numbers
from reprolib.rerun.verdicts.rules import WORDS, Word


@dataclass(frozen=True)
class Outcome:
    """What our records under one reading say about a published number.

    Parameters
    ----------
    word : {"reproduced", "compatible", "close", "not reproduced"}
    ours, spread : float
        Our mean and standard deviation over trials, in the printed unit.
    interval : tuple of float
        95 % interval of the difference ours minus published. For a selected hyperparameter, the
        central 95 % of our selections minus the published one.
    n_trials : int
    source : str
        Source of the data behind our value.
    """

    word: Word
    ours: float
    spread: float
    interval: tuple[float, float]
    n_trials: int
    source: str


@dataclass(frozen=True)
class Verdict:
    """The verdict on one published number.

    Parameters
    ----------
    number : Number
    word : {"reproduced", "compatible", "reproduced under a reading", "close", "not reproduced", \
"quoted", "not run"}
    ours, spread : float
        Our mean and standard deviation over trials under the headline, in the printed unit; NaN
        if not run.
    n_trials : int
    source : str
        Source of the data behind our value.
    interval : tuple of float
        95 % interval of the difference, see `Outcome`.
    reason : str
        Why it is not run or not reproduced, or where it is quoted from.
    reading : str
        The reading behind the word: the headline, or the one that brings the row out.
    headline_word : str
        What our records under the headline alone say, also of a quotation.
    n_readings : int
        Other readings tried on the number's row.
    readings : dict of str to Outcome
        Every other reading of the text.
    """

    number: Number
    word: Word
    ours: float = np.nan
    spread: float = np.nan
    n_trials: int = 0
    source: str = ""
    interval: tuple[float, float] = (np.nan, np.nan)
    reason: str = ""
    reading: str = HEADLINE
    headline_word: Word = "not run"
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
    def difference(self) -> float:
        """Ours minus published, in the printed unit."""
        return self.ours - self.number.value

    @property
    def half_width(self) -> float:
        """Half-width of the interval, in the printed unit."""
        low, high = self.interval
        return (high - low) / 2


def judge(number: Number, records: pd.DataFrame) -> Verdict:
    """Compare one published number with our records under the headline.

    - reproduced: zero inside the 95 % interval of the difference, and its half-width at most 1.5
      points or one published standard deviation. The interval is Welch's over trials, binomial
      on one test set, and that of the prediction of one run for methods with seeds.
    - A selection is reproduced if the printed choice has the mean score of ours, or lies in the
      central 95 % of our selections and they cover less than half of what was searched. A mean
      over trials of selections must satisfy this and the rule for means.
    - compatible: inside, but the interval is too wide.
    - close: outside, but within one point or one published standard deviation (never for a
      selected hyperparameter, which has neither).
    - not reproduced: anything else; quoted: not an experiment of the paper.
    - not run: no usable record on real data.

    Parameters
    ----------
    number : Number
    records : DataFrame
        Records of the number's paper.

    Returns
    -------
    Verdict
        Without credit for other readings, which is given to rows (`credit_readings`).
    """
    if number.not_run:
        return _without_records(number, number.not_run)
    scores = _scores_by_reading(number, records)
    outcomes = {
        str(reading): _outcome(number, rows, _score_paths(scores.get(str(reading))))
        for reading, rows in _matching(records, number).groupby("reading")
    }
    headline = outcomes.pop(HEADLINE, None)
    if headline is None:
        return _without_records(number, _why_missing(records, number))
    missed = headline.word in ("close", "not reproduced")
    return Verdict(
        number,
        "quoted" if number.quoted else headline.word,
        ours=headline.ours,
        spread=headline.spread,
        n_trials=headline.n_trials,
        source=headline.source,
        interval=headline.interval,
        reason=number.quoted or (number.explanation if missed else ""),
        headline_word=headline.word,
        n_readings=len(outcomes),
        readings=outcomes,
    )


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
    root = committed_directory() if directory is None else Path(directory)
    return list(_judged(paper, root.resolve(), _state(root / paper)))


def _state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Names, times and sizes of the results tables in a folder."""
    stats = {path.name: path.stat() for path in sorted(folder.glob("*.csv"))}
    return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats.items())


@functools.lru_cache(maxsize=32)
def _judged(paper: str, root: Path, state: tuple) -> tuple[Verdict, ...]:
    records = load_paper(paper, root)
    verdicts = credit_readings(
        [judge(number, records) for number in numbers(paper)], controls(paper)
    )
    if len(records) and root == committed_directory().resolve():
        _require_records(paper, verdicts)
    return tuple(verdicts)


def _require_records(paper: str, verdicts: Sequence[Verdict]) -> None:
    """Raise ValueError if a number is not run for another reason than the one in its file."""
    missing = [v for v in verdicts if v.n_trials == 0 and not v.number.not_run]
    if missing:
        told = [f"{v.number.id}: {v.reason}" for v in missing]
        advice = f"`reprolib check {paper}` says what is wrong with the names in the file"
        raise ValueError("\n".join([*(f"{paper}, {line}" for line in told), advice]))


def credit_readings(verdicts: Sequence[Verdict], controls: Collection[str] = ()) -> list[Verdict]:
    """Credit rows with the one reading that reproduces most of what the headline does not.

    All numbers of the row that are run count; `rules.row_gain` says when a reading may be
    credited. Of equally good readings the first by name is taken.

    Parameters
    ----------
    verdicts : sequence of Verdict
        All verdicts of a paper.
    controls : collection of str
        Readings that are none of the paper's text (`printed.controls`): neither counted nor
        credited.
    """
    rows: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        rows.setdefault((verdict.number.table, verdict.number.row), []).append(verdict)
    tried = {key: _readings_of(row) - set(controls) for key, row in rows.items()}
    credited = {key: _credited_reading(row, sorted(tried[key])) for key, row in rows.items()}
    return [
        _with_credit(v, credited[key], len(tried[key]))
        for v in verdicts
        for key in [(v.number.table, v.number.row)]
    ]


def _readings_of(row: Iterable[Verdict]) -> set[str]:
    return {reading for verdict in row for reading in verdict.readings}


def _credited_reading(row: Sequence[Verdict], tried: Iterable[str]) -> str:
    counted = [v for v in row if v.word not in ("quoted", "not run")]
    best, most = HEADLINE, 0
    for reading in tried:
        outcomes = [v.readings.get(reading) for v in counted]
        gain = rules.row_gain(
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
    listed = [verdict.word for verdict in verdicts]
    return {word: listed.count(word) for word in WORDS}


def _matching(records: pd.DataFrame, number: Number) -> pd.DataFrame:
    rows = _usable(records, {"table": number.results, **number.select})
    return rows[rows["value"].notna()]


def _usable(records: pd.DataFrame, select: Mapping[str, str]) -> pd.DataFrame:
    """Sound records on real data with the given columns."""
    for column, wanted in select.items():
        records = records[records[column] == wanted]
    return records[(records["status"] == "ok") & (records["source"] != "embedded")]


def _scores_by_reading(number: Number, records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Records of the score behind a selection; none if none are named."""
    if not number.scores:
        return {}
    found = _usable(records, number.scores).groupby("reading")
    return {str(reading): rows for reading, rows in found}


def _score_paths(rows: pd.DataFrame | None) -> np.ndarray:
    """Paths of the scores in some records, one row a trial."""
    texts = [] if rows is None else [text for text in rows["path"] if text]
    paths = [np.array(text.split(), dtype=float) for text in texts]
    shortest = min((len(path) for path in paths), default=0)
    return np.array([path[:shortest] for path in paths]).reshape(len(paths), shortest)


def _why_missing(records: pd.DataFrame, number: Number) -> str:
    table = records[records["table"] == number.results]
    embedded = table["source"] == "embedded"
    real = table.loc[~embedded, "dataset"]
    if embedded.any() and number.select.get("dataset") not in set(real):
        return "real data not at hand; the run on embedded data is no reproduction"
    failed = table[table["status"] != "ok"]
    for column in ("dataset", "method"):
        if column in number.select:
            failed = failed[failed[column] == number.select[column]]
    if not failed.empty:
        return str(failed["status"].iloc[0])
    return "no record of it in these results"


def _outcome(number: Number, rows: pd.DataFrame, paths: np.ndarray) -> Outcome:
    """Judge a number by the rows of one reading, and the score paths behind them."""
    values = rows["value"].to_numpy(dtype=float) * number.scale
    mean = float(values.mean())
    if number.kind == "selected":
        low, high = rules.central_range(values)
        interval = (low - number.value, high - number.value)
        word = _selection_word(number, values, paths)
    else:
        half = _half_width(number, values, int(rows["n_test"].max()))
        interval = (mean - number.value - half, mean - number.value + half)
        word = _mean_word(number, values, half)
    return Outcome(
        word,
        ours=mean,
        spread=float(values.std(ddof=1)) if len(values) > 1 else np.nan,
        interval=interval,
        n_trials=len(values),
        source=", ".join(sorted(rows["source"].unique())),
    )


def _half_width(number: Number, values: np.ndarray, n_test: int) -> float:
    fractions, published = values / number.scale, number.value / number.scale
    if number.kind == "test_set":
        half = rules.binomial_half_width(float(fractions.mean()), published, n_test)
        return number.scale * half
    if number.kind == "seeded":
        return number.scale * rules.one_run_half_width(fractions, published, n_test)
    return rules.mean_half_width(values, number.spread, number.trials)


def _mean_word(number: Number, values: np.ndarray, half: float) -> Word:
    difference = abs(float(values.mean()) - number.value)
    inside, sharp = difference <= half, half <= rules.sharpest_needed(number.scale, number.spread)
    if number.quantity == "selection":
        low, high = rules.central_range(values)
        inside = inside and low <= number.value <= high
        sharp = sharp and rules.covers_less_than_half(low, high, _n_searched(number, 0))
    near = difference <= rules.closest_needed(number.scale, number.spread)
    return rules.word_of(inside=inside, sharp=sharp, near=near)


def _selection_word(number: Number, values: np.ndarray, paths: np.ndarray) -> Word:
    if len(paths) and rules.ties_with_best(paths.mean(axis=0), number.value):
        return "reproduced"
    low, high = rules.central_range(values)
    return rules.word_of(
        inside=low <= number.value <= high,
        sharp=rules.covers_less_than_half(low, high, _n_searched(number, paths.shape[1])),
        near=False,
    )


def _n_searched(number: Number, path_length: int) -> int:
    return number.searched if number.searched is not None else path_length
