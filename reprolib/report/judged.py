"""Verdicts on anyone's table as frames, as JSON, and as one page that needs nothing else."""

from __future__ import annotations

import json
import math

import pandas as pd

from reprolib.report.tables import claims_lines, verdict_frame
from reprolib.report.theme import render, rules
from reprolib.rerun.printed.schema import MARGIN
from reprolib.rerun.verdicts import Judged

_SHOWN = ["published", "ours", "difference", "half-width", "detectable", "trials", "verdict"]


def numbers_frame(judged: Judged) -> pd.DataFrame:
    """One line a printed number: both values, the difference, its interval and the word."""
    frame = verdict_frame(judged.verdicts)
    several = frame["table"].nunique() > 1
    return frame.set_index([*(["table"] if several else []), "row", "column"])[_SHOWN]


def as_json(judged: Judged) -> str:
    """Words, differences and intervals by name; null where there is none."""
    numbers = {
        v.number.id: {
            "word": v.word,
            "published": v.number.value,
            "ours": _number(v.ours),
            "trials": v.n_trials,
            "difference": _number(v.difference),
            "interval": [_number(end) for end in v.interval],
            "detectable": _number(v.detectable),
        }
        for v in judged.verdicts
    }
    claims = {
        c.claim.name: {
            "word": c.word,
            "text": c.text,
            "difference": _number(c.difference),
            "interval": [_number(end) for end in c.interval],
            "detectable": _number(c.detectable),
        }
        for c in judged.claims
    }
    found = {"title": judged.title, "claims": claims, "numbers": numbers}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _number(value: float) -> float | None:
    return float(f"{value:.6g}") if math.isfinite(value) else None


def page(judged: Judged) -> str:
    """One HTML page with both tables and the pictures; it loads nothing and runs nothing."""
    from reprolib.report.drawing import svg, symbols
    from reprolib.report.forest import forests

    frames = [("Claims", claims_lines(judged.claims)), ("Numbers", numbers_frame(judged))]
    words = {v.word for v in judged.verdicts}
    return render(
        "judged.html.jinja",
        title=judged.title,
        frames=frames,
        pictures={quantity: svg(drawn) for quantity, drawn in forests(judged.verdicts).items()},
        symbols=symbols(),
        rules={word: rule for word, rule in rules(_margin(judged)).items() if word in words},
    )


def _margin(judged: Judged) -> str:
    """What counts as no difference, in words, where it is the same for all."""
    numbers = [v.number for v in judged.verdicts if v.quantity == "performance"]
    if all(n.stated_margin is None for n in numbers):
        return f"{MARGIN:g} percentage points"
    return "the margin"


def forest_svg(judged: Judged) -> str:
    """SVG of all numbers, one picture a quantity, one below the other."""
    from reprolib.report.drawing import svg
    from reprolib.report.forest import forests

    parts, below = list[str](), 0.0
    drawn = forests(judged.verdicts).values()
    for picture in drawn:
        parts.append(svg(picture, "light").strip().replace("<svg", f'<svg y="{below}"', 1))
        below += picture.height
    width = max((picture.width for picture in drawn), default=0)
    size = f'width="{width}" height="{below}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n{"".join(parts)}\n</svg>\n'
