"""The consoles that commands print to.

Text is printed as it is: no line is broken (an address or a path must stay in one piece), and
nothing in it is taken for markup (a path may hold ``[/x]``). Colours come by ``style=`` or as
`rich.text.Text`.
"""

from __future__ import annotations

from rich.console import Console
from rich.text import Text


def out() -> Console:
    """Console of results."""
    return Console(soft_wrap=True, markup=False, highlight=False, emoji=False)


def err() -> Console:
    """Console of progress, warnings and errors."""
    return Console(stderr=True, soft_wrap=True, markup=False, highlight=False, emoji=False)


def headed(head: str, text: str, style: str = "bold") -> Text:
    """Text with a first word or sentence in another style."""
    return Text.assemble((head, style), f" {text}")
