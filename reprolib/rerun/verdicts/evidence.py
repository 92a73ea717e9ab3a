"""What our records have for a printed number, under every reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from reprolib.rerun.printed.schema import HEADLINE
from reprolib.rerun.records.rows import DISAGREEMENT, n_points, ok, sources
from reprolib.rerun.verdicts.printed import Number


@dataclass(frozen=True)
class Evidence:
    """Our records for one printed number under one reading.

    Parameters
    ----------
    values, trials : ndarray of shape (n_trials,)
        In the printed unit.
    n_test : int
        Test points of a trial.
    source : str
        Source of the data.
    others : dict of str to Series
        Values by trial under the other readings of the text, controls left out.
    spread : ndarray
        Values under the reading whose spread stands for that of one more run.
    disagreements : list of float
        Between our own runs, by reading.
    choices : ndarray
        What the mean would be at other draws of a choice that is made once for all trials.
    units : ndarray
        Pseudo-value of each run or subject, where ours are only some of the paper's.
    reading : str
        Of the records.
    """

    values: np.ndarray
    trials: np.ndarray
    n_test: int
    source: str
    others: Mapping[str, pd.Series]
    spread: np.ndarray
    disagreements: Sequence[float]
    choices: np.ndarray
    units: np.ndarray
    reading: str = HEADLINE

    @property
    def mean(self) -> float:
        """Mean over trials."""
        return float(self.values.mean())

    @property
    def own_spread(self) -> float:
        """Standard deviation over our trials; NaN for a single one."""
        return float(self.values.std(ddof=1)) if len(self.values) > 1 else np.nan


def gathered(
    number: Number, records: pd.DataFrame, controls: frozenset[str]
) -> dict[str, Evidence]:
    """Evidence under every reading that a number was measured under."""
    own_rows = usable(records, {"table": number.results, **number.select})
    by_reading = {str(r): g for r, g in own_rows[own_rows["value"].notna()].groupby("reading")}
    values = {
        reading: group.set_index("trial")["value"].sort_index() * number.scale
        for reading, group in by_reading.items()
    }
    disagreements: list[float] = []
    if "test set" in number.designs:
        own = {name: number.select[name] for name in ("dataset", "method")}
        rows = usable(records, {"table": DISAGREEMENT, "metric": DISAGREEMENT, **own})
        disagreements = rows.loc[~rows["reading"].isin(controls), "value"].tolist()
    spread = values.get(number.spread_of, pd.Series(dtype=float)).to_numpy()
    units = units_of(number, own_rows) * number.scale
    return {
        reading: Evidence(
            values[reading].to_numpy(),
            values[reading].index.to_numpy(),
            int(n_points(group).max()),
            ", ".join(sorted(sources(group).unique())),
            {r: v for r, v in values.items() if r != reading and r not in controls},
            spread,
            disagreements,
            choices_of(number, records, reading).to_numpy() * number.scale,
            units,
            reading,
        )
        for reading, group in by_reading.items()
    }


def choices_of(number: Number, records: pd.DataFrame, reading: str) -> pd.Series:
    """Means by draw of a choice made once for all trials; empty without such a choice."""
    if not number.drawn_once:
        return pd.Series(dtype=float)
    select = {"table": number.results, **number.select, "metric": number.drawn_once}
    rows = usable(records, {**select, "reading": reading})
    return rows.set_index("trial")["value"].astype(float)


def units_of(number: Number, rows: pd.DataFrame) -> np.ndarray:
    """Pseudo-value of each run or subject of a partial pool, under the headline."""
    if not number.pool:
        return np.empty(0)
    means = rows[rows["value"].notna()].groupby("reading")["value"].mean()
    without = means[means.index.str.startswith(number.pool.without)]
    return pseudo_values(means.get(HEADLINE, np.nan), without.to_numpy(dtype=float))


def pseudo_values(whole: float, without: np.ndarray) -> np.ndarray:
    """What each of k runs or subjects is worth: k times the result of all less k - 1 without it.

    Of a mean over units this is the value of the unit. A result that is not a mean, such as the
    channels that a classifier keeps, has none in each unit; its pseudo-values spread as such values
    would (jackknife: Tukey 1958; Efron and Tibshirani, An Introduction to the Bootstrap, 1993,
    chapter 11). Of simulated counts with four of eleven runs the 95 % interval holds 92 to 95 %.

    Parameters
    ----------
    whole : float
        Our result with all units.
    without : array of shape (k,)
        Without each of them.
    """
    k = len(without)
    return k * whole - (k - 1) * without


def usable(records: pd.DataFrame, select: Mapping[str, str]) -> pd.DataFrame:
    """Sound records on real data with the given columns."""
    places = np.arange(len(records))
    for column, wanted in select.items():
        # Of one column, not of whole rows: a paper has tens of thousands of records.
        places = places[np.asarray(records[column].array.take(places) == wanted, dtype=bool)]
    rows = ok(records.iloc[places])
    return rows[sources(rows) != "embedded"]
