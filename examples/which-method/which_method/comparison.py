"""What a comparison of methods decides, and what it does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reprolib.report.style import use_style
from reprolib.rerun.verdicts import errors
from reprolib.rerun.verdicts.errors import Error, rounded_interval
from reprolib.rerun.verdicts.words import of_contrast

#: Metrics, and whether larger is better; fractions are shown in percentage points.
METRICS = {"accuracy": True, "balanced accuracy": True, "log loss": False}
LEVEL = 0.95


@dataclass(frozen=True)
class Comparison:
    """Scores of several methods in the same trials of one table.

    Parameters
    ----------
    scores : DataFrame
        One line a trial, a column for every (metric, method).
    reference : str
        The method that the others are compared with.
    failed : mapping of str to str
        Why a method was left out.
    """

    scores: pd.DataFrame
    reference: str
    failed: Mapping[str, str]

    @classmethod
    def of(cls, rows: pd.DataFrame, reference: str, failed: Mapping[str, str]) -> Comparison:
        """Gather records; a trial that a method lacks is left out of its comparisons."""
        wide = rows.pivot_table(index="trial", columns=["metric", "method"], values="value")
        return cls(wide, reference, failed)

    @property
    def summary(self) -> pd.DataFrame:
        """Means over the trials, the most accurate method first; seconds of a choice and a fit."""
        means = self.scores.mean().unstack("metric")
        names = [*METRICS, "seconds"]
        found = means.reindex(columns=names).sort_values("accuracy", ascending=False)
        return found.rename_axis(columns=None)

    def differences(self, metric: str = "accuracy") -> pd.DataFrame:
        """Compare every method with the reference on identical trials.

        Parameters
        ----------
        metric : {"accuracy", "balanced accuracy", "log loss"}

        Returns
        -------
        DataFrame
            Difference to the reference (percentage points, but log loss in nats), ends of its 95 %
            interval as a statement on other data of this kind, the difference that would have been
            detected, and the word: better, worse or undecided.

        Raises
        ------
        ValueError
            If there is no such metric, or the reference has none.
        """
        values = self._values(metric)
        if self.reference not in values:
            raise ValueError(f"{self.reference} has no {metric}; its metrics: {self._metrics()}.")
        lines = {}
        for method in values.columns.drop(self.reference):
            difference, error = contrast(values[method], values[self.reference])
            lines[method] = _line(difference, error, METRICS[metric])
        return pd.DataFrame.from_dict(lines, orient="index").rename_axis("method")

    def candidates(self, metric: str = "accuracy") -> list[str]:
        """Methods that may be the best one; with 95 % confidence the best is among them.

        Comparisons with the best of Hsu (1984), each one-sided at 0.05 over the number of others:
        the choice of the leader among several is paid for.
        """
        values = self._values(metric)
        sign = 1 if METRICS[metric] else -1
        level = 1 - 2 * (1 - LEVEL) / (values.shape[1] - 1)
        kept = []
        for method in values.columns:
            behind = [
                sign * difference + error.half_width(level) < 0
                for difference, error in (
                    contrast(values[method], values[other]) for other in values.columns.drop(method)
                )
            ]
            if not any(behind):
                kept.append(str(method))
        return sorted(kept, key=lambda name: -sign * values[name].mean())

    @property
    def sentence(self) -> str:
        """What is decided and what is not, in plain words."""
        best, *others = self.candidates()
        mean = self._values("accuracy")[best].mean()
        n = len(self.scores)
        sentences = [f"{best} has the highest mean accuracy of {n} trials, {mean:.1f} %."]
        behind = [name for name in self.summary.index if name not in (best, *others)]
        if behind:
            sentences.append(f"Decided: not the best on data of this kind {_is(behind)}.")
        if others:
            sentences.append(f"Not decided: whether {best} is better than {' or '.join(others)}.")
        else:
            sentences.append(f"Decided with 95 % confidence: {best} is the best of them.")
        sentences += [f"Left out: {name}, it {why}." for name, why in self.failed.items()]
        return " ".join(sentences)

    def figure(self) -> Figure:
        """Draw the differences to the reference, with intervals, one panel a metric."""
        use_style()
        metrics = [m for m in METRICS if self.reference in self._values(m)]
        metrics = [m for m in metrics if self._values(m).shape[1] > 1]
        height = 1.2 + 0.3 * len(self.summary)
        made, axes = plt.subplots(
            1, len(metrics), figsize=(4.2 * len(metrics), height), sharey=True
        )
        order = [name for name in self.summary.index[::-1] if name != self.reference]
        for axis, metric in zip(np.atleast_1d(axes), metrics, strict=True):
            lines = self.differences(metric).reindex(order)
            places = np.arange(len(order))
            axis.axvline(0, color="#555555", lw=1)
            axis.hlines(places, lines["low"], lines["high"], color="#0b5a8a", lw=2)
            axis.plot(lines["difference"], places, "o", color="#0b5a8a")
            axis.set_yticks(places, order)
            unit = "nats" if metric == "log loss" else "points"
            axis.set_xlabel(f"{metric} minus {self.reference}, {unit}")
        return made

    def lines(self) -> list[str]:
        """Tables and the sentence as text."""
        summary = self.summary.copy()
        summary[["accuracy", "balanced accuracy"]] *= 100
        shown = [summary.round(2).to_string(na_rep="-")]
        for metric in METRICS:
            values = self._values(metric)
            if self.reference in values and values.shape[1] > 1:
                head = f"\n{metric} minus that of {self.reference}, 95 % intervals"
                shown += [head, self.differences(metric).to_string()]
        return [*shown, "", self.sentence]

    def _metrics(self) -> str:
        return ", ".join(m for m in METRICS if self.reference in self._values(m))

    def _values(self, metric: str) -> pd.DataFrame:
        """Values by trial, percent where they are fractions."""
        if metric not in METRICS:
            raise ValueError(f"metric is {metric!r}; it must be one of {', '.join(METRICS)}.")
        if metric not in self.scores:
            return pd.DataFrame(index=self.scores.index)
        values = pd.DataFrame(self.scores[metric])
        return values * (1 if metric == "log loss" else 100)


def contrast(a: pd.Series, b: pd.Series) -> tuple[float, Error]:
    """Mean of a - b over common trials, and its error as a statement on other data."""
    values = (a - b).dropna().to_numpy()
    return float(values.mean()), errors.paired(values)


def _line(difference: float, error: Error, larger_is_better: bool) -> dict[str, object]:
    word = of_contrast(difference, error, larger_is_better=larger_is_better)
    return {**rounded_interval(difference, error, 3), "is": word}


def _is(names: list[str]) -> str:
    return f"is {names[0]}" if len(names) == 1 else f"are {', '.join(names)}"
