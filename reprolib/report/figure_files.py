"""Files of the figures of a paper: PDF, SVG and PNG, each with its origin in its metadata."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from reprolib.report.origin import Origin, origin
from reprolib.report.paper_figures import drawn_figures
from reprolib.report.style import use_style
from reprolib.rerun import records as results
from reprolib.rerun.records.folders import write_atomically

FORMATS = ("pdf", "svg", "png")
#: Fonts in PDF files that journals accept: TrueType, not Type 3.
FONT_TYPE = 42


def metadata(made: Origin, ending: str) -> dict[str, str | None]:
    """What a file of a figure says of itself: no time, so that the same figure is the same file.

    Parameters
    ----------
    made : Origin
    ending : {"pdf", "svg", "png"}
    """
    title, *rest = made.lines()
    about = "\n".join(rest)
    if ending == "pdf":
        no_time = {"CreationDate": None, "ModDate": None}
        return {"Title": title, "Subject": about, "Keywords": made.source, **no_time}
    if ending == "svg":
        return {"Title": title, "Description": about, "Source": made.source, "Date": None}
    return {"Title": title, "Description": about, "Source": made.source}


def figure_bytes(figure: Figure, made: Origin, ending: str) -> bytes:
    """File of a figure in one of `FORMATS`."""
    buffer = io.BytesIO()
    with mpl.rc_context({"pdf.fonttype": FONT_TYPE}):
        figure.savefig(buffer, format=ending, metadata=metadata(made, ending))
    return buffer.getvalue()


def write_figures(
    paper: str, folder: Path, formats: Sequence[str], *, command: str, directory: Path | None = None
) -> list[Path]:
    """Write the figures of a paper's results as ``<folder>/<paper>-figure<number>.<format>``.

    Parameters
    ----------
    paper : str
    folder : Path
    formats : sequence of {"pdf", "svg", "png"}
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
    records = results.load_paper(paper, directory)
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
    """
    paths = []
    for number, (caption, figure) in enumerate(figures.items(), start=1):
        for ending in formats:
            path = start.with_name(f"{start.name}{number}.{ending}")
            about = replace(made, title=caption)
            write_atomically(path, figure_bytes(figure, about, ending))
            paths.append(path)
        plt.close(figure)
    return paths
