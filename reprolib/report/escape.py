"""Names and other texts of people, as they go into Markdown, LaTeX and CSV: one function a format.

HTML has `html.escape`, and the templates escape by themselves. A text shows as it is, in one line,
and nothing in it is taken for a mark, a command, a link or a formula.
"""

from __future__ import annotations

import re
import unicodedata

#: Characters that turn the direction of a line, so that it reads other than it is written.
_DIRECTIONS = {*"\u061c\u200e\u200f", *map(chr, range(0x202A, 0x202F))}
_DIRECTIONS |= set(map(chr, range(0x2066, 0x206A)))

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

#: What would be a mark in Markdown. A bar of underscores within a word is none.
_MARKS = re.compile(r"([\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=\bwww)\.)", re.IGNORECASE)
#: GitHub makes formulas and mentions of these, even where they are escaped; in tags of their own
#: they stay alone.
_ALONE = str.maketrans({"$": "<span>&#36;</span>", "@": "<span>@</span>"})

#: A cell of a text that begins so is a formula to a spreadsheet, and is computed.
_FORMULA = re.compile(r"[=+\-@\t\r]")


def one_line(text: object) -> str:
    """Text in one line that reads as it is written.

    Parameters
    ----------
    text : object
        What is shown by ``str``.

    Returns
    -------
    str
        The text, with a space for every line break, control character, character that turns the
        direction of a line, and half of a character.
    """
    return "".join(
        " " if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or c in _DIRECTIONS else c
        for c in str(text)
    )


def markdown_escaped(text: object) -> str:
    r"""Text in one line that shows as it is: no heading, emphasis, link, formula, mention or HTML.

    Parameters
    ----------
    text : object
        What is shown by ``str``.

    Returns
    -------
    str
        Markdown that shows it.

    Examples
    --------
    >>> from reprolib.report.escape import markdown_escaped
    >>> markdown_escaped("a|b <script> _x_ my_name")
    'a\\|b &lt;script&gt; \\_x\\_ my_name'
    """
    line = one_line(text)
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKS.sub(r"\\\1", line).translate(_ALONE)


def latex_text(text: object) -> str:
    r"""Text in one line with everything escaped that LaTeX would take for a command.

    Parameters
    ----------
    text : object
        What is shown by ``str``; a number, with or without a spread, is set as mathematics.

    Returns
    -------
    str
        LaTeX that prints it.

    Examples
    --------
    >>> from reprolib.report.escape import latex_text
    >>> latex_text("50 % of _x_"), latex_text("1.5 ± 0.2")
    ('50 \\% of \\_x\\_', '$1.5 \\pm 0.2$')
    """
    line = one_line(text)
    if _NUMBER.fullmatch(line):
        return f"${line.replace('±', PLUS_MINUS).replace('∞', INFINITY)}$"
    return line.translate(SPECIAL)


def csv_cell(text: object) -> str:
    """Text in one line that no spreadsheet computes.

    Parameters
    ----------
    text : object
        What is shown by ``str``. Numbers are not for this function: a minus is not their first
        sign alone.

    Returns
    -------
    str
        The text, after an apostrophe where it would begin a formula.

    Examples
    --------
    >>> from reprolib.report.escape import csv_cell
    >>> csv_cell("=1+1"), csv_cell("SVM")
    ("'=1+1", 'SVM')
    """
    line = one_line(text)
    return f"'{line}" if _FORMULA.match(line.lstrip()) else line
