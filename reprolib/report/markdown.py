"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Lines of a table; a bar inside a cell is escaped."""
    return [_row(head), "|" + "---|" * len(head), *map(_row, rows)]


def _row(cells: Sequence[object]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
