"""Published numbers against ours: the verdict on each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats

from reprolib.rerun import records as results
from reprolib.rerun.folders import committed_directory
from reprolib.rerun.printed import Number, numbers
from reprolib.rerun.printed_file import unmatched
from reprolib.rerun.task import HEADLINE

Word = Literal["reproduced", "close", "not reproduced", "not run"]
WORDS: tuple[Word, ...] = ("reproduced", "close", "not reproduced", "not run")


@dataclass(frozen=True)
class Verdict:
    """The verdict on one published number.

    Parameters
    ----------
    number : Number
    word : {"reproduced", "close", "not reproduced", "not run"}
    ours, spread : float
        Our mean and standard deviation over trials, in the printed unit; NaN if not run.
    n_trials : int
    source : str
        Source of the data behind our value.
    interval : tuple of float
        95 % interval of the difference ours minus published (for a selected hyperparameter, of
        our selections).
    reason : str
        Why it is not run or not reproduced.
    readings : dict of str to float
        Our mean under every other reading of the text.
    """

    number: Number
    word: Word
    ours: float = np.nan
    spread: float = np.nan
    n_trials: int = 0
    source: str = ""
    interval: tuple[float, float] = (np.nan, np.nan)
    reason: str = ""
    readings: Mapping[str, float] = field(default_factory=dict)


def judge(number: Number, records: pd.DataFrame) -> Verdict:
    """Hold our records against one published number.

    - reproduced: the published value lies inside the 95 % interval of the difference: Welch's
      two-sample t over trials (a spread that the paper does not print is taken to be ours), the
      binomial interval where there is one test set, and the central 95 % of our selections for
      a selected hyperparameter;
    - close: outside, but within one percentage point, or within one published standard
      deviation (never for a selected hyperparameter, which has neither);
    - not reproduced: anything else;
    - not run: no usable record on real data.

    Parameters
    ----------
    number : Number
    records : DataFrame
        Records of the number's paper.
    """
    if number.not_run:
        return Verdict(number, "not run", reason=number.not_run)
    matching = _matching(records, number)
    ours = matching[matching["reading"] == HEADLINE]
    if ours.empty:
        return Verdict(number, "not run", reason=_why_missing(records, number))
    values = ours["value"].to_numpy(dtype=float) * number.scale
    interval = _interval(number, values, int(ours["n_test"].max()))
    word = _word(number, float(values.mean()), interval)
    return Verdict(
        number,
        word,
        ours=float(values.mean()),
        spread=float(values.std(ddof=1)) if len(values) > 1 else np.nan,
        n_trials=len(values),
        source=", ".join(sorted(ours["source"].unique())),
        interval=interval,
        reason=number.explanation if word == "not reproduced" else "",
        readings={
            str(name): float(group["value"].mean() * number.scale)
            for name, group in matching.groupby("reading")
            if name != HEADLINE
        },
    )


def judge_paper(paper: str, directory: Path | None = None) -> list[Verdict]:
    """Verdicts on all numbers of a paper, from the committed results or those in ``directory``.

    Raises
    ------
    ValueError
        If a number that is to be run has no usable record in the committed results: its file
        names records that do not exist, or an experiment was left out.
    """
    records = results.load_paper(paper, directory)
    verdicts = [judge(number, records) for number in numbers(paper)]
    if len(records) and _is_committed(directory):
        _require_records(paper, verdicts, records)
    return verdicts


def _is_committed(directory: Path | None) -> bool:
    return directory is None or directory.resolve() == committed_directory().resolve()


def _require_records(paper: str, verdicts: list[Verdict], records: pd.DataFrame) -> None:
    """Raise ValueError if a number is not run for another reason than the one in its file."""
    missing = [v for v in verdicts if v.word == "not run" and not v.number.not_run]
    faults = unmatched([v.number for v in missing], records) or [
        f"tables.{v.number.table}, {v.number.row!r}, {v.number.column!r}: {v.reason}"
        for v in missing
    ]
    if faults:
        file = f"reprolib/papers/{paper}/printed.toml"
        advice = f"mend the file, give a reason under not_run, or run `reprolib reproduce {paper}`"
        raise ValueError("\n".join([*(f"{file}: {fault}" for fault in faults), advice]))


def count_words(verdicts) -> dict[Word, int]:
    """How many verdicts of each kind."""
    return {word: sum(v.word == word for v in verdicts) for word in WORDS}


def _matching(records: pd.DataFrame, number: Number) -> pd.DataFrame:
    keep = (
        (records["table"] == number.results)
        & (records["status"] == "ok")
        & (records["source"] != "embedded")
        & records["value"].notna()
    )
    for column, wanted in number.select.items():
        keep &= records[column] == wanted
    return records[keep]


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


def _interval(number: Number, ours: np.ndarray, n_test: int) -> tuple[float, float]:
    difference = float(ours.mean()) - number.value
    if number.kind == "selected":
        low, high = np.percentile(ours, [2.5, 97.5])
        return float(low), float(high)
    if number.kind == "test_set":
        half = _binomial_half_width(number, float(ours.mean()), n_test)
    else:
        half = _welch_half_width(number, ours)
    return difference - half, difference + half


def _binomial_half_width(number: Number, ours: float, n_test: int) -> float:
    proportions = np.clip(np.array([ours, number.value]) / number.scale, 0.0, 1.0)
    variance = np.sum(proportions * (1 - proportions)) / max(n_test, 1)
    return float(stats.norm.ppf(0.975) * np.sqrt(variance) * number.scale)


def _welch_half_width(number: Number, ours: np.ndarray) -> float:
    n_ours, n_published = len(ours), number.trials
    if n_ours < 2:
        return 0.0
    ours_variance = ours.var(ddof=1)
    published_variance = ours_variance if number.spread is None else number.spread**2
    a, b = ours_variance / n_ours, published_variance / n_published
    if a + b == 0:
        return 0.0
    denominator = a**2 / (n_ours - 1) + (b**2 / (n_published - 1) if n_published > 1 else 0.0)
    degrees = (a + b) ** 2 / denominator if denominator > 0 else np.inf
    return float(stats.t.ppf(0.975, degrees) * np.sqrt(a + b))


def _word(number: Number, ours: float, interval: tuple[float, float]) -> Word:
    low, high = interval
    if number.kind == "selected":
        return "reproduced" if low <= number.value <= high else "not reproduced"
    if low <= 0.0 <= high:
        return "reproduced"
    percentage_point = number.scale / 100
    if abs(ours - number.value) <= max(percentage_point, number.spread or 0.0):
        return "close"
    return "not reproduced"
