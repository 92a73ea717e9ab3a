"""Verdicts on anyone's table as frames, as JSON, and as one page that needs nothing else."""

from __future__ import annotations

import base64
import io
import json
import math

import pandas as pd
from jinja2 import Environment

from reprolib.report.claims import claims_lines
from reprolib.report.forest import forest_figure
from reprolib.report.style import use_style
from reprolib.report.tables import verdict_frame
from reprolib.rerun.verdicts.anyone import Judged, name_of

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{ title }}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<style>body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem}
table{border-collapse:collapse;font-size:.9rem}td,th{padding:.2rem .6rem;text-align:right}
th{text-align:left}tr:nth-child(even){background:#f4f4f4}img{max-width:100%}
.wide{overflow-x:auto}</style></head><body>
<h1>{{ title }}</h1>
{% for heading, frame in frames if frame|length %}<h2>{{ heading }}</h2>
<div class="wide"><table><thead><tr>{% for name in frame.reset_index().columns %}
<th>{{ name }}</th>{% endfor %}</tr></thead>
{% for row in frame.reset_index().to_numpy().tolist() %}<tr>{% for cell in row %}
<td>{{ cell }}</td>{% endfor %}</tr>{% endfor %}</table></div>
{% endfor %}<img alt="Every printed number, ours and its 95 % interval; the table above has them"
 src="data:image/png;base64,{{ picture }}">
<p>A number is <b>reproduced</b> if the 90 % interval of ours minus printed lies within 1.5
percentage points of zero, else <b>not reproduced</b> if the 95 % interval excludes zero, else
<b>undecided</b>; <i>detectable</i> is the difference that would have been seen in four of five
repetitions.</p></body></html>
"""
_SHOWN = ["published", "ours", "difference", "half-width", "detectable", "trials", "verdict"]


def numbers_frame(judged: Judged) -> pd.DataFrame:
    """One line a printed number: both values, the difference, its interval and the word."""
    frame = verdict_frame(judged.verdicts)
    several = frame["table"].nunique() > 1
    return frame.set_index([*(["table"] if several else []), "row", "column"])[_SHOWN]


def claims_frame_of(judged: Judged) -> pd.DataFrame:
    """One line a claim: its word, and the contrast that decides."""
    return claims_lines(judged.claims)


def as_json(judged: Judged) -> str:
    """Words, differences and intervals by name; null where there is none."""
    numbers = {
        name_of(v.number): {
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
    """One HTML page with both tables and the picture; it loads nothing and runs nothing."""
    frames = [("Claims", claims_frame_of(judged)), ("Numbers", numbers_frame(judged))]
    template = Environment(autoescape=True).from_string(_PAGE)
    return template.render(title=judged.title, frames=frames, picture=_picture(judged))


def _picture(judged: Judged) -> str:
    import matplotlib.pyplot as plt

    use_style()
    figure, target = forest_figure(judged.verdicts), io.BytesIO()
    figure.savefig(target, format="png", dpi=120, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)
    return base64.b64encode(target.getvalue()).decode()
