"""The report: one self-contained HTML page that needs no network."""

from __future__ import annotations

import base64
import io
import os
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from PIL import Image

from reprolib.report import tables
from reprolib.report.all_readings import of_claim
from reprolib.report.drawing import svg, symbols
from reprolib.report.forest import forests
from reprolib.report.headline import headline_picture, own_line, sentences
from reprolib.report.paper_figures import drawn_figures
from reprolib.report.printed_tables import html_fragment, printed_tables
from reprolib.report.style import use_style
from reprolib.report.tables import (
    difference_text,
    digits_of,
    half_width_text,
    number_text,
    ours_text,
)
from reprolib.report.theme import CLAIM_MEANINGS, meanings, render
from reprolib.rerun import records as results
from reprolib.rerun.records.registry import printed_of, write_atomically
from reprolib.rerun.verdicts import ClaimVerdict, Verdict, judge_claims, judge_paper
from reprolib.rerun.verdicts.printed import points_of, short_name

#: Lines of a forest that a column holds beside the claims.
_LONG = 30


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
    at_hand = [paper for paper in papers if results.load_run(paper, directory)]
    judged = [paper for paper in at_hand if judge_paper(paper, directory)]
    html = render(
        "report.html.jinja",
        title=title,
        symbols=symbols(),
        meanings=meanings(points_of(at_hand, "percentage points")),
        claim_meanings=CLAIM_MEANINGS,
        site=_link(site, "index.html", output),
        words_page=_link(site, "docs/words.html", output),
        headline=headline_picture({p: judge_paper(p, directory) for p in judged}) if judged else "",
        sentences=sentences(at_hand),
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


def _section(
    paper: str, directory: Path | None, output: Path, site: Path | None
) -> dict[str, object]:
    """Everything that the template of a paper's section fills in."""
    verdicts, claims = judge_paper(paper, directory), judge_claims(paper, directory)
    decided = {c.text for c in claims if c.word != "undecided"}
    file = printed_of(paper)
    records = results.load_paper(paper, directory)
    run, made = results.load_run(paper, directory), results.load_tasks(paper, directory)
    figures, fault = drawn_figures(paper, records, "Figure " if verdicts else "")
    notebook = Path("notebooks", file.story.notebook).with_suffix(".html")
    provenance = tables.provenance(paper, directory)
    for column in ("note", "digest"):
        of_data = run.get("data", {})
        provenance[column] = [of_data.get(name, {}).get(column, "") for name in provenance.index]
    environments = {}
    for name, rows in made.groupby("environment"):
        about = run["environments"][name]
        versions = ", ".join(f"{library} {number}" for library, number in about["versions"].items())
        made_there = ", ".join(sorted(rows["table"].unique()))
        environments[made_there] = f"{about['machine']}, Python {about['python']}, {versions}"
    return {
        "key": paper,
        "name": short_name(paper),
        "heading": tables.heading(paper),
        "citation": tables.citation(paper),
        "paper": file.printed.paper,
        "story": file.story,
        "notebook": _link(site, notebook.as_posix(), output),
        "printed": {t.title: html_fragment(t) for t in printed_tables(paper, directory)},
        "claims": [
            _claim(c, sentence, c.text in decided) for c, sentence in tables.by_sentence(claims)
        ],
        "one_cause": tables.one_cause(claims),
        "line": own_line(verdicts),
        "not_judged": [c for c in file.printed.claims if c.not_judged],
        "forests": _forests(verdicts),
        "numbers": _numbers(tables.in_report_order(verdicts), made),
        "figures": {caption: embed(figure) for caption, figure in figures.items()},
        "undrawn": fault.strip().rsplit("\n", 1)[-1],
        "readings": tables.readings_tried(paper, verdicts),
        "provenance": provenance.reset_index(),
        "runs": _runs(made, records),
        "environments": environments,
    }


def _forests(verdicts: Sequence[Verdict]) -> list[tuple[str, str]]:
    """Quantity and picture of each forest; a long one in two, as columns cannot break a picture."""
    accuracies = [v for v in verdicts if v.quantity == "performance" and v.n_trials]
    chosen = [v for v in verdicts if v.quantity == "selection"]
    parts = [accuracies, chosen]
    if len(accuracies) > _LONG:
        own = [v for v in accuracies if v.role == "own"]
        parts = [own, [v for v in accuracies if v.role != "own"], chosen]
    return [(kind, svg(drawing)) for part in parts for kind, drawing in forests(part).items()]


def _claim(c: ClaimVerdict, sentence: str, is_open: bool) -> dict[str, Any]:
    """What a claim says when it is opened."""
    digits, weakest = digits_of(c), c.weakest
    return {
        "sentence": sentence,
        "is_open": is_open,
        "name": c.claim.name,
        "word": c.word,
        "text": c.text,
        "page": str(c.claim.page or ""),
        "but": "; ".join(f"{word}: {reading}" for reading, word in c.exceptions.items()),
        "compared": tables.compared(c),
        "ours": difference_text(weakest.difference, digits),
        "interval": tables.deciding_interval(c),
        "surely": tables.claim_surely(c),
        "variants": of_claim(c, digits)._repr_html_(),
        "printed": difference_text(weakest.printed, digits),
    }


def _numbers(verdicts: Iterable[Verdict], made: pd.DataFrame) -> list[dict[str, Any]]:
    """What every printed number says when it is opened, and how it is made again."""
    seconds: dict[Any, float] = (
        made.groupby(["table", "dataset", "method"])["seconds"].sum().to_dict()
    )
    lines = []
    for v in (verdict.shown for verdict in verdicts):
        n, digits = v.number, v.number.digits
        place = (n.results, n.select["dataset"], n.select["method"])
        under = {name: outcome for name, outcome in v.readings.items() if outcome.n_trials}
        lines.append(
            {
                "word": v.word,
                "table": n.table.replace("table", "Table "),
                "where": f"{n.row}, {n.column}",
                "printed": number_text(n.value, n.spread, digits),
                "ours": ours_text(v, v.spread),
                "difference": f"{difference_text(v.difference, digits)} ± "
                f"{half_width_text(v.half_width, digits)}",
                "errors": tables.errors_text(v),
                "surely": tables.number_surely(v.tipping, digits),
                "trials": v.n_trials,
                "source": v.source,
                "why": v.reason,
                "reading": v.reading if v.is_credited else "",
                "readings": [
                    (name, number_text(o.ours, o.spread, digits), o.word)
                    for name, o in under.items()
                ],
                "command": shlex.join(
                    ["reprolib", "reproduce", n.paper, "--full", "--only", "/".join(place)]
                )
                if place in seconds
                else "",
                "minutes": f"{max(0.1, seconds.get(place, 0.0) / 60):.1f}",
            }
        )
    return lines


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
