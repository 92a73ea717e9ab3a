"""Files of the printed tables say what the verdicts say, and where they come from."""

from __future__ import annotations

import io
import math
import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reprolib.report import printed_tables as files
from reprolib.report.escape import SPECIAL, latex_text
from reprolib.report.origin import PACKAGES
from reprolib.report.tables import number_text, ours_text
from reprolib.report.theme import LOOKS
from reprolib.rerun.records import load_run, load_tasks
from reprolib.rerun.records.registry import PAPERS, printed_of
from tests import some_results

TABLES = [(paper, key) for paper in PAPERS for key in printed_of(paper).printed.tables]
each_table = pytest.mark.parametrize(("paper", "key"), TABLES)


def printed(paper, key):
    made = files.printed_tables(paper, command=f"reprolib tables {paper}")
    return next(table for table in made if table.key == key)


@each_table
def test_csv_has_the_numbers_of_the_verdicts_in_two_blocks(paper, key):
    table = printed(paper, key)
    text = "".join(
        line for line in files.csv_text(table).splitlines(True) if not line.startswith("# ")
    )
    blocks = [pd.read_csv(io.StringIO(block), index_col=0) for block in text.split("\n\n")]
    assert [block.index.name for block in blocks] == ["ours", "printed"]
    for v in table.verdicts:
        found = [block.loc[v.number.row, v.number.column] for block in blocks]
        np.testing.assert_allclose(found, [v.ours, v.number.value], rtol=1e-8)


def cell_of(v, beside=None):
    """Texts of ours and of the printed number, as a cell has them."""
    texts = [ours_text(v), number_text(v.number.value, None, v.number.digits)]
    if beside is not None:
        more = [ours_text(beside), number_text(beside.number.value, None, 0)]
        texts = [f"{text} ({other})" for text, other in zip(texts, more, strict=True)]
    return texts


@each_table
def test_every_text_has_every_number_in_its_place(paper, key):
    """Each format is read back line by line, ours beside the printed number."""
    table = printed(paper, key)
    at = {(v.number.row, v.number.column): v for v in table.verdicts}
    lines = files.plain_text(table).splitlines()
    markdown = [x for x in files.markdown_text(table).splitlines() if x.startswith("| ")]
    html = _Table(files.html_text(table)).lines
    latex = [x for x in files.latex_file_text(table).splitlines() if x.endswith(r"\\[-2pt]")]
    assert html[0] == ["", *table.columns]
    assert html[1][1::2] == ["ours" if c in table.run_columns else "" for c in table.columns]
    assert html[1][::2] == ["", *["printed"] * len(table.columns)]
    for number, row in enumerate(table.rows):
        for place, column in enumerate(table.columns, start=1):
            if (row, column) not in at:
                continue
            v = at[row, column]
            ours, theirs = cell_of(v, at.get((row, f"{column}, dimension")))
            too_few = v.quantity == "selection" and v.n_trials and math.isinf(v.half_width)
            ours, sign = ours if v.n_trials else "", "" if too_few else LOOKS[v.word].sign
            above, below = lines[2 * number + 1 : 2 * number + 3]
            assert above.startswith(row)
            assert f"{sign} {ours}" in above, "plain"
            assert theirs in below, "plain"
            cell = markdown[number + 1].split(" | ")[place]
            assert f"{sign} **{ours}**".strip() in cell, "Markdown"
            assert f"*{theirs}" in cell, "Markdown"
            assert html[number + 2][0] == row
            mine, printed_beside = html[number + 2][2 * place - 1 : 2 * place + 1]
            assert mine.startswith(ours if v.word == "quoted" else f"{sign}{ours}"), "HTML"
            assert printed_beside.startswith(theirs), "HTML"
            assert ours.split(" ")[0].strip("–") in latex[number].split("&")[place], "LaTeX"


