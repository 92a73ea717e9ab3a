"""The report: one self-contained HTML page that needs no network."""

from __future__ import annotations

import base64
import io
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from PIL import Image

from reprolib.report import tables
from reprolib.report.charts import by_kind, forests, scoreboard
from reprolib.report.drawing import svg, symbols
from reprolib.report.headline import headline_picture, sentences
from reprolib.report.paper_figures import drawn_figures
from reprolib.report.printed_tables import html_fragment, printed_tables
from reprolib.report.style import use_style
from reprolib.report.tables import difference_text, half_width_text, number_text
from reprolib.report.theme import CLAIM_MEANINGS, MEANINGS, render
from reprolib.rerun import records as results
from reprolib.rerun.records.registry import write_atomically
from reprolib.rerun.verdicts import Verdict, judge_claims, judge_paper
from reprolib.rerun.verdicts.judge import count_words
from reprolib.rerun.verdicts.printed import paper_entry
from reprolib.rerun.verdicts.standing import standing_of
from reprolib.rerun.verdicts.words import WORDS

#: A heading of a rendered notebook: its anchor and its text.
_HEADING = re.compile(r'<section id="([^"]+)">(?:\s*<span[^>]*></span>)*\s*<h2>(.*?)<a ', re.DOTALL)


def write_report(
    papers: Sequence[str],
    directory: Path | None,
    output: Path,
    *,
    title: str,
    site: Path | None = None,
) -> Path:
    """Write the report on results of papers.

    Parameters
    ----------
    papers : sequence of str
        Papers with results there; the others are left out.
    directory : Path or None
        Results folder, with one folder a paper; the committed results of each paper if None.
    output : Path
        HTML file, written atomically.
    title : str
        Says which results these are (profile).
    site : Path, optional
        Built documentation. The page links to its notebooks, relative to ``output``; a page that
        does not exist is named without a link.

    Returns
    -------
    Path
        ``output``.
    """
    use_style()
    at_hand = [paper for paper in papers if not results.load_paper(paper, directory).empty]
    verdicts = {paper: judge_paper(paper, directory) for paper in at_hand}
    judged = {paper: of_paper for paper, of_paper in verdicts.items() if of_paper}
    everything = [v for of_paper in judged.values() for v in of_paper]
    claims = {paper: judge_claims(paper, directory) for paper in judged}
    claim_lines = tables.claims_frame(list(judged), directory).reset_index()
    html = render(
        "report.html.jinja",
        title=title,
        symbols=symbols(),
        meanings=MEANINGS,
        site=_link(site, "index.html", output),
        words_page=_link(site, "docs/words.html", output),
        claim_meanings=CLAIM_MEANINGS,
        counts=count_words(everything),
        claims=claim_lines.assign(paper=claim_lines["paper"].str.upper()),
        claim_counts=tables.count_claims([c for of_paper in claims.values() for c in of_paper]),
        headline=headline_picture({paper: standing_of(paper, directory) for paper in judged})
        if judged
        else "",
        sentences=sentences(list(judged)),
        scoreboard=svg(scoreboard(by_kind(judged, claims), legend=WORDS)) if judged else "",
        readings={
            paper: sorted({name for v in of_paper for name in v.readings})
            for paper, of_paper in judged.items()
        },
        numbers=all_numbers(judged),
        sections=[_section(paper, directory, output, site) for paper in at_hand],
    )
    write_atomically(output, html)
    return output


def _link(site: Path | None, page: str, output: Path) -> str:
    """Address of a page of the built documentation as seen from the report; empty without it."""
    if site is None or not (site / page).is_file():
        return ""
    relative = os.path.relpath((site / page).resolve(), output.resolve().parent)
    return quote(Path(relative).as_posix())


def all_numbers(verdicts: Mapping[str, Sequence[Verdict]]) -> pd.DataFrame:
    """Every published number, one row each, own methods first; empty if there are none."""
    frames = [
        _with_reasons(of_paper).assign(paper=paper.upper())
        for paper, of_paper in verdicts.items()
        if of_paper
    ]
    if not frames:
        return pd.DataFrame()
    return pd.concat(frames, ignore_index=True).set_index("paper").reset_index()


def _with_reasons(verdicts: Iterable[Verdict]) -> pd.DataFrame:
    """Verdicts in the report's order: numbers, verdict, why, and then the evidence."""
    frame = tables.verdict_frame(tables.in_report_order(verdicts)).rename(columns={"reason": "why"})
    together = ["published", "ours", "verdict", "why"]
    others = [name for name in frame.columns if name not in together]
    first = others.index("difference")
    return frame[[*others[:first], *together, *others[first:]]]


def _section(
    paper: str, directory: Path | None, output: Path, site: Path | None
) -> dict[str, object]:
    """Everything that the template of a paper's section fills in."""
    verdicts = judge_paper(paper, directory)
    entry = paper_entry(paper)
    records = results.load_paper(paper, directory)
    run, made = results.load_run(paper, directory), results.load_tasks(paper, directory)
    figures, fault = drawn_figures(paper, records)
    notebook = Path("notebooks", entry["paper"]["notebook"]).with_suffix(".html")
    link = _link(site, notebook.as_posix(), output)
    printed = {
        key: _with_reasons(v for v in verdicts if v.number.table == key) for key in entry["tables"]
    }
    provenance = tables.provenance(paper, directory)
    for column in ("note", "digest"):
        of_data = run.get("data", {})
        provenance[column] = [of_data.get(name, {}).get(column, "") for name in provenance.index]
    under_all = {key: tables.readings(paper, key, directory) for key in entry["tables"]}
    return {
        "key": paper,
        "paper": entry["paper"],
        "notebook": link,
        "chapters": chapters((site / notebook).read_text(encoding="utf-8"))
        if site is not None and link
        else {},
        "finding": finding(verdicts),
        "printed": {t.title: html_fragment(t) for t in printed_tables(paper, directory)},
        "forests": {quantity: svg(drawing) for quantity, drawing in forests(verdicts).items()},
        "tables": [
            (key, entry["tables"][key]["caption"], frame.drop(columns=["table", "quantity"]))
            for key, frame in printed.items()
        ],
        "figures": {caption: embed(figure) for caption, figure in figures.items()},
        "undrawn": fault.strip().rsplit("\n", 1)[-1],
        "readings": tables.readings_tried(paper, verdicts),
        "every_reading": {k: f.reset_index() for k, f in under_all.items() if not f.empty},
        "provenance": provenance.reset_index(),
        "runs": _runs(made, records),
        "environments": _environments(made, run),
    }


