"""Units of a printed table and of results: as they are said, and as the magnitudes show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from reprolib.rerun.printed.names import nearest
from reprolib.rerun.printed.schema import Stated
from reprolib.rerun.verdicts.printed import Number

#: Units of a share between 0 and 1, and what the number 1 is in each.
SHARES = {"percent": 100.0, "fraction": 1.0}
#: Said of every number whose unit nobody named.
NO_UNIT = (
    "No unit is said, so that no difference is known to be small. Write [units] printed = "
    '"percent" (or "fraction"), or another unit with its own margin: printed = "seconds", '
    "margin = 0.1"
)
#: Percent and fractions in one column leave at least this factor empty between them.
_BETWEEN = 10
#: Columns of records by which those of one kind are told apart.
_KIND = ["table", "dataset", "method", "metric", "setting", "reading"]


@dataclass(frozen=True)
class Units:
    """Units of a file: what is printed, what the results have, and which difference is none.

    Parameters
    ----------
    printed, results : str
        "percent", "fraction", another name, or empty if nobody said it.
    margin : float, optional
        In the printed unit.
    are_results_said : bool
        Whether the file says the unit of the results, and not of print alone.
    """

    printed: str
    results: str
    margin: float | None
    are_results_said: bool

    @classmethod
    def of(cls, stated: Stated) -> Units:
        """Units as a file states them; where one side is unsaid, it has that of the other.

        Results in fractions alone say that print is in percent: so do most papers.

        Raises
        ------
        ValueError
            If a unit is no share and has no margin, or the sides have units that do not compare.
        """
        printed, results = stated.printed, stated.results
        printed = printed or ("percent" if results in SHARES else results)
        results, margin = results or printed, stated.margin
        units = cls(printed, results, margin, bool(stated.results))
        if printed in SHARES and results in SHARES:
            return units
        if printed != results:
            raise ValueError(
                f"units: print is in {printed!r} and the results in {results!r}; give both in "
                "one unit"
            )
        if printed and margin is None:
            raise ValueError(
                f"units: {printed!r}{nearest(printed, SHARES)} has no default margin; set margin "
                'to the difference that counts as equal, or write "percent" or "fraction"'
            )
        return units

    @property
    def is_share(self) -> bool:
        """Whether values are shares of test points, as accuracies and errors are."""
        return self.printed in SHARES

    @property
    def one(self) -> float:
        """What the value 1 of a record is in the results."""
        return SHARES.get(self.results, 1.0)


def require_shares(
    file: str, where: str, numbers: Sequence[Number], records: pd.DataFrame, units: Units
) -> None:
    """Raise ValueError if performances are no shares, or print and results not in the units said.

    Results within 0 and 1 beside print in percent may be either, and 0.6 beside 0.95 is a small
    difference of percent: what they are must be said.

    Parameters
    ----------
    file, where : str
        Names of the printed file and of the results, for messages.
    numbers : sequence of Number
        The printed ones.
    records : DataFrame
        The results as records.
    units : Units
        Of both.
    """
    remedy = "say its own unit and margin, in [units] or in its row or column"
    performances = [n for n in numbers if n.quantity == "performance"]
    for number in performances:
        if not 0 <= number.value <= number.scale:
            raise ValueError(
                f"{file}: {number.id} is {number.value:g}, which is no {units.printed}; {remedy}"
            )
    selections = {n.select["metric"] for n in numbers if n.quantity != "performance"}
    measured = {n.select["metric"] for n in performances} - selections
    of_share = records[records["metric"].isin(measured)]
    bad = of_share.index[~of_share["value"].between(0, 1)]
    if len(bad):
        value = records["value"][bad[0]] * units.one
        raise ValueError(
            f"{where}, row {bad[0]}: the value is {value:g}, which is no {units.results}; "
            f"say what the results are in [units], or {remedy[4:]}"
        )
    if units.printed != "percent" or units.are_results_said:
        return
    say = 'say which in [units] of the TOML file: results = "percent" or results = "fraction"'
    kinds = of_share.assign(value=of_share["value"] * units.one).groupby(_KIND, sort=False)["value"]
    for (_, dataset, method, *_), values in kinds:
        small, large = values[(values > 0) & (values <= 1)], values[values > 1]
        if len(small) and (large.min() > _BETWEEN * small.max() or large.empty):
            many = "all" if large.empty else f"{len(small)} of"
            shown = [
                f" ({n.id}: {n.value:g})"
                for n in performances
                if (n.select["dataset"], n.select["method"]) == (dataset, method)
            ]
            raise ValueError(
                f"{where}: {many} {len(values)} values of method {method!r} on {dataset!r} lie "
                f"within 0 and 1 (mean {values[values <= 1].mean():.3g}), and print is in percent"
                f"{shown[0] if shown else ''}. They may be percent or fractions; write all in one "
                f"unit, and {say}"
            )
    for metric in measured:
        printed = [n.value for n in performances if n.select["metric"] == metric]
        least = kinds.mean().xs(metric, level="metric").min()
        if 0 < max(printed) <= 1 < least:
            raise ValueError(
                f"{where}: every mean of the results is above 1 (from {least:.3g}), and every "
                f"printed {metric!r} within 0 and 1, though print is said to be in percent. "
                'Say printed = "fraction" and results = "percent" in [units] of the TOML file, '
                'or results = "percent" if print is in percent, too'
            )


def selected(records: pd.DataFrame, numbers: Sequence[Number]) -> pd.Series:
    """Which records one of the numbers is compared with, under any reading."""
    found = pd.Series(False, index=records.index)
    for number in numbers:
        select = {"table": number.results, **number.select}
        found |= (records[list(select)] == pd.Series(select)).all(axis=1)
    return found


def understood(
    numbers: Sequence[Number],
    records: pd.DataFrame,
    units: Units,
    of_unit: Mapping[str, str | None],
    also: Sequence[str],
) -> list[str]:
    """One line a method and metric that says what was read: rows, means and units.

    Parameters
    ----------
    numbers : sequence of Number
        The printed ones.
    records : DataFrame
        The results as records.
    units : Units
        Of both.
    of_unit : dict of str to str
        By the name of a number, its unit if it is not that of ``units``.
    also : sequence of str
        Methods that claims name, beside those of the numbers.
    """
    keys = list(dict.fromkeys((n.select["method"], n.select["metric"]) for n in numbers))
    has_several = len({metric for _, metric in keys}) > 1
    found = []
    for key in keys:
        own = [n for n in numbers if (n.select["method"], n.select["metric"]) == key]
        rows = selected(records, own)
        unit = of_unit[own[0].id]
        name = ", ".join(key if has_several else key[:1])
        printed = [n.value for n in own]
        mean = f"{'' if len(own) == 1 else 'mean '}{sum(printed) / len(own):.4g}"
        if not rows.any():
            found.append(f"no row for {name}; print {mean}, {_unit(unit or units.printed)}")
            continue
        ours = records["value"][rows].mean() * (1.0 if unit else units.one)
        found.append(
            f"{rows.sum()} row{'s' if rows.sum() != 1 else ''} for {name}, mean {ours:.4g}, "
            f"{_unit(unit or units.results)}; print {mean}, {_unit(unit or units.printed)}"
        )
    left = records[~selected(records, numbers) & ~records["method"].isin(list(also))]
    if len(left):
        kinds = left[["dataset", "method"]].drop_duplicates().agg(" of ".join, axis=1)
        shown = ", ".join(kinds[:5]) + (", …" if len(kinds) > 5 else "")
        found.append(f"{len(left)} rows belong to no printed number: {shown}")
    return found


def _unit(name: str) -> str:
    return f"unit {name}" if name else "no unit said"
