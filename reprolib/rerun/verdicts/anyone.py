"""Verdicts on anyone's table: printed numbers in a TOML file, results in a tidy table of trials.

The same words, error models and claims as for the papers of this package, without a protocol, a
data set or a records folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from reprolib.rerun.records.registry import nearest, parsed_toml
from reprolib.rerun.records.rows import to_frame
from reprolib.rerun.verdicts.claim import claims_of
from reprolib.rerun.verdicts.claims import ClaimVerdict, NoRecordError, judge_claim
from reprolib.rerun.verdicts.judge import Verdict, credit_readings, judge
from reprolib.rerun.verdicts.number import Number
from reprolib.rerun.verdicts.printed import checked_entry, controls_of, entry_numbers
from reprolib.rerun.verdicts.printed_file import COLUMNS, SELECTORS, anyones_faults

#: Unit over the fraction that the error models work with.
SCALES = {"percent": 100, "fraction": 1}
#: What a file of another's printed numbers may leave out.
PAPER = {"key": "table", "title": "a printed table", "authors": "-", "venue": "-", "notebook": "-"}


@dataclass(frozen=True)
class Judged:
    """Verdicts on a printed table, and on the claims made about it.

    Parameters
    ----------
    title : str
    verdicts : list of Verdict
    claims : list of ClaimVerdict
    expected : dict of str to str
        Word that a number ("table/row/column") or a claim (its name) is expected to have, at least.
    """

    title: str
    verdicts: list[Verdict]
    claims: list[ClaimVerdict]
    expected: Mapping[str, str]

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
        of the results; ``[expect]`` the words that numbers and claims are expected to have.
    results : str, Path or DataFrame
        CSV file or table with one row a trial: a value, and the columns that identify it.

    Returns
    -------
    Judged

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
    entry = parsed_toml(path.read_text(encoding="utf-8"), path.name)
    if faults := anyones_faults(entry):
        raise ValueError("\n".join(f"{path.name}: {fault}" for fault in faults))
    column_names, expected = entry.pop("columns", {}), entry.pop("expect", {})
    units = {"printed": "percent", "results": "percent", **entry.pop("units", {})}
    checked = checked_entry(_completed(entry, SCALES[units["printed"]]), path.name)
    records = records_of(results, column_names, checked, SCALES[units["results"]])
    numbers = entry_numbers(checked["paper"]["key"], checked)
    _require_names(path.name, numbers, records, expected, checked)
    not_of_text = controls_of(checked)
    verdicts = credit_readings([judge(n, records, not_of_text) for n in numbers], not_of_text)
    claims = claims_of(checked["paper"]["key"], checked, numbers)
    return Judged(
        checked["paper"]["title"],
        verdicts,
        list(_judged(claims, records, numbers)),
        expected,
    )


def _completed(entry: dict[str, Any], scale: int) -> dict[str, Any]:
    """The entry with what a file outside of this package may leave out."""
    paper = {**PAPER, "year": 0, **entry.get("paper", {})}
    tables = {}
    for name, table in entry.get("tables", {}).items():
        given = {"caption": name, "role": "own", "quantity": "performance", "scale": scale}
        tables[name] = _selecting({**given, **table}) if isinstance(table, dict) else table
    return {**entry, "paper": paper, "tables": tables}


def _selecting(table: dict[str, Any]) -> dict[str, Any]:
    """The table with the selectors that none of its lines states: results without that column."""
    rows, columns = (table.get(part) for part in ("rows", "columns"))
    if not (isinstance(rows, dict) and isinstance(columns, dict)):
        return table
    lines = [line for part in (rows, columns) for line in part.values() if isinstance(line, dict)]
    unstated = {
        name: COLUMNS[name]
        for name in SELECTORS
        if name not in table and not any(name in line for line in lines)
    }
    return {**table, "columns": {name: {**unstated, **line} for name, line in columns.items()}}


def _judged(claims, records: pd.DataFrame, numbers: list[Number]) -> Iterator[ClaimVerdict]:
    for claim in claims:
        try:
            yield judge_claim(claim, records, numbers)
        except NoRecordError as error:
            raise ValueError(f"claim {claim.name!r}: {error}") from error


def records_of(
    results: str | Path | pd.DataFrame,
    named: Mapping[str, str],
    entry: dict[str, Any],
    scale: float,
) -> pd.DataFrame:
    """Records of this package from a tidy table of trials.

    Parameters
    ----------
    results : str, Path or DataFrame
    named : mapping of str to str
        Name in the results of a column of `COLUMNS`.
    entry : dict
        Parsed file; where the results have no column "table", its tables share all of them.
    scale : float
        Unit of the results: 100 for percent.
    """
    frame = results if isinstance(results, pd.DataFrame) else pd.read_csv(results)
    where = "the results" if isinstance(results, pd.DataFrame) else Path(results).name
    missing = [column for column in named.values() if column not in frame]
    value = named.get("value", "value")
    if missing := [*missing, *([value] if value not in frame and value not in missing else [])]:
        raise ValueError(
            f"{where} has no column {missing[0]!r}{nearest(missing[0], frame.columns)}; name its "
            "columns in [columns] of the TOML file"
        )
    if frame.empty:
        raise ValueError(f"{where} has no row; give one row a trial")
    given = {name: named.get(name, name) for name in COLUMNS}
    lines = pd.DataFrame(
        {
            name: frame[column] if column in frame else COLUMNS[name]
            for name, column in given.items()
        }
    )
    if "table" not in named and "table" not in frame:
        for table in entry["tables"].values():
            table["results"] = COLUMNS["table"]
    return _as_records(lines, where, scale)


def _as_records(lines: pd.DataFrame, where: str, scale: float) -> pd.DataFrame:
    value = pd.to_numeric(lines["value"], errors="coerce")
    if len(invalid := lines.index[value.isna()]):
        raise ValueError(
            f"{where}, row {invalid[0] + 1}: {lines['value'][invalid[0]]!r} is no number; give "
            "one, or leave the row out"
        )
    words = ["table", "dataset", "method", "metric", "setting", "reading"]
    texts = lines[words].astype(str)
    trial = lines["trial"]
    if trial.isna().all():
        trial = texts.groupby(words).cumcount()
    records = texts.assign(value=value.astype(float) / scale, trial=pd.factorize(trial)[0])
    repeated = records.index[records.duplicated([*words, "trial"])]
    if len(repeated):
        keys = ", ".join(f"{k} {texts[k][repeated[0]]}" for k in ("dataset", "method", "metric"))
        raise ValueError(
            f"{where}, row {repeated[0] + 1}: a second value of one trial ({keys}, trial "
            f"{trial[repeated[0]]}); name the column that distinguishes them in [columns]"
        )
    rest = {"paper": "table", "chosen": "{}", "path": "", "status": "ok", "source": "original"}
    records = records.assign(**rest, seed=0, n_test=lines["n_test"].astype(int), seconds=0.0)
    names = records["table"] + "/" + records["dataset"] + "/" + records["method"] + "/"
    records = records.assign(task=names + records["trial"].astype(str), gap=None, level=None)
    return to_frame([dict(zip(records.columns, row, strict=True)) for row in records.to_numpy()])


def _require_names(
    file: str,
    numbers: list[Number],
    records: pd.DataFrame,
    expected: Mapping[str, str],
    entry: Mapping[str, Any],
) -> None:
    """Raise ValueError for every name that the results, or the file, do not have."""
    faults = []
    for number in numbers:
        if number.not_run:
            continue
        for column, wanted in {"table": number.results, **number.select}.items():
            known = set(records[column])
            if wanted not in known:
                faults.append(
                    f"{number.id}: the results have no {column} {wanted!r}{nearest(wanted, known)}"
                )
    names = [n.id for n in numbers] + [claim["name"] for claim in entry.get("claims", [])]
    faults += [
        f"[expect]: no number or claim {name!r}{nearest(name, names)}"
        for name in expected
        if name not in names
    ]
    if faults:
        raise ValueError("\n".join(f"{file}: {fault}" for fault in dict.fromkeys(faults)))
