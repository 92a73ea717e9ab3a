"""Files of the printed tables, published beside ours: CSV, Markdown, LaTeX and HTML."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import pandas as pd

from reprolib.report.escape import csv_cell, latex_text, markdown_escaped, one_line
from reprolib.report.origin import Origin, origin
from reprolib.report.tables import verdict_frame
from reprolib.report.theme import render
from reprolib.rerun.records import load_paper
from reprolib.rerun.records.registry import write_atomically
from reprolib.rerun.verdicts import Verdict, judge_paper
from reprolib.rerun.verdicts.printed import paper_entry

#: Significant digits of values in CSV files: those of the records.
DIGITS = 10
#: Columns of a table in LaTeX, after the printed column's name.
COLUMNS = ("published", "ours", "difference", "trials", "verdict")
#: Lines before a table in LaTeX, whose style ends with it, and after it.
_BEGIN = r"""\begingroup\footnotesize\setlength{\tabcolsep}{4pt}
\begin{longtable}{@{}lrrrr>{\raggedright\arraybackslash}p{2.2cm}@{}}"""
_END = r"""\end{longtable}
\endgroup
"""
_NOTE = (
    "Difference: ours minus published, with the half-width of its interval. "
    "Trials: how many of ours. In brackets: source of our data."
)


@dataclass(frozen=True)
class PrintedTable:
    """A printed table with our numbers; a notebook shows it.

    Parameters
    ----------
    paper, key : str
        Paper key, and the table's name in ``printed.toml``.
    caption : str
        What the table shows.
    verdicts : sequence of Verdict
        In printed order.
    origin : Origin
        Where our numbers come from.
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
        return one_line(f"{self.paper.upper()} ({year}), {self.key}: {self.caption}")

    @property
    def frame(self) -> pd.DataFrame:
        """Texts of the table as people read it, without columns that are empty in all lines."""
        frame = verdict_frame(self.verdicts).drop(columns=["table", "role", "quantity"])
        frame = frame.rename(columns={"reason": "why"}).map(one_line)
        return frame.loc[:, (frame != "").any()]

    def text(self, ending: str) -> str:
        """Text of its file: "csv", "md", "tex" or "html"."""
        return FORMATS[ending](self)

    def __str__(self) -> str:
        return f"{self.heading}\n\n{self.frame.to_string(index=False)}"

    def _repr_html_(self) -> str:
        return f"<p><b>{escape(self.heading)}</b></p>{self.frame.to_html(index=False)}"


def printed_tables(
    paper: str, directory: Path | None = None, *, command: str = ""
) -> list[PrintedTable]:
    """Gather the printed tables of a paper with the verdicts on its results.

    Parameters
    ----------
    paper : str
        Key of the paper.
    directory : Path, optional
        Results folder; the committed results if not given.
    command : str
        Command that makes the tables.
    """
    records = load_paper(paper, directory)
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


def csv_text(table: PrintedTable) -> str:
    """Numbers to compute with, one line a printed number; texts are quoted, comments are not.

    ``pandas.read_csv(file, comment="#")`` reads it.
    """

    def rounded(value: float) -> float:
        return float(f"{value:.{DIGITS}g}")

    lines = [
        {
            "paper": v.number.paper,
            "table": v.number.table,
            "row": v.number.row,
            "column": v.number.column,
            "role": v.role,
            "quantity": v.quantity,
            "published": v.number.value,
            "published_spread": v.number.spread,
            "ours": rounded(v.ours),
            "ours_spread": rounded(v.spread),
            "difference": rounded(v.difference),
            "low": rounded(v.interval[0]),
            "high": rounded(v.interval[1]),
            "detectable": rounded(v.detectable),
            "design": v.design,
            "trials": v.n_trials,
            "source": v.source,
            "verdict": str(v.word),
            "reading": v.reading,
            "why": v.reason,
        }
        for v in table.verdicts
    ]
    frame = pd.DataFrame(lines).map(lambda cell: csv_cell(cell) if isinstance(cell, str) else cell)
    text = frame.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC)
    return _commented(table.origin, "# ") + text


def markdown_text(table: PrintedTable) -> str:
    """Table in Markdown; where it comes from stands in a comment and is not shown."""
    frame = table.frame
    text = markdown_table(list(frame.columns), frame.to_numpy().tolist())
    return f"{_hidden(table.origin)}\n**{markdown_escaped(table.heading)}**\n\n{text}\n"


def latex_file_text(table: PrintedTable) -> str:
    r"""Table for ``\input`` that breaks over pages: narrow enough for `article`.

    It needs the packages booktabs, array and longtable. Why a number is not reproduced is left out:
    it would not fit on a page.
    """
    title = latex_text(f"{table.heading}. {_NOTE}")
    head = _latex_line(["", *COLUMNS])
    lines = [
        _BEGIN,
        rf"\caption{{{title}}}\label{{tab:{table.name}}}\\",
        *(r"\toprule", head, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", head, r"\midrule", r"\endhead"),
        *(r"\bottomrule", r"\endfoot"),
    ]
    frame = verdict_frame(table.verdicts).astype(str)
    for number, (row, part) in enumerate(frame.groupby("row", sort=False)):
        lines += [r"\addlinespace"] if number else []
        sources = " and ".join(sorted(set(part["source"]) - {"–"}))
        name = latex_text(f"{row} ({sources})" if sources else str(row))
        lines.append(rf"\multicolumn{{{1 + len(COLUMNS)}}}{{@{{}}l}}{{\textit{{{name}}}}} \\*")
        for line in part.to_dict("records"):
            if line["half-width"] != "–":
                line["difference"] += f" ± {line['half-width']}"
            if line["reading"]:
                line["verdict"] += f": {line['reading'].partition(':')[0]}"
            lines.append(r"\quad " + _latex_line(line[name] for name in ("column", *COLUMNS)))
    preamble = r"% In the preamble: \usepackage{array,booktabs,longtable}"
    return "\n".join([_commented(table.origin, "% ") + preamble, *lines, _END])


def _latex_line(cells: Iterable[str]) -> str:
    return " & ".join(map(latex_text, cells)) + r" \\"


def html_text(table: PrintedTable) -> str:
    """Return a page with the table, which needs no other file."""
    comment = _hidden(table.origin)
    return render("printed_table.html.jinja", table=table, frame=table.frame, comment=comment)


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
        The files, table by table.
    """
    wanted = list(formats)
    paths = []
    for table in tables:
        for ending in wanted:
            path = folder / f"{table.name}.{ending}"
            write_atomically(path, table.text(ending))
            paths.append(path)
    return paths


class Markdown(str):
    """Text that is Markdown already, as a link that we made."""

    __slots__ = ()


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Table, one line a row; what is not `Markdown` is escaped."""

    def line(cells: Sequence[object]) -> str:
        shown = (
            cell.replace("|", "\\|") if isinstance(cell, Markdown) else markdown_escaped(cell)
            for cell in cells
        )
        return "| " + " | ".join(shown) + " |"

    return "\n".join([line(head), "|" + "---|" * len(head), *map(line, rows)])
