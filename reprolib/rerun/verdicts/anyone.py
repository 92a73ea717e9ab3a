"""Verdicts on anyone's table: printed numbers in a TOML file, results in a tidy table of trials.

The same words, error models and claims as for the papers of this package, without a protocol, a
data set or a records folder.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reprolib.rerun.records.registry import nearest, parsed_toml
from reprolib.rerun.records.rows import NOT_MEASURED
from reprolib.rerun.verdicts.claim import claims_of
from reprolib.rerun.verdicts.claims import (
    CLAIM_WORDS,
    ClaimVerdict,
    NoRecordError,
    is_of_one_test_set,
    judge_claim,
)
from reprolib.rerun.verdicts.judge import Verdict, credit_readings, judge
from reprolib.rerun.verdicts.printed import Number, checked_entry, controls_of, entry_numbers
from reprolib.rerun.verdicts.printed_file import COLUMNS, SELECTORS, anyones_faults
from reprolib.rerun.verdicts.table_file import decoded, read_table

#: Units of a share between 0 and 1, and what the number 1 is in each.
SHARES = {"percent": 100.0, "fraction": 1.0}
#: What a file of another's printed numbers may leave out.
PAPER = {"key": "table", "title": "a printed table", "authors": "-", "venue": "-", "notebook": "-"}
#: Said of every number whose unit nobody named.
NO_UNIT = (
    "No unit is said, so that no difference is known to be small. Write [units] printed = "
    '"percent" (or "fraction"), or another unit with its own margin: printed = "seconds", '
    "margin = 0.1"
)
#: Columns that are texts in every table of results.
_TEXTS = ("table", "dataset", "method", "metric", "setting", "reading")


@dataclass(frozen=True)
class Judged:
    """Verdicts on a printed table, and on the claims made about it.

    Parameters
    ----------
    title : str
        What the file says that the table is from.
    verdicts : list of Verdict
        One a printed number, in printed order.
    claims : list of ClaimVerdict
        One a claim of the file.
    expected : dict of str to str
        Word that a number ("table/row/column") or a claim (its name) is expected to have, at least.
    notes : list of str
        What keeps words from being said, such as a unit that nobody named.
    """

    title: str
    verdicts: list[Verdict]
    claims: list[ClaimVerdict]
    expected: Mapping[str, str]
    notes: list[str] = field(default_factory=list)

    def words(self) -> dict[str, str]:
        """Word on every number and claim, by name."""
        found = {v.number.id: str(v.word) for v in self.verdicts}
        return found | {c.claim.name: str(c.word) for c in self.claims}


@dataclass(frozen=True)
class _Units:
    """Units of a file: what is printed, what the results have, and which difference is none."""

    printed: str
    results: str
    margin: float | None

    @classmethod
    def of(cls, stated: Mapping[str, Any]) -> _Units:
        """Units as a file states them; where one side is unsaid, it has that of the other.

        Results in fractions alone say that print is in percent: so do most papers.

        Raises
        ------
        ValueError
            If a unit is no share and has no margin, or the sides have units that do not compare.
        """
        printed, results = stated.get("printed", ""), stated.get("results", "")
        printed = printed or ("percent" if results in SHARES else results)
        results, margin = results or printed, stated.get("margin")
        if printed in SHARES and results in SHARES:
            return cls(printed, results, margin)
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
        return cls(printed, results, margin)

    @property
    def is_share(self) -> bool:
        """Whether values are shares of test points, as accuracies and errors are."""
        return self.printed in SHARES


def judge_table(printed: str | Path, results: str | Path | pd.DataFrame) -> Judged:
    """Compare a printed table with results of one's own.

    Parameters
    ----------
    printed : str or Path
        TOML file of the form of ``printed.toml`` (docs/judge.md). ``[columns]`` names the columns
        of the results; ``[units]`` the units; ``[expect]`` the words that numbers and claims are
        expected to have.
    results : str, Path or DataFrame
        File or table with one row a trial: a value, and the columns that identify it. A file is
        CSV with any of the usual separators, JSON, JSON lines or Parquet.

    Returns
    -------
    Judged
        Words, intervals and claims. Without a unit every number is *undecided*.

    Raises
    ------
    ValueError
        If the file has another form, the results lack a column, hold a value that is no number, or
        one trial twice, or have no row for a printed number; the message names all faults.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> printed = Path(mkdtemp()) / "printed.toml"
    >>> _ = printed.write_text('''
    ... [units]
    ... printed = "percent"
    ... [tables.table1]
    ... design = "splits"
    ... trials = 20
    ... [tables.table1.rows]
    ... Heart = { dataset = "heart" }
    ... [tables.table1.columns]
    ... KFD = { method = "kfd" }
    ... [tables.table1.values]
    ... Heart = [[16.1, 3.4]]
    ... ''')
    >>> ours = pd.DataFrame({"dataset": "heart", "method": "kfd", "value": [16.0, 16.3] * 20})
    >>> judge_table(printed, ours).words()
    {'table1/Heart/KFD': 'reproduced'}
    """
    path = Path(printed)
    try:
        entry = parsed_toml(decoded(path.read_bytes(), path.name), path.name)
    except RecursionError as error:
        raise ValueError(f"{path.name} is nested too deeply for a table of numbers") from error
    if faults := anyones_faults(entry):
        raise ValueError("\n".join(f"{path.name}: {fault}" for fault in faults))
    names, expected = entry.pop("columns", {}), entry.pop("expect", {})
    try:
        units = _Units.of(entry.pop("units", {}))
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error
    is_frame = isinstance(results, pd.DataFrame)
    frame = results if isinstance(results, pd.DataFrame) else read_table(Path(results))
    where = "the results" if is_frame else Path(str(results)).name
    checked = checked_entry(_completed(entry, units, names, frame, where), path.name)
    numbers = entry_numbers(checked["paper"]["key"], checked)
    if not units.printed:
        unsaid = [n.id for n in numbers if n.stated_margin is None]
        numbers = [replace(n, stated_margin=math.nan) if n.id in unsaid else n for n in numbers]
    records = _records(frame, where, names, units)
    _require_sense(path.name, numbers, records, expected, checked, units)
    if units.is_share:
        _require_shares(path.name, where, numbers, records, units)
    not_of_text = controls_of(checked)
    verdicts = credit_readings([judge(n, records, not_of_text) for n in numbers], not_of_text)
    claims = []
    for claim in claims_of(checked["paper"]["key"], checked, numbers):
        if claim.kind != "better" and math.isnan(claim.margin):
            raise ValueError(f"{path.name}: claim {claim.name!r} needs a margin. {NO_UNIT}")
        paired = [cell for cell in claim.cells if not is_of_one_test_set(cell)]
        if paired and records["trial_is_unsaid"].any():
            raise ValueError(
                f"{path.name}: claim {claim.name!r} compares equal trials, but there is no "
                f"column trial in {where}; add one, or name yours in [columns]"
            )
        try:
            claims.append(judge_claim(claim, records, numbers))
        except NoRecordError as error:
            raise ValueError(f"{path.name}: claim {claim.name!r}: {error}") from error
    notes = []
    if not units.printed:
        notes.append(NO_UNIT)
        verdicts = [
            replace(v, word="undecided", judged_word="undecided", reason=NO_UNIT)
            if v.n_trials and v.number.id in unsaid
            else v
            for v in verdicts
        ]
    return Judged(checked["paper"]["title"], verdicts, claims, expected, notes)


def _completed(
    entry: dict[str, Any],
    units: _Units,
    names: Mapping[str, Any],
    frame: pd.DataFrame,
    where: str,
) -> dict[str, Any]:
    """The entry with what a file outside of this package may leave out.

    A data set, method or metric that no line of a table names is the one that the results have.

    Raises
    ------
    ValueError
        If the results have several.
    """
    only: dict[str, Any] = {}
    for name in SELECTORS:
        column = names.get(name, name)
        found = frame[column].dropna().astype(str).unique() if column in frame else [COLUMNS[name]]
        only[name] = found[0] if len(found) == 1 else None
    tables = {}
    for key, table in entry.get("tables", {}).items():
        given = {"caption": key, "role": "own", "quantity": "performance"}
        given["scale"] = SHARES.get(units.printed, 1.0)
        given |= {} if units.margin is None else {"margin": units.margin}
        if "table" not in names and "table" not in frame:  # all tables share the results
            table = {**table, "results": COLUMNS["table"]}
        table = {**given, **table}
        lines = [line for part in ("rows", "columns") for line in table[part].values()]
        for name in SELECTORS:
            if name in table or any(name in line for line in lines):
                continue
            if only[name] is None:
                raise ValueError(
                    f"{where}: several {name}s, and table {key!r} names none; say which: "
                    f"{name} = ..., in a row or a column"
                )
            table["columns"] = {k: {name: only[name], **v} for k, v in table["columns"].items()}
        tables[key] = table
    return {**entry, "paper": {**PAPER, "year": 0, **entry.get("paper", {})}, "tables": tables}


def _records(
    frame: pd.DataFrame,
    where: str,
    names: Mapping[str, Any],
    units: _Units,
) -> pd.DataFrame:
    """Records of this package from a tidy table of trials.

    Parameters
    ----------
    frame : DataFrame
        The results.
    where : str
        Their name, for messages.
    names : mapping
        Name in the results of a column of `COLUMNS`; of the trial also a list of names.
    units : _Units
        Units of print and results.
    """
    of_trial = names.get("trial", "trial")
    of_trial = [of_trial] if isinstance(of_trial, str) else list(of_trial)
    named = [n for name, given in names.items() for n in (of_trial if name == "trial" else [given])]
    value = names.get("value", "value")
    for column in [*named, value]:
        if column not in frame:
            raise ValueError(
                f"{where} has no column {column!r}{nearest(column, map(str, frame.columns))}; name "
                "its columns in [columns] of the TOML file"
            )
    if frame.empty:
        raise ValueError(f"{where} has no row; give one row a trial")
    frame = frame.reset_index(drop=True)

    def refuse(bad: pd.Series, column: str, must: str) -> None:
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            found = frame[column].iloc[row]
            shown = "empty" if pd.isna(found) else f"{found}"
            shown = repr(found) if isinstance(found, str) else shown
            raise ValueError(f"{where}, row {row + 1}: {column} is {shown}; {must}")

    given = frame[value]
    numeric = pd.to_numeric(given, errors="coerce")
    is_comma = given.astype(str).str.fullmatch(r"-?\d+,\d+") & numeric.isna()
    refuse(is_comma, value, "write the decimal with a point")
    is_truth = given.map(lambda x: isinstance(x, bool | np.bool_)) | given.isin(["True", "False"])
    refuse(is_truth | ~np.isfinite(numeric), value, "give a number, or leave the row out")
    records = pd.DataFrame(
        {
            # A column that happens to be called "reading" is none: it must be named to be used.
            name: frame[names.get(name, name)].astype(str)
            if names.get(name, name) in frame and (name in names or name != "reading")
            else COLUMNS[name]
            for name in _TEXTS
        },
        index=frame.index,
    )
    n_test = pd.Series(0, index=frame.index)
    if (column := names.get("n_test", "n_test")) in frame:
        n_test = pd.to_numeric(frame[column], errors="coerce")
        is_truth = frame[column].map(lambda x: isinstance(x, bool | np.bool_))
        must = "give the number of test points, a whole number from 1, in every row or in none"
        refuse(is_truth | ~(n_test >= 1) | (n_test % 1 != 0), column, must)
    is_unsaid = not all(column in frame for column in of_trial)
    trial = records.groupby(list(_TEXTS)).cumcount()
    if not is_unsaid:
        for column in of_trial:
            refuse(frame[column].isna(), column, "name the trial in every row")
        trial = frame.groupby(of_trial, sort=False).ngroup()
    records = records.assign(
        value=numeric.astype(float) / SHARES.get(units.results, 1.0),
        trial=trial,
        n_test=n_test.astype(int) if units.is_share else 0,
        source="original",
        **NOT_MEASURED,
        trial_is_unsaid=is_unsaid,
    )
    repeated = records.index[records.duplicated([*_TEXTS, "trial"])]
    if len(repeated):
        row = int(repeated[0])
        keys = ", ".join(f"{k} {records[k][row]}" for k in ("dataset", "method", "metric"))
        which = ", ".join(str(frame[column][row]) for column in of_trial if column in frame)
        raise ValueError(
            f"{where}, row {row + 1}: a second value of one trial ({keys}, trial {which}); name "
            "the column that distinguishes them in [columns]"
        )
    return records


def _require_sense(
    file: str,
    numbers: Sequence[Number],
    records: pd.DataFrame,
    expected: Mapping[str, str],
    entry: Mapping[str, Any],
    units: _Units,
) -> None:
    """Raise ValueError for all names that nothing has, and numbers that say too little."""
    faults = []
    known = {column: set(records[column].unique()) for column in _TEXTS}
    for number in numbers:
        if number.spread is not None and number.trials < 2:
            faults.append(
                f"{number.id}: {number.spread:g} is printed as its spread, but not over how many "
                "trials; say trials = 20, for example, beside the design"
            )
        if "test set" in number.designs and not units.is_share:
            faults.append(
                f"{number.id}: the design test set is for shares of test points; say [units] "
                'printed = "percent" or "fraction", or another design'
            )
        if number.not_run:
            continue
        for column, wanted in {"table": number.results, **number.select}.items():
            if wanted not in known[column]:
                near = nearest(wanted, known[column])
                faults.append(f"{number.id}: the results have no {column} {wanted!r}{near}")
    ids, claims = [n.id for n in numbers], [claim["name"] for claim in entry.get("claims", [])]
    for name, word in expected.items():
        if name not in ids and name not in claims:
            faults.append(f"[expect]: no number or claim {name!r}{nearest(name, [*ids, *claims])}")
        elif (word in CLAIM_WORDS) != (name in claims) and word != "undecided":
            kind = "claim" if name in claims else "number"
            faults.append(f"[expect]: {name!r} is a {kind}, which cannot be {word!r}")
    faults += [f"claims: {name!r} is the name of a number, too" for name in claims if name in ids]
    if faults:
        raise ValueError("\n".join(f"{file}: {fault}" for fault in dict.fromkeys(faults)))


def _require_shares(
    file: str, where: str, numbers: Sequence[Number], records: pd.DataFrame, units: _Units
) -> None:
    """Raise ValueError if a performance is no share, whatever its unit is said to be."""
    remedy = "say its own unit and margin in [units]"
    performances = [n for n in numbers if n.quantity == "performance"]
    for number in performances:
        if not 0 <= number.value <= number.scale:
            raise ValueError(
                f"{file}: {number.id} is {number.value:g}, which is no {units.printed}; {remedy}"
            )
    selections = {n.select["metric"] for n in numbers if n.quantity != "performance"}
    measured = {n.select["metric"] for n in performances} - selections
    bad = records["metric"].isin(measured) & ~records["value"].between(0, 1)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        value = records["value"][row] * SHARES[units.results]
        raise ValueError(
            f"{where}, row {row + 1}: the value is {value:g}, which is no {units.results}; {remedy}"
        )


#: From the worst word to the best; "quoted" and "not run" are no verdicts and count as worse.
ORDER = (
    "not reproduced",
    "fails",
    "undecided, differs",
    "undecided",
    "reproduced in a variant",
    "reproduced",
    "to the digit",
    "holds, but",
    "holds",
)


def worse_than_expected(judged: Judged) -> dict[str, str]:
    """Numbers and claims whose word is worse than the expected one.

    Returns
    -------
    dict of str to str
        By name: both words, the difference and its interval.
    """
    found = judged.words()
    return {
        name: f"{name} is {found[name]}, expected {word}: {difference_text(judged, name)}"
        for name, word in judged.expected.items()
        if place(found[name]) < place(word)
    }


def place(word: str) -> int:
    """Place of a word in the order, the worst first."""
    return ORDER.index(word) if word in ORDER else -1


def difference_text(judged: Judged, name: str) -> str:
    """Difference of a number or a claim, its 95 % interval, and what would have been seen."""
    numbers = {v.number.id: v for v in judged.verdicts}
    if name in numbers:
        verdict = numbers[name]
        if verdict.n_trials == 0:
            return verdict.reason
        about = f"ours {verdict.ours:.4g}, printed {verdict.number.value:.4g}"
        difference, (low, high), least = verdict.difference, verdict.interval, verdict.detectable
    else:
        claim = next(c for c in judged.claims if c.claim.name == name)
        about = f"“{claim.text}”"
        difference, (low, high), least = claim.difference, claim.interval, claim.detectable
    return (
        f"{about}; difference {difference:+.3g}, 95 % interval {low:+.3g} to {high:+.3g}, "
        f"detectable {least:.3g}"
    )
