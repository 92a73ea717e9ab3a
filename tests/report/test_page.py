"""The report and the README say what the records say."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser

import pandas as pd
import pytest

from reprolib.cli.main import main
from reprolib.report import page as report
from reprolib.report import tables
from reprolib.rerun.records import load_run, load_tasks
from reprolib.rerun.records.registry import PAPERS, committed_directory
from reprolib.rerun.verdicts.judge import count_words, judge_paper
from reprolib.rerun.verdicts.printed import paper_entry


class _Page(HTMLParser):
    """Elements of a page by tag, words by table, and every address that it would load."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: dict[str, list[dict]] = {}
        self.loads: list[str] = []
        self.verdicts: dict[str, list[str]] = {}
        self.table = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.setdefault(tag, []).append(attributes)
        if attributes.get("class") == "records":
            self.table = attributes["id"]
        if "data-verdict" in attributes:
            self.verdicts.setdefault(self.table, []).append(attributes["data-verdict"])
        if tag in ("img", "script", "link"):
            self.loads += [attributes[k] for k in ("src", "href") if k in attributes]


@pytest.fixture(scope="module")
def page(committed_report):
    return committed_report.read_text(encoding="utf-8")


def test_report_is_self_contained(page):
    assert all(address.startswith("data:") for address in _Page(page).loads)


def test_every_figure_of_the_report_can_be_drawn(page):
    assert "cannot be drawn" not in page


def test_report_lists_every_number_with_its_verdict_own_methods_first(page):
    shown = _Page(page).verdicts
    in_order = {paper: tables.in_report_order(judge_paper(paper)) for paper in PAPERS}
    assert shown["numbers"] == [v.word for listed in in_order.values() for v in listed]
    for paper, listed in in_order.items():
        for table in paper_entry(paper)["tables"]:
            words = [v.word for v in listed if v.number.table == table]
            assert shown[f"{paper}-{table}"] == words


def test_report_lists_every_number_under_every_reading(page):
    shown = _Page(page).verdicts
    for paper in PAPERS:
        for table in paper_entry(paper)["tables"]:
            words = []
            for v in judge_paper(paper):
                if v.number.table == table and v.n_trials:
                    words += [v.judged_word, *(o.word for o in v.readings.values())]
            assert shown[f"{paper}-{table}-readings"] == words


def test_readings_have_their_words():
    verdicts = judge_paper(PAPERS[0])
    frame = tables.readings_tried(PAPERS[0], verdicts).set_index("reading")
    for name, told in frame["verdicts under it"].items():
        words = [v.readings[name].word for v in verdicts if name in v.readings]
        words += [v.judged_word for v in verdicts if v.n_trials and v.number.judged == name]
        counts = [int(count) for count in re.findall(r"\d+", told)]
        assert sum(counts) == len(words)


def test_trials_are_whole_numbers_beside_a_paper_without_numbers():
    frame = report.all_numbers({"kpm": judge_paper("kpm"), "mkpm": []})
    assert frame.columns[0] == "paper"
    assert frame["trials"].dtype.kind == "i"
    assert report.all_numbers({"mkpm": []}).empty


def test_report_has_a_forest_plot_of_every_paper_and_quantity(page):
    labels = [svg.get("aria-label", "") for svg in _Page(page).tags["svg"]]
    for paper in PAPERS:
        for quantity in {v.quantity for v in judge_paper(paper)}:
            start = f"Forest plot of {paper.upper()}, {quantity}:"
            assert sum(text.startswith(start) for text in labels) == 1


def test_report_has_landmarks_and_texts_for_pictures(page):
    tags = _Page(page).tags
    assert {"header", "main", "nav", "footer", "h1"} <= set(tags)
    assert tags["html"][0]["lang"] == "en"
    assert all(image.get("alt") for image in tags["img"])
    assert {th.get("scope") for th in tags["th"]} == {"col", "row"}
    assert "A &lt;title&gt;" in page


def test_report_says_where_the_numbers_come_from(page):
    for paper in PAPERS:
        run, tasks = load_run(paper), load_tasks(paper)
        digests = (about["digest"] for about in run["data"].values())
        for told in (*digests, *tasks["date"].unique(), *tasks["code"].unique()):
            assert told in page
        for about in run["environments"].values():
            assert about["machine"] in page
            assert f"scikit-learn {about['versions']['scikit-learn']}" in page


CHAPTER = """<section id="kpm"><h1>KPM<a href="#kpm">#</a></h1>
<section id="the-question">
<h2>The question &amp; <em>more</em><a class="headerlink" href="#the-question">#</a></h2>"""


def test_chapters_of_a_notebook_are_its_second_headings():
    assert report.chapters(CHAPTER) == {"the-question": "The question & more"}


def test_report_links_the_rendered_notebooks_that_are_there(tmp_path):
    shown = ["kpm", "keops"]
    first = paper_entry(shown[0])["paper"]["notebook"].replace(".ipynb", ".html")
    site = tmp_path / "docs"
    (site / "notebooks").mkdir(parents=True)
    for name in ("index.html", f"notebooks/{first}"):
        (site / name).write_text(CHAPTER)
    output = tmp_path / "report.html"
    report.write_report(shown, committed_directory(), output, title="Some", site=site)
    links = [a["href"] for a in _Page(output.read_text(encoding="utf-8")).tags["a"]]
    assert [link for link in links if not link.startswith("#")] == [
        "docs/index.html",
        f"docs/notebooks/{first}",
        f"docs/notebooks/{first}#the-question",
    ]


def test_report_command_needs_results(tmp_path, capsys):
    assert main(["report", "--results", str(tmp_path / "none")]) == 2
    assert "--results is" in capsys.readouterr().err
    assert main(["report", "--results", str(tmp_path)]) == 2
    assert "there are no results" in capsys.readouterr().err


def test_report_command_says_where_the_page_is(tmp_path, capsys):
    shutil.copytree(committed_directory() / PAPERS[0], tmp_path / PAPERS[0])
    assert main(["report", "--results", str(tmp_path), "--output", str(tmp_path / "r.html")]) == 0
    assert str(tmp_path / "r.html") in capsys.readouterr().out.replace("\n", "")


def test_scoreboard_counts_every_number():
    frame = tables.scoreboard(PAPERS)
    for paper in PAPERS:
        counts = count_words(judge_paper(paper))
        assert frame.loc[paper]["published"].sum() == sum(counts.values())
        for word, count in counts.items():
            assert frame.loc[paper][word].sum() == count
        assert frame.loc[paper].index[0] == "own, performance"


@pytest.mark.parametrize("word", ["not reproduced", "quoted", "not run"])
def test_every_number_that_does_not_stand_has_a_reason(word):
    frame = tables.reasons(PAPERS, word)
    for paper in PAPERS:
        counts = count_words(judge_paper(paper))
        assert frame["numbers"].get(paper, default=pd.Series([0])).sum() == counts[word]
    assert frame["reason"].str.len().min() > 10
    assert all(frame["which"].str.endswith(")"))
