"""Tables in Markdown: names from records and files stay text, whatever they hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

_MARKS = re.compile(r"([\\`*\[\]|])")


class Markdown(str):
    """Text that is Markdown already, as a link that we made."""

    __slots__ = ()


def markdown_escaped(text: object) -> str:
    r"""Text in one line that shows as it is: no heading, link, picture, HTML or control character.

    Examples
    --------
    >>> markdown_escaped("a|b <script>")
    'a\\|b &lt;script&gt;'
    """
    line = _one_line(text)
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKS.sub(r"\\\1", line)


def markdown_code(text: object) -> str:
    """Text in one line as a code span."""
    return f"`{_one_line(text).replace('`', chr(39))}`"


def _one_line(text: object) -> str:
    return "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in str(text))


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Table, one line a row; what is not `Markdown` is escaped."""
    return "\n".join([_row(head), "|" + "---|" * len(head), *map(_row, rows)])


def _row(cells: Sequence[object]) -> str:
    shown = (
        cell.replace("|", "\\|") if isinstance(cell, Markdown) else markdown_escaped(cell)
        for cell in cells
    )
    return "| " + " | ".join(shown) + " |"