def test_dimensions_stand_in_brackets_and_a_mean_below():
    table = printed("mkmmc", "table1")
    assert table.columns == ["2 Train", "3 Train", "4 Train"]
    assert table.cells["PCA", "2 Train"].printed == "70.67 (79)"
    kpm = printed("kpm", "table2")
    assert kpm.shown_rows == [*kpm.rows, "Mean"]
    assert kpm.cells["Mean", "SVM"].printed == f"{kpm.printed['SVM'].mean():.2f}"


def test_a_table_fits_a_terminal():
    table = printed("simplex", "table2")
    for width in (40, 80, 120):
        text = files.plain_text(table, width)
        assert max(map(len, text.splitlines())) <= width
        assert all(v.number.column in text for v in table.verdicts)


def test_what_is_not_run_or_quoted_says_why_once():
    table = printed("simplex", "table2")
    assert len(table.notes) == len(set(table.notes.values()))
    for v in table.verdicts:
        cell = table.cells[v.number.row, v.number.column]
        assert bool(cell.note) == (v.word in ("not run", "quoted", "reproduced in a variant"))


class _Table(HTMLParser):
    """Cells of a page's table, line by line."""

    def __init__(self, text: str):
        super().__init__()
        self.lines: list[list[str]] = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.lines.append([])
        if tag in ("td", "th"):
            self.inside = True
            self.lines[-1].append("")

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data):
        if self.inside:
            self.lines[-1][-1] += data


@each_table
def test_latex_is_ascii_or_letters_with_accents(paper, key):
    """Other characters stop pdflatex: "Unicode character not set up for use with LaTeX"."""
    body = "".join(
        line
        for line in files.latex_file_text(printed(paper, key)).splitlines()
        if not line.startswith("%")
    )
    odd = {c for c in body if ord(c) > 126 and not ("À" <= c <= "ž")}
    assert not odd, f"{odd} must be in SPECIAL of reprolib/report/escape.py"
    assert body.count(r"\begin{") == body.count(r"\end{")
    assert body.count("{") - body.count(r"\{") == body.count("}") - body.count(r"\}")


@given(st.text(alphabet=st.sampled_from([*map(chr, SPECIAL), *"ab ."]), min_size=1))
def test_nothing_in_a_text_is_taken_for_a_command(text):
    own = "|".join(re.escape(v) for v in sorted(SPECIAL.values(), key=len, reverse=True))
    left = re.sub(own, "", latex_text(text))
    assert not set(left) & set("{}$&#%_^~\\<>|")


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("-6.8", "$-6.8$"),
        ("+0.32 ± 0.46", r"$+0.32 \pm 0.46$"),
        ("# Regions", r"\# Regions"),
        ("KPCA_cv 100 %", r"KPCA\_cv 100 \%"),
        ("Rätsch", "Rätsch"),
        ("–", "--"),
    ],
)
def test_latex_of_texts_and_numbers(text, escaped):
    assert latex_text(text) == escaped


@pytest.mark.parametrize("ending", files.FORMATS)
@pytest.mark.parametrize("paper", PAPERS)
def test_every_file_names_command_versions_and_source(paper, ending):
    for table in files.printed_tables(paper, command=f"reprolib tables {paper}"):
        text = files.FORMATS[ending](table)
        sources = {v.source for v in table.verdicts if v.source}
        results = {v.number.results for v in table.verdicts if v.n_trials}
        assert f"command: reprolib tables {paper}\n" in text
        run, tasks = load_run(paper), load_tasks(paper)
        readings = {r for v in table.verdicts for r in (v.number.judged, v.reading)}
        made = tasks[tasks["table"].isin(results) & tasks["reading"].isin(readings)]
        for column in ("dataset", "method"):
            made = made[made[column].isin({v.number.select[column] for v in table.verdicts})]
        for name in made["environment"].unique():
            versions = run["environments"][name]["versions"]
            for package in PACKAGES:
                assert re.search(f"{package} .*{re.escape(versions[package])}", text)
        assert f"{paper}/records.csv.xz (" in text
        assert not results or f"{run['profile']} profile, run on " in text
        assert all(date in text for date in made["date"].unique())
        (line,) = (t for t in table.origin.lines() if t.startswith("source of the data: "))
        assert all(f"{source}: " in line for source in sources), "a source of ours is not named"
        assert "embedded" not in line, "no printed number is compared with embedded data"


