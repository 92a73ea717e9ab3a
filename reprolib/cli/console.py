"""The consoles that commands print to.

Text is printed as it is: no line is broken (an address or a path must stay in one piece), and
nothing in it is taken for markup (a path may hold ``[/x]``). Control characters are shown, not
obeyed: names come from files and servers. Colours come by ``style=`` or as `rich.text.Text`.
"""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

#: Control characters but line feed and tabulator, and what is shown in their place.
_SHOWN = dict.fromkeys((*range(32), *range(127, 160)), "�")
del _SHOWN[9], _SHOWN[10]


class SafeConsole(Console):
    """Console whose texts cannot steer the terminal."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print, with the control characters of texts replaced."""
        super().print(*map(_safe, objects), **options)


def _safe(shown: Any) -> Any:
    if isinstance(shown, str):
        return shown.translate(_SHOWN)
    if isinstance(shown, Text) and shown.plain != shown.plain.translate(_SHOWN):
        shown = shown.copy()
        shown.plain = shown.plain.translate(_SHOWN)
    return shown


def out() -> Console:
    """Console of results."""
    return SafeConsole(soft_wrap=True, markup=False, highlight=False, emoji=False)


def err() -> Console:
    """Console of progress, warnings and errors."""
    return SafeConsole(stderr=True, soft_wrap=True, markup=False, highlight=False, emoji=False)


def headed(head: str, text: str, style: str = "bold") -> Text:
    """Text with a first word or sentence in another style."""
    return Text.assemble((head, style), f" {text}")
