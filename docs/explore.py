"""Data of the page "Explore the records": every number under every reading, and KPM's curves."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
import numpy as np
import pandas as pd

from reprolib.papers.kpm.figures import paper_name, printed_dimensions
from reprolib.report import tables
from reprolib.report.drawing import symbols
from reprolib.report.tables import claims_frame, digits_of
from reprolib.report.theme import GROUNDS, LOOKS, meanings, palette, signed, slug
from reprolib.rerun.records import load_paper, path_matrix, select
from reprolib.rerun.records.registry import PAPERS, printed_of
from reprolib.rerun.verdicts import errors, judge_claims, judge_paper
from reprolib.rerun.verdicts.claims import ClaimVerdict
from reprolib.rerun.verdicts.judge import Outcome, Verdict
from reprolib.rerun.verdicts.printed import controls, points_of

HERE = Path(__file__).resolve().parent
#: One outcome is a list in this order: from ``value`` to ``high`` as numbers, the rest as shown.
OUTCOME = ("reading", "word", "value", "low", "high", *tables.READING_COLUMNS[1:-1])
#: The curves are those of the comparison that the claims are judged by.
CURVES = {"table": "table2", "reading": "random partitions", "setting": ""}


def data(papers: Sequence[str] = PAPERS) -> dict[str, Any]:
    """Everything that the page shows when it is turned."""
    told = meanings(points_of(papers, "percentage points"))
    return {
        "words": {
            word: {"sign": look.sign, "slug": slug(word), "meaning": told.get(word, "")}
            for word, look in LOOKS.items()
        },
        "outcome": OUTCOME,
        "papers": [_paper(key) for key in papers if judge_paper(key)],
        "curves": curves() if "kpm" in papers else [],
    }


def _paper(key: str) -> dict[str, Any]:
    file, not_of_text = printed_of(key), controls(key)
    lines = pd.concat({table: tables.readings(key, table) for table in file.printed.tables})
    return {
        "key": key,
        "title": tables.heading(key),
        "notebook": str(Path("../notebooks", file.story.notebook).with_suffix(".html")),
        "tables": {name: table.caption for name, table in file.printed.tables.items()},
        "readings": {
            r.name: {
                "question": file.story.readings[r.name].question,
                "text": file.story.readings[r.name].text,
                "control": r.name in not_of_text,
            }
            for r in file.readings
        },
        "numbers": [_number(v, lines) for v in judge_paper(key)],
    }


def _number(v: Verdict, lines: pd.DataFrame) -> dict[str, Any]:
    """One printed number with its outcomes, that of the judged reading first."""
    n = v.number
    measured: dict[str, Verdict | Outcome] = {n.judged: v, **v.readings} if v.n_trials else {}
    return {
        "table": n.table,
        "row": n.row,
        "column": n.column,
        "printed": tables.number_text(n.value, n.spread, n.digits),
        "value": n.value,
        "margin": _plain(n.margin),
        "word": v.word,
        "why": v.reason,
        "credited": v.reading if v.is_credited else "",
        "tried": v.n_readings,
        "role": v.role,
        "quantity": v.quantity,
        "design": v.design,
        "outcomes": [
            _outcome(v, name, o, lines.loc[(n.table, n.row, n.column, name)])
            for name, o in measured.items()
        ],
    }


def _outcome(v: Verdict, name: str, o: Verdict | Outcome, line: pd.Series) -> list[Any]:
    ends = [_plain(v.number.value + end) for end in o.interval]
    texts = [line[column] for column in OUTCOME[5:]]
    texts = [int(text) if isinstance(text, np.integer) else text for text in texts]
    return [name, line["verdict"], _plain(o.ours), *ends, *texts]


def _plain(value: float) -> float | None:
    return float(f"{value:.6g}") if math.isfinite(value) else None


def curves() -> list[dict[str, Any]]:
    """KPM's error against D on every set of real data, in per cent.

    The mean and the middle 80 % of the partitions; the training error; KPM minus the SVM on the
    same partitions with the half-width of claims (95 %, `errors.paired`); and which D
    cross-validation selects: 10 % quantile, median, 90 % quantile.
    """
    rows = select(load_paper("kpm"), **CURVES)
    rows = rows[rows["source"] != "embedded"]
    printed = printed_dimensions()
    order = [*printed, *sorted(set(rows["dataset"]) - set(printed))]
    return [_curve(name, rows[rows["dataset"] == name], printed.get(name)) for name in order]


def _curve(name: str, rows: pd.DataFrame, printed: float | None) -> dict[str, Any]:
    rows = rows.sort_values("trial")
    test = 100 * path_matrix(select(rows, method="kpm", metric="test error path"))
    train = 100 * path_matrix(select(rows, method="kpm", metric="training error path"))
    svm = 100 * select(rows, method="svm", metric="test error")["value"].to_numpy()
    minus = test - svm[:, None]
    selected = select(rows, method="kpm", metric="selected D")["value"]
    chosen = 100 * select(rows, method="kpm", metric="test error")["value"].to_numpy()
    low, high = np.percentile(test, [10, 90], axis=0)
    return {
        "set": name.split("/")[1],
        "name": paper_name(name),
        "partitions": len(test),
        "source": ", ".join(sorted(rows["source"].unique())),
        "printed": printed,
        "test": _hundredths(test.mean(axis=0)),
        "low": _hundredths(low),
        "high": _hundredths(high),
        "train": _hundredths(train.mean(axis=0)),
        "svm": round(float(svm.mean()), 2),
        "minus": _hundredths(minus.mean(axis=0)),
        "half": _hundredths([errors.paired(column).half_width() for column in minus.T]),
        "selected": np.percentile(selected, [10, 50, 90], method="inverted_cdf")
        .astype(int)
        .tolist(),
        "chosen": round(float(chosen.mean()), 2),
    }


def _hundredths(values: Sequence[float] | np.ndarray) -> list[float]:
    return [round(float(value), 2) for value in values]


def claims(paper: str) -> list[dict[str, Any]]:
    """Claims of a paper, with the difference in every cell and the address of that cell."""
    lines = claims_frame([paper]).to_dict("records")
    return [{**line, **_evidence(c)} for line, c in zip(lines, judge_claims(paper), strict=True)]


def _evidence(c: ClaimVerdict) -> dict[str, Any]:
    digits, by_cell = digits_of(c), c.weakest.by_cell
    return {
        "name": c.claim.name,
        "address": address(c.claim.paper, "claims", c.claim.name),
        "reading": c.claim.reading,
        "others": [
            f"{c.claim.a.name} − {o.against} {tables.difference_text(o.difference, digits)} ± "
            f"{tables.half_width_text(o.error.half_width(), digits)}, {o.word}"
            for o in c.contrasts
            if o is not c.weakest
        ],
        "cells": [
            {
                "name": f"{cell.number.row}, {cell.number.column}",
                "address": address(
                    cell.number.paper, cell.number.table, cell.number.row, cell.number.column
                ),
                "difference": tables.difference_text(found.difference, digits),
            }
            for cell, found in by_cell.items()
        ],
    }


def address(*parts: str) -> str:
    """Part of the page's address that names a cell; its parts may hold any character."""
    return "/".join(quote(part, safe="!'()*") for part in parts)


def page(papers: Sequence[str] = PAPERS) -> str:
    """HTML of the page below its heading."""
    loader = [jinja2.FileSystemLoader(HERE), jinja2.PackageLoader("reprolib.report")]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loader),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(slug=slug, signed=signed, address=lambda parts: address(*parts))
    found = data(papers)
    return environment.get_template("explore.html.jinja").render(
        papers=found["papers"],
        claims={key: claims(key) for key in papers},
        json=json.dumps(found, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
        looks=LOOKS,
        symbols=symbols(),
        palettes={ground: palette(ground) for ground in GROUNDS},
        colours={name: f"var(--{name})" for name in palette("light")},
    )
