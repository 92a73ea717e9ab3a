"""What files and servers say is shown, never obeyed: by Markdown, a browser or a terminal."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sys
import warnings
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from rich.text import Text

import data_fetch
from reprolib.cli.arguments import require_jobs
from reprolib.cli.console import out
from reprolib.cli.main import main
from reprolib.methods.shared.path_scores import path_scores
from reprolib.report.escape import csv_cell, latex_text, markdown_escaped, one_line
from reprolib.report.page import write_report
from reprolib.report.printed_tables import markdown_table
from tests import toy_data as toy
from tests.faulty_server import Answer, faulty_server

ROOT = Path(__file__).parents[2]

TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
HOSTILE = {
    "heading": "a\n\n# Passed",
    "script": "<script>alert(1)</script>",
    "remote image": "![x](https://evil.invalid/pixel.png)",
    "link": "[fine](javascript:alert(1))",
    "reference": "[x]: https://evil.invalid",
    "cell": "a | b",
    "escaped bar": "a \\| b",
    "code": "`</code><img src=x>`",
    "entity": "&lt;img&gt;",
    "separator": "a\u2028# b",
    "emphasis": "_x_ and *y*, __z__ and a_b_c",
    "struck out": "~~gone~~ and ~gone~",
    "formula": "$x$ and $$y$$",
    "mention": "@user and a@b.invalid",
    "bare address": "https://evil.invalid, www.evil.invalid, WWW.evil.invalid",
    "turned": "a\u202efdp.exe\u2066b\u200f",
    "terminal": "\x1b[2J\x1b]0;title\x07\x9b31m",
}


class _Page(HTMLParser):
    """Tags of a page, and the texts of its cells."""

    def __init__(self, text):
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data):
        if self.cells:
            self.cells[-1] += data.strip("\n")


@pytest.mark.parametrize("kind", HOSTILE)
def test_names_stay_text(kind, capsys):
    markdown_it = pytest.importorskip("markdown_it")
    name = HOSTILE[kind]
    table = markdown_table(["method"], [[name], ["next"]])
    reader = markdown_it.MarkdownIt("gfm-like", {"linkify": False}).enable("table")
    page = _Page(reader.render(table))
    assert set(page.tags) <= {"table", "thead", "tbody", "tr", "th", "td", "span"}
    shown = "".join(c if c.isprintable() and c not in TURNING else " " for c in name)
    assert page.cells == [shown.strip(), "next"]
    out().print(name)
    out().print(Text(name))
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", capsys.readouterr().out)


@pytest.mark.parametrize("kind", HOSTILE)
def test_nothing_is_left_for_a_reader_that_makes_links_and_formulas(kind):
    """As GitHub does, which reads addresses, mentions and formulas beyond Markdown's own marks."""
    text = markdown_escaped(HOSTILE[kind])
    assert not re.search(r"(?<!\\)://|(?i:\bwww\.)|@\w|\w@|\$", text)


@pytest.mark.parametrize("name", [*HOSTILE.values(), "half of a character: \ud800"])
def test_names_stay_in_their_line_and_cell(name):
    """Of LaTeX, where an empty line ends a caption, and of CSV, where a spreadsheet computes."""
    for text in (one_line(name), latex_text(name), csv_cell(name)):
        assert all(c.isprintable() and c not in TURNING for c in text)
        text.encode()


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(1)", "\t=1", " =1"])
def test_no_cell_begins_a_formula(text):
    assert csv_cell(text)[0] == "'"
    assert csv_cell(f"a{text}")[0] == "a"


def test_what_a_server_says_cannot_steer_the_terminal(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "*")
    for answer in (
        Answer(status=404, reason="\x1b[2J\x9b31m"),
        Answer(b"<\x1b]0;title\x07".ljust(len(toy.CONTENT))),
    ):
        with faulty_server() as server:
            catalog = toy.catalog(toy.version(urls=(server.serve("a.txt", answer),)))
            with pytest.raises(data_fetch.DataUnavailableError) as error:
                data_fetch.load("toy/a", toy.fetcher(catalog, tmp_path))
        assert "\N{REPLACEMENT CHARACTER}" in str(error.value)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", str(error.value))


def test_report_runs_its_own_script_alone(tmp_path):
    page = write_report([], tmp_path, tmp_path / "report.html", title="<b>none</b>").read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    script = page.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert page.index("Content-Security-Policy") < page.index("<style>")
    assert len(script) > 1000
    assert "default-src 'none'" in policy
    assert re.search(r"script-src ([^;]*)", policy)[1] == f"'sha256-{digest}'"
    assert "<b>none" not in page


@pytest.mark.skipif(os.name != "posix", reason="closes streams by a shell")
@pytest.mark.parametrize(
    "command",
    [
        "{0} --version >&-",
        "{0} --version >&- 2>&-",
        "{0} data list | head -c 1",
        "{0} nonsense >&-",
        "{0} reproduce kpm --dry-run >&-",
    ],
)
def test_closed_streams(command):
    program = f"{sys.executable} -m reprolib.cli.main"
    done = subprocess.run(
        ["sh", "-c", f"{program} {command}"], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 1


@pytest.mark.parametrize("number", [0, 1_000_000, -1_000_000])
def test_absurd_number_of_workers_is_refused_in_one_line(number):
    with pytest.raises(ValueError, match=f"--jobs is {number}; give the number") as error:
        require_jobs(number)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("command", ["reproduce kpm", "verify kpm"])
def test_absurd_number_of_workers_ends_a_command_before_it_starts(command, capsys):
    assert main([*command.split(), "--jobs", "1000000"]) == 2
    said = capsys.readouterr()
    assert not said.out
    assert said.err.startswith("error: --jobs is 1000000; give the number")
    assert len(said.err.splitlines()) == 1


def test_balanced_accuracy_on_a_fold_that_lacks_a_class_does_not_warn():
    """A path of 200 points over such a fold warned 200 times."""
    values = np.array([[2.0, -1.0], [-3.0, -4.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        scores = path_scores("balanced_accuracy", np.array([0, 1]), values, [0, 0])
    np.testing.assert_allclose(scores, [0.5, 1])
