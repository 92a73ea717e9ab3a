"""The page that turns the records says what the verdicts say, by keyboard, on a phone, offline."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from reprolib.report import tables
from reprolib.rerun.records import load_paper, path_matrix, select
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_claims, judge_paper
from reprolib.rerun.verdicts.errors import corrected_interval
from tests.browser import chromium

DOCS = Path(__file__).parents[2] / "docs"
#: No script but files, no handler in an attribute, nothing from a network.
POLICY = "default-src 'none'; script-src file:; style-src file: 'unsafe-inline'"
#: Goes to addresses without scrolling there; what the page tells, and how many lines it draws.
GO = """(addresses) => addresses.map((address) => {
    history.replaceState(null, "", address);
    readAddress();
    showCell();
    const lines = document.querySelectorAll(".readings label").length;
    return [document.querySelector("#cell .told").textContent, lines];
})"""


@pytest.fixture(scope="module")
def explore():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(DOCS), *sys.path])
        yield importlib.import_module("explore")


@pytest.fixture(scope="module")
def data(explore):
    return json.loads(json.dumps(explore.data(), allow_nan=False))


@pytest.fixture(scope="module")
def site(explore, tmp_path_factory):
    """The page without the site's theme, its files beside it."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(DOCS / "static", folder / "_static")
    (folder / "docs").mkdir()
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width"><title>Explore</title>'
    )
    html = f"<!doctype html><html lang=en><head>{head}</head><body>{explore.page()}</body></html>"
    (folder / "docs/explore.html").write_text(html, encoding="utf-8")
    return (folder / "docs/explore.html").as_uri()


@pytest.fixture(scope="module")
def browser():
    with chromium() as launched:
        yield launched


@pytest.fixture
def visit(browser, site):
    pages = []

    def go(address: str = "", width: int = 1200, **options):
        page = browser.new_page(viewport={"width": width, "height": 900}, **options)
        pages.append(page)
        seen = SimpleNamespace(requests=[], messages=[])
        page.on("request", lambda request: seen.requests.append(request.url))
        page.on("console", lambda message: seen.messages.append(message.text))
        page.on("pageerror", lambda error: seen.messages.append(str(error)))
        page.goto(site + address)
        return page, seen

    yield go
    for page in pages:
        page.close()


def _selector(page, name):
    return page.get_by_role("combobox", name=name, exact=True)


@pytest.mark.parametrize("key", PAPERS)
def test_the_page_has_every_number_and_reading_as_the_verdicts_have_them(data, key):
    shown = next(paper for paper in data["papers"] if paper["key"] == key)
    for v, number in zip(judge_paper(key), shown["numbers"], strict=True):
        n = v.number
        assert (number["table"], number["row"], number["column"]) == (n.table, n.row, n.column)
        assert (number["value"], number["word"], number["why"]) == (n.value, v.word, v.reason)
        expected = {n.judged: (v.judged_word, v)} if v.n_trials else {}
        expected |= {name: (outcome.word, outcome) for name, outcome in v.readings.items()}
        outcomes = [dict(zip(data["outcome"], line, strict=True)) for line in number["outcomes"]]
        assert [o["reading"] for o in outcomes] == list(expected), n.id
        for o in outcomes:
            word, outcome = expected[o["reading"]]
            ends = [n.value + end for end in outcome.interval]
            values = [outcome.ours, *(end if np.isfinite(end) else np.nan for end in ends)]
            told = [np.nan if o[k] is None else o[k] for k in ("value", "low", "high")]
            np.testing.assert_allclose(told, values, rtol=1e-5, err_msg=f"{n.id}, {o['reading']}")
            assert o["word"] == word, n.id
            as_measured = replace(v, word=word, ours=outcome.ours)
            assert o["ours"] == tables.ours_text(as_measured, outcome.spread)
            assert o["surely"] == tables.surely(outcome.tipping, n.digits)
            assert (o["trials"], o["source"]) == (outcome.n_trials, outcome.source)
            assert shown["readings"][o["reading"]]["text"], "a reading without its text"


def test_a_curve_is_that_of_the_records_with_the_interval_of_claims(data):
    assert all(len(c["test"]) == len(c["half"]) == len(c["low"]) for c in data["curves"])
    assert len(data["curves"]) == 13, "twonorm, embedded, is no real data"
    curve = next(c for c in data["curves"] if c["set"] == "image")
    rows = select(load_paper("kpm"), dataset="raetsch/image", reading="random partitions")
    rows = select(rows, table="table2", setting="").sort_values("trial")
    errors = 100 * path_matrix(select(rows, method="kpm", metric="test error path"))[:, 29]
    svm = 100 * select(rows, method="svm", metric="test error")["value"].to_numpy()
    difference, _, high = corrected_interval(errors, svm)
    assert curve["test"][29] == pytest.approx(errors.mean(), abs=0.006)
    assert curve["minus"][29] == pytest.approx(difference, abs=0.006)
    assert curve["half"][29] == pytest.approx(high - difference, abs=0.006)


def test_it_works_from_a_file_with_nothing_else_and_no_inline_script(visit):
    page, seen = visit()
    assert page.locator("#cell").is_visible()
    assert seen.messages == []
    assert {url.split(":")[0] for url in seen.requests} == {"file"}


