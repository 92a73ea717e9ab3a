"""Tables of the study across the papers, made from records."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd

from reprolib.papers.across.experiment import ALL_COLUMNS, CURVES, METHODS, TABLE, Method
from reprolib.papers.across.uncertainty import Difference, Scores, difference
from reprolib.papers.across.views import CHOICES, KINDS, View, scores_of, short_name
from reprolib.rerun.records import HEADLINE, chosen, select
from reprolib.rerun.verdicts.statistics import corrected_interval, intervals_by_dataset
from reprolib.rerun.verdicts.words import COMPARISONS

#: What methods are compared with.
REFERENCE = "svc"
TWO_CLASSES, MORE_CLASSES = KINDS[:2]


def labels(keys) -> list[str]:
    """Names of methods as printed."""
    return [METHODS[str(key)].label for key in keys]


def named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with methods printed by their labels."""
    printed = {key: method.label for key, method in METHODS.items()}
    return frame.rename(index=printed, columns=printed)


def main_rows(records: pd.DataFrame, metric: str, reading: str = HEADLINE) -> pd.DataFrame:
    """Records of one metric in the main table."""
    return select(records, table=TABLE, metric=metric, reading=reading)


def _in_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Methods as columns, in the order of `METHODS`."""
    return frame.reindex(columns=[key for key in METHODS if key in frame.columns])


def mean_table(
    records: pd.DataFrame, metric: str = "accuracy", reading: str = HEADLINE
) -> pd.DataFrame:
    """Mean over the trials, sets by methods, in percent but for the log loss.

    NaN where a method is left out, or failed in a trial.
    """
    rows = main_rows(records, metric, reading)
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


def sets_table(records: pd.DataFrame) -> pd.DataFrame:
    """Source, training and test rows of every set, and share of its largest class."""
    rows = main_rows(records, "accuracy")
    fits = main_rows(records, "fit")
    return pd.DataFrame(
        {
            "source": rows.groupby("dataset")["source"].first(),
            "training rows": fits.groupby("dataset")["value"].first().astype(int),
            "test rows": rows.groupby("dataset")["n_test"].first(),
        }
    )


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


def budget_table(records: pd.DataFrame) -> pd.DataFrame:
    """What every method was given and took: sets, trials, configurations, fits, failures."""
    tasks = main_rows(records, "fits").groupby("method")
    fits, failed, out = (
        main_rows(records, metric).groupby("method")["value"]
        for metric in ("fits", "fits not converged", "configurations not converged")
    )
    broken = records[(records["status"] != "ok") & (records["reading"] == HEADLINE)]
    frame = pd.DataFrame(
        {
            "sets": tasks["dataset"].nunique(),
            "trials": tasks["trial"].nunique(),
            "configurations": {key: len(method.grid) for key, method in METHODS.items()},
            "fits per trial": fits.median(),
            "fits": fits.sum(),
            "not converged": failed.sum(),
            "configurations out": out.sum(),
            "failed trials": broken.groupby("method").size(),
        }
    )
    frame = frame.loc[[key for key in METHODS if key in tasks.groups]]
    return frame.fillna({"failed trials": 0}).round().astype(int)


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
    table = intervals_by_dataset(
        rows, method, reference, lambda name, a, b: corrected_interval(a, b)
    )
    return table.drop(columns=[method, reference])


def best_per_set(records: pd.DataFrame) -> pd.DataFrame:
    """On how many sets a method is best or within one point, and its largest loss.

    Among the methods that were tuned for accuracy.
    """
    accuracy = tuned_for_accuracy(mean_table(records))
    below = accuracy.rsub(accuracy.max(axis=1), axis=0)
    return pd.DataFrame(
        {
            "sets": accuracy.notna().sum(),
            "best": (below <= 1e-9).sum(),
            "within a point": (below <= 1.0).sum(),
            "largest loss": below.max(),
            "lost on": [short_name(str(name)) for name in below.idxmax()],
        }
    )


def differences(records: pd.DataFrame, reference: str = REFERENCE) -> dict[str, Difference]:
    """Every other method that is tuned for accuracy against the reference, where both go."""
    found = {}
    present = mean_table(records).columns
    for key in present.drop(reference) if reference in present else ():
        if not METHODS[key].balanced:
            scores = scores_of(records, _view_of(METHODS[key]), [key, reference])
            found[key] = difference(scores, key, reference)
    return found


def _view_of(method: Method) -> View:
    """The sets that a method goes on."""
    if method.binary_only:
        return TWO_CLASSES
    return MORE_CLASSES if method.multiclass_only else CHOICES[0]


def difference_table(records: pd.DataFrame, reference: str = REFERENCE) -> pd.DataFrame:
    """Mean difference over the sets with its interval and word, and how many sets have each."""
    lines = {
        key: {
            "difference": f"{found.mean:+.1f} ({found.low:+.1f} to {found.high:+.1f})",
            "over the sets": found.word,
            **{f"sets {word}": int((found.words == word).sum()) for word in COMPARISONS},
        }
        for key, found in differences(records, reference).items()
    }
    return pd.DataFrame.from_dict(lines, orient="index")


def columns_table(records: pd.DataFrame) -> pd.DataFrame:
    """Trees on principal components and on all columns of the wide sets, the same trials."""
    whole = main_rows(records, "accuracy", ALL_COLUMNS)
    key = ["dataset", "method", "trial"]
    both = whole.merge(main_rows(records, "accuracy"), on=key, suffixes=(" whole", " reduced"))
    means = 100 * both.pivot_table(
        index="dataset", columns="method", values=["value whole", "value reduced"]
    )
    names = {"value reduced": "components", "value whole": ALL_COLUMNS}
    means = means.rename(columns=names, level=0).swaplevel(axis=1)
    means = means.sort_index(axis=1, ascending=[True, False])
    return means.set_axis(means.columns.set_names(["", ""]), axis="columns")


def curve_rows(records: pd.DataFrame, metric: str = "accuracy") -> pd.DataFrame:
    """Records of the learning curves, with the number of training rows in a column ``n``."""
    keys = ["dataset", "method", "trial", "setting"]
    rows = select(records, table=CURVES, metric=metric)
    fits = select(records, table=CURVES, metric="fit").set_index(keys)["value"]
    n = fits.reindex(pd.MultiIndex.from_frame(rows[keys])).to_numpy()
    return rows.assign(n=n).astype({"n": int})


def curve_differences(
    records: pd.DataFrame, method: str, reference: str = REFERENCE
) -> pd.DataFrame:
    """Method minus reference in points by number of training rows, with intervals.

    Mean over the sets that have more rows than that, and how many they are; the last line is over
    all sets, each with all its rows.
    """
    rows = select(records, table=CURVES, metric="accuracy")
    lines: dict[Hashable, dict[str, float]] = {}
    for size, group in rows.astype({"level": int}).groupby("level"):
        scores = Scores.of(group, [method, reference])
        found = difference(scores, method, reference)
        line = {
            "difference": found.mean,
            "low": found.low,
            "high": found.high,
            "sets": len(scores.sets),
        }
        lines[size] = line
    return pd.DataFrame.from_dict(lines, orient="index").sort_index()
