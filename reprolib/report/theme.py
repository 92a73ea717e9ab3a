"""The theme: colours, how each word of a verdict looks and what it means, and the templates.

Figures, report, README, site, terminal and judge's page take them from here.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from reprolib.rerun.verdicts.claims import ClaimWord
from reprolib.rerun.verdicts.words import SELECTION_MARGIN, WORDS, Word

if TYPE_CHECKING:
    import jinja2

#: What a picture or a page is drawn on.
Ground = Literal["light", "dark"]
GROUNDS: tuple[Ground, ...] = ("light", "dark")
#: Of what counts as equal or true, on a light ground.
BAND = "#e3f1ec"


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
        On a light and on a dark ground.
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


#: A disc whose right half is a hole, for ◐: once round the rim, then back along the hole.
_HALF_DISC = [
    (radius * math.cos(math.radians(angle)), radius * math.sin(math.radians(angle)))
    for radius, angles in ((1.0, range(90, 451, 15)), (0.72, range(90, -91, -15)))
    for angle in angles
]

#: Of texts, lines and links.
GROUND_COLOURS: Mapping[str, Colour] = {
    "ink": Colour("#1a1a1a", "#e8e8e8"),
    "soft": Colour("#595959", "#b0b0b0"),
    "line": Colour("#d9d9d9", "#444444"),
    "paper": Colour("#ffffff", "#161616"),
    "accent": Colour("#0b5a8a", "#7fc4f5"),
    "focus": Colour("#b35900", "#ffb347"),
}
_LEAF = Colour("#3d7317", "#8ccf4d")
_GREEN = Colour("#00805d", "#1fc79a")
_BLUE = Colour("#0072b2", "#56a8e8")
_SKY = Colour("#3487b8", "#8fd0f5")
_AMBER = Colour("#946200", "#e0a93a")
_RED = Colour("#c64f00", "#ff8a4c")
_GREY = Colour("#767676", "#9a9a9a")

#: By the word of a verdict on a number or on a claim.
LOOKS: Mapping[str, Look] = {
    "to the digit": Look(_LEAF, "★", "*"),
    "reproduced": Look(_GREEN, "●", "o"),
    "reproduced in a variant": Look(_BLUE, "◆", "D"),
    "undecided": Look(_SKY, "○", "o", hollow=True),
    "undecided, differs": Look(_AMBER, "◐", _HALF_DISC),
    "not reproduced": Look(_RED, "✕", "X"),
    "quoted": Look(_GREY, "❞", "d", hollow=True),
    "not run": Look(_GREY, "–", [(-1.0, 0.0), (1.0, 0.0)], hollow=True),
    "holds": Look(_GREEN, "✓", [(-1.0, 0.0), (-0.3, -0.8), (1.0, 0.9)], hollow=True),
    "holds, but": Look(_AMBER, "(✓)", "v", hollow=True),
    "fails": Look(_RED, "✕", "X"),
}

#: The rule of each word; the margin is that of the papers that are shown (`rules`).
_RULES: Mapping[Word, str] = {
    "to the digit": (
        "Ours, rounded as printed, is the printed number. Data and splits are the paper's own, and "
        "the method leaves nothing to chance, so that there is no interval."
    ),
    "reproduced": (
        "Ours and print differ by less than {margin}: the 90 % interval of "
        f"the difference lies inside. A selection: by less than {SELECTION_MARGIN:.0%}."
    ),
    "reproduced in a variant": (
        "Not in the variant of the protocol that is judged. One other variant, which is named, "
        "reproduces numbers of the row that the judged one does not, and none of the row's numbers "
        "is worse in it."
    ),
    "undecided": "The interval is too wide to tell.",
    "undecided, differs": (
        "Ours and print differ: the 95 % interval of the difference excludes zero. Whether by more "
        "than {margin} cannot be told."
    ),
    "not reproduced": (
        "Ours and print differ by more than {margin}: the 95 % interval of the "
        "difference lies outside."
    ),
    "quoted": "The paper took the number from elsewhere; it is no experiment of the paper.",
    "not run": "We have no result on real data.",
}


def rules(margin: str) -> dict[Word, str]:
    """The rule of each word.

    Parameters
    ----------
    margin : str
        How much counts as no difference: "1.5 percentage points".
    """
    return {word: rule.format(margin=margin) for word, rule in _RULES.items()}


def meanings(margin: str) -> dict[Word, str]:
    """What our own report says of each word: it gives reasons, too."""
    return {
        word: f"{rule.rstrip('.')}; the reason stands beside the number."
        if word in ("not reproduced", "not run")
        else rule
        for word, rule in rules(margin).items()
    }


#: The same in a few words, for the line below a table or a picture, which names its margin.
SHORT_MEANINGS: Mapping[Word, str] = {
    "to the digit": "the printed digits, on the paper's own splits",
    "reproduced": "within {margin} (90 % interval)",
    "reproduced in a variant": "within {margin} in another variant",
    "undecided": "undecided: too few runs or data to tell",
    "undecided, differs": "differs, perhaps by more than {margin}",
    "not reproduced": "differs by more than {margin} (95 % interval)",
    "quoted": "not compared",
    "not run": "not run",
}

CLAIM_MEANINGS: Mapping[ClaimWord, str] = {
    "holds": "Our runs on the same trials show what the paper says, at a level of 5 %.",
    "holds, but": "It holds as we read the text, and not in every other variant of the protocol.",
    "fails": "Our runs show the opposite, at a level of 5 %.",
    "undecided": "Neither; the difference that would have been detected stands beside it.",
}


def slug(word: str) -> str:
    """Word as part of an identifier: without spaces and commas."""
    return word.replace(",", "").replace(" ", "-")


def palette(ground: Ground) -> dict[str, str]:
    """Every colour on a ground: those of `GROUND_COLOURS`, and those of words by their slug."""
    words = {slug(word): look.colour for word, look in LOOKS.items()}
    return {name: getattr(colour, ground) for name, colour in {**GROUND_COLOURS, **words}.items()}


def signed(word: str) -> str:
    """Word after its sign: ``● reproduced``."""
    return f"{LOOKS[word].sign} {word}"


@functools.cache
def _environment() -> jinja2.Environment:
    import jinja2

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
