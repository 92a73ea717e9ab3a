"""The page on the data sets: from the catalog and the committed records."""

from __future__ import annotations

from pathlib import Path

from data_fetch.catalog import Catalog, Entry, default_catalog
from reprolib.rerun.records import load_paper
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts.printed import paper_entry

#: Markdown by the name of the data set.
Texts = dict[str, list[str]]


def described(entry: Entry, catalog: Catalog, used: Texts) -> str:
    """One data set in Markdown: size, who uses it, where it is from, and its notes."""
    lines = [f"### {entry.name}", "", f"{entry.title}: {size(entry)}. {origin(entry, catalog)}"]
    if entry.name in used:
        lines += ["", f"Used in {'; '.join(used[entry.name])}."]
    if entry.notes:
        lines += ["", *(f"- {note}" for note in entry.notes)]
    return "\n".join([*lines, "", ""])


def size(entry: Entry) -> str:
    """Rows, columns and classes."""
    rows, columns = entry.size
    return f"{rows:,} rows, {columns:,} columns, {entry.classes} classes"


def origin(entry: Entry, catalog: Catalog) -> str:
    """Who published it, where it can be downloaded by hand, and its terms."""
    if not entry.files:
        return f"Bundled with {entry.bundled}." if entry.bundled else "Made by this package."
    files = [catalog.files[name] for name in entry.files]
    cites = "; ".join(dict.fromkeys(file.cite for file in files))
    pages = dict.fromkeys(file.page for file in files if file.page)
    sites = ", ".join(f"[site]({page})" for page in pages)
    terms = "; ".join(dict.fromkeys(file.terms for file in files))
    return f"{cites}{f' ({sites})' if sites else ''}. Terms: {terms}."


def sources_of_records() -> Texts:
    """Papers with committed records on each data set, and the source of its values."""
    used: Texts = {}
    for paper in PAPERS:
        records = load_paper(paper)
        notebook = paper_entry(paper)["paper"]["notebook"]
        for name, rows in records.groupby("dataset", sort=True):
            sources = ", ".join(sorted(rows["source"].unique()))
            link = f"[{paper.upper()}](notebooks/{notebook})"
            used.setdefault(str(name), []).append(f"{link} ({sources})")
    return used


def write_data_sets(folder: Path) -> None:
    """Write ``data.md``, sets with real values, and ``data_embedded.md``, those that stand in."""
    catalog = default_catalog()
    used = sources_of_records()
    parts = {"data.md": True, "data_embedded.md": False}
    for file, real in parts.items():
        entries = [entry for entry in catalog.entries.values() if entry.is_real is real]
        text = "".join(described(entry, catalog, used) for entry in entries)
        (folder / file).write_text(text, encoding="utf-8")
