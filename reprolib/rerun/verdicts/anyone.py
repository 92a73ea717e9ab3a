"""Verdicts on anyone's table: printed numbers in a TOML file, results in a tidy table of trials.

The same words, error models and claims as for the papers of this package, without a protocol, a
data set or a records folder.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd
from msgspec.structs import replace as replaced

from reprolib.rerun.printed.file import SELECTORS, as_part, name_faults, parsed_toml, require
from reprolib.rerun.printed.names import nearest
from reprolib.rerun.printed.schema import (
    Claim,
    File,
    OwnFile,
    OwnLine,
    Printed,
    Settings,
    Table,
)
from reprolib.rerun.verdicts.claim import SELECTING, claims_of
from reprolib.rerun.verdicts.claims import (
    CLAIM_WORDS,
    ClaimVerdict,
    NoRecordError,
    judge_claim,
)
from reprolib.rerun.verdicts.designs import pairs_trials
from reprolib.rerun.verdicts.judge import Verdict, credit_readings, judge
from reprolib.rerun.verdicts.printed import Number, controls_of, numbers_of
from reprolib.rerun.verdicts.table_file import as_text, decoded, read_table
from reprolib.rerun.verdicts.trials import (
    COLUMNS,
    MISSING,
    TEXTS,
    records_of,
    require_columns,
    unread_columns,
)
from reprolib.rerun.verdicts.units import (
    NO_UNIT,
    SHARES,
    Units,
    require_shares,
    selected,
    understood,
)

#: Said where a file says that print has medians.
MEDIAN = (
    "A printed median is taken for a mean that is less sure by a factor of 1.25, and its quartiles "
    "for 1.349 standard deviations, as of normal values"
)


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
    understood : list of str
        What was read: rows, means and units of every method, and rows that no number is compared
        with. To be looked at before the words.
    """

    title: str
    verdicts: list[Verdict]
    claims: list[ClaimVerdict]
    expected: Mapping[str, str]
    notes: list[str] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)

    def words(self) -> dict[str, str]:
        """Word on every number and claim, by name."""
        found = {v.number.id: str(v.word) for v in self.verdicts}
        return found | {c.claim.name: str(c.word) for c in self.claims}


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
        CSV with any of the usual separators, Excel, JSON as pandas writes it, or Parquet.

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
        own = own_file(parsed_toml(decoded(path.read_bytes(), path.name), path.name), path.name)
    except RecursionError as error:
        raise ValueError(f"{path.name} is nested too deeply for a table of numbers") from error
    said = {name: getattr(own.columns, name) for name in COLUMNS}
    names, expected = {name: column for name, column in said.items() if column}, own.expect
    try:
        units = Units.of(own.units)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from error
    if isinstance(results, pd.DataFrame):
        where = "the table of results"
        frame = as_text(results, where)
    else:
        where = Path(results).name
        frame = read_table(Path(results))
    require_columns(frame, where, names)
    own_units = _own_units(own, path.name)
    file = _completed(own, units, names, frame, where)
    require(path.name, name_faults(file))
    numbers = numbers_of(file)
    if not numbers:
        raise ValueError(f"{path.name}: its tables have no printed number; give one under values")
    if not units.printed:
        unsaid = [n.id for n in numbers if n.stated_margin is None]
        numbers = [replace(n, stated_margin=math.nan) if n.id in unsaid else n for n in numbers]
    stated = file.printed.claims
    sides = [side for claim in stated for side in (claim.a, *(claim.b or [])) if side is not None]
    selected_by_claims = [getattr(side, name) for side in sides for name in SELECTING]
    wanted = {name for n in numbers for name in n.select.values()} | set(selected_by_claims)
    records = records_of(frame, where, names, units, wanted - {None})
    of_unit = {
        n.id: own_units.get((n.table, n.row), own_units.get((n.table, n.column))) for n in numbers
    }
    of_share = [n for n in numbers if units.is_share and not of_unit[n.id]]
    _require_sense(path.name, numbers, records, expected, stated, {n.id for n in of_share})
    is_own = selected(records, [n for n in numbers if of_unit[n.id]])
    records.loc[is_own, "value"] *= units.one  # as they stand
    if units.is_share:
        require_shares(path.name, where, of_share, records[~is_own], units)
    not_of_text = controls_of(file)
    verdicts = credit_readings([judge(n, records, not_of_text) for n in numbers], not_of_text)
    claims: list[ClaimVerdict] = []
    for claim in claims_of(file, numbers):
        if claim.kind != "better" and math.isnan(claim.margin):
            raise ValueError(f"{path.name}: claim {claim.name!r} needs a margin. {NO_UNIT}")
        paired = [cell for cell in claim.cells if pairs_trials(cell.designs)]
        if paired and records["trial_is_unsaid"].any():
            raise ValueError(
                f"{path.name}: claim {claim.name!r} compares equal trials, but there is no "
                f"column trial in {where}; add one, or name yours in [columns]"
            )
        try:
            claims.append(judge_claim(claim, records, numbers))
        except NoRecordError as error:
            raise ValueError(f"{path.name}: claim {claim.name!r}: {error}") from error
    left = {c.name: c.not_judged or "no number of its tables is run" for c in stated}
    left = {name: why for name, why in left.items() if name not in {c.claim.name for c in claims}}
    if unheard := [name for name in expected if name in left]:
        raise ValueError(
            f"{path.name}: [expect]: claim {unheard[0]!r} is not judged ({left[unheard[0]]}); "
            "leave its word out"
        )
    notes = [f"Claim {name!r} is not judged: {why}" for name, why in left.items()]
    lines: list[Settings] = []
    for table in file.printed.tables.values():
        lines += [table, *table.rows.values(), *table.columns.values(), *table.cells]
    if any(line.spread == "interquartile range" for line in lines):
        notes.append(MEDIAN)
    if not units.printed:
        notes.append(NO_UNIT)
        verdicts = [
            replace(v, word="undecided", judged_word="undecided", reason=NO_UNIT)
            if v.n_trials and v.number.id in unsaid
            else v
            for v in verdicts
        ]
    of_claims = [side.method or "" for side in sides]
    read = understood(numbers, records, units, of_unit, of_claims)
    if unread := unread_columns(frame, names):
        read.append(f"Columns of {where} that are not read: {', '.join(unread)}")
    return Judged(file.printed.paper.title, verdicts, claims, expected, notes, read)


