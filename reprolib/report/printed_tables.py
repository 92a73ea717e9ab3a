"""Files of the printed tables, published beside ours: CSV, Markdown, LaTeX and HTML."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from reprolib.report.latex import latex_table
from reprolib.report.markdown import markdown_table
from reprolib.report.origin import Origin, origin
from reprolib.report.render import render
from reprolib.report.tables import verdict_frame
from reprolib.rerun import records as results
from reprolib.rerun.records.folders import write_atomically
from reprolib.rerun.verdicts import Verdict, judge_paper
from reprolib.rerun.verdicts.printed import paper_entry

#: Significant digits of values in CSV files: those of the records.
DIGITS = 10


@dataclass(frozen=True)
class PrintedTable:
    """A printed table with our numbers.

    Parameters
    ----------
    paper, key : str
        Paper key, and the table's name in ``printed.toml``.
    caption : str
    verdicts : sequence of Verdict
        In printed order.
    origin : Origin
    """

    paper: str
    key: str
    caption: str
    verdicts: Sequence[Verdict]
    origin: Origin

    @property
    def name(self) -> str:
        """Name of its files without the ending, and its label in LaTeX."""
        return f"{self.paper}-{self.key}"

    @property
    def heading(self) -> str:
        """Paper, year, key and caption of the table."""
        year = paper_entry(self.paper)["paper"]["year"]
        return f"{self.paper.upper()} ({year}), {self.key}: {self.caption}"


def printed_tables(
    paper: str, directory: Path | None = None, *, command: str = ""
) -> list[PrintedTable]:
    """Gather the printed tables of a paper with the verdicts on its results.

    Parameters
    ----------
    paper : str
    directory : Path, optional
        Results folder; the committed results if not given.
    command : str
        Command that makes the tables.
    """
    records = results.load_paper(paper, directory)
    verdicts = judge_paper(paper, directory)
    tables = []
    for key, table in paper_entry(paper)["tables"].items():
        of_table = [v for v in verdicts if v.number.table == key]
        title = f"{paper.upper()}, {key}: {table['caption']}"
        rows = _rows_behind(of_table, records)
        made = origin(title, paper, command, directory, rows)
        tables.append(PrintedTable(paper, key, table["caption"], of_table, made))
    return tables


def _rows_behind(verdicts: Sequence[Verdict], records: pd.DataFrame) -> pd.DataFrame:
    """Records that the numbers of a table come from; without any, all of its results files."""
    columns = ["table", "dataset", "method", "reading"]
    wanted = [
        (v.number.results, v.number.select.get("dataset"), v.number.select.get("method"), reading)
        for v in verdicts
        if v.n_trials
        for reading in {v.number.judged, v.reading}
    ]
    if not wanted:
        return records[records["table"].isin({v.number.results for v in verdicts})]
    return records[pd.MultiIndex.from_frame(records[columns]).isin(wanted)]


def shown(table: PrintedTable) -> pd.DataFrame:
    """Texts of a table as people read it; columns that are empty in all lines are left out."""
    frame = verdict_frame(table.verdicts).drop(columns=["table", "role", "quantity"])
    frame = frame.rename(columns={"reason": "why"}).astype(str)
    return frame.loc[:, (frame != "").any()]


def csv_text(table: PrintedTable) -> str:
    """Numbers to compute with, one line a printed number; texts are quoted, comments are not.

    ``pandas.read_csv(file, comment="#")`` reads it.
    """
    frame = pd.DataFrame(map(_csv_line, table.verdicts))
    text = frame.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC)
    return _commented(table.origin, "# ") + text


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _csv_line(v: Verdict) -> dict[str, object]:
    low, high = v.interval
    return {
        "paper": v.number.paper,
        "table": v.number.table,
        "row": v.number.row,
        "column": v.number.column,
        "role": v.role,
        "quantity": v.quantity,
        "published": v.number.value,
        "published_spread": v.number.spread,
        "ours": _rounded(v.ours),
        "ours_spread": _rounded(v.spread),
        "difference": _rounded(v.difference),
        "low": _rounded(low),
        "high": _rounded(high),
        "detectable": _rounded(v.detectable),
        "design": v.design,
        "trials": v.n_trials,
        "source": v.source,
        "verdict": str(v.word),
        "reading": v.reading,
        "why": v.reason,
    }


def markdown_text(table: PrintedTable) -> str:
    """Table in Markdown; where it comes from stands in a comment and is not shown."""
    frame = shown(table)
    text = markdown_table(list(frame.columns), frame.to_numpy().tolist())
    return f"{_hidden(table.origin)}\n**{table.heading}**\n\n{text}\n"


def latex_file_text(table: PrintedTable) -> str:
    r"""Table for ``\input``; it needs the packages booktabs, array and longtable.

    Why a number is not reproduced is left out: it would not fit on a page.
    """
    use = r"In the preamble: \usepackage{array,booktabs,longtable}"
    head = _commented(table.origin, "% ") + f"% {use}\n"
    frame = verdict_frame(table.verdicts)
    return head + latex_table(frame, table.heading, f"tab:{table.name}")


def html_text(table: PrintedTable) -> str:
    """Return a page with the table, which needs no other file."""
    frame = shown(table)
    return render(
        "printed_table.html.jinja",
        table=table,
        frame=frame,
        comment=_hidden(table.origin),
    )


def _commented(made: Origin, start: str) -> str:
    return "".join(f"{start}{' '.join(line.split())}\n" for line in made.lines())


def _hidden(made: Origin) -> str:
    """Comment of HTML and Markdown; nothing in it can end it."""
    text = _commented(made, "").replace("-->", "-- >").replace("<!--", "< !--")
    return f"<!--\n{text}-->\n"


#: What writes a table, by the ending of its file.
FORMATS: Mapping[str, Callable[[PrintedTable], str]] = {
    "csv": csv_text,
    "md": markdown_text,
    "tex": latex_file_text,
    "html": html_text,
}


def write_printed_tables(
    tables: Iterable[PrintedTable], folder: Path, formats: Iterable[str]
) -> list[Path]:
    """Write tables as ``<folder>/<paper>-<table>.<format>``; each file is written atomically.

    Returns
    -------
    list of Path
    """
    wanted = list(formats)
    paths = []
    for table in tables:
        for ending in wanted:
            path = folder / f"{table.name}.{ending}"
            write_atomically(path, FORMATS[ending](table))
            paths.append(path)
    return paths
