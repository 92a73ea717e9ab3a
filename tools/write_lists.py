"""Write the lists of estimators, papers and data sets into docs/, between their markers.

``make lists`` runs it; a test compares the committed pages with what it would write.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_type_hints

import msgspec
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

import reprolib
from data_fetch.catalog import Catalog, Entry, default_catalog
from reprolib.report.tables import (
    citation,
    compared,
    deciding_interval,
    difference_text,
    digits_of,
    heading,
)
from reprolib.report.theme import signed
from reprolib.rerun.printed import schema
from reprolib.rerun.printed.file import words
from reprolib.rerun.records import load_paper
from reprolib.rerun.records.registry import PAPERS, printed_of
from reprolib.rerun.verdicts import judge_claims, judge_paper
from reprolib.rerun.verdicts.judge import count_words
from reprolib.rerun.verdicts.printed import short_name

DOCS = Path(__file__).resolve().parents[1] / "docs"
BEGIN, END = "<!-- made: begin -->", "<!-- made: end -->"


def estimators() -> dict[str, type]:
    """Classes that ``from reprolib import ...`` offers and that can be fitted, by name."""
    offered = {name: getattr(reprolib, name) for name in sorted(reprolib.__all__)}
    return {name: value for name, value in offered.items() if hasattr(value, "fit")}


def title(name: str) -> str:
    """Full name of a method: the heading of its page."""
    page = (DOCS / "estimators" / f"{name}.md").read_text(encoding="utf-8")
    return page.split("\n# ", 1)[1].partition("\n")[0]


def support(estimator: type) -> dict[str, str]:
    """What an estimator can take and give, from its tags and methods."""
    model = estimator()
    tags, weights = get_tags(model), {"sample_weight": has_fit_parameter(model, "sample_weight")}
    weights["class_weight"] = "class_weight" in model.get_params()
    classes = "any number"
    if tags.classifier_tags is None:
        classes = "transformer, any number of classes"
    elif not tags.classifier_tags.multi_class:
        classes = "two"
    return {
        "classes": classes,
        "probabilities": probabilities(estimator),
        "sparse X": "yes" if tags.input_tags.sparse else "no",
        "weights": ", ".join(f"`{name}`" for name, taken in weights.items() if taken) or "no",
        "data in batches": "`partial_fit`" if hasattr(model, "partial_fit") else "no",
    }


def probabilities(estimator: type) -> str:
    """Whether ``predict_proba`` is there, or with which losses."""
    if not hasattr(estimator, "predict_proba"):
        return "no"
    if hasattr(estimator(), "predict_proba"):
        return "yes"
    (allowed,) = estimator._parameter_constraints["loss"]
    given = [loss for loss in allowed.options if hasattr(estimator(loss=loss), "predict_proba")]
    return "with " + " or ".join(f'`loss="{loss}"`' for loss in sorted(given))


def table(rows: Sequence[dict[str, str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    yield from (f"| {' | '.join(rows[0])} |", "|---" * len(rows[0]) + "|")
    yield from (f"| {' | '.join(row.values())} |" for row in rows)


def list_estimators() -> Iterator[str]:
    """Yield a table with a line an estimator: its page, its name, what it supports."""
    links = {name: f"[{name}](estimators/{name}.md)" for name in estimators()}
    yield from table(
        [
            {"estimator": link, "method": title(name), **support(getattr(reprolib, name))}
            for name, link in links.items()
        ]
    )


def case(notebook: str) -> str:
    """Link to the case that belongs to a paper's notebook: the one that links back to it."""
    cases = (DOCS.parent / "notebooks" / "cases").glob("*.ipynb")
    (found,) = [path.name for path in cases if f"(../{notebook})" in path.read_text("utf-8")]
    return f"[a case](../notebooks/cases/{found})"


def list_papers() -> Iterator[str]:
    """Yield what every paper claims with our words, and where to read on."""
    for paper in PAPERS:
        notebook = printed_of(paper).story.notebook
        yield f"## {heading(paper)}\n"
        yield f"*{citation(paper)}*\n"
        yield (
            f"[Notebook](../notebooks/{notebook}) · {case(notebook)} · "
            "[explore its numbers](explore.md) · "
            "[all its numbers in the report](report.md)\n"
        )
        own = [
            f"[{title(name)}](estimators/{name}.md)"
            for name, estimator in estimators().items()
            if f".{paper}." in estimator.__module__
        ]
        yield f"Methods: {'; '.join(own)}.\n"
        yield "What it claims, and what our runs say:\n"
        for claim in judge_claims(paper):
            but = f" ({claim.but})" if claim.but else ""
            difference = difference_text(claim.difference, digits_of(claim))
            told = f"{compared(claim)}: {difference}; {deciding_interval(claim)}"
            yield f"- **{signed(claim.word)}**{but}: “{claim.text}” {told}"
        counts = count_words(judge_paper(paper))
        told = ", ".join(f"{n} {signed(word)}" for word, n in counts.items() if n)
        yield f"\nIts printed numbers: {told}. [What the words mean](words.md).\n"


