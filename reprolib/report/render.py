"""Templates of the report: HTML and SVG, filled in and escaped in one place."""

from __future__ import annotations

import functools
from typing import Any

import jinja2

from reprolib.report.style import CLAIM_STYLE, VERDICT_STYLE
from reprolib.rerun.verdicts.claims import CLAIM_WORDS
from reprolib.rerun.verdicts.words import WORDS


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("reprolib.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["slug"] = slug
    environment.globals.update(
        words=WORDS,
        drawn_words=tuple(dict.fromkeys((*WORDS, *CLAIM_WORDS))),
        style=VERDICT_STYLE,
        claim_style=CLAIM_STYLE,
    )
    return environment


def slug(word: str) -> str:
    """Word as part of an identifier: without spaces."""
    return word.replace(" ", "-")


def render(template: str, **values: Any) -> str:
    """Text of a template of the report with its values filled in."""
    return _environment().get_template(template).render(**values)
