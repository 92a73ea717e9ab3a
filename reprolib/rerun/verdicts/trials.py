"""Anyone's table of trials as records: labels checked, numbers parsed once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reprolib.rerun.printed.names import STEERING, nearest
from reprolib.rerun.printed.schema import HEADLINE
from reprolib.rerun.records.rows import NOT_MEASURED
from reprolib.rerun.verdicts.units import Units

#: Columns of anyone's results, and what they are where the results have none.
COLUMNS: Mapping[str, Any] = {
    "table": "results",
    "dataset": "data",
    "method": "method",
    "metric": "value",
    "setting": "",
    "reading": HEADLINE,
    "n_test": 0,
    "trial": None,
    "value": None,
}
#: Columns that are texts in every table of results.
TEXTS = ("table", "dataset", "method", "metric", "setting", "reading")
#: What tools write where a name is missing, in small letters.
MISSING = ("", "nan", "na", "n/a", "#n/a", "<na>", "nat", "none", "null")
#: A number as every tool reads it, and one with other separators.
_NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_OTHER_NUMBER = r"[-+]?[0-9][0-9.,'’\s]*(?:[eE][-+]?[0-9]+)?"
_LARGEST = float(np.finfo(float).max)
#: More columns or rows are not listed.
_LISTED = 20


def columns_of_trial(names: Mapping[str, Any]) -> list[str]:
    """Columns of the results that together name a trial."""
    of_trial = names.get("trial", "trial")
    return [of_trial] if isinstance(of_trial, str) else list(of_trial)


def unread_columns(frame: pd.DataFrame, names: Mapping[str, Any]) -> list[str]:
    """Columns of the results that nothing is taken from."""
    read = {names.get(name, name) for name in COLUMNS if name not in ("trial", "reading")}
    read |= {*columns_of_trial(names), names.get("reading", "")}
    return [column for column in frame.columns if column not in read]


def require_columns(frame: pd.DataFrame, where: str, names: Mapping[str, Any]) -> None:
    """Raise ValueError if the results lack a column that is named, or have it in other letters.

    Parameters
    ----------
    frame : DataFrame
        Cells as texts (`table_file`).
    where : str
        Name of the results, for messages.
    names : mapping
        Name in the results of a column of `COLUMNS`; of the trial also a list of names.
    """
    shown = list(frame.columns[:_LISTED])
    named = [given for name, given in names.items() if name != "trial"]
    named += columns_of_trial(names) if "trial" in names else []
    for column in [*named, names.get("value", "value")]:
        if column not in frame:
            raise ValueError(
                f"{where} has no column {column!r}{nearest(column, shown)}; name "
                "its columns in [columns] of the TOML file"
            )
    for name in COLUMNS:
        near = [column for column in frame.columns if column.lower() == name != column]
        if near and name not in names and name not in frame and name != "reading":
            raise ValueError(
                f"{where} has a column {near[0]!r} and none {name!r}; say in [columns] of the TOML "
                f'file that it is meant: {name} = "{near[0]}", or call it otherwise'
            )


def records_of(
    frame: pd.DataFrame,
    where: str,
    names: Mapping[str, Any],
    units: Units,
    wanted: Collection[str] = (),
) -> pd.DataFrame:
    """Records of this package from a tidy table of trials.

    Parameters
    ----------
    frame : DataFrame
        The results, cells as texts and rows counted from 1 (`table_file`).
    where : str
        Their name, for messages.
    names : mapping
        Name in the results of a column of `COLUMNS`; of the trial also a list of names.
    units : Units
        Units of print and results.
    wanted : collection of str
        Names that the printed file says, which stand for themselves: a method "None" is one.

    Raises
    ------
    ValueError
        If a label is missing, a value is no number, or a trial stands twice.
    """

    def refuse(bad: pd.Series, column: str, must: str) -> None:
        rows = frame.index[bad]
        if len(rows) == 0:
            return
        shown = repr(frame[column][rows[0]]) if frame[column][rows[0]] else "empty"
        which = ", ".join(map(str, rows[:_LISTED])) + (", …" if len(rows) > _LISTED else "")
        others = f" ({len(rows)} such rows: {which})" if len(rows) > 1 else ""
        raise ValueError(f"{where}, row {rows[0]}: {column} is {shown}; {must}{others}")

    def numbers(column: str, must: str) -> pd.Series:
        cells = frame[column]
        is_number = cells.str.fullmatch(_NUMBER)
        other = ~is_number & cells.str.fullmatch(_OTHER_NUMBER)
        refuse(other, column, "write the decimal with a point, and nothing between thousands")
        is_share = ~is_number & cells.str.endswith("%")
        refuse(is_share, column, "write it without %; the unit stands in [units] of the TOML file")
        parsed = cells.where(is_number, "nan").astype(float)
        refuse(~parsed.between(-_LARGEST, _LARGEST), column, must)
        return parsed

    value = names.get("value", "value")
    parsed = numbers(value, "give a number, or leave the row out")
    records = pd.DataFrame(index=frame.index)
    for name in TEXTS:
        column = names.get(name, name)
        # A column that happens to be called "reading" is none: it must be named to be used.
        if column not in frame or (name == "reading" and name not in names):
            records[name] = COLUMNS[name]
            continue
        missing = frame[column].str.lower().isin(MISSING) & ~frame[column].isin({*wanted} - {""})
        if name == "setting":  # the only one that may be empty
            missing &= frame[column] != ""
        refuse(missing, column, f"name the {name} in every row")
        is_steering = frame[column].str.contains(STEERING) | frame[column].str.contains("\n")
        refuse(
            is_steering, column, "leave out what cannot be shown in one line, or close the quote"
        )
        records[name] = frame[column]
    n_test = pd.Series(0.0, index=frame.index)
    if (column := names.get("n_test", "n_test")) in frame:
        must = "give the number of test points, a whole number from 1, in every row or in none"
        n_test = numbers(column, must)
        refuse((n_test < 1) | (n_test % 1 != 0) | (n_test > 2**53), column, must)
    of_trial = columns_of_trial(names)
    is_unsaid = not all(column in frame for column in of_trial)
    trial = records.groupby(list(TEXTS)).cumcount()
    is_counted = True
    if not is_unsaid:
        keys = frame[of_trial].copy()
        for column in of_trial:
            missing = frame[column].str.lower().isin(MISSING)
            refuse(missing, column, "name the trial in every row")
            if frame[column].str.fullmatch(r"[0-9]{1,15}(?:\.0*)?").all():  # 3.0 is trial 3
                keys[column] = frame[column].str.partition(".")[0].astype("int64")
        is_counted = len(of_trial) == 1 and keys.dtypes.iloc[0] == "int64"
        trial = keys.iloc[:, 0] if is_counted else keys.groupby(of_trial, sort=False).ngroup()
    records = records.assign(
        value=parsed / units.one,
        trial=trial,
        n_test=n_test.astype(int) if units.is_share else 0,
        source="original",
        **NOT_MEASURED,
        trial_is_unsaid=is_unsaid,
        trial_is_counted=is_counted,
    )
    repeated = records.index[records.duplicated([*TEXTS, "trial"])]
    if len(repeated):
        row = repeated[0]
        labels = ", ".join(f"{k} {records[k][row]}" for k in ("dataset", "method", "metric"))
        which = ", ".join(frame[column][row] for column in of_trial if column in frame)
        raise ValueError(
            f"{where}, row {row}: a second value of one trial ({labels}, trial {which}); name "
            "the column that distinguishes them in [columns]"
        )
    return records
