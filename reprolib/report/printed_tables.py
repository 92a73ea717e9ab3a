"""A table as the paper prints it, rerun: ours and the printed number side by side.

One description of a table (`PrintedTable`) and its texts: HTML for notebooks, report and site,
plain text for the terminal, Markdown, CSV and LaTeX. Everything about one number, line by line, is
`reprolib.report.tables.verdict_frame`.
"""

from __future__ import annotations

import csv
import io
import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from reprolib.report.escape import csv_cell, latex_text, markdown_escaped, one_line
from reprolib.report.notebook import Frame
from reprolib.report.origin import Origin, origin
from reprolib.report.tables import difference_text, number_text, ours_text
from reprolib.report.theme import LOOKS, SHORT_MEANINGS, render, slug
from reprolib.rerun.records import load_paper
from reprolib.rerun.records.registry import printed_of, write_atomically
from reprolib.rerun.verdicts import Verdict, judge_paper
from reprolib.rerun.verdicts.designs.selection import N_DRAWS
from reprolib.rerun.verdicts.printed import short_name
from reprolib.rerun.verdicts.row_line import lines_of, told, wrong_words
from reprolib.rerun.verdicts.words import WORDS, Word

#: Scale of percentages: printed value over the unit of the records.
PERCENT = 100
#: Significant digits of values in CSV files: those of the records.
DIGITS = 10
#: Signs of the words in LaTeX, where ours are not in every font.
_LATEX_SIGNS: Mapping[str, str] = {
    "to the digit": r"$\star$",
    "reproduced": r"$\bullet$",
    "reproduced in a variant": r"$\diamond$",
    "undecided": r"$\circ$",
    "undecided, differs": r"$\odot$",
    "not reproduced": r"$\times$",
}
#: A table of more columns is scaled down to the width of the text in LaTeX.
_NARROW = 4


@dataclass(frozen=True)
class Cell:
    """One cell: ours and the printed number, each with its spread and what stands in brackets.

    Parameters
    ----------
    word : str
        The verdict; empty for a mean over the rows, and for a value that was chosen too few times.
    ours, printed : str
        Rounded; ours is empty where it was not run.
    ours_spread, printed_spread : str
        With the sign, such as "± 0.67"; else empty.
    note : str
        Letter of the footnote that says why, or where from; else empty.
    """

    word: str
    ours: str
    printed: str
    ours_spread: str = ""
    printed_spread: str = ""
    note: str = ""

    @property
    def sign(self) -> str:
        """Sign of the word."""
        return LOOKS[self.word].sign if self.word else ""

    @property
    def mark(self) -> str:
        """Class of the word in HTML."""
        return slug(self.word) if self.word else "mean"


