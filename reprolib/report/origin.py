"""Where a table or a figure comes from: command, records, versions and source of the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from reprolib.rerun import records as results
from reprolib.rerun.verdicts.printed import paper_entry

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
    run, made = results.load_run(paper, directory), results.load_tasks(paper, directory)
    made = made[made["task"].isin(rows["task"])]
    return Origin(
        title=title,
        paper=reference(paper),
        command=command,
        records=_records(paper, tables, run, made),
        versions=_versions(run, made),
        source=_sources(rows),
        data=_notes(rows, run),
    )


def reference(paper: str) -> str:
    """Authors, title, venue and pages of a paper, in one line."""
    about = paper_entry(paper)["paper"]
    pages = f", pp. {about['pages']}" if about.get("pages") else ""
    return f"{about['authors']}: {about['title']}. {about['venue']}{pages}"


def _records(paper: str, tables: Sequence[str], run: Mapping[str, Any], made: pd.DataFrame) -> str:
    if not tables:
        return "none"
    files = ", ".join(f"{paper}/{name}.csv.gz" for name in tables)
    dates = _joined(sorted(set(made["date"])))
    return f"{files}; {run.get('profile', 'unknown')} profile, run on {dates}"


def _versions(run: Mapping[str, Any], made: pd.DataFrame) -> str:
    environments = run.get("environments", {})
    used = [environments[name]["versions"] for name in made["environment"].unique()]
    return ", ".join(f"{name} {_joined(sorted({v[name] for v in used}))}" for name in PACKAGES)


def _joined(values: Sequence[str]) -> str:
    return " and ".join(values) or "unknown"


def _sources(rows: pd.DataFrame) -> str:
    """``partial: a/x, a/y; resampled: a/z``."""
    named = rows.groupby("source")["dataset"].unique()
    return _listed({str(source): names for source, names in named.items()}) or "none"


def _notes(rows: pd.DataFrame, run: Mapping[str, Any]) -> str:
    """``first 10 of the 100 published realisations: a/x, a/y``."""
    notes = {name: about["note"] for name, about in run.get("data", {}).items()}
    named: dict[str, list[str]] = {}
    for name in sorted(set(rows["dataset"])):
        if notes.get(name):
            named.setdefault(notes[name], []).append(name)
    return _listed(named)


def _listed(named: Mapping[str, Iterable[str]]) -> str:
    return "; ".join(f"{what}: {', '.join(sorted(names))}" for what, names in named.items())