def chapters(page: str) -> dict[str, str]:
    """Anchors of the chapters of a rendered notebook, with their headings as plain text."""
    found = _HEADING.findall(page)
    return {anchor: unescape(re.sub(r"<[^>]+>", "", text)).strip() for anchor, text in found}


def embed(figure: Figure) -> str:
    """Figure as a PNG data URI of 128 colours, which its lines and letters need; it is closed."""
    drawn, buffer = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", metadata={"Software": None})
    plt.close(figure)
    Image.open(drawn).convert("RGB").quantize(128).save(buffer, format="PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def _runs(made: pd.DataFrame, records: pd.DataFrame) -> pd.DataFrame:
    """What made every table: dates, code, counts and computing time, as its tasks have them."""
    failed = results.failed(records).groupby("table").size()
    return pd.DataFrame(
        {
            "table": table,
            "date": " to ".join(dict.fromkeys([rows["date"].min(), rows["date"].max()])),
            "code": ", ".join(sorted(rows["code"].unique())),
            "tasks": len(rows),
            "records": int((records["table"] == table).sum()),
            "failed": int(failed.get(str(table), 0)),
            "minutes": f"{rows['seconds'].sum() / 60:.1f}",
        }
        for table, rows in made.groupby("table")
    )


def _environments(made: pd.DataFrame, run: Mapping[str, Any]) -> dict[str, str]:
    """Machine and versions, with the tables that were made there."""
    environments = {}
    for name, rows in made.groupby("environment"):
        about = run["environments"][name]
        versions = ", ".join(f"{library} {number}" for library, number in about["versions"].items())
        where = f"{about['machine']}, Python {about['python']}, {versions}"
        environments[", ".join(sorted(rows["table"].unique()))] = where
    return environments


def finding(verdicts: Sequence[Verdict]) -> list[tuple[str, str]]:
    """Three lines on a paper, each a heading and its text: own method, baselines, readings.

    Parameters
    ----------
    verdicts : sequence of Verdict
        All of one paper; a study that prints no numbers has none, and no lines.
    """
    if not verdicts:
        return []
    by_role = {
        role: [v for v in verdicts if v.role == role] for role in ("own", "baseline", "quoted")
    }
    own = [_counted(by_role["own"]), *_extremes(by_role["own"])]
    baselines = [_counted(by_role["baseline"])]
    if quoted := by_role["quoted"]:
        baselines.append(f"Quoted from elsewhere and not judged: {_numbers(len(quoted))}.")
    tried = {name for v in verdicts for name in v.readings}
    credited = [v for v in verdicts if v.word == "reproduced under a reading"]
    names = " or ".join(dict.fromkeys(f"“{v.reading}”" for v in credited))
    gained = (
        f"{_numbers(len(credited))} reproduced only under {names}"
        if credited
        else "none reproduces a row that it misses"
    )
    readings = f"Tried beside the judged one: {len(tried)}; {gained}."
    return [
        ("Own method", " ".join(own)),
        ("Baselines", " ".join(baselines)),
        ("Readings", readings),
    ]


def _counted(verdicts: Sequence[Verdict]) -> str:
    """Count the words, performance first: ``Performance, 12 numbers: 12 reproduced.``."""
    sentences = []
    for quantity in ("performance", "selection"):
        of_quantity = [v for v in verdicts if v.quantity == quantity]
        if of_quantity:
            counts = count_words(of_quantity)
            words = ", ".join(f"{counts[word]} {word}" for word in WORDS if counts[word])
            sentences.append(f"{quantity.capitalize()}, {_numbers(len(of_quantity))}: {words}.")
    return " ".join(sentences) or "None printed."


def _numbers(count: int) -> str:
    return f"{count} number{'' if count == 1 else 's'}"


def _extremes(own: Sequence[Verdict]) -> list[str]:
    """Largest miss, and the largest difference that an undecided performance may hide."""

    def where(v: Verdict) -> str:
        n = v.number
        published, ours = (number_text(value, None, n.digits) for value in (n.value, v.ours))
        return f"{n.table}, {n.row}, {n.column} (published {published}, ours {ours})"

    measured = [v for v in own if v.quantity == "performance" and np.isfinite(v.half_width)]
    undecided = [v for v in measured if v.word == "undecided"]
    missed = [v for v in measured if v.word == "not reproduced"]
    sentences = []
    if missed:
        v = max(missed, key=lambda v: abs(v.difference) / v.number.scale)
        size = difference_text(v.difference, v.number.digits)
        sentences.append(f"Largest difference of a missed performance: {size}, {where(v)}.")
    if undecided:
        v = max(undecided, key=lambda v: v.detectable / v.number.scale)
        size = half_width_text(v.detectable, v.number.digits)
        sentences.append(f"Largest difference that could have been missed: {size}, {where(v)}.")
    return sentences
