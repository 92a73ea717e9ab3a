"""Anyone's table of results, from a file as people have it.

The first bytes of a file say of which kind it is; its name does not count. A file that cannot be
read is refused, with its name, the row and what to do.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path

import pandas as pd

SEPARATORS = (",", ";", "\t", "|")
#: First bytes of files that are no text, what they are, and what to do.
NO_TEXT = {
    b"PK": "an Excel file or a zip archive; save the sheet as CSV (UTF-8)",
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
        return content.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        row = content[: error.start].count(b"\n") + 1
        raise ValueError(
            f"{name}, line {row}: the encoding is not UTF-8; save the file as UTF-8"
        ) from error


def read_table(path: Path) -> pd.DataFrame:
    """Read a table: CSV with any of the usual separators, JSON, JSON lines or Parquet.

    Parameters
    ----------
    path : Path
        The file. Text is in UTF-8, or in UTF-16 with its mark.

    Returns
    -------
    DataFrame
        Its rows. An empty field is missing; every other text stays what it is.

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
    for start, what in NO_TEXT.items():
        if content.startswith(start):
            raise ValueError(f"{name} is {what}")
    if content.startswith(b"PAR1"):
        try:
            return pd.read_parquet(io.BytesIO(content))
        except ImportError as error:
            raise ValueError(
                f"{name} is a parquet file, which needs pyarrow: pip install pyarrow, or save the "
                "table as CSV"
            ) from error
        except Exception as error:  # pyarrow has errors of its own for a damaged file
            raise ValueError(
                f"{name} is no sound parquet file ({error}); save it as CSV"
            ) from error
    text = decoded(content, name)
    if text.lstrip().startswith(("{", "[")):
        try:
            if text.lstrip().startswith("["):
                rows = json.loads(text)
            else:
                rows = [json.loads(line) for line in text.splitlines() if line.strip()]
            return pd.DataFrame.from_records(rows)
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(
                f"{name} begins as JSON, but is no list of rows, nor one row a line ({error}); "
                "save it as CSV"
            ) from error
    header = next(line.rstrip("\r\n") for line in io.StringIO(text) if line.strip())
    separator = max(SEPARATORS, key=header.count)
    doubled = [
        n for n, k in Counter(next(csv.reader([header], delimiter=separator))).items() if k > 1
    ]
    if doubled:
        raise ValueError(f"{name} has two columns {doubled[0]!r}; give every column its own name")
    try:
        return pd.read_csv(io.StringIO(text), sep=separator, keep_default_na=False, na_values=[""])
    except pd.errors.ParserError as error:
        raise ValueError(
            f"{name} is no sound CSV with the separator {separator!r}: {error}"
        ) from error