def with_odd_origin():
    table = printed(*TABLES[0])
    odd = files.Origin("a\nb --> <!-- c", "p", "c\r\nd", "r", "v", "s")
    return files.PrintedTable(table.paper, table.key, table.caption, table.verdicts, odd)


@pytest.mark.parametrize(("ending", "start"), [("csv", "# "), ("tex", "% ")])
def test_no_line_of_the_origin_leaves_its_comment(ending, start):
    lines = files.FORMATS[ending](with_odd_origin()).splitlines()
    assert all(line.startswith(start) for line in lines[:6])
    assert "a b --> <!-- c" in lines[0]


@pytest.mark.parametrize("ending", ["md", "html"])
def test_nothing_in_the_origin_ends_its_comment(ending):
    text = files.FORMATS[ending](with_odd_origin())
    assert text.count("-->") == text.count("<!--") == 1


def test_a_run_on_embedded_data_says_so(tmp_path):
    """No number is judged then, and the file must not look as if one were."""
    from reprolib.rerun import records as results

    records = results.load_paper("kpm")
    embedded = records[records["source"] == "embedded"]
    some_results.write("kpm", embedded, tmp_path, profile="quick")
    for table in files.printed_tables("kpm", tmp_path, command="reprolib reproduce kpm --embedded"):
        assert table.origin.source == "embedded: embedded/twonorm"
        assert "quick profile" in table.origin.records
        assert {v.word for v in table.verdicts} <= {"not run", "quoted"}
        assert all(v.n_trials == 0 for v in table.verdicts)


def test_files_are_the_same_twice_and_take_the_place_of_older_ones(tmp_path):
    tables = files.printed_tables("keops", command="reprolib tables keops")
    old = tmp_path / "keops-table1.csv"
    old.write_text("old")
    first = {p: p.read_bytes() for p in files.write_printed_tables(tables, tmp_path, files.FORMATS)}
    again = files.printed_tables("keops", command="reprolib tables keops")
    second = files.write_printed_tables(again, tmp_path, files.FORMATS)
    assert {path: path.read_bytes() for path in second} == first
    assert {path.name for path in tmp_path.iterdir()} == {
        f"keops-table1.{ending}" for ending in files.FORMATS
    }, "a file that was half written is left behind"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_every_table_is_set_by_latex_within_the_text_width(tmp_path):
    for paper in PAPERS:
        files.write_printed_tables(files.printed_tables(paper), tmp_path, ["tex"])
    inputs = "\n".join(rf"\input{{{path.name}}}" for path in sorted(tmp_path.iterdir()))
    (tmp_path / "all.tex").write_text(
        "\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n"
        f"\\begin{{document}}\n{inputs}\n\\end{{document}}\n"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    for _ in range(2):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120)
    log = done.stdout.decode(errors="replace")
    assert done.returncode == 0, log
    assert "Overfull" not in log, "a table is wider than the text"
    assert "undefined" not in log


def test_a_value_chosen_too_few_times_has_no_mark_and_the_caption_says_so():
    """A sign for "undecided" beside 0 and 0 was read as a fault."""
    table = printed("mkpm", "table1")
    assert table.cells["segment", "log2 gamma"].sign == ""
    assert table.cells["satimage", "log2 gamma"].sign == LOOKS["to the digit"].sign, "it is known"
    assert table.cells["segment", "d-hat"].sign == LOOKS["not reproduced"].sign
    assert "fewer than 40 times have no mark" in table.behind
    assert "no mark" not in printed("kpm", "table1").behind
