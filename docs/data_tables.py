"""Tables of the page on the data sets: from the catalog, the committed records and the audit."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from data_fetch.catalog import Catalog, Entry, default_catalog
from reprolib.rerun.records import load_paper
from reprolib.rerun.records.registry import PAPERS, STUDIES
from reprolib.rerun.verdicts.printed import paper_entry

HERE = Path(__file__).resolve().parent
_COLUMNS = ("data set", "rows × columns, classes", "from, terms", "used in", "audit")


def table(entries: Iterable[Entry], catalog: Catalog) -> str:
    """Some data sets, one a row, in Markdown."""
    found = findings()
    used = sources_of_records()
    lines = [f"| {' | '.join(_COLUMNS)} |", "|---" * len(_COLUMNS) + "|"]
    for entry in entries:
        cells = [
            f"`{entry.name}`<br>{entry.title}",
            size(entry),
            origin(entry, catalog),
            "<br>".join(used.get(entry.name, ["–"])),
            "<br>".join(found.get(entry.name, ["–"])),
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def size(entry: Entry) -> str:
    """Rows, columns and classes; what the catalog does not state is left out."""
    rows, columns = entry.size
    classes = f", {entry.classes} classes" if entry.classes else ""
    return f"{rows:,} × {columns:,}{classes}" if rows else classes.removeprefix(", ")


def origin(entry: Entry, catalog: Catalog) -> str:
    """Who published it, where it can be downloaded by hand, and its terms."""
    if not entry.files:
        return f"bundled with {entry.bundled}" if entry.bundled else "made by this package"
    files = [catalog.files[name] for name in entry.files]
    cites = dict.fromkeys(file.cite for file in files)
    pages = dict.fromkeys(f"[site]({file.page})" for file in files if file.page)
    terms = dict.fromkeys(file.terms for file in files)
    return "<br>".join(["; ".join(part) for part in (cites, pages, terms) if part])


def findings() -> dict[str, list[str]]:
    """What the audit found, by data set."""
    audit = pd.read_csv(HERE / "audit.csv")
    return {
        str(name): [f"**{row.check}**: {row.finding}" for row in rows.itertuples()]
        for name, rows in audit.groupby("data set")
    }


def sources_of_records() -> dict[str, list[str]]:
    """Papers and studies with committed records on each data set, and the source of its values."""
    used: dict[str, list[str]] = {}
    for paper in (*PAPERS, *STUDIES):
        records = load_paper(paper)
        notebook = paper_entry(paper)["paper"]["notebook"]
        for name, rows in records.groupby("dataset", sort=True):
            sources = ", ".join(sorted(rows["source"].unique()))
            link = f"[{paper.upper()}](notebooks/{notebook})"
            used.setdefault(str(name), []).append(f"{link}: {sources}")
    return used


def write_data_tables(folder: Path) -> None:
    """Write ``data.md``, sets with real values, and ``data_embedded.md``, those that stand in."""
    catalog = default_catalog()
    real = [entry for entry in catalog.entries.values() if entry.is_real]
    made = [entry for entry in catalog.entries.values() if not entry.is_real]
    (folder / "data.md").write_text(table(real, catalog), encoding="utf-8")
    (folder / "data_embedded.md").write_text(table(made, catalog), encoding="utf-8")
