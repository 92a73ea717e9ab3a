"""Tables of the study, made from records."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from reprolib.rerun.records import HEADLINE, chosen, select
from reprolib.rerun.verdicts.errors import intervals_by_dataset
from which_method.experiment import ALL_COLUMNS, BEYOND, CURVES, MORE, TABLE
from which_method.methods import METHODS
from which_method.ordering import (
    Difference,
    Scores,
    Summary,
    difference_of_rows,
    error_ratio,
    mean_rank,
    median_rank,
    place_table,
    resampled_means,
)

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


#: Choices on which nobody would insist: what is said of an order should hold under all of them.
#: Balanced accuracy and macro F1 are none of them, as the methods were tuned for accuracy.
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
    """

    view: View
    scores: Scores
    places: pd.DataFrame


def everywhere(records: pd.DataFrame) -> list[str]:
    """Methods tuned for accuracy that have records on every set, in the order of `METHODS`.

    Without those beyond the budget, which have fewer trials.
    """
    rows = main_rows(records, "accuracy")
    counts = rows.groupby("method")["dataset"].nunique()
    n_sets = rows["dataset"].nunique()
    listed = (key for key in METHODS if not METHODS[key].balanced and key not in BEYOND)
    return [key for key in listed if counts.get(key, 0) == n_sets]


def scores_of(records: pd.DataFrame, view: View, methods: list[str]) -> Scores:
    """Scores of methods under a view."""
    rows = select(records, table=TABLE, metric="accuracy", reading=HEADLINE)
    if view.trees_on_all_columns:
        rows = _replaced(rows, select(records, table=TABLE, metric="accuracy"))
    rows = rows[rows["dataset"].map(view.has).astype(bool)]
    return Scores.of(rows, methods)


def with_trees_on_all_columns(records: pd.DataFrame) -> pd.DataFrame:
    """Accuracies on all sets, those of trees on all columns where the protocol takes components."""
    every = select(records, table=[TABLE, MORE], metric="accuracy")
    return _replaced(main_rows(records, "accuracy"), every)


def _replaced(rows: pd.DataFrame, every: pd.DataFrame) -> pd.DataFrame:
    """Put the records on all columns in the place of those on components."""
    whole = every[every["reading"] == ALL_COLUMNS]
    pairs = ["dataset", "method"]
    known = pd.MultiIndex.from_frame(rows[pairs]).isin(pd.MultiIndex.from_frame(whole[pairs]))
    return pd.concat([rows[~known], whole])


def ordered(records: pd.DataFrame, view: View, methods: list[str] | None = None) -> Ordered:
    """Order methods, those that go on all sets by default, under one view."""
    scores = scores_of(records, view, methods or everywhere(records))
    return Ordered(view, scores, place_table(scores, view.summary, resampled_means(scores)))


#: What methods are compared with.
REFERENCE = "svc"


def labels(keys) -> list[str]:
    """Names of methods as printed."""
    return [METHODS[str(key)].label for key in keys]


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with methods printed by their labels."""
    printed = {key: method.label for key, method in METHODS.items()}
    return frame.rename(index=printed, columns=printed)


def main_rows(records: pd.DataFrame, metric: str, reading: str = HEADLINE) -> pd.DataFrame:
    """Records of one metric on all sets: twenty trials of some, three of the others."""
    return select(records, table=[TABLE, MORE], metric=metric, reading=reading)


def _in_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Methods as columns, in the order of `METHODS`."""
    return frame.reindex(columns=[key for key in METHODS if key in frame.columns])


def mean_table(
    records: pd.DataFrame, metric: str = "accuracy", reading: str = HEADLINE
) -> pd.DataFrame:
    """Mean over the trials, sets by methods, in percent but for the log loss.

    NaN where a method is left out, or failed in a trial. Without the methods beyond the budget,
    which have fewer trials.
    """
    rows = main_rows(records, metric, reading)
    rows = rows[~rows["method"].isin(list(BEYOND))]
    means = rows.pivot_table(index="dataset", columns="method", values="value")
    broken = records[(records["status"] != "ok") & (records["reading"] == reading)]
    for name, key in set(zip(broken["dataset"], broken["method"], strict=True)):
        if key in means.columns:
            means.loc[name, key] = np.nan
    scale = 1 if metric == "log loss" else 100
    # Rounded far below one test row, so that equal hits are a tie whatever the order of adding.
    return _in_order((scale * means).round(9))


def tuned_for_accuracy(table: pd.DataFrame) -> pd.DataFrame:
    """Columns of the methods that were tuned for accuracy."""
    return table[[key for key in table.columns if not METHODS[key].balanced]]


def seconds_table(records: pd.DataFrame, part: str) -> pd.DataFrame:
    """Seconds of a part of a task over those of the fastest method on the set, sets by methods.

    Of each method the median over the trials, so that a task that compiled or loaded something
    does not count. Seconds are those of one run on one machine: only ratios are of use.

    Parameters
    ----------
    records : DataFrame
    part : {"accuracy", "fit", "prediction"}
        Whole task (tuning, last fit and prediction), last fit, or prediction of the test rows.
    """
    rows = main_rows(records, part)
    seconds = rows.pivot_table(
        index="dataset", columns="method", values="seconds", aggfunc="median"
    )
    seconds = seconds.clip(lower=1e-4)
    return _in_order(seconds.div(seconds.min(axis=1), axis=0))


def edges_table(records: pd.DataFrame) -> pd.DataFrame:
    """Share of the trials, in percent, whose chosen value lies at an end of its range.

    Of every hyperparameter with an order, beside the share that blind choice would give; a much
    larger one says that the range is too narrow.
    """
    by_method = dict(iter(main_rows(records, "accuracy").groupby("method")))
    lines = {}
    for key, method in METHODS.items():
        for name in method.grid[0] if key in by_method else ():
            values = sorted({config[name] for config in method.grid}, key=str)
            if any(isinstance(value, str) for value in values):
                continue
            taken = chosen(by_method[key], name).to_numpy()
            lines[key, name] = {
                "lowest": min(values),
                "at lowest": 100 * np.mean(taken == min(values)),
                "highest": max(values),
                "at highest": 100 * np.mean(taken == max(values)),
                "by chance": 100 / len(values),
            }
    frame = pd.DataFrame.from_dict(lines, orient="index")
    return frame.rename_axis(["method", "hyperparameter"])


def paired_table(
    records: pd.DataFrame, method: str, reference: str = REFERENCE, metric: str = "accuracy"
) -> pd.DataFrame:
    """Method minus reference on every set: percentage points, with the corrected interval."""
    rows = main_rows(records, metric)
    table = intervals_by_dataset(rows, method, reference)
    return table.drop(columns=[method, reference])


def differences(records: pd.DataFrame, reference: str = REFERENCE) -> dict[str, Difference]:
    """Every other method that is tuned for accuracy against the reference, where both go."""
    present, rows = mean_table(records).columns, main_rows(records, "accuracy")
    return {
        key: difference_of_rows(rows, key, reference)
        for key in (present.drop(reference) if reference in present else ())
        if not METHODS[key].balanced
    }


def curve_rows(records: pd.DataFrame, metric: str = "accuracy") -> pd.DataFrame:
    """Records of the learning curves, with the number of training rows in a column ``n``."""
    keys = ["dataset", "method", "trial", "setting"]
    rows = select(records, table=CURVES, metric=metric)
    fits = select(records, table=CURVES, metric="fit").set_index(keys)["value"]
    n = fits.reindex(pd.MultiIndex.from_frame(rows[keys])).to_numpy()
    return rows.assign(n=n).astype({"n": int})