def test_every_number_is_told_with_its_word_under_every_reading(visit, data, explore):
    page, _ = visit()
    for paper in data["papers"]:
        for number in paper["numbers"]:
            cell = [paper["key"], number["table"], number["row"], number["column"]]
            readings = [line[0] for line in number["outcomes"]]
            visited = [cell, *([*cell, name] for name in readings[1:])]
            shown = page.evaluate(GO, ["#" + explore.address(*parts) for parts in visited])
            for parts, (told, drawn) in zip(visited, shown, strict=True):
                line = number["outcomes"][readings.index(parts[4])] if parts[4:] else None
                word = line[1] if line else number["word"]
                assert word in told, f"{parts}: {told}"
                assert f"printed {number['printed']}" in told, f"{parts}: {told}"
                assert line is None or line[5] in told, f"{parts}: {told}"
                assert drawn == len(readings), f"{cell}: a line a reading"


def test_the_keyboard_turns_all_selectors_and_the_address_keeps_them(visit):
    page, _ = visit()
    _selector(page, "Paper").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert _selector(page, "Table").input_value() == "table2"
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    assert _selector(page, "Row").input_value() == "Heart"
    assert _selector(page, "Data set").input_value() == "heart", "the curve follows the row"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    reading = _selector(page, "Reading").input_value()
    assert reading != "random partitions"
    verdict = next(v for v in judge_paper("kpm") if v.number.id == "table2/Heart/KPM")
    ours = tables.number_text(verdict.readings[reading].ours, verdict.readings[reading].spread, 2)
    told = page.locator("#cell .told").text_content()
    assert f"ours {ours}" in told
    assert f"under “{reading}”" in told
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    chosen = _selector(page, "Reading").input_value()
    assert chosen != reading, "the lines of the forest choose, too"
    assert page.locator(".readings input:focus").input_value() == chosen, "the focus stays"
    page.get_by_role("slider", name="Dimension D").focus()
    before = page.locator("#dimension .told").text_content()
    page.keyboard.press("ArrowRight")
    assert page.locator("#dimension .told").text_content() != before
    told = page.locator(".told").all_text_contents()
    again, _ = visit(page.evaluate("location.hash"))
    assert again.locator(".told").all_text_contents() == told


def test_pointing_tells_a_reading_and_a_click_chooses_it(visit):
    page, _ = visit("#kpm/table2/Heart/KPM")
    line = page.locator(".readings label", has_text="centred")
    line.hover()
    assert page.locator(".pointed").text_content().startswith("centred: printed 17.59")
    assert "random partitions" in page.locator("#cell .told").text_content()
    line.click()
    assert "centred" in page.locator("#cell .told").text_content()


@pytest.mark.parametrize("address", ["", "#keops/table1/KEOPS/%23%20Channels", "#mkmmc"])
def test_a_phone_has_nothing_beyond_its_edge_and_touch_chooses(visit, address):
    page, _ = visit(address, width=400, has_touch=True)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    name = page.locator(".readings label .name").last
    name.tap()
    assert page.locator(".readings label").last.get_by_text("printed").bounding_box()["width"] > 50
    assert page.locator(".readings label").last.locator("input").is_checked()


def test_a_mark_of_a_claim_opens_its_cells_and_a_cell_opens_above(visit):
    page, _ = visit()
    claims = [c for key in PAPERS for c in judge_claims(key)]
    marks = page.locator(".claims summary")
    assert marks.count() == len(claims)
    for mark, claim in zip(marks.all_text_contents(), claims, strict=True):
        assert claim.word in mark
        assert claim.claim.name in mark
    marks.first.press("Enter")
    link = page.locator(".cells a:visible").first
    number = claims[0].claim.cells[0].number
    link.press("Enter")
    page.locator("h2:focus").wait_for()
    assert _selector(page, "Row").input_value() == number.row
    assert _selector(page, "Column").input_value() == number.column


def test_a_finger_on_the_curve_chooses_the_dimension(visit):
    page, _ = visit("#kpm/table2/Heart/KPM", width=400, has_touch=True)
    curve = page.locator(".curve svg")
    curve.scroll_into_view_if_needed()
    box = curve.bounding_box()
    curve.tap(position={"x": box["width"] - 12, "y": 100})
    told = page.locator("#dimension .told").text_content()
    assert told.startswith("Heart, D = 60: ")
    assert page.evaluate("location.hash").endswith("/heart/60")


def test_axe_finds_no_violation(visit):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page, _ = visit("#mkpm/table1")
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    # What the theme of the site has around the page.
    page.evaluate("document.body.innerHTML = `<main><h1>x</h1>${document.body.innerHTML}</main>`")
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_an_address_opens_the_evidence_of_a_claim(visit, explore):
    claim = judge_claims("keops")[-1].claim
    page, _ = visit(f"#{explore.address('keops', 'claims', claim.name)}")
    assert page.locator(".claims [open] summary").text_content().count(claim.name) == 1
    page.keyboard.press("Tab")
    assert claim.name in page.locator(":focus").text_content(), "the keyboard goes on from there"


def test_another_cell_keeps_the_reading_where_it_was_run(visit):
    page, _ = visit("#kpm/table2/Heart/KPM/stratified%20folds")
    _selector(page, "Row").select_option("German")
    assert _selector(page, "Reading").input_value() == "stratified folds"
    _selector(page, "Column").select_option("SVM")
    read = next(v for v in judge_paper("kpm") if v.number.id == "table2/German/SVM")
    left = "stratified folds" if "stratified folds" in read.readings else read.number.judged
    assert _selector(page, "Reading").input_value() == left


def test_without_scripts_every_number_is_a_line_that_links_lead_to(visit, data):
    page, _ = visit("#kpm/table2/Heart/KPM", java_script_enabled=False)
    assert page.locator(".all tbody tr:visible").count() == sum(
        len(paper["numbers"]) for paper in data["papers"]
    )
    assert "17.59" in page.locator(".all tr:target").text_content()
    assert not page.locator("#cell").is_visible()
