"""Rename a column of the records, in every results folder and in the store of finished tasks.

``python tools/migrate_column.py OLD NEW [--values FILE.json] [FOLDER ...]``, after the column was
renamed in ``reprolib/rerun/records/rows.py``. Folders are searched for ``records.csv.xz``; by
default those of this repository and of its examples. ``--values`` names a file with a new value
for an old one, as texts; others stay. What was sealed is sealed anew, and refused if it is not as
it was sealed.
"""

from __future__ import annotations

import argparse
import io
import json
import lzma
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from reprolib.rerun.records.registry import replace_file, store_directory
from reprolib.rerun.records.tables import (
    BEST,
    PACKED,
    RECORDS,
    RUN,
    content_of,
    seal_faults,
    write_seal,
)
from reprolib.rerun.tasks.store import checksum

ROOT = Path(__file__).resolve().parents[1]


def migrate_results(folder: Path, old: str, new: str, values: Mapping[str, str]) -> int:
    """Rename a column of one results folder.

    Returns
    -------
    int
        Number of records; 0 if they have no such column.

    Raises
    ------
    ValueError
        If the folder is not as it was sealed, or has a column of the new name already.
    """
    if faults := seal_faults(folder):
        raise ValueError(f"{folder} is not as it was sealed: {'; '.join(faults)}")
    content = content_of(folder / PACKED)
    frame = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
    if old not in frame:
        return 0
    if new in frame and new != old:
        raise ValueError(f"{folder / PACKED} has a column {new!r} already")
    frame[old] = frame[old].map(lambda value: values.get(value, value))
    text = frame.rename(columns={old: new}).to_csv(index=False)
    replace_file(folder / PACKED, lzma.compress(text.encode(), filters=[BEST]))
    write_seal(folder, {RECORDS: text, RUN: (folder / RUN).read_text(encoding="utf-8")})
    return len(frame)


def migrate_store(folder: Path, old: str, new: str, values: Mapping[str, str]) -> int:
    """Rename a column of the finished tasks in a store; give their number."""
    n_tasks = 0
    for path in (folder / "tasks").rglob("*.json"):
        entry = json.loads(path.read_text(encoding="utf-8"))
        body = {name: value for name, value in entry.items() if name != "checksum"}
        if entry["checksum"] != checksum(body) or old not in body["rows"][0]:
            continue
        body["rows"] = [
            {new if k == old else k: values.get(str(v), v) if k == old else v for k, v in r.items()}
            for r in body["rows"]
        ]
        replace_file(path, json.dumps({"checksum": checksum(body), **body}))
        n_tasks += 1
    return n_tasks


def main(arguments: list[str] | None = None) -> None:
    """Rename the column."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--values", type=Path, help="JSON: a new value for an old one")
    parser.add_argument("folders", nargs="*", type=Path, default=[ROOT / "results", ROOT])
    given = parser.parse_args(arguments)
    values = json.loads(given.values.read_text(encoding="utf-8")) if given.values else {}
    found = {path.parent for folder in given.folders for path in _records_in(folder)}
    for folder in sorted(found):
        n_records = migrate_results(folder, given.old, given.new, values)
        print(f"{folder}: {n_records} records")
    n_tasks = migrate_store(store_directory(), given.old, given.new, values)
    print(f"{store_directory()}: {n_tasks} finished tasks")


def _records_in(folder: Path) -> list[Path]:
    return [*folder.glob(f"*/{PACKED}"), *folder.glob(f"examples/*/results/*/{PACKED}")]


if __name__ == "__main__":
    main()