@dataclass(frozen=True)
class PrintedTable:
    """A printed table with our numbers; a notebook shows it, ``print`` prints it.

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
    run : str
        "records", or the profile that was computed here.
    """

    paper: str
    key: str
    caption: str
    verdicts: Sequence[Verdict]
    origin: Origin
    run: str = "records"

    @property
    def name(self) -> str:
        """Name of its files without the ending, and its label in LaTeX."""
        return f"{self.paper}-{self.key}"

    @property
    def title(self) -> str:
        """``Table 2 of the paper (page 1655)``."""
        page = printed_of(self.paper).printed.tables[self.key].page
        number = self.key.removeprefix("table")
        named = f"Table {number}" if self.key.startswith("table") else self.key
        return f"{named} of the paper" + (f" (page {page})" if page else "")

    @property
    def behind(self) -> str:
        """What our numbers are: trials, and source of the data."""
        run = [v for v in self.verdicts if v.n_trials]
        if not run:
            return "Ours: not run."
        counts: dict[str, set[int]] = {}
        for v in run:
            if v.quantity == "performance":
                counts.setdefault(v.number.row, set()).add(v.n_trials)
        trials = sorted(set().union(*counts.values()) or {0})
        several = f"{trials[0]} to {trials[-1]}" if len(trials) > 1 else f"{trials[0]}"
        once = ""
        if len(trials) > 1 and all(len(own) == 1 for own in counts.values()):
            rows = {n: [row for row, own in counts.items() if own == {n}] for n in trials}
            several = " or ".join(f"{n} ({', '.join(rows[n])})" for n in trials if n > 1)
            once = f"; one of {', '.join(rows[1])}" if 1 in rows else ""
        sources = ", ".join(sorted({s for v in run for s in v.source.split(", ")}))
        here = "" if self.run == "records" else f"; computed here ({self.run} profile)"
        plural = "" if several == "1" else "s"
        judged = sorted({v.number.judged for v in run} - {"headline"})
        variant = f"; variant: {', '.join(judged)}" if judged else ""
        told = f"Ours: mean ± standard deviation of {several} trial{plural}{once}"
        told += f". Data: {sources}{variant}{here}."
        if self.chosen:
            names = ", ".join(self.chosen)
            told += f" The margin is {self.margin}, and for {names} a fifth of the printed value,"
            told += " at least 1."
            if any(map(_has_no_range, self.verdicts)):
                told += f" Values chosen fewer than {N_DRAWS} times have no mark."
        return told

    @property
    def margin(self) -> str:
        """Difference of performances that counts as none, in the printed unit."""
        one = next((v for v in self.verdicts if v.quantity == "performance"), self.verdicts[0])
        return f"{one.margin:g} points" if one.number.scale == PERCENT else f"{one.margin:g}"

    @property
    def chosen(self) -> list[str]:
        """Columns of what was selected, which have a margin of their own."""
        of_selections = {v.number.column for v in self.verdicts if v.quantity == "selection"}
        return [name for name in self.columns if name in of_selections]

    @property
    def heading(self) -> str:
        """Paper, year, number and caption of the table, and what ours are."""
        name = f"{short_name(self.paper)} ({printed_of(self.paper).printed.paper.year})"
        return one_line(f"{name}, {self.title}: {self.caption}. {self.behind}")

    @property
    def rows(self) -> list[str]:
        """Names of the rows, as printed."""
        return list(dict.fromkeys(v.number.row for v in self.verdicts))

    @property
    def columns(self) -> list[str]:
        """Names of the columns; what stands in brackets after a number has none of its own."""
        names = list(dict.fromkeys(v.number.column for v in self.verdicts))
        return [name for name in names if self._brackets_after(name, names) is None]

    @property
    def ours(self) -> pd.DataFrame:
        """Our values as numbers, in the printed unit, by printed row and column."""
        return self._values(lambda v: v.ours)

    @property
    def printed(self) -> pd.DataFrame:
        """The printed values as numbers."""
        return self._values(lambda v: v.number.value)

    @property
    def words(self) -> pd.DataFrame:
        """The words, by printed row and column."""
        return self._values(lambda v: v.word)

    @property
    def differences(self) -> pd.DataFrame:
        """Ours minus printed with the interval behind each mark, as texts."""

        def told(v: Verdict) -> str:
            low, high = v.interval_90 if v.word == "reproduced" else v.interval
            if not v.n_trials or v.word == "quoted" or math.isinf(low):
                return "–"
            if v.word == "to the digit":
                return v.word
            if v.error.is_zero:
                return difference_text(v.difference, v.number.digits)
            parts = [difference_text(x, v.number.digits) for x in (v.difference, low, high)]
            return "{} ({} to {})".format(*parts)

        return self._values(told)[self.columns].fillna("")

    def _values(self, value: Callable[[Verdict], object]) -> pd.DataFrame:
        found: dict[str, dict[str, object]] = {}
        for v in self.verdicts:
            found.setdefault(v.number.row, {})[v.number.column] = value(v)
        return pd.DataFrame.from_dict(found, orient="index")

    @staticmethod
    def _brackets_after(name: str, names: Sequence[str]) -> str | None:
        """Column after whose number this one is printed in brackets: "A" for "A, dimension"."""
        before, comma, _ = name.rpartition(", ")
        return before if comma and before in names else None

    @cached_property
    def notes(self) -> dict[str, str]:
        """Footnotes by their letter: why not run, where quoted from, which reading."""
        shown = [v for v in self.verdicts if v.number.column in self.columns]
        texts = list(dict.fromkeys(filter(None, map(_note_of, shown))))
        return {chr(ord("a") + i): text for i, text in enumerate(texts)}

    @cached_property
    def cells(self) -> dict[tuple[str, str], Cell]:
        """Cells by row and column; the row "Mean" where the table has one."""
        letters = {text: letter for letter, text in self.notes.items()}
        names = list(dict.fromkeys(v.number.column for v in self.verdicts))
        at = {(v.number.row, v.number.column): v for v in self.verdicts}
        brackets = {self._brackets_after(name, names): name for name in names}
        found = {}
        for (row, column), v in at.items():
            if column not in self.columns:
                continue
            digits, beside = v.number.digits, at.get((row, brackets.get(column, "")))
            ours, printed = ours_text(v), number_text(v.number.value, None, digits)
            if beside is not None:
                more = number_text(beside.number.value, None, beside.number.digits)
                ours, printed = f"{ours} ({ours_text(beside)})", f"{printed} ({more})"
            found[row, column] = Cell(
                "" if _has_no_range(v) else v.word,
                ours if v.n_trials else "",
                printed,
                _spread(v.spread, digits),
                _spread(v.number.spread, digits),
                letters.get(_note_of(v), ""),
            )
        if printed_of(self.paper).printed.tables[self.key].mean:
            for column in self.columns:
                of_column = [v for (_, name), v in at.items() if name == column]
                if all(v.quantity == "performance" for v in of_column):
                    digits = of_column[0].number.digits
                    both = [np.mean([v.ours for v in of_column])]
                    both.append(np.mean([v.number.value for v in of_column]))
                    ours, printed = (number_text(float(x), None, digits) for x in both)
                    found["Mean", column] = Cell("", "" if np.isnan(both[0]) else ours, printed)
        return found

    @property
    def shown_rows(self) -> list[str]:
        """Names of the rows with that of the mean, if there is one."""
        return list(dict.fromkeys(row for row, _ in self.cells))

    @property
    def run_columns(self) -> set[str]:
        """Names of the columns of which some number was run."""
        return {column for (_, column), cell in self.cells.items() if cell.ours}

    @property
    def legend(self) -> list[tuple[Word, str]]:
        """Every word in the table, and its short meaning."""
        used = {cell.word for cell in self.cells.values()}
        margin = "the margin" if self.chosen else self.margin
        told = {w: SHORT_MEANINGS[w].format(margin=margin) for w in WORDS if w in used}
        if all(v.error.is_zero for v in self.verdicts if v.n_trials):  # there are no intervals
            told = {w: text.partition(" (")[0] for w, text in told.items()}
        return list(told.items())

    @cached_property
    def lines(self) -> list[str]:
        """What each method's numbers say together, and how many words may be wrong."""
        digits = max(v.number.digits for v in self.verdicts)
        found = [f"{name}: {told(line, digits)}" for name, line in lines_of(self.verdicts).items()]
        wrong, n = wrong_words(self.verdicts)
        if n:
            many = "words" if n > 1 else "word"
            found.append(
                f"z: root mean square of the differences in units of their noise. Of {n} sure "
                f"{many} {wrong:.2g} are expected to be wrong."
            )
        return found

    def text(self, ending: str) -> str:
        """Text of its file: "csv", "md", "tex" or "html"."""
        return FORMATS[ending](self)

    def __str__(self) -> str:
        return f"{self.heading}\n{plain_text(self)}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        told = "Ours minus printed, with the intervals behind the marks (90 % for ●, else 95 %)"
        inside = Frame(self.differences)._repr_html_()
        return f"{html_fragment(self)}<details><summary>{told}</summary>{inside}</details>"


