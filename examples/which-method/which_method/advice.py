"""Advice as a function of the data: what differences grow with, and what the function is worth.

One row a set. The difference of a method from the SVM is regressed on four facts that are known
before anything is fitted: training rows, columns, classes (logarithms to the base two, so that a
slope is points a doubling) and the share of the largest class (a slope is points for ten percent).
Intervals are robust against unequal variances (HC3; MacKinnon and White 1985). The level of a slope
is for all slopes together: how often the facts, dealt out anew among the sets, give as large a t.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from which_method.summaries import REFERENCE, everywhere, main_rows, mean_table

#: Rows, columns, classes, share of the largest class and distinct rows of every set.
SETS_FILE = Path(__file__).with_name("sets.csv")
FACTS = ("training rows", "columns", "classes", "largest class")
#: Variance within a set's trials over that between sets (2.3 and 2 points: `MORE_TRIALS`).
WITHIN = 1.3


def facts(records: pd.DataFrame) -> pd.DataFrame:
    """The four facts of every set that has records, in the units of the slopes."""
    about = pd.read_csv(SETS_FILE, index_col="dataset")
    fits = main_rows(records, "fit").groupby("dataset")["value"].first()
    about = about.loc[[name for name in fits.index if name in about.index]]
    columns = {
        "training rows": np.log2(fits.reindex(about.index)),
        "columns": np.log2(about["columns"]),
        "classes": np.log2(about["classes"]),
        "largest class": 10 * about["largest"],
    }
    return pd.DataFrame(columns)[list(FACTS)]


def weights(records: pd.DataFrame) -> pd.Series:
    """Weight of a set: one over its variance between sets and within its trials."""
    rows = main_rows(records, "accuracy")
    trials = rows[rows["method"] == REFERENCE].groupby("dataset").size()
    return 1 / (1 + WITHIN / trials)


def gains(records: pd.DataFrame) -> pd.DataFrame:
    """What is regressed, in points, sets by differences.

    Accuracy of every method that runs on all sets minus that of the SVM; and the balanced accuracy
    that an SVM gains by classes that weigh the same and tuning by balanced accuracy.
    """
    accuracy, balanced = mean_table(records), mean_table(records, "balanced accuracy")
    keys = [key for key in everywhere(records) if key != REFERENCE]
    found = accuracy[keys].sub(accuracy[REFERENCE], axis=0)
    return found.assign(balance=balanced["svc balanced"] - balanced[REFERENCE])


def slopes(
    points: pd.DataFrame, known: pd.DataFrame, w: pd.Series, n_deals: int = 2000, seed: int = 0
) -> pd.DataFrame:
    """What differences grow with.

    Parameters
    ----------
    points : DataFrame
        Sets by differences.
    known : DataFrame
        `facts`.
    w : Series
        `weights`.
    n_deals, seed : int
        Permutations behind the levels.

    Returns
    -------
    DataFrame
        By difference and fact: slope in points, ends of its 95 % interval, level for all together.
    """
    X, Y = known.to_numpy(), points.loc[known.index].to_numpy()
    root = w.reindex(known.index).to_numpy()
    slope, error = fitted(X, Y, root)
    rng, largest = np.random.default_rng(seed), np.empty(n_deals)
    for k in range(n_deals):
        dealt, spread = fitted(X[rng.permutation(len(X))], Y, root)
        largest[k] = np.abs(dealt / spread).max()
    t = np.abs(slope / error)
    level = (1 + (largest[:, None, None] >= t).sum(axis=0)) / (1 + n_deals)
    half = stats.t.ppf(0.975, len(X) - X.shape[1] - 1) * error
    table = {"slope": slope, "low": slope - half, "high": slope + half, "level": level}
    index = pd.MultiIndex.from_product([known.columns, points.columns])
    frame = pd.DataFrame({name: values.ravel() for name, values in table.items()}, index)
    return frame.swaplevel().rename_axis(["difference", "grows with"])


def fitted(X: np.ndarray, Y: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slopes of weighted least squares with a constant, and their HC3 errors, facts by methods."""
    A = np.column_stack([np.ones(len(X)), X]) * np.sqrt(w)[:, None]
    B = Y * np.sqrt(w)[:, None]
    inverse = np.linalg.inv(A.T @ A)
    coefficients = inverse @ A.T @ B
    leverage = np.einsum("ij,jk,ik->i", A, inverse, A)
    residuals = (B - A @ coefficients) / (1 - leverage)[:, None]
    spread = (inverse @ A.T) ** 2 @ residuals**2
    return coefficients[1:], np.sqrt(spread[1:])


def advised(
    accuracy: pd.DataFrame, known: pd.DataFrame, w: pd.Series
) -> tuple[pd.Series, pd.Series]:
    """On every set the method that the other sets' regressions say is best there.

    Parameters
    ----------
    accuracy : DataFrame
        Sets by methods, in percent.
    known : DataFrame
        `facts`.
    w : Series
        `weights`.

    Returns
    -------
    accuracy, chosen : Series
        By set.
    """
    chosen = {}
    for name in accuracy.index:
        others = accuracy.index.drop(name)
        predicted = predict(accuracy.loc[others], known, w, known.loc[[name]])
        chosen[name] = accuracy.columns[int(np.argmax(predicted[0]))]
    taken = pd.Series(chosen)
    return pd.Series({name: accuracy.loc[name, key] for name, key in chosen.items()}), taken


def predict(
    accuracy: pd.DataFrame, known: pd.DataFrame, w: pd.Series, wanted: pd.DataFrame
) -> np.ndarray:
    """Accuracy minus the mean of the methods, by regression on the facts, of wanted facts."""
    Y = accuracy.sub(accuracy.mean(axis=1), axis=0).to_numpy()
    root = np.sqrt(w.reindex(accuracy.index).to_numpy())[:, None]
    A = np.column_stack([np.ones(len(Y)), known.loc[accuracy.index].to_numpy()])
    coefficients, *_ = np.linalg.lstsq(A * root, Y * root, rcond=None)
    return np.column_stack([np.ones(len(wanted)), wanted.to_numpy()]) @ coefficients
