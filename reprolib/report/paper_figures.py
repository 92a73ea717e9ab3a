"""Figures of a paper: listed by its ``figures.py`` as ``FIGURES``, drawn, and written to files."""

from __future__ import annotations

import io
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reprolib.report.origin import Origin, origin
from reprolib.report.style import use_style
from reprolib.rerun.records import load_paper, ok
from reprolib.rerun.records.registry import paper_module, write_atomically

#: Endings of the files of a figure.
FORMATS = ("pdf", "svg", "png")
#: Fonts in PDF files that journals accept: TrueType, not Type 3.
FONT_TYPE = 42


@dataclass(frozen=True)
class PaperFigure:
    """A figure that is drawn from the records of a paper alone.

    Parameters
    ----------
    caption : str
        Stands below it in the report.
    draw : callable
        A public function of the paper's ``figures.py``; called with the records of all tables. Its
        name is that of the figure.
    alt : str
        What it shows on the committed records, for those who cannot see it; its caption if empty.
    fits : callable
        Whether records have what it draws: an incomplete run, or one on other data, may not.
    """

    caption: str
    draw: Callable[[pd.DataFrame], Figure]
    alt: str = ""
    fits: Callable[[pd.DataFrame], bool] = lambda records: True

    @property
    def alternative(self) -> str:
        """What it shows, or its caption."""
        return self.alt or self.caption


def has_table(name: str) -> Callable[[pd.DataFrame], bool]:
    """Whether records are of a table: to be `PaperFigure.fits`."""
    return lambda records: bool((records["table"] == name).any())


def paper_figures(paper: str, records: pd.DataFrame) -> Sequence[PaperFigure]:
    """Figures of a paper that its records allow; none where it has no module of figures yet."""
    module = paper_module(paper, "figures")
    listed: Sequence[PaperFigure] = () if module is None else module.FIGURES
    return [figure for figure in listed if figure.fits(ok(records))]


def report_figures(paper: str, records: pd.DataFrame, start: str = "") -> Mapping[str, Figure]:
    """Draw the figures of a paper; by caption.

    Parameters
    ----------
    paper : str
        Key of the paper.
    records : DataFrame
        Records of all its tables; failed ones are left out.
    start : str, default=""
        How the captions of those that are drawn begin, such as "Figure " for the printed ones.
    """
    listed = paper_figures(paper, records)
    return {f.caption: f.draw(ok(records)) for f in listed if f.caption.startswith(start)}


def drawn_figures(
    paper: str, records: pd.DataFrame, start: str = ""
) -> tuple[Mapping[str, Figure], str]:
    """Figures of a paper by caption, and the traceback if they cannot be drawn.

    Records of an incomplete run, or of one on other data, may lack what a figure needs.

    Parameters
    ----------
    paper : str
        Key of the paper.
    records : DataFrame
        Records of all its tables.
    start : str, default=""
        See `report_figures`.
    """
    try:
        return report_figures(paper, records, start), ""
    except Exception:
        return {}, traceback.format_exc()


def figure_faults(paper: str, records: pd.DataFrame) -> list[str]:
    """Draw every figure of a paper, and say which cannot be drawn or show nothing.

    Parameters
    ----------
    paper : str
        Key of the paper.
    records : DataFrame
        Records of a full run: what they lack no figure will have.

    Returns
    -------
    list of str
        One line for every figure that is not drawn, and for every one with empty axes.
    """
    module, usable, faults = paper_module(paper, "figures"), ok(records), []
    for listed in () if module is None else module.FIGURES:
        where = f"{paper}, figure {listed.draw.__name__!r}"
        with mpl.rc_context():
            use_style()
            try:
                figure = listed.draw(usable) if listed.fits(usable) else None
            except Exception as error:
                faults.append(f"{where}: cannot be drawn ({type(error).__name__}: {error})")
                continue
        if figure is None:
            faults.append(f"{where}: never drawn, as the records lack what its `fits` asks for")
            continue
        shown = [axes for axes in figure.axes if axes.get_visible() and axes.axison]
        empty = [axes for axes in shown if not _shows_data(axes)]
        if empty or not figure.axes:
            titles = ", ".join(filter(None, (axes.get_title() for axes in empty)))
            where += f", axes {titles!r}" if titles else ""
            faults.append(f"{where}: empty, drawn from no record")
        plt.close(figure)
    return faults


def _shows_data(axes: Axes) -> bool:
    """Whether axes show a number: a line across them, a title or a key is none."""
    lines = any(
        np.isfinite(np.asarray(line.get_ydata(), dtype=float)).any()
        for line in axes.lines
        if all(line.get_transform().contains_branch_seperately(axes.transData))
    )
    areas = any(
        len(found.get_paths()) or np.asarray(found.get_offsets()).size for found in axes.collections
    )
    return lines or areas or bool(axes.patches or axes.images or axes.tables)


def write_figures(
    paper: str, folder: Path, formats: Sequence[str], *, command: str, directory: Path | None = None
) -> list[Path]:
    """Write the figures of a paper's results as ``<folder>/<paper>-figure<number>.<format>``.

    Parameters
    ----------
    paper : str
        Key of the paper.
    folder : Path
        Folder to write to.
    formats : sequence of {"pdf", "svg", "png"}
        Endings of the files.
    command : str
        Command that makes them, for their metadata.
    directory : Path, optional
        Results folder; the committed results if not given.

    Returns
    -------
    list of Path
        Empty where the paper has no figures.

    Raises
    ------
    ValueError
        If a figure cannot be drawn from the records.
    """
    records = load_paper(paper, directory)
    with mpl.rc_context():
        use_style()
        figures, fault = drawn_figures(paper, records)
        if fault:
            raise ValueError(
                f"the figures of {paper} cannot be drawn from these records "
                f"({fault.strip().splitlines()[-1]}); a full run has all that they need"
            )
        made = origin("", paper, command, directory, records)
        return save_figures(figures, made, folder / f"{paper}-figure", formats)


def save_figures(
    figures: Mapping[str, Figure], made: Origin, start: Path, formats: Sequence[str]
) -> list[Path]:
    """Write figures as ``<start><number>.<format>``, each file atomically, and close them.

    Parameters
    ----------
    figures : mapping of str to Figure
        By caption.
    made : Origin
        Of all of them; each has its own title.
    start : Path
        Start of the names of the files.
    formats : sequence of {"pdf", "svg", "png"}
        Endings of the files.
    """
    paths = []
    for number, (caption, figure) in enumerate(figures.items(), start=1):
        for ending in formats:
            path = start.with_name(f"{start.name}{number}.{ending}")
            write_atomically(path, figure_bytes(figure, replace(made, title=caption), ending))
            paths.append(path)
        plt.close(figure)
    return paths


def figure_bytes(figure: Figure, made: Origin, ending: str) -> bytes:
    """File of a figure in one of `FORMATS`, with its origin in its metadata.

    It has no time, so that the same figure is the same file.
    """
    title, *rest = made.lines()
    about, buffer = "\n".join(rest), io.BytesIO()
    metadata: dict[str, str | None] = {"Title": title, "Description": about, "Source": made.source}
    if ending == "pdf":
        metadata = {"Title": title, "Subject": about, "Keywords": made.source}
        metadata |= {"CreationDate": None, "ModDate": None}
    elif ending == "svg":
        metadata["Date"] = None
    with mpl.rc_context({"pdf.fonttype": FONT_TYPE}):
        figure.savefig(buffer, format=ending, metadata=metadata)
    return buffer.getvalue()
