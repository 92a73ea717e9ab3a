"""Files of the printed tables say what the verdicts say, and where they come from."""

from __future__ import annotations

import io
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
from reprolib.report.printed_tables import COLUMNS
from reprolib.report.tables import verdict_frame
from reprolib.rerun.records import load_run, load_tasks
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_paper
from reprolib.rerun.verdicts.printed import paper_entry
from tests import some_results

#: Columns that every format must show as `verdict_frame` has them.
SAME = ["row", "column", "published", "ours", "difference", "half-width", "trials", "verdict"]
TABLES = [(paper, key) for paper in PAPERS for key in paper_entry(paper)["tables"]]
each_table = pytest.mark.parametrize(("paper", "key"), TABLES)


def printed(paper, key):
    made = files.printed_tables(paper, command=f"reprolib tables {paper}")
    return next(table for table in made if table.key == key)


def expected(paper, key) -> pd.DataFrame:
    return verdict_frame([v for v in judge_paper(paper) if v.number.table == key]).astype(str)


@each_table
def test_csv_has_the_numbers_of_the_verdicts(paper, key):
    text = files.csv_text(printed(paper, key))
    read = pd.read_csv(io.StringIO(text), comment="#", keep_default_na=False, na_values=[""])
    verdicts = [v for v in judge_paper(paper) if v.number.table == key]
    assert list(read["row"]) == [v.number.row for v in verdicts]
    assert list(read["column"]) == [v.number.column for v in verdicts], "a # in a name cuts a line"
    assert list(read["verdict"]) == [v.word for v in verdicts]
    assert list(read["trials"]) == [v.n_trials for v in verdicts]
    assert list(read["source"].fillna("")) == [v.source for v in verdicts]
    values = {
        "published": [v.number.value for v in verdicts],
        "published_spread": [v.number.spread for v in verdicts],
        "ours": [v.ours for v in verdicts],
        "ours_spread": [v.spread for v in verdicts],
        "difference": [v.difference for v in verdicts],
        "low": [v.interval[0] for v in verdicts],
        "high": [v.interval[1] for v in verdicts],
    }
    for name, wanted in values.items():
        found = read[name].to_numpy(dtype=float)
        message = f"{name} in the CSV is not that of the verdicts"
        np.testing.assert_allclose(found, np.array(wanted, float), rtol=1e-8, err_msg=message)


@each_table
def test_markdown_has_the_texts_of_the_verdicts(paper, key):
    text = files.markdown_text(printed(paper, key))
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [[c.replace("\\|", "|") for c in row[2:-2].split(" | ")] for row in rows]
    read = pd.DataFrame(cells[1:], columns=cells[0])
    pd.testing.assert_frame_equal(read[SAME], expected(paper, key)[SAME])


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
def test_html_has_the_texts_of_the_verdicts(paper, key):
    head, *lines = _Table(files.html_text(printed(paper, key))).lines
    read = pd.DataFrame(lines, columns=head)
    pd.testing.assert_frame_equal(read[SAME], expected(paper, key)[SAME])


def unescaped(cell: str) -> str:
    r"""Text that LaTeX prints for a cell; ``\quad`` is the indent of a line."""
    back = {latex: chr(code) for code, latex in SPECIAL.items()}
    cell = cell.strip().removeprefix(r"\quad ").strip()
    if re.fullmatch(r"\$[^$]*\$", cell):
        cell = cell.strip("$").replace(r"\pm", "±").replace(r"\infty", "∞")
    pattern = "|".join(re.escape(latex) for latex in sorted(back, key=len, reverse=True))
    return re.sub(pattern, lambda found: back[found.group()], cell)


@each_table
def test_latex_has_the_texts_of_the_verdicts(paper, key):
    text = files.latex_file_text(printed(paper, key))
    lines = [line for line in text.splitlines() if line.startswith(r"\quad ")]
    cells = [re.split(r"(?<!\\)&", line.removesuffix(r" \\")) for line in lines]
    assert {len(row) for row in cells} == {1 + len(COLUMNS)}, "LaTeX stops at an extra &"
    read = pd.DataFrame(
        [[unescaped(cell) for cell in row] for row in cells], columns=["column", *COLUMNS]
    )
    wanted = expected(paper, key)
    for name in ("column", "published", "ours", "trials"):
        assert list(read[name]) == list(wanted[name])
    assert list(read["verdict"].str.partition(":")[0]) == list(wanted["verdict"])
    told = wanted["difference"].where(
        wanted["half-width"] == "–", wanted["difference"] + " ± " + wanted["half-width"]
    )
    assert list(read["difference"]) == list(told)


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
        for name in made["environment"].unique():
            versions = run["environments"][name]["versions"]
            for package in PACKAGES:
                assert re.search(f"{package} .*{re.escape(versions[package])}", text)
        assert all(f"{paper}/{name}.csv" in text for name in results)
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
        "\\documentclass{article}\n\\usepackage{array,booktabs,longtable}\n"
        f"\\begin{{document}}\n{inputs}\n\\end{{document}}\n"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    # longtable knows the widths of its columns from the second pass on.
    for _ in range(3):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120)
    log = done.stdout.decode(errors="replace")
    assert done.returncode == 0, log
    assert "Overfull" not in log, "a table is wider than the text"
    assert "undefined" not in log
