"""Where a table or a figure comes from: command, records, versions and source of the data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from reprolib.rerun import records as results
from reprolib.rerun.printed import paper_entry

#: Packages that the values of every record depend on.
PACKAGES = ("reprolib", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Origin:
    """What a file of a table or figure says about how it was made.

    Parameters
    ----------
    title : str
        What it shows.
    paper : str
        Reference of the paper.
    command : str
        Command that made it.
    records : str
        Results files behind it, with profile and date of their run.
    versions : str
        Of the packages that made these records.
    source : str
        Original, partial, resampled or embedded, with the data sets.
    data : str
        What is to be said about these data sets; empty if nothing.
    """

    title: str
    paper: str
    command: str
    records: str
    versions: str
    source: str
    data: str = ""

    def lines(self) -> list[str]:
        """Everything, one line each."""
        lines = [
            self.title,
            f"paper: {self.paper}",
            f"command: {self.command}",
            f"records: {self.records}",
            f"versions: {self.versions}",
            f"source of the data: {self.source}",
        ]
        return [*lines, f"data: {self.data}"] if self.data else lines


def origin(
    title: str, paper: str, command: str, directory: Path | None, rows: pd.DataFrame
) -> Origin:
    """Gather what is known about some records of a paper.

    Parameters
    ----------
    title : str
        What is made of them.
    paper : str
        Key of the paper.
    command : str
    directory : Path or None
        Results folder; the committed results if None.
    rows : DataFrame
        The records.
    """
    tables = sorted(set(rows["table"]))
    found = results.load_meta(paper, directory)
    metas = [found[name] for name in tables if name in found]
    return Origin(
        title=title,
        paper=reference(paper),
        command=command,
        records=_records(paper, tables, metas),
        versions=_versions(metas),
        source=_sources(rows),
        data=_notes(rows, metas),
    )


def reference(paper: str) -> str:
    """Authors, title, venue and pages of a paper, in one line."""
    about = paper_entry(paper)["paper"]
    pages = f", pp. {about['pages']}" if about.get("pages") else ""
    return f"{about['authors']}: {about['title']}. {about['venue']}{pages}"


def _records(paper: str, tables: Sequence[str], metas: Collection[Mapping[str, Any]]) -> str:
    if not tables:
        return "none"
    profiles, dates = (_values(metas, key) for key in ("profile", "date"))
    files = ", ".join(f"{paper}/{name}.csv" for name in tables)
    return f"{files}; {_joined(profiles)} profile, run on {_joined(dates)}"


def _versions(metas: Iterable[Mapping[str, Any]]) -> str:
    made = [meta.get("versions", {}) for meta in metas]
    return ", ".join(f"{name} {_joined(_values(made, name))}" for name in PACKAGES)


def _values(metas: Iterable[Mapping[str, Any]], key: str) -> list[str]:
    return sorted({str(meta[key]) for meta in metas if key in meta})


def _joined(values: Sequence[str]) -> str:
    return " and ".join(values) or "unknown"


def _sources(rows: pd.DataFrame) -> str:
    """``partial: a/x, a/y; resampled: a/z``."""
    named = rows.groupby("source")["dataset"].unique()
    return _listed({str(source): names for source, names in named.items()}) or "none"


def _notes(rows: pd.DataFrame, metas: Iterable[Mapping[str, Any]]) -> str:
    """``first 10 of the 100 published realisations: a/x, a/y``."""
    notes = {name: note for meta in metas for name, note in meta.get("source_notes", {}).items()}
    named: dict[str, list[str]] = {}
    for name in sorted(set(rows["dataset"])):
        if notes.get(name):
            named.setdefault(notes[name], []).append(name)
    return _listed(named)


def _listed(named: Mapping[str, Iterable[str]]) -> str:
    return "; ".join(f"{what}: {', '.join(sorted(names))}" for what, names in named.items())
