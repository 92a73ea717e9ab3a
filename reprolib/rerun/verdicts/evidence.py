"""What the records hold for one printed number under one reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from reprolib.rerun.records.rows import DISAGREEMENT, n_points, path_matrix, with_path
from reprolib.rerun.records.task import HEADLINE
from reprolib.rerun.verdicts import errors
from reprolib.rerun.verdicts.errors import Error
from reprolib.rerun.verdicts.number import Design, Number


@dataclass(frozen=True)
class Evidence:
    """Our records for one printed number under one reading.

    Parameters
    ----------
    values, trials : ndarray of shape (n_trials,)
        In the printed unit.
    n_test : int
    source : str
    others : dict of str to Series
        Values by trial under the other readings of the text, controls left out.
    spread : ndarray
        Values under the reading whose spread stands for that of one more run.
    disagreements : list of float
        Between our own runs, by reading.
    choices : ndarray
        What the mean would be at other draws of a choice that is made once for all trials.
    paths : ndarray of shape (n_trials, n_searched)
        Of the scores behind a selection.
    searched : int
        Candidates of a selection, 0 where nothing says it.
    """

    values: np.ndarray
    trials: np.ndarray
    n_test: int
    source: str
    others: Mapping[str, pd.Series]
    spread: np.ndarray
    disagreements: Sequence[float]
    choices: np.ndarray
    paths: np.ndarray
    searched: int

    @property
    def mean(self) -> float:
        """Mean over trials."""
        return float(self.values.mean())

    def error(self, number: Number) -> Error:
        """Error of ours minus printed; of two designs the wider one."""
        models: Mapping[Design, Callable[[], Error]] = {
            "splits": partial(errors.splits, self.values, number.spread, number.trials),
            "seeds": partial(
                errors.one_more_run,
                self.spread if len(self.spread) else self.values,
                number.scale / max(self.n_test, 1),
            ),
            "cross-validation": partial(
                errors.cross_validations, self.values, self.trials, number.folds or 1
            ),
            "test set": partial(self._test_set, number),
            "runs": self._shared_runs,
        }
        error = errors.wider(models[design]() for design in number.designs)
        if not len(self.choices):
            return error
        return errors.summed([error, errors.two_choices(self.choices)])

    def _test_set(self, number: Number) -> Error:
        ours, theirs = (abs(x) / number.scale for x in (self.mean, number.value))
        wrong = [min(fraction, 1 - fraction) for fraction in (ours, theirs)]
        error = errors.test_set(self.disagreements, self.n_test, sum(wrong))
        return Error(number.scale * error.standard, error.degrees)

    def _shared_runs(self) -> Error:
        others = {
            name: other[self.trials].to_numpy()
            for name, other in self.others.items()
            if set(self.trials) <= set(other.index)
        }
        return errors.shared_runs(self.values, others)


def gathered(
    number: Number, records: pd.DataFrame, controls: frozenset[str]
) -> dict[str, Evidence]:
    """Evidence under every reading that a number was measured under."""
    rows = usable(records, {"table": number.results, **number.select})
    by_reading = {str(r): group for r, group in rows[rows["value"].notna()].groupby("reading")}
    values = {
        reading: group.set_index("trial")["value"].sort_index() * number.scale
        for reading, group in by_reading.items()
    }
    scores = usable(records, number.scores) if number.scores else records.iloc[:0]
    spread = values.get(number.spread_of, pd.Series(dtype=float)).to_numpy()
    return {
        reading: Evidence(
            values[reading].to_numpy(),
            values[reading].index.to_numpy(),
            int(n_points(group).max()),
            ", ".join(sorted(group["source"].unique())),
            {r: v for r, v in values.items() if r != reading and r not in controls},
            spread,
            _disagreements(number, records, controls),
            choices_of(number, records, reading) * number.scale,
            _score_paths(scores[scores["reading"] == reading]),
            searched_of(number, records),
        )
        for reading, group in by_reading.items()
    }


def choices_of(number: Number, records: pd.DataFrame, reading: str) -> np.ndarray:
    """Means at other draws of a choice made once for all trials; empty without such a choice."""
    if not number.drawn_once:
        return np.empty(0)
    select = {"table": number.results, **number.select, "metric": number.drawn_once}
    return usable(records, {**select, "reading": reading})["value"].to_numpy(dtype=float)


def searched_of(number: Number, records: pd.DataFrame) -> int:
    """Candidates of a selection: as stated, or the length of the shortest path that it was on."""
    stated = number.searched
    if not isinstance(stated, Mapping):
        return stated or 0
    own = {name: number.select[name] for name in ("dataset", "method", "setting")}
    columns = {"table": stated["results"], "metric": stated["metric"], "reading": HEADLINE}
    rows = usable(records, {**own, **columns})
    return _score_paths(rows[rows["trial"] < stated["trials"]]).shape[1]


def usable(records: pd.DataFrame, select: Mapping[str, str]) -> pd.DataFrame:
    """Sound records on real data with the given columns."""
    places = np.arange(len(records))
    for column, wanted in {**select, "status": "ok"}.items():
        # Of one column, not of whole rows: a paper has tens of thousands of records.
        places = places[np.asarray(records[column].array.take(places) == wanted, dtype=bool)]
    rows = records.iloc[places]
    return rows[rows["source"] != "embedded"]


def _disagreements(number: Number, records: pd.DataFrame, controls: frozenset[str]) -> list[float]:
    design: Design = "test set"
    if design not in number.designs:
        return []
    own = {name: number.select[name] for name in ("dataset", "method")}
    rows = usable(records, {"table": DISAGREEMENT, "metric": DISAGREEMENT, **own})
    return rows.loc[~rows["reading"].isin(controls), "value"].tolist()


def _score_paths(rows: pd.DataFrame) -> np.ndarray:
    """Paths of the scores in some records, one row a trial that has one."""
    return path_matrix(with_path(rows))
