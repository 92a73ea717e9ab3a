"""Templates of the report: HTML and SVG, filled in and escaped in one place."""

from __future__ import annotations

import base64
import functools
import hashlib
from typing import Any

import jinja2

from reprolib.report.theme import GROUNDS, LOOKS, palette, signed, slug
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
    environment.filters.update(slug=slug, signed=signed, source_hash=source_hash)
    environment.globals.update(
        words=WORDS,
        looks=LOOKS,
        palettes={ground: palette(ground) for ground in GROUNDS},
        variables={name: f"var(--{name})" for name in palette("light")},
    )
    return environment


def source_hash(script: str) -> str:
    """Hash by which a content security policy allows a script, and no other.

    Examples
    --------
    >>> source_hash("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def render(template: str, **values: Any) -> str:
    """Text of a template of the report with its values filled in."""
    return _environment().get_template(template).render(**values)