def origin(entry: Entry, catalog: Catalog) -> tuple[str, str]:
    """Who published a data set, with its site, and its terms."""
    if not entry.files:
        made = f"bundled with {entry.bundled}" if entry.bundled else "made by this package"
        return made, "–"
    files = [catalog.files[name] for name in entry.files]
    sites = "".join(f", [site]({page})" for page in dict.fromkeys(f.page for f in files) if page)
    cites = "; ".join(dict.fromkeys(file.cite for file in files))
    return cites + sites, "; ".join(dict.fromkeys(file.terms for file in files))


def list_data() -> Iterator[str]:
    """Yield a table of the data sets with real values, and one of those that stand in."""
    catalog = default_catalog()
    used: dict[str, list[str]] = {}
    for paper in PAPERS:
        for name, sources in load_paper(paper).groupby("dataset")["source"].unique().items():
            used.setdefault(str(name), []).append(
                f"{short_name(paper)} ({', '.join(sorted(sources))})"
            )
    heads = {
        True: "## Real data\n",
        False: "\n## Data that stand in\n\nMade by this package, in the shape of the real data; "
        "the methods come out on them in the expected order.\n",
    }
    for real, head in heads.items():
        yield head
        rows = []
        for entry in catalog.entries.values():
            if entry.is_real is real:
                publisher, terms = origin(entry, catalog)
                size = f"{entry.size[0]:,} × {entry.size[1]:,}, {entry.classes} classes"
                row = {"name": f"`{entry.name}`", "what": entry.title, "rows × columns": size}
                row["used by"] = ", ".join(used.get(entry.name, ["–"]))
                rows.append(row | {"terms": terms, "from": publisher})
        yield from table(rows)


#: Parts of printed.toml in the order of the page: how a header says each, and its type.
PARTS: Sequence[tuple[str, type[schema.Part]]] = (
    ("[printed.paper]", schema.Paper),
    ("[printed]", schema.Printed),
    ("[printed.tables.table1]", schema.Table),
    ("[printed.tables.table1.rows], .columns: name = { … }", schema.Line),
    ("[[printed.tables.table1.quoted]]", schema.Note),
    ("[[printed.tables.table1.cells]]", schema.Cell),
    ("[[printed.claims]]", schema.Claim),
    ("a and b of a claim", schema.Rival),
    ("[[readings]]", schema.Reading),
    ("[story]", schema.Story),
    ("[story.readings.NAME]", schema.Asked),
    ("[[story.explanations]]", schema.Explanation),
)


def list_keys() -> Iterator[str]:
    """Yield a table of the keys of printed.toml, a part at a time, from its schema."""
    shared = set(schema.Settings.__struct_fields__)
    for header, part in PARTS:
        told = " Also the settings of the table." if issubclass(part, schema.Settings) else ""
        told = "" if part is schema.Table else told
        yield f"**`{header}`** {inspect.getdoc(part)}{told}\n"
        hints = get_type_hints(part, include_extras=True)
        rows = []
        for field in msgspec.structs.fields(part):
            if part is not schema.Table and field.name in shared and told:
                continue
            info = msgspec.inspect.type_info(hints[field.name])
            about = (getattr(info, "extra_json_schema", None) or {}).get("description", "")
            must = words(hints[field.name]).replace("|", "\\|")
            needed = "**needed**; " if field.required else ""
            rows.append({"key": f"`{field.name}`", "is": needed + must, "stands for": about})
        yield from table(rows)
        yield ""


def pages() -> dict[Path, str]:
    """Text of every page that has a list, by its path, with the list as it is now."""
    lists = {"estimators": list_estimators, "papers": list_papers, "data": list_data}
    lists["add_paper"] = list_keys
    found = {}
    for name, lines in lists.items():
        path = DOCS / f"{name}.md"
        made = "\n".join([BEGIN, "", *lines(), "", END])
        found[path] = re.sub(
            f"{BEGIN}.*{END}", lambda _, made=made: made, path.read_text("utf-8"), flags=re.DOTALL
        )
    return found


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{path.name}\n")
