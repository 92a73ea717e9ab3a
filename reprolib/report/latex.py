"""Tables in LaTeX, for the packages booktabs and longtable."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

PLUS_MINUS, INFINITY = r"\pm", r"\infty"
#: What LaTeX would not print as it stands; any LaTeX since 2018 prints accents.
SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': "''",
        "±": f"${PLUS_MINUS}$",
        "∞": f"${INFINITY}$",
        "−": "$-$",
        "×": r"$\times$",
        "–": "--",
        "—": "---",
        "…": r"\ldots{}",
    }
)
#: Numbers, with or without a spread: their signs are those of mathematics.
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?( ± (\d+(\.\d+)?|∞))?")
#: Lines before the table, whose style ends with it.
_BEGIN = r"""\begingroup\footnotesize\setlength{\tabcolsep}{4pt}
\begin{longtable}{@{}lrrrr>{\raggedright\arraybackslash}p{2.2cm}@{}}"""
_END = r"""\end{longtable}
\endgroup
"""
#: Columns of the table, after the printed column's name.
COLUMNS = ("published", "ours", "difference", "trials", "verdict")
_N_COLUMNS = 1 + len(COLUMNS)
_NOTE = (
    "Difference: ours minus published, with the half-width of its interval. "
    "Trials: how many of ours. In brackets: source of our data."
)


def latex_text(text: str) -> str:
    """Text with everything escaped that LaTeX would take for a command."""
    if _NUMBER.fullmatch(text):
        return f"${text.replace('±', PLUS_MINUS).replace('∞', INFINITY)}$"
    return text.translate(SPECIAL)


def latex_table(frame: pd.DataFrame, caption: str, label: str) -> str:
    r"""Table that breaks over pages, with rules of booktabs: narrow enough for `article`.

    Parameters
    ----------
    frame : DataFrame
        Of texts, as `reprolib.rerun.tables.verdict_frame` has them.
    caption : str
    label : str
        For ``\ref``.
    """
    head = _line(["", *COLUMNS])
    title = latex_text(f"{caption}. {_NOTE}")
    lines = [_BEGIN, rf"\caption{{{title}}}\label{{{label}}}\\", r"\toprule", head, r"\midrule"]
    lines += [r"\endfirsthead", r"\toprule", head, r"\midrule", r"\endhead"]
    lines += [r"\bottomrule", r"\endfoot"]
    for number, (row, part) in enumerate(frame.groupby("row", sort=False)):
        lines += [r"\addlinespace"] if number else []
        lines.append(_heading(str(row), part))
        lines += [_number_line(part.loc[i].astype(str)) for i in part.index]
    return "\n".join([*lines, _END])


def _heading(row: str, part: pd.DataFrame) -> str:
    """Name of a printed row, and the sources of our data behind it."""
    sources = " and ".join(sorted(set(part["source"]) - {"–"}))
    text = latex_text(row + (f" ({sources})" if sources else ""))
    return rf"\multicolumn{{{_N_COLUMNS}}}{{@{{}}l}}{{\textit{{{text}}}}} \\*"


def _number_line(line: pd.Series) -> str:
    line = line.copy()
    if line["half-width"] != "–":
        line["difference"] += f" ± {line['half-width']}"
    if line["reading"]:
        line["verdict"] += f": {line['reading'].partition(':')[0]}"
    return r"\quad " + _line([line["column"], *line[list(COLUMNS)]])


def _line(cells: Sequence[str]) -> str:
    return " & ".join(map(latex_text, cells)) + r" \\"
