"""Anyone's table of results, from a file as people have it.

The first bytes of a file say of which kind it is; its name does not count. Every cell is read as
the text that stands there, so that a method 001 stays 001; what must be a number is parsed where
it is used. A file that cannot be read is refused, with its name, the row and what to do.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd

SEPARATORS = (",", ";", "\t", "|")
#: First bytes of files that are no table of text, what they are, and what to do.
NO_TABLE = {
    b"\xd0\xcf\x11\xe0": "an old Excel file; save the sheet as CSV (UTF-8) or .xlsx",
    b"\x1f\x8b": "compressed by gzip; unpack it",
}


def decoded(content: bytes, name: str) -> str:
    """Text of a file in UTF-8, or in UTF-16 with its mark.

    Parameters
    ----------
    content : bytes
        The whole file.
    name : str
        Name of the file, for the message.

    Returns
    -------
    str
        The text, without a byte order mark.

    Raises
    ------
    ValueError
        If the file is in another encoding.
    """
    is_utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        text = content.decode("utf-16" if is_utf16 else "utf-8-sig")
        start = text.find("\0")  # every other byte, in UTF-16 without its mark
    except UnicodeDecodeError as error:
        text, start = "", error.start
    if start >= 0:
        row = content[:start].count(b"\n") + 1
        raise ValueError(f"{name}, line {row}: the encoding is not UTF-8; save the file as UTF-8")
    return text


def read_table(path: Path) -> pd.DataFrame:
    """Read a table: CSV with any of the usual separators, Excel, JSON, JSON lines or Parquet.

    JSON is in any form that pandas writes with names: records, lines, split, table, or a list or
    a table for each column.

    Parameters
    ----------
    path : Path
        The file. Text is in UTF-8, or in UTF-16 with its mark.

    Returns
    -------
    DataFrame
        Its cells as texts without spaces around, an empty one where a cell is missing. The index
        counts rows from 1; empty rows are left out, and counted.

    Raises
    ------
    ValueError
        If the file is empty or of another kind, or if two of its columns have one name.
    OSError
        If it cannot be read.
    """
    name, content = path.name, path.read_bytes()
    if not content.strip():
        raise ValueError(f"{name} is empty; give a CSV with a line of names and one row a trial")
    for start, what in NO_TABLE.items():
        if content.startswith(start):
            raise ValueError(f"{name} is {what}")
    if content.startswith(b"PAR1"):
        return as_text(_parquet(content, name), name)
    if content.startswith(b"PK"):
        return as_text(_with_header(_excel(content, name)), name)
    text = decoded(content, name)
    if text.lstrip().startswith(("{", "[")):
        return as_text(_json(text, name), name)
    return as_text(_with_header(_csv(text, name)), name)


def as_text(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Cells of a frame as texts, as `read_table` gives those of a file.

    Parameters
    ----------
    frame : DataFrame
        The table; levels of its index that have a name are columns.
    name : str
        What it is called in messages.

    Raises
    ------
    ValueError
        If it has no row, two columns of one name, or columns of several levels.
    """
    if frame.columns.nlevels > 1:
        raise ValueError(f"{name} has columns of several levels; give every column one name")
    index = frame.index
    levels = [place for place, level in enumerate(index.names) if level is not None]
    given = [*(index.names[place] for place in levels), *frame.columns]
    columns = [str(column).strip() for column in given]
    doubled = [column for column, n in Counter(columns).items() if n > 1 and column]
    if doubled:
        raise ValueError(f"{name} has two columns {doubled[0]!r}; give every column its own name")
    cells = [index.get_level_values(place).to_series() for place in levels]
    cells += [frame.iloc[:, place] for place in range(frame.shape[1])]
    table = pd.DataFrame(
        {
            column: cell.astype(object).map(str).str.strip().where(cell.notna(), "").to_numpy()
            for column, cell in zip(columns, cells, strict=True)
            if column
        },
        index=range(1, len(frame) + 1),
    )
    table = table[(table != "").any(axis=1)]
    if table.empty:
        raise ValueError(f"{name} has no row; give one row a trial")
    return table


def _with_header(cells: pd.DataFrame) -> pd.DataFrame:
    """Rows of a sheet under the names in its first row that is not empty."""
    cells = cells.fillna("")
    cells = cells[(cells != "").any(axis=1).cummax()]
    return cells.iloc[1:].set_axis(cells.iloc[0].tolist(), axis=1)


