"""The report and the README say what the records say."""

from __future__ import annotations

import re
import shlex
import shutil
from html import escape, unescape
from html.parser import HTMLParser

import pytest

from reprolib.cli.main import main
from reprolib.report import page as report
from reprolib.report import tables
from reprolib.rerun.records import load_tasks
from reprolib.rerun.records.registry import PAPERS, committed_directory, printed_of
from reprolib.rerun.verdicts import judge_claims
from reprolib.rerun.verdicts.judge import count_words, judge_paper


class _Page(HTMLParser):
    """Elements of a page by tag, and every address that it would load."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: dict[str, list[dict]] = {}
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.setdefault(tag, []).append(attributes)
        if tag in ("img", "script", "link"):
            self.loads += [attributes[k] for k in ("src", "href") if k in attributes]


@pytest.fixture(scope="module")
def page(committed_report):
    return committed_report.read_text(encoding="utf-8")


def test_report_is_self_contained(page):
    assert all(address.startswith("data:") for address in _Page(page).loads)


def test_every_figure_of_the_report_can_be_drawn(page):
    assert "cannot be drawn" not in page


def sections(page: str) -> dict[str, str]:
    """HTML of every paper's part."""
    return {
        paper: page.split(f'<section id="{paper}"')[1].split("</section>")[0] for paper in PAPERS
    }


def test_every_number_opens_with_its_word_and_the_command_that_makes_it_again(page):
    for paper, text in sections(page).items():
        verdicts = tables.in_report_order(judge_paper(paper))
        opened = text.split("the command that makes it again</summary>")[1]
        words = re.findall(r'<details class="item"><summary>.*?<b>(.*?)</b>: Table', opened)
        assert words == [v.word for v in verdicts]
        found = re.findall(r"<code>(reprolib reproduce .*?)</code>", opened)
        commands = [(key, only) for *_, key, _, _, only in map(shlex.split, map(unescape, found))]
        names = set(load_tasks(paper)[["table", "dataset", "method"]].agg("/".join, axis=1))
        assert {key for key, _ in commands} == {paper}
        assert {only for _, only in commands} <= names
        assert len(commands) >= sum(v.n_trials > 0 for v in verdicts)


def test_every_number_tells_what_it_is_under_every_reading(page):
    for paper, text in sections(page).items():
        for v in judge_paper(paper):
            for name, outcome in v.readings.items():
                assert re.search(rf"{re.escape(escape(name))}: [^;<]*, {outcome.word}", text), name


def test_every_claim_of_a_paper_is_there_with_its_word(page):
    for paper, text in sections(page).items():
        for c in judge_claims(paper):
            told = (
                f'{c.word}</th><td><details class="item"><summary>{escape(c.claim.name)}</summary>'
            )
            assert told in text


def test_readings_have_their_words():
    verdicts = judge_paper(PAPERS[0])
    frame = tables.readings_tried(PAPERS[0], verdicts).set_index("reading")
    for name, told in frame["verdicts under it"].items():
        words = [v.readings[name].word for v in verdicts if name in v.readings]
        words += [v.judged_word for v in verdicts if v.n_trials and v.number.judged == name]
        counts = [int(count) for count in re.findall(r"\d+", told)]
        assert sum(counts) == len(words)


def test_report_links_the_rendered_notebooks_that_are_there(tmp_path):
    shown = ["kpm", "keops"]
    first = printed_of(shown[0]).story.notebook.replace(".ipynb", ".html")
    site = tmp_path / "docs"
    (site / "notebooks").mkdir(parents=True)
    for name in ("index.html", f"notebooks/{first}"):
        (site / name).write_text("a page")
    output = tmp_path / "report.html"
    report.write_report(shown, committed_directory(), output, title="Some", site=site)
    links = [a["href"] for a in _Page(output.read_text(encoding="utf-8")).tags["a"]]
    assert {link for link in links if not link.startswith("#")} == {
        "docs/index.html",
        f"docs/notebooks/{first}",
    }
    assert links.count(f"docs/notebooks/{first}") == 1 + len(judge_paper(shown[0]))


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


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_that_does_not_stand_has_a_reason(paper):
    for v in judge_paper(paper):
        if v.word in ("not reproduced", "quoted", "not run"):
            assert len(v.reason) > 10, v.number.id
