"""The theme: colours on light and dark ground, and how each word of a verdict looks.

Figures, report, README, site, terminal and judge's page take both from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

#: What a picture or a page is drawn on.
Ground = Literal["light", "dark"]
GROUNDS: tuple[Ground, ...] = ("light", "dark")


@dataclass(frozen=True)
class Colour:
    """One colour, by the ground that it stands on."""

    light: str
    dark: str


@dataclass(frozen=True)
class Look:
    """How a word looks, with colour and without.

    Parameters
    ----------
    colour : Colour
    sign : str
        In texts and tables.
    marker : str or sequence of points
        In pictures: matplotlib's name of it, or a stroke through points.
    hollow : bool
        Whether the marker is an outline.
    """

    colour: Colour
    sign: str
    marker: str | Sequence[tuple[float, float]]
    hollow: bool = False


#: Of texts, lines and links.
GROUND_COLOURS: Mapping[str, Colour] = {
    "ink": Colour("#1a1a1a", "#e8e8e8"),
    "soft": Colour("#595959", "#b0b0b0"),
    "line": Colour("#d9d9d9", "#444444"),
    "paper": Colour("#ffffff", "#161616"),
    "accent": Colour("#0b5a8a", "#7fc4f5"),
    "focus": Colour("#b35900", "#ffb347"),
}
_GREEN = Colour("#00805d", "#1fc79a")
_BLUE = Colour("#0072b2", "#56a8e8")
_SKY = Colour("#3487b8", "#8fd0f5")
_RED = Colour("#c64f00", "#ff8a4c")
_GREY = Colour("#767676", "#9a9a9a")

#: By the word of a verdict on a number or on a claim.
LOOKS: Mapping[str, Look] = {
    "reproduced": Look(_GREEN, "●", "o"),
    "reproduced under a reading": Look(_BLUE, "◆", "D"),
    "undecided": Look(_SKY, "○", "o", hollow=True),
    "not reproduced": Look(_RED, "✕", "X"),
    "quoted": Look(_GREY, "❞", "d", hollow=True),
    "not run": Look(_GREY, "–", [(-1.0, 0.0), (1.0, 0.0)], hollow=True),
    "holds": Look(_GREEN, "✓", [(-1.0, 0.0), (-0.3, -0.8), (1.0, 0.9)], hollow=True),
    "fails": Look(_RED, "✗", "X"),
}


def slug(word: str) -> str:
    """Word as part of an identifier: without spaces."""
    return word.replace(" ", "-")


def palette(ground: Ground) -> dict[str, str]:
    """Every colour on a ground: those of `GROUND_COLOURS`, and those of words by their slug."""
    words = {slug(word): look.colour for word, look in LOOKS.items()}
    return {name: getattr(colour, ground) for name, colour in {**GROUND_COLOURS, **words}.items()}


def signed(word: str) -> str:
    """Word after its sign: ``● reproduced``."""
    return f"{LOOKS[word].sign} {word}"


def scatter_style(word: str) -> dict[str, Any]:
    """Keyword arguments of `Axes.scatter` for the marks of a word."""
    look = LOOKS[word]
    face = "none" if look.hollow else look.colour.light
    return {"marker": look.marker, "edgecolors": look.colour.light, "facecolors": face}