def own_file(entry: dict[str, Any], file: str) -> OwnFile:
    """A parsed file of a table of one's own, or that of a paper, as the schema says.

    Raises
    ------
    ValueError
        If keys or values are not as the schema says; all are named.
    """
    if "printed" in entry:
        entry = {**entry, **entry.pop("printed")} if isinstance(entry["printed"], dict) else entry
    return as_part(entry, OwnFile, file)


def _own_units(own: OwnFile, file: str) -> dict[tuple[str, str], str]:
    """Units of single rows and columns, by table and name.

    Raises
    ------
    ValueError
        If one is a share, or has no margin.
    """
    found = {}
    for key, table in own.tables.items():
        for part, lines in (("rows", table.rows), ("columns", table.columns)):
            for name, line in lines.items():
                if not line.unit:
                    continue
                found[key, name] = line.unit
                where = f"{file}: tables.{key}.{part}, {name!r}: unit is {line.unit!r}"
                if line.unit in SHARES:
                    raise ValueError(f"{where}; say a share in [units], and here the other unit")
                if line.margin is None:
                    raise ValueError(f"{where}; set margin to the difference that counts as equal")
    return found


def _completed(
    own: OwnFile, units: Units, names: Mapping[str, Any], frame: pd.DataFrame, where: str
) -> File:
    """The file of a paper that says the same, with all that a table of one's own may leave out.

    A data set, method or metric that no line of a table names is the one that the results have.

    Raises
    ------
    ValueError
        If the results have several.
    """
    only: dict[str, Any] = {}
    for name in SELECTORS:
        column = names.get(name, name)
        found = frame[column].unique() if column in frame else [COLUMNS[name]]
        found = [label for label in found if label.lower() not in MISSING] or found
        only[name] = found[0] if len(found) == 1 else None
    tables: dict[str, Table] = {}
    for key, table in own.tables.items():
        said: dict[str, Any] = {"caption": table.caption or key}
        said["scale"] = table.scale or SHARES.get(units.printed, 1.0)
        said["margin"] = table.margin or units.margin
        if "table" not in names and "table" not in frame:  # all tables share the results
            said["results"] = COLUMNS["table"]
        lines = [*table.rows.values(), *table.columns.values()]
        columns = {name: _in_own_unit(line) for name, line in table.columns.items()}
        for name in SELECTORS:
            if any(getattr(line, name) for line in lines):
                continue
            if only[name] is None:
                raise ValueError(
                    f"{where}: several {name}s, and table {key!r} names none; say which: "
                    f"{name} = ..., in a row or a column"
                )
            columns = {k: replaced(line, **{name: only[name]}) for k, line in columns.items()}
        rows = {name: _in_own_unit(line) for name, line in table.rows.items()}
        tables[key] = replaced(table, rows=rows, columns=columns, **said)
    printed = Printed(paper=own.paper, tables=tables, claims=own.claims)
    return File(printed=printed, readings=own.readings, story=own.story)


