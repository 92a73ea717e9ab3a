"""Where a table or a figure comes from: command, records, versions and source of the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from reprolib.rerun import records as results
from reprolib.rerun.records.registry import printed_of

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
        Results file and tables behind it, with profile and date of their run.
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
        Command that makes it.
    directory : Path or None
        Results folder; the committed results if None.
    rows : DataFrame
        The records.
    """
    run, made = results.load_run(paper, directory), results.load_tasks(paper, directory)
    made = made[made["task"].isin(rows["task"])]
    about = printed_of(paper).printed.paper
    pages = f", pp. {about.pages}" if about.pages else ""
    tables = ", ".join(sorted(set(rows["table"])))
    ran_on = f"{run.get('profile', 'unknown')} profile, run on {_joined(made['date'])}"
    environments = run.get("environments", {})
    used = [environments[name]["versions"] for name in made["environment"].unique()]
    by_source = rows["dataset"].groupby(results.sources(rows)).unique()
    notes = {name: of_set["note"] for name, of_set in run.get("data", {}).items()}
    by_note: dict[str, list[str]] = {}
    for name in sorted(set(rows["dataset"])):
        if notes.get(name):
            by_note.setdefault(notes[name], []).append(name)
    return Origin(
        title=title,
        paper=f"{about.authors}: {about.title}. {about.venue}{pages}",
        command=command,
        records=f"{paper}/records.csv.xz ({tables}); {ran_on}" if tables else "none",
        versions=", ".join(f"{name} {_joined(v[name] for v in used)}" for name in PACKAGES),
        source=_listed({str(source): names for source, names in by_source.items()}) or "none",
        data=_listed(by_note),
    )


def _joined(values: Iterable[str]) -> str:
    return " and ".join(sorted(set(values))) or "unknown"


def _listed(named: Mapping[str, Iterable[str]]) -> str:
    """``partial: a/x, a/y; resampled: a/z``."""
    return "; ".join(f"{what}: {', '.join(sorted(names))}" for what, names in named.items())
