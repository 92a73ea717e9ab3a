"""Which methods to run on a table, how often that was right, and what it costs.

Policies are judged by the records: what each would have scored in every trial. A policy that is
itself chosen by the records is chosen without the set on which it is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from reprolib.methods.shared.ties import first_largest
from reprolib.rerun.printed.schema import MARGIN
from reprolib.rerun.verdicts.errors import paired
from which_method.ordering import of_comparison
from which_method.summaries import everywhere, main_rows

#: A loss of at most this many points against the best method of a set counts as a hit.
HIT = 1.0


def by_inner_accuracy(records: pd.DataFrame, keys: Sequence[str]) -> pd.Series:
    """Accuracy by set if in every trial the one with the best inner accuracy of several is taken.

    Of equals the first. In percent, mean over the trials.
    """
    inner, test = (
        main_rows(records, measured)
        .pivot_table(index=["dataset", "trial"], columns="method", values="value")
        .reindex(columns=list(keys))
        for measured in ("cross-validated accuracy", "accuracy")
    )
    inner = inner.reindex(test.index).dropna()
    taken = first_largest(inner.to_numpy())
    values = test.loc[inner.index].to_numpy()[np.arange(len(inner)), taken]
    return 100 * pd.Series(values, inner.index).groupby("dataset").mean()


def tuned(records: pd.DataFrame) -> list[str]:
    """Methods that run on every set and have an inner accuracy."""
    measured = main_rows(records, "cross-validated accuracy").groupby("method")["dataset"].nunique()
    return [key for key in everywhere(records) if key in measured]


def pairs(records: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of every pair of tuned methods by `by_inner_accuracy`, sets by pairs."""
    listed = combinations(tuned(records), 2)
    return pd.DataFrame({pair: by_inner_accuracy(records, pair) for pair in listed})


def left_out(
    accuracy: pd.DataFrame, kind: Callable[[str], Hashable] = lambda name: None
) -> tuple[pd.Series, pd.Series]:
    """On every set the policy with the best mean on the other sets of its kind.

    Parameters
    ----------
    accuracy : DataFrame
        Sets by policies.
    kind : callable
        Kind of a set by its name; all sets are of one kind by default.

    Returns
    -------
    accuracy, chosen : Series
        By set.
    """
    chosen = {}
    for name in accuracy.index:
        others = [o for o in accuracy.index if o != name and kind(str(o)) == kind(str(name))]
        chosen[name] = accuracy.columns[int(accuracy.loc[others].mean().to_numpy().argmax())]
    values = {name: accuracy[policy].loc[name] for name, policy in chosen.items()}
    return pd.Series(values), pd.Series(chosen)


def interval_text(mean: float, half: float) -> str:
    """Mean with the ends of its interval, all with a sign."""
    return f"{mean:+.1f} ({mean - half:+.1f} to {mean + half:+.1f})"


def told(points: pd.Series) -> dict[str, object]:
    """Evidence for a sentence: the gain over all the sets, and how often it was wrong.

    Parameters
    ----------
    points : Series
        Gain by set.

    Returns
    -------
    dict
        Mean with its 95 % interval, its word, sets, and on how many of them more than `HIT` points
        are lost.
    """
    mean, error = float(points.mean()), paired(points.to_numpy(), correlation=0.0)
    return {
        "points": interval_text(mean, error.half_width()),
        "word": of_comparison(mean, error, MARGIN),
        "sets": len(points),
        "wrong on": int((points < -HIT - 1e-9).sum()),
        "worst": round(float(points.min()), 1),
    }


def judged(best: pd.Series, policies: dict[str, pd.Series], reference: str) -> pd.DataFrame:
    """How often each policy was right: against the best single method of a set, and a reference.

    Parameters
    ----------
    best : Series
        Accuracy of the best single method, by set.
    policies : dict
        Accuracy by set.
    reference : str
        A policy.

    Returns
    -------
    DataFrame
        Sets within `HIT` points of the best method, mean and largest loss against it, the
        difference from the reference with its 95 % interval over the sets, and the largest loss
        against the reference.
    """
    lines = {}
    for name, accuracy in policies.items():
        loss, gain = best - accuracy, accuracy - policies[reference]
        half = paired(gain.to_numpy(), correlation=0.0).half_width()
        lines[name] = {
            "right on": f"{int((loss <= HIT + 1e-9).sum())} of {len(loss)}",
            "mean loss": round(float(loss.mean()), 1),
            "largest loss": round(float(loss.max()), 1),
            f"minus {reference}": interval_text(gain.mean(), half) if name != reference else "",
            f"worst, minus {reference}": round(float(gain.min()), 1),
        }
    return pd.DataFrame.from_dict(lines, orient="index")