def _in_own_unit(line: OwnLine) -> OwnLine:
    """A line with a unit of its own: print and results are both in it."""
    return replaced(line, scale=line.scale or 1.0) if line.unit else line


def _require_sense(
    file: str,
    numbers: Sequence[Number],
    records: pd.DataFrame,
    expected: Mapping[str, str],
    stated: Sequence[Claim],
    shares: Collection[str],
) -> None:
    """Raise ValueError for all names that nothing has, and numbers that say too little."""
    faults = []
    known = {column: set(records[column].unique()) for column in TEXTS}
    for name, n in Counter(number.id for number in numbers).items():
        if n > 1:
            faults.append(f"{n} numbers have the name {name!r}; leave / out of rows and columns")
    for number in numbers:
        if number.spread is not None and number.trials < 2:
            faults.append(
                f"{number.id}: {number.spread:g} is printed as its spread, but not over how many "
                "trials; say trials = 20, for example, beside the design"
            )
        if "test set" in number.designs and number.id not in shares:
            faults.append(
                f"{number.id}: the design test set is for shares of test points; say [units] "
                'printed = "percent" or "fraction", or another design'
            )
        if number.not_run:
            continue
        if number.spread_of and number.spread_of not in known["reading"]:
            near = nearest(number.spread_of, known["reading"])
            faults.append(f"{number.id}: the results have no reading {number.spread_of!r}{near}")
        if number.drawn_once and number.drawn_once not in known["metric"]:
            near = nearest(number.drawn_once, known["metric"])
            faults.append(f"{number.id}: the results have no metric {number.drawn_once!r}{near}")
        if "cross-validation" in number.designs and (number.folds or 1) > 1:
            faults += _fold_faults(number, records)
        for column, wanted in {"table": number.results, **number.select}.items():
            if wanted not in known[column]:
                near = nearest(wanted, known[column])
                faults.append(f"{number.id}: the results have no {column} {wanted!r}{near}")
    for claim in stated:
        datasets = {n.select["dataset"] for n in numbers if n.table in (claim.tables or [])}
        faults += [
            f"claim {claim.name!r}: its tables have no dataset {name!r}{nearest(name, datasets)}"
            for name in claim.datasets or []
            if name not in datasets
        ]
    ids, claims = [n.id for n in numbers], [claim.name for claim in stated]
    for name, word in expected.items():
        if name not in ids and name not in claims:
            faults.append(f"[expect]: no number or claim {name!r}{nearest(name, [*ids, *claims])}")
        elif (word in CLAIM_WORDS) != (name in claims) and word != "undecided":
            kind = "claim" if name in claims else "number"
            faults.append(f"[expect]: {name!r} is a {kind}, which cannot be {word!r}")
    faults += [f"claims: {name!r} is the name of a number, too" for name in claims if name in ids]
    if faults:
        raise ValueError("\n".join(f"{file}: {fault}" for fault in dict.fromkeys(faults)))


def _fold_faults(number: Number, records: pd.DataFrame) -> list[str]:
    """Why the trials behind a number do not say which fold of which partition each is."""
    folds = number.folds or 1
    rows = records[records["dataset"] == number.select["dataset"]]
    trials = rows.loc[rows["method"] == number.select["method"], "trial"]
    must = f"trial {folds} p + k must be fold k of partition p, both counted from 0"
    if not rows["trial_is_counted"].all():
        return [f"{number.id}: {must}, a whole number in one column of the results"]
    if len(trials) and trials.min() % folds == 1 and trials.max() % folds == 0:
        return [f"{number.id}: {must}, and those of the results begin at {trials.min()}"]
    return []


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
