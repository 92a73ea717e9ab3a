"""Gallery of the site: every figure of the report, with the lines of code that draw it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from reprolib.report.paper_figures import paper_figures
from reprolib.report.style import use_style
from reprolib.rerun.records import load_paper
from reprolib.rerun.records.registry import PAPERS, packaged
from reprolib.rerun.verdicts.printed import paper_entry

_HEAD = """\
# Gallery

Every figure of <a href="report.html">the report</a>, drawn from the committed records when this
page was built. The three lines below a figure draw it, after the imports at the head of its paper.
To see a run of your own, load its records: `load_paper("kpm", Path("build/results"))`. A click on
a figure opens it alone, in full size.
"""
#: Between a figure's lines of code and the next figure.
_LINE = "***\n"
_IMPORTS = """\
import matplotlib.pyplot as plt

from {module} import {figures}
from reprolib.report.style import use_style
from reprolib.rerun.records import load_paper

use_style()
"""


@dataclass(frozen=True)
class Entry:
    """One figure of the gallery.

    Parameters
    ----------
    number : int
        Among the figures of its paper, in the order of the report.
    caption, alt : str
        What it is, and what it shows to those who cannot see it.
    code : str
        Lines that draw it after `imports` of its paper.
    figure : Figure
    """

    number: int
    caption: str
    alt: str
    code: str
    figure: Figure


def write_gallery(page: Path, pictures: Path, papers: Sequence[str] = packaged(PAPERS)) -> None:
    """Draw the figures of these papers, and write the page.

    Parameters
    ----------
    page : Path
        Markdown file beside the other sources of the site.
    pictures : Path
        Folder of the PNG files, next to or below that of the page.
    papers : sequence of str
    """
    pictures.mkdir(parents=True, exist_ok=True)
    for stale in pictures.glob("*.png"):
        stale.unlink()
    use_style()
    lines = [_HEAD]
    for paper in papers:
        figures = entries(paper)
        lines += [_title(paper), _code(imports(paper))] if figures else []
        for entry in figures:
            lines += [_LINE] if entry.number > 1 else []
            picture = pictures / f"gallery-{paper}-{entry.number}.png"
            entry.figure.savefig(picture, metadata={"Software": None})
            plt.close(entry.figure)
            path = picture.relative_to(page.parent)
            lines += [_picture(paper, entry, path), _code(entry.code)]
    page.write_text("\n".join(lines), encoding="utf-8")


def entries(paper: str) -> list[Entry]:
    """Figures of a paper's committed records; none where there are no records or figures."""
    records = load_paper(paper)
    if records.empty:
        return []
    return [
        Entry(
            number,
            drawn.caption,
            drawn.alternative,
            drawing_lines(paper, drawn.draw.__name__),
            drawn.draw(records),
        )
        for number, drawn in enumerate(paper_figures(paper, records), start=1)
    ]


def imports(paper: str) -> str:
    """Lines that come before those of every figure of a paper."""
    package, _, name = _module(paper).rpartition(".")
    return _IMPORTS.format(module=package, figures=name)


def drawing_lines(paper: str, function: str) -> str:
    """Load the records, draw them, show the figure."""
    return f'records = load_paper("{paper}")\nfigures.{function}(records)\nplt.show()\n'


def _module(paper: str) -> str:
    return f"reprolib.papers.{paper}.figures"


def _title(paper: str) -> str:
    about = paper_entry(paper)["paper"]
    return f"## {paper.upper()}, {about['year']}: {about['title']}\n"


def _picture(paper: str, entry: Entry, path: Path) -> str:
    """Figure in MyST; the site has all pictures in one folder, where the link leads."""
    return "\n".join(
        [
            f"```{{figure}} {path.as_posix()}",
            f":alt: {json.dumps(entry.alt, ensure_ascii=False)}",
            f":target: _images/{path.name}",
            "",
            f"**{paper.upper()} {entry.number}.** {entry.caption}",
            "```",
            "",
        ]
    )


def _code(text: str) -> str:
    return f"```python\n{text}```\n"