def _parquet(content: bytes, name: str) -> pd.DataFrame:
    try:
        return pd.read_parquet(io.BytesIO(content))
    except ImportError as error:
        raise ValueError(
            f"{name} is a parquet file, which needs pyarrow: pip install pyarrow, or save the "
            "table as CSV"
        ) from error
    except Exception as error:  # pyarrow has errors of its own for a damaged file
        raise ValueError(f"{name} is no sound parquet file ({error}); save it as CSV") from error


def _excel(content: bytes, name: str) -> pd.DataFrame:
    """Cells of the only sheet that has some."""
    try:
        sheets = pd.read_excel(
            io.BytesIO(content), sheet_name=None, header=None, dtype=str, keep_default_na=False
        )
    except ImportError as error:
        raise ValueError(
            f"{name} is an Excel file, which needs {error.name or 'openpyxl'}: pip install "
            f"{error.name or 'openpyxl'}, or save the sheet as CSV (UTF-8)"
        ) from error
    except Exception as error:  # zip, XML and openpyxl have errors of their own
        raise ValueError(
            f"{name} is an Excel file or a zip archive; save the sheet as CSV (UTF-8) ({error})"
        ) from error
    filled = {sheet: cells for sheet, cells in sheets.items() if not cells.empty}
    if len(filled) != 1:
        which = f"several sheets: {', '.join(filled)}" if filled else "no cell"
        raise ValueError(f"{name} has {which}; save the one with the results alone")
    (cells,) = filled.values()
    return cells


def _json(text: str, name: str) -> pd.DataFrame:
    """Table from any form of JSON that pandas writes with names."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        doubled = [key for key, n in Counter(key for key, _ in pairs).items() if n > 1]
        if doubled:
            raise ValueError(f"{doubled[0]!r} stands twice in one object")
        return dict(pairs)

    def loaded(part: str) -> Any:  # numbers stay the texts that they are
        return json.loads(
            part, object_pairs_hook=once, parse_int=str, parse_float=str, parse_constant=str
        )

    try:
        try:
            content = loaded(text)
        except json.JSONDecodeError:
            content = []
            for number, line in enumerate(text.split("\n"), start=1):
                try:
                    content += [loaded(line)] if line.strip() else []
                except json.JSONDecodeError as error:
                    raise ValueError(f"line {number}: {error.msg}") from error
        if isinstance(content, dict) and content.keys() <= {"columns", "index", "data"}:
            frame = pd.DataFrame(content["data"], columns=content["columns"])
        elif isinstance(content, dict) and content.keys() == {"schema", "data"}:
            frame = pd.DataFrame.from_records(content["data"])
        elif isinstance(content, dict) and not isinstance(
            next(iter(content.values())), dict | list
        ):
            frame = pd.DataFrame([content])
        elif isinstance(content, dict):
            frame = pd.DataFrame(content)
        elif all(isinstance(row, dict) for row in content):
            frame = pd.DataFrame.from_records(content)
        else:
            raise TypeError("its rows have no names")
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        raise ValueError(
            f"{name} begins as JSON, but is no list of rows, nor one row a line, nor a list or a "
            f"table for each column ({error}); save it as CSV"
        ) from error
    for column in frame:
        is_nested = frame[column].map(lambda cell: isinstance(cell, dict | list))
        if is_nested.any():
            row = is_nested.to_numpy().argmax() + 1
            raise ValueError(
                f"{name}, row {row}: {column} holds a list or a table; give one row a trial"
            )
    return frame.map(lambda cell: json.dumps(cell) if isinstance(cell, bool) else cell)


def _csv(text: str, name: str) -> pd.DataFrame:
    """Cells of a CSV, its names in the first row."""
    text = re.sub(r"\A(\s*\n)+", "", text.replace("\r\n", "\n").replace("\r", "\n"))
    header = re.sub(r'"[^"]*"', "", text.split("\n", 1)[0])
    separator = max(SEPARATORS, key=header.count)
    try:
        return pd.read_csv(
            io.StringIO(text),
            sep=separator,
            header=None,
            dtype=str,
            keep_default_na=False,
            skip_blank_lines=False,
        )
    except pd.errors.ParserError as error:
        raise ValueError(
            f"{name} is no sound CSV with the separator {separator!r}: {error}"
        ) from error