def _has_no_range(v: Verdict) -> bool:
    """Whether a value was chosen so few times that nothing can be said of it."""
    return v.quantity == "selection" and bool(v.n_trials) and math.isinf(v.half_width)


def _note_of(v: Verdict) -> str:
    """What a footnote says of a number; empty if nothing has to be said."""
    if v.word in ("quoted", "not run"):
        return v.number.quoted or v.number.not_run or v.reason
    if v.is_credited:
        tried = "the only one" if v.n_readings == 1 else f"one of {v.n_readings}"
        if v.error.is_zero:
            return f"row in the variant '{v.reading}', {tried} tried"
        there = number_text(v.readings[v.reading].ours, None, v.number.digits)
        return f"ours is {there} in the variant '{v.reading}', {tried} tried for this number"
    return ""


def _spread(value: float | None, digits: int) -> str:
    if value is None or np.isnan(value):
        return ""
    return f"± {value:.{digits}f}"


def printed_tables(
    paper: str, directory: Path | None = None, *, command: str = "", run: str = "records"
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
    run : str
        Where the results come from, see `PrintedTable`.
    """
    records = load_paper(paper, directory)
    verdicts = judge_paper(paper, directory)
    tables = []
    for key, table in printed_of(paper).printed.tables.items():
        of_table = [v.shown for v in verdicts if v.number.table == key]
        title = f"{short_name(paper)}, {key}: {table.caption}"
        wanted = [
            (v.number.results, v.number.select.get("dataset"), v.number.select.get("method"), name)
            for v in of_table
            if v.n_trials
            for name in {v.number.judged, v.reading}
        ]
        if wanted:
            columns = ["table", "dataset", "method", "reading"]
            rows = records[pd.MultiIndex.from_frame(records[columns]).isin(wanted)]
        else:  # none of its numbers has a record: all of its results files
            rows = records[records["table"].isin({v.number.results for v in of_table})]
        made = origin(title, paper, command, directory, rows)
        tables.append(PrintedTable(paper, key, table.caption, of_table, made, run))
    return tables


def plain_text(table: PrintedTable, width: int = 0) -> str:
    """The table in columns of text: ours with its sign, and below it the printed number.

    Parameters
    ----------
    table : PrintedTable
        What is shown.
    width : int, default=0
        Of a terminal: columns that find no room stand in a block below, and texts are wrapped. 0
        wraps nothing.
    """
    names = table.shown_rows
    columns: list[list[str]] = [["", *(text for name in names for text in (name, ""))]]
    for column in table.columns:
        texts = [column]
        for row in names:
            cell = table.cells.get((row, column))
            if cell is None:
                texts += ["", ""]
                continue
            note = f" [{cell.note}]" if cell.note else ""
            texts.append(f"{cell.sign or ' '} {cell.ours} {cell.ours_spread}".rstrip() + note)
            texts.append(f"  {cell.printed} {cell.printed_spread}".rstrip())
        columns.append(texts)
    blocks = [[columns[0]]]
    for texts in columns[1:]:
        room = sum(max(map(len, other)) + 2 for other in blocks[-1]) + max(map(len, texts))
        if width and room > width and len(blocks[-1]) > 1:
            blocks.append([columns[0]])
        blocks[-1].append(texts)
    shown = [
        "\n".join(
            "  ".join(texts[i].ljust(max(map(len, texts))) for texts in block).rstrip()
            for i in range(len(columns[0]))
        )
        for block in blocks
    ]
    legend = "; ".join(f"{LOOKS[word].sign} {meaning}" for word, meaning in table.legend)
    notes = [f"[{letter}] {one_line(text)}" for letter, text in table.notes.items()]
    below = [f"above: ours; below: printed; {legend}", *notes, *map(one_line, table.lines)]
    if width:
        below = [textwrap.fill(line, width) for line in below]
    return "\n".join([*shown, *below])


def csv_text(table: PrintedTable) -> str:
    """Numbers to compute with, in the paper's shape: two blocks, ours and printed.

    Comments begin with ``#``; an empty line parts the blocks.
    """
    blocks = []
    for name, frame in (("ours", table.ours), ("printed", table.printed)):
        shown = frame.map(lambda x: float(f"{x:.{DIGITS}g}")).rename_axis(name)
        shown.index = shown.index.map(csv_cell)
        shown.columns = shown.columns.map(csv_cell)
        text = io.StringIO()
        shown.to_csv(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        blocks.append(text.getvalue())
    return _commented(table.origin, "# ") + "\n".join(blocks)


def markdown_text(table: PrintedTable) -> str:
    """Table in Markdown; where it comes from stands in a comment and is not shown."""

    def shown(row: str, column: str) -> Markdown:
        cell = table.cells.get((row, column))
        if cell is None:
            return Markdown("")
        note = f" <sup>{cell.note}</sup>" if cell.note else ""
        spread = f" <small>{cell.ours_spread}</small>" if cell.ours_spread else ""
        below = " ".join(filter(None, (cell.printed, cell.printed_spread)))
        sign = f"{cell.sign} " if cell.sign else ""
        return Markdown(f"{sign}**{cell.ours}**{spread}{note}<br><small>*{below}*</small>")

    rows = [[row, *(shown(row, column) for column in table.columns)] for row in table.shown_rows]
    legend = " · ".join(f"{LOOKS[word].sign} {meaning}" for word, meaning in table.legend)
    notes = "".join(
        f"\n<sup>{letter}</sup> {markdown_escaped(text)}  " for letter, text in table.notes.items()
    )
    lines = "".join(f"\n{markdown_escaped(line)}  " for line in table.lines)
    body = markdown_table(["", *table.columns], rows)
    return (
        f"{_hidden(table.origin)}\n**{markdown_escaped(table.heading)}**\n\n{body}\n\n"
        f"Ours, and *printed* below it. {legend}\n{notes}{lines}\n"
    )


def latex_file_text(table: PrintedTable) -> str:
    r"""Table for ``\input`` that fits a column: it needs booktabs, and graphicx if it is wide."""
    head = " & ".join(["", *map(latex_text, table.columns)]) + r" \\"
    lines = [head, r"\midrule"]
    for row in table.shown_rows:
        above, below = [latex_text(row)], [""]
        for column in table.columns:
            cell = table.cells.get((row, column))
            if cell is None:
                above.append("")
                below.append("")
                continue
            sign = _LATEX_SIGNS.get(cell.word, "--" if cell.word == "not run" else "")
            note = rf"\textsuperscript{{{cell.note}}}" if cell.note else ""
            ours = latex_text(" ".join(filter(None, (cell.ours, cell.ours_spread))))
            printed = latex_text(" ".join(filter(None, (cell.printed, cell.printed_spread))))
            above.append(f"{sign} {ours}{note}".strip())
            below.append(rf"\scriptsize\itshape {printed}")
        lines += [" & ".join(above) + r" \\[-2pt]", " & ".join(below) + r" \\"]
    begin = rf"\begin{{tabular}}{{@{{}}l{'r' * len(table.columns)}@{{}}}}"
    tabular = "\n".join([begin, r"\toprule", *lines, r"\bottomrule", r"\end{tabular}"])
    if len(table.columns) > _NARROW:
        tabular = f"\\resizebox{{\\linewidth}}{{!}}{{%\n{tabular}}}"
    used = {cell.word for cell in table.cells.values()}
    signs = ", ".join(f"{_LATEX_SIGNS[w]} {w}" for w in WORDS if w in used and w in _LATEX_SIGNS)
    notes = r"\\ ".join(
        rf"\textsuperscript{{{letter}}}~{latex_text(one_line(text))}"
        for letter, text in table.notes.items()
    )
    told = r"\\ ".join(latex_text(one_line(line)) for line in table.lines)
    footer = r"\\ ".join(filter(None, (notes, told)))
    preamble = r"% In the preamble: \usepackage{booktabs,graphicx}"
    return "\n".join(
        [
            _commented(table.origin, "% ") + preamble,
            r"\begin{table}[tbp]\centering\small\setlength{\tabcolsep}{4pt}",
            rf"\caption{{{latex_text(table.heading)} Below ours the printed number. {signs}.}}"
            rf"\label{{tab:{table.name}}}",
            tabular,
            rf"\par\footnotesize\raggedright {footer}" if footer else "",
            r"\end{table}",
            "",
        ]
    )


def html_fragment(table: PrintedTable) -> str:
    """The table for a notebook, the report or the site, with its style."""
    return render("printed_table.html.jinja", table=table, page=False, comment="")


def html_text(table: PrintedTable) -> str:
    """Return a page with the table, which needs no other file."""
    return render("printed_table.html.jinja", table=table, page=True, comment=_hidden(table.origin))


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
