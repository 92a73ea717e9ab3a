"""Gallery of the site: every figure of the report, with the lines of code that draw it."""

from __future__ import annotations

import ast
import functools
import importlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from unittest import mock

import matplotlib.pyplot as plt
import nbformat
import pandas as pd
from IPython.core.inputtransformer2 import TransformerManager
from matplotlib.figure import Figure

from reprolib.report.paper_figures import report_figures
from reprolib.report.style import use_style
from reprolib.rerun.records import load_paper
from reprolib.rerun.records.registry import PAPERS, STUDIES, packaged
from reprolib.rerun.verdicts.printed import paper_entry

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
#: Functions by which a notebook shows a figure, their last argument its alternative text.
_SHOWN_BY = ("show", "captioned")
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


def write_gallery(
    page: Path, pictures: Path, papers: Sequence[str] = packaged((*PAPERS, *STUDIES))
) -> None:
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
        if found := entries(paper):
            lines += [_title(paper), _code(imports(paper))]
        for entry in found:
            lines += [_LINE] if entry.number > 1 else []
            picture = pictures / f"gallery-{paper}-{entry.number}.png"
            entry.figure.savefig(picture, metadata={"Software": None})
            plt.close(entry.figure)
            path = picture.relative_to(page.parent)
            lines += [_picture(paper, entry, path), _code(entry.code)]
    page.write_text("\n".join(lines), encoding="utf-8")


def entries(paper: str) -> list[Entry]:
    """Figures of a paper's committed records; none where there are no records or figures.

    Raises
    ------
    ValueError
        If a figure is not drawn by a public function of the records alone.
    """
    records = load_paper(paper)
    if records.empty:
        return []
    module = importlib.import_module(_module(paper))
    told = alternative_texts(paper)
    return [
        Entry(number, caption, told.get(name, caption), drawing_lines(paper, name), figure)
        for number, (caption, figure, name) in enumerate(_drawn(paper, module, records), start=1)
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


def _drawn(
    paper: str, module: ModuleType, records: pd.DataFrame
) -> Iterator[tuple[str, Figure, str]]:
    """Caption, figure, and name of the function that draws it, in the order of the report."""
    makers: dict[int, str] = {}
    noted = {
        name: _noting(function, makers)
        for name, function in vars(module).items()
        if callable(function) and function.__module__ == module.__name__
    }
    with mock.patch.dict(vars(module), noted):
        figures = report_figures(paper, records)
    for caption, figure in figures.items():
        if id(figure) not in makers:
            raise ValueError(
                f"figure {caption!r} of {paper} is drawn by no public function of the records "
                f"alone; write one in {module.__name__}, for the gallery to show"
            )
        yield caption, figure, makers[id(figure)]


def _noting(function: Callable, makers: dict[int, str]) -> Callable:
    """Note the name of a function of the records by the identity of the figure that it returns."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        drawn = function(*args, **kwargs)
        of_records = len(args) == 1 and isinstance(args[0], pd.DataFrame) and not kwargs
        if isinstance(drawn, Figure) and of_records and not function.__name__.startswith("_"):
            makers[id(drawn)] = function.__name__
        return drawn

    return call


def alternative_texts(paper: str) -> Mapping[str, str]:
    """What the paper's notebook tells of its figures, by the functions that draw them."""
    path = NOTEBOOKS / paper_entry(paper)["paper"]["notebook"]
    cells = nbformat.read(path, as_version=4).cells
    plain = TransformerManager().transform_cell  # `%pip install` is no Python
    trees = [ast.parse(plain(cell.source)) for cell in cells if cell.cell_type == "code"]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {
        call.args[0].func.attr: call.args[-1].value
        for call in calls
        if ast.unparse(call.func) in _SHOWN_BY and _shows_records(call)
    }


def _shows_records(call: ast.Call) -> bool:
    """Whether a call shows ``figures.<function>(records)`` with a text that stands there."""
    drawn, text = call.args[0], call.args[-1]
    is_text = isinstance(text, ast.Constant) and isinstance(text.value, str)
    return is_text and ast.unparse(drawn).startswith("figures.") and _is_of_records(drawn)


def _is_of_records(drawn: ast.expr) -> bool:
    return isinstance(drawn, ast.Call) and [ast.unparse(a) for a in drawn.args] == ["records"]


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
