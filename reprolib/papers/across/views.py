"""Every reasonable choice of sets, of a measure and of a summary, and what survives them all."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from reprolib.papers.across.experiment import ALL_COLUMNS, METHODS, TABLE
from reprolib.papers.across.uncertainty import (
    LEVEL,
    Scores,
    Summary,
    ahead,
    error_ratio,
    mean_rank,
    median_rank,
    place_table,
    resampled_means,
)
from reprolib.rerun.records import HEADLINE, select

#: Few distinct rows, so that most methods make the same predictions: 14 and 115.
DEGENERATE = ("raetsch/titanic", "raetsch/flare_solar")
#: Drawn from a formula.
GENERATED = ("raetsch/banana", "raetsch/ringnorm", "raetsch/waveform", "embedded/twonorm")
#: Replaced by principal components: more columns than rows in training.
WIDE = ("faces/coil20", "faces/yale", "haxby/subj1", "p300/iib")
BINARY = (
    *(f"raetsch/{name}" for name in ("banana", "breast_cancer", "diabetis", "flare_solar")),
    *(f"raetsch/{name}" for name in ("german", "heart", "ringnorm", "titanic", "waveform")),
    "embedded/twonorm",
    "p300/iib",
)


def short_name(name: str) -> str:
    """Name of a set for tables and figures: without its family, unless only that tells it."""
    family, _, own = name.partition("/")
    return family if family in ("haxby", "p300") else own


def _all(name: str) -> bool:
    return True


def _within(names: Collection[str]) -> Callable[[str], bool]:
    return lambda name: name in names


def _without(names: Collection[str]) -> Callable[[str], bool]:
    return lambda name: name not in names


@dataclass(frozen=True)
class View:
    """One choice of what methods are ordered by, from their accuracies.

    Parameters
    ----------
    name : str
    has : callable
        Whether a set, by name, is in it.
    summary : callable
    trees_on_all_columns : bool
        Take the records of trees on all columns where there are any.
    """

    name: str
    has: Callable[[str], bool] = _all
    summary: Summary = mean_rank
    trees_on_all_columns: bool = False


#: Choices on which nobody would insist: a claim has to survive all of them. Balanced accuracy and
#: macro F1 are none of them, as the methods were tuned for accuracy.
CHOICES = (
    View("all sets, mean rank"),
    View("median rank", summary=median_rank),
    View("geometric mean of errors", summary=error_ratio),
    View("without degenerate sets", _without(DEGENERATE)),
    View("without generated sets", _without(GENERATED)),
    View("trees on all columns", trees_on_all_columns=True),
)
#: Kinds of sets: a claim may hold on some of them only, and then names them.
KINDS = (
    View("two classes", _within(BINARY)),
    View("more classes", _without(BINARY)),
    View("wide sets", _within(WIDE)),
    View("other sets", _without(WIDE)),
)


@dataclass(frozen=True)
class Ordered:
    """Methods in order under one view.

    Parameters
    ----------
    view : View
    scores : Scores
    places : DataFrame
        Place, low and high, by method.
    ahead : DataFrame
        Share of the resamples in which the row's method is before the column's.
    """

    view: View
    scores: Scores
    places: pd.DataFrame
    ahead: pd.DataFrame


def everywhere(records: pd.DataFrame) -> list[str]:
    """Methods tuned for accuracy that have records on every set, in the order of `METHODS`."""
    rows = select(records, table=TABLE, metric="accuracy", reading=HEADLINE)
    counts = rows.groupby("method")["dataset"].nunique()
    n_sets = rows["dataset"].nunique()
    return [k for k, m in METHODS.items() if not m.balanced and counts.get(k, 0) == n_sets]


def scores_of(records: pd.DataFrame, view: View, methods: list[str]) -> Scores:
    """Scores of methods under a view."""
    rows = select(records, table=TABLE, metric="accuracy", reading=HEADLINE)
    if view.trees_on_all_columns:
        rows = _replaced(rows, select(records, table=TABLE, metric="accuracy"))
    rows = rows[rows["dataset"].map(view.has).astype(bool)]
    return Scores.of(rows, methods)


def _replaced(rows: pd.DataFrame, every: pd.DataFrame) -> pd.DataFrame:
    """Put the records on all columns in the place of those on components."""
    whole = every[every["reading"] == ALL_COLUMNS]
    pairs = ["dataset", "method"]
    known = pd.MultiIndex.from_frame(rows[pairs]).isin(pd.MultiIndex.from_frame(whole[pairs]))
    return pd.concat([rows[~known], whole])


def ordered(records: pd.DataFrame, view: View, methods: list[str] | None = None) -> Ordered:
    """Order methods, those that go on all sets by default, under one view."""
    scores = scores_of(records, view, methods or everywhere(records))
    samples = resampled_means(scores)
    return Ordered(
        view,
        scores,
        place_table(scores, view.summary, samples),
        ahead(scores, view.summary, samples),
    )


def least_shares(found: Collection[Ordered]) -> pd.DataFrame:
    """Smallest share, over views, of the resamples in which one method is before another."""
    shares = [view.ahead for view in found]
    least = np.minimum.reduce([share.to_numpy() for share in shares])
    return pd.DataFrame(least, index=shares[0].index, columns=shares[0].columns)


def surviving(found: Collection[Ordered], level: float = LEVEL) -> pd.DataFrame:
    """For every method, which others it is before under all views; the worst and best place.

    Parameters
    ----------
    found : collection of Ordered
    level : float
        Share of the resamples that counts as sure.

    Returns
    -------
    DataFrame
        By method, the best first: best and worst end of its intervals over all views, and keys of
        the methods that it is before, and behind, with that share under every view.
    """
    sure = least_shares(found) >= level
    low = np.minimum.reduce([view.places["low"].to_numpy() for view in found])
    high = np.maximum.reduce([view.places["high"].to_numpy() for view in found])
    middle = np.median([view.places["place"].to_numpy() for view in found], axis=0)
    frame = pd.DataFrame({"median place": middle, "from": low, "to": high}, index=sure.index)
    frame["before"] = [[k for k in sure.columns if sure.loc[key, k]] for key in sure.index]
    frame["behind"] = [[k for k in sure.index if sure.loc[k, key]] for key in sure.columns]
    return frame.sort_values(["median place", "from"], kind="stable")
