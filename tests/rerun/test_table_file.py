"""Tables as people have them: every cell is read as the text that stands there, or refused."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest

from reprolib.rerun.verdicts.table_file import as_text, read_table

ROWS = [["001", "0.10", "90.5"], ["1e5", "true", "91"], ["Müller", "NA", "89.0"]]
TEXTS = pd.DataFrame(ROWS, columns=["method", "trial", "value"], index=range(1, 4))
TYPED = TEXTS.assign(value=[90.5, 91, 89.0]).reset_index(drop=True)
CSV = TEXTS.to_csv(index=False)
FORMS = {
    "CSV": CSV,
    "lines of CR, as an old Excel for Mac wrote": CSV.replace("\n", "\r"),
    "lines of CR LF": CSV.replace("\n", "\r\n"),
    "semicolons": CSV.replace(",", ";"),
    "tabulators": CSV.replace(",", "\t"),
    "spaces around names and cells": CSV.replace(",", " , "),
    "an index without a name": TEXTS.to_csv(),
    "a separator at the end of every line": CSV.replace("\n", ",\n"),
    "a comma in a quoted name of a column": CSV.replace(",", ";").replace("trial", '"a,b,c,d,e"'),
    "the first name empty, and tabulators": TEXTS.to_csv(sep="\t"),
    "blank lines before": "\n  \n" + CSV,
    "records": TEXTS.to_json(orient="records"),
    "pandas' default, a table a column": TEXTS.to_json(),
    "a list a column": json.dumps(TEXTS.to_dict(orient="list")),
    "lines": TEXTS.to_json(orient="records", lines=True),
    "lines with a line separator in a text": TEXTS.assign(note="a\u2028b").to_json(
        orient="records", lines=True, force_ascii=False
    ),
    "split": TEXTS.to_json(orient="split"),
    "table": TEXTS.to_json(orient="table", index=False),
    "on several lines": TEXTS.to_json(indent=2),
}


@pytest.mark.parametrize("form", FORMS)
def test_names_are_the_texts_of_the_file(tmp_path, form):
    """Pandas took 001 for 1, 1e5 for 100000.0 and true for True, block by block."""
    (tmp_path / "r.dat").write_bytes(FORMS[form].encode())
    found = read_table(tmp_path / "r.dat").rename(columns={"a,b,c,d,e": "trial"})
    pd.testing.assert_frame_equal(found[list(TEXTS)], TEXTS, check_dtype=False)


def test_blank_lines_are_left_out_and_counted(tmp_path):
    """A row is named as the person who opens the file counts it."""
    (tmp_path / "r.csv").write_text("trial,value\n0,1\n\n,\n1,2\n", encoding="utf-8")
    assert read_table(tmp_path / "r.csv").index.tolist() == [1, 4]


def test_numbers_of_json_keep_their_digits(tmp_path):
    text = '[{"method": 1.0, "trial": true, "value": 18446744073709551617, "n": null}]'
    (tmp_path / "r.json").write_text(text, encoding="utf-8")
    (row,) = read_table(tmp_path / "r.json").to_dict(orient="records")
    assert row == {"method": "1.0", "trial": "true", "value": "18446744073709551617", "n": ""}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"trial,trial \n0,1\n", "r.dat has two columns 'trial'; give every column its own name"),
        (b"trial,value\n0,1\n0,1,2,3\n", "r.dat is no sound CSV with the separator ','"),
        (b'trial,value\n0,"1\n', "r.dat is no sound CSV with the separator ','"),
        (CSV.encode("utf-16-le"), r"r.dat, line \d+: the encoding is not UTF-8; save"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "r.dat is an old Excel file; save the sheet as CSV"),
        (b'{"value": {"0": 1}, "value": {"0": 2}}', "r.dat .*'value' stands twice in one object"),
        (b'[{"value": 1, "value": 2}]', "r.dat .*'value' stands twice in one object"),
        (b'[{"value": [1, 2]}]', "r.dat, row 1: value holds a list or a table"),
        (b'{"results": [{"value": 1}]}', "r.dat, row 1: results holds a list or a table"),
        (b'{"value": [1, 2], "trial": [1]}', "r.dat begins as JSON, but is no list of rows"),
        (b'{"value": 1}\n{"value": 2', "r.dat begins as JSON.* \\(line 2: "),
        (b"[[1, 2], [3, 4]]", "r.dat begins as JSON, but is no list of rows"),
        (b"[" * 50_000, "r.dat begins as JSON, but is no list of rows"),
        (b"[]", "r.dat has no row; give one row a trial"),
        (b"trial,value\n", "r.dat has no row; give one row a trial"),
    ],
)
def test_a_table_that_cannot_be_meant_is_refused(tmp_path, content, message):
    (tmp_path / "r.dat").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_table(tmp_path / "r.dat")


def test_a_frame_is_read_as_its_file_would_be():
    """Names in the index were dropped without a word, doubled columns a TypeError."""
    frame = TYPED.assign(method=pd.Categorical(TYPED["method"]), trial=[None, np.nan, pd.NA])
    texts = TEXTS.assign(trial="", value=["90.5", "91.0", "89.0"])
    for given in (frame, frame.set_index("method"), frame.set_index(["method", "trial"])):
        found = as_text(given, "the results")
        pd.testing.assert_frame_equal(found[list(TEXTS)], texts, check_dtype=False)
    with pytest.raises(ValueError, match="the results has two columns 'value'"):
        as_text(pd.concat([TYPED, TYPED[["value"]]], axis=1), "the results")
    with pytest.raises(ValueError, match="the results has two columns 'value'"):
        as_text(TYPED.set_index("value", drop=False), "the results")
    levels = TYPED.set_axis(pd.MultiIndex.from_product([["a"], TYPED.columns]), axis=1)
    with pytest.raises(ValueError, match="the results has columns of several levels"):
        as_text(levels, "the results")


def excel(tmp_path, **sheets) -> str:
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter(tmp_path / "r.xlsx") as writer:
        for name, (frame, options) in sheets.items():
            frame.to_excel(writer, sheet_name=name, **options)
    return tmp_path / "r.xlsx"


def test_an_excel_file_is_read_with_its_names_as_texts(tmp_path):
    for options in ({"index": False}, {"index": True}, {"startrow": 2, "startcol": 1}):
        empty = (pd.DataFrame(), {})
        found = read_table(excel(tmp_path, runs=(TYPED, options), Sheet2=empty))
        expected = TEXTS.assign(value=["90.5", "91", "89"])
        pd.testing.assert_frame_equal(found[list(TEXTS)], expected, check_dtype=False)
    with pytest.raises(ValueError, match="r.xlsx has several sheets: a, b; save the one"):
        read_table(excel(tmp_path, a=(TYPED, {}), b=(TYPED, {})))


def test_without_openpyxl_an_excel_file_is_refused_with_a_remedy(tmp_path, monkeypatch):
    import zipfile

    with zipfile.ZipFile(tmp_path / "r.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("[Content_Types].xml", "<Types/>")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(
        ValueError, match=r"r.xlsx is an Excel file, which needs openpyxl: pip inst"
    ):
        read_table(tmp_path / "r.xlsx")


def test_a_parquet_file_is_read_as_a_frame(tmp_path):
    pytest.importorskip("pyarrow")
    content = io.BytesIO()
    TYPED.set_index("method").to_parquet(content)
    (tmp_path / "r.parquet").write_bytes(content.getvalue())
    found = read_table(tmp_path / "r.parquet")
    expected = TEXTS.assign(value=["90.5", "91.0", "89.0"])
    pd.testing.assert_frame_equal(found[list(TEXTS)], expected, check_dtype=False)
