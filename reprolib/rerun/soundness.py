"""Faults of the committed tables of a paper that are found without running a task."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

from data_fetch import Dataset
from reprolib.rerun.agreement import KEY, record_name

#: Columns that the list of tasks determines.
UNIT = ["table", "dataset", "method", "trial"]


def doubled_records(records: pd.DataFrame) -> list[str]:
    """Records of the same key and the same hyperparameters: a protocol makes each once."""
    doubled = records[records.duplicated([*KEY, "chosen"])]
    return [
        f"{record_name(row)}: doubled, chosen {row['chosen']}" for row in doubled.to_dict("records")
    ]


def foreign_records(records: pd.DataFrame, made: Collection[tuple]) -> list[str]:
    """Records that no task of the full profile makes, by what they have in common.

    Parameters
    ----------
    records : DataFrame
    made : collection of tuple
        Table, data set, method and trial of all records that tasks make.
    """
    foreign = records[~of_units(records, made)]
    return [
        f"{_joined(name)}: {_counted(rows)} that no task of the protocol makes"
        for name, rows in foreign.groupby(UNIT[:3])
    ]


def missing_records(records: pd.DataFrame, made: Collection[tuple]) -> list[str]:
    """Trials of which there is no record at all, by table, data set and method."""
    there = set(units_of(records))
    missing: dict[str, list[int]] = {}
    for *name, trial in made:
        if (*name, trial) not in there:
            missing.setdefault(_joined(name), []).append(trial)
    return [f"{name}: no record of trials {_listed(trials)}" for name, trials in missing.items()]


def units_of(records: pd.DataFrame) -> list[tuple]:
    """Table, data set, method and trial of every record."""
    return list(zip(*(records[name] for name in UNIT), strict=True))


def of_units(records: pd.DataFrame, wanted: Collection[tuple]) -> np.ndarray:
    """Which records belong to the table, data set, method and trial of some of ``wanted``."""
    return np.array([unit in wanted for unit in units_of(records)], dtype=bool)


def _joined(name) -> str:
    return " ".join(str(part) for part in name)


def _counted(rows: pd.DataFrame) -> str:
    return f"{len(rows)} records of trials {_listed(rows['trial'])}"


def _listed(trials) -> str:
    numbers = sorted({int(trial) for trial in trials})
    shown = ", ".join(str(number) for number in numbers[:5])
    return shown if len(numbers) <= 5 else f"{shown}, ... {numbers[-1]} ({len(numbers)} trials)"


def wrong_sources(records: pd.DataFrame, datasets: Mapping[str, Dataset]) -> list[str]:
    """Records whose source is not that of the data set that they were made on.

    A reading that draws its own splits of real data is resampled in all of its trials.
    """
    lines = []
    for name, dataset in datasets.items():
        own = records[records["dataset"] == name]
        redrawn = own["source"].eq("resampled") & (dataset.source != "embedded")
        whole = redrawn.groupby([own[k] for k in (*UNIT[:3], "setting", "reading")])
        wrong = own[(own["source"] != dataset.source) & ~whole.transform("all")]
        lines += [
            f"{row_name}: {_counted(rows)} with source {', '.join(sorted(set(rows['source'])))}, "
            f"but the data are {dataset.source}"
            for row_name, rows in (
                (_joined(key), rows) for key, rows in wrong.groupby(["table", "dataset"])
            )
        ]
    return lines


def meta_faults(records: pd.DataFrame, meta: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Where the meta files and the tables that they describe disagree.

    Compared are the names of paper and table, the number of records and of failed ones, the
    sources, the data sets with a digest, and the digests of one data set in all tables.
    """
    tables = {str(table): rows for table, rows in records.groupby("table")}
    lines = [f"{table}.csv has no meta file" for table in tables if table not in meta]
    lines += [
        f"{table}.meta.json is there, but no records" for table in meta if table not in tables
    ]
    for table, about in meta.items():
        if table in tables:
            lines += [f"{table}.meta.json: {fault}" for fault in _faults(tables[table], about)]
    return lines + _digest_conflicts(meta)


def _faults(rows: pd.DataFrame, about: Mapping[str, Any]) -> list[str]:
    sources = {
        str(name): ", ".join(sorted(set(group["source"])))
        for name, group in rows.groupby("dataset")
    }
    digests = about.get("data_digests")
    compared = {
        "paper": (about.get("paper"), rows["paper"].iloc[0]),
        "table": (about.get("table"), rows["table"].iloc[0]),
        "records": (about.get("records"), len(rows)),
        "failed_records": (about.get("failed_records"), int((rows["status"] != "ok").sum())),
        "sources": (about.get("sources"), sources),
        "data_digests": (sorted(digests or {}), sorted(sources)),
    }
    return [
        f"{name} is {told}, in the table {counted}"
        for name, (told, counted) in compared.items()
        if told != counted
    ]


def _digest_conflicts(meta: Mapping[str, Mapping[str, Any]]) -> list[str]:
    told: dict[str, dict[str, list[str]]] = {}
    for table, about in meta.items():
        for name, digest in about.get("data_digests", {}).items():
            told.setdefault(name, {}).setdefault(digest, []).append(table)
    return [
        f"the meta files give {name} different digests: "
        + "; ".join(f"{digest[:16]} in {', '.join(tables)}" for digest, tables in digests.items())
        for name, digests in told.items()
        if len(digests) > 1
    ]
