"""Numbers in the prose of the notebooks that nothing on the page explains (`make claims`).

A number in a markdown cell is explained if it is printed by the paper, or stands in an output or in
the code of the same notebook, rounded to its digits; as a share, a percentage, or a difference of
sign. Outputs are checked by nbval, so an explained number is one that a rerun would notice. The
rest is listed, for a reader: derived by hand, told from the paper's text, or wrong.

``python -m tests.claims [NOTEBOOK ...]`` prints one line a number, and how many were explained.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat

from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts.printed import numbers

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
#: Counts up to this are words of a sentence ("the last 2"), not claims.
LARGEST_WORD = 12
#: Kinds of output that a reader reads.
TEXTS = ("text/plain", "text/html", "text/markdown")
NUMBER = re.compile(r"(?<![\w.,-])[-−+]?\d{1,3}(?:,\d{3})+|(?<![\w.])[-−+]?\d+(?:\.\d+)?(?![\w])")
#: What is no claim: formulas, code, addresses, names of figures and sections, years.
NOT_PROSE = re.compile(
    r"\$\$.*?\$\$|\$[^$]+\$|`[^`]*`|\]\([^)]*\)|<[^>]+>"
    r"|(?:Figures?|Tables?|Sections?|Equations?|eq\.|Theorem|Algorithm) [\d(][\d.,) and-]*|\(\d+\)"
    r"|\d{3,4}[–-]\d{3,4}\.\*"
    r"|\b(?:19|20)\d\d\b|^\d+\.",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Claim:
    """A number in a sentence."""

    notebook: str
    text: str
    sentence: str

    @property
    def value(self) -> float:
        """Its value."""
        return _value(self.text)

    @property
    def digits(self) -> int:
        """Digits after the point."""
        return len(self.text.partition(".")[2])

    def is_explained_by(self, values: Iterable[float]) -> bool:
        """Whether one of the values is this number, when it is rounded as this is."""
        half = 0.5000001 * 10.0**-self.digits
        return any(
            abs(abs(value) * scale - abs(self.value)) <= half
            for value in values
            for scale in (1.0, 100.0)
        )


def _value(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def numbers_in(text: str) -> set[float]:
    """Every number in a text."""
    return {_value(found) for found in NUMBER.findall(text)}


def claims_of(name: str, notebook) -> Iterator[Claim]:
    """Numbers in the markdown cells, but for small counts."""
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        for sentence in re.split(r"(?<=[.:;?])\s+", NOT_PROSE.sub(" ", cell.source)):
            for text in NUMBER.findall(sentence):
                claim = Claim(name, text, " ".join(sentence.split()))
                if claim.digits or abs(claim.value) > LARGEST_WORD:
                    yield claim


def shown_values(notebook) -> set[float]:
    """Numbers in outputs and in code."""
    texts = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            texts.append(cell.source)
            for output in cell.outputs:
                data = output.get("data", {})
                texts += [output.get("text", ""), *(data.get(kind, "") for kind in TEXTS)]
    return set().union(*(numbers_in(re.sub(r"<[^>]+>", " ", text)) for text in texts))


def unexplained(path: Path) -> tuple[int, list[Claim]]:
    """How many claims a notebook makes, and those that nothing explains."""
    notebook = nbformat.read(path, as_version=4)
    values = shown_values(notebook)
    if path.stem in PAPERS:
        for number in numbers(path.stem):
            values |= {number.value * number.scale, number.value}
    claims = list(claims_of(path.stem, notebook))
    return len(claims), [claim for claim in claims if not claim.is_explained_by(values)]


def main(names: list[str]) -> None:
    """Print what is not explained."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        if names and path.stem not in names:
            continue
        count, left = unexplained(path)
        print(f"{path.stem}: {count} numbers in prose, {len(left)} not on the page")
        for claim in left:
            print(f"  {claim.text:>8}  {claim.sentence[:150]}")


if __name__ == "__main__":
    main(sys.argv[1:])
