"""The report in a real browser: desktop and phone width, mouse and keyboard, light, dark, print."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

from reprolib.report.forest import described
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts.judge import judge_paper

axe = pytest.importorskip("axe_playwright_python.sync_playwright")

WIDTHS = {"desktop": 1200, "phone": 390}
#: Place of the focused element in the document, its tag, and whether one sees that it has focus.
FOCUSED = """() => {
    const focusable = "a, button, input, select, summary, [tabindex]";
    const style = getComputedStyle(document.activeElement);
    return {
        place: [...document.querySelectorAll(focusable)].indexOf(document.activeElement),
        tag: document.activeElement.tagName,
        outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0,
    };
}"""
#: Loads all pictures, those too that are not in view; an error for one that cannot be shown.
LOAD_PICTURES = """() => Promise.all([...document.images].map((image) => {
    image.loading = "eager";
    return image.decode();
}))"""


@pytest.fixture(scope="module")
def address(browser, committed_report):
    return committed_report.as_uri()


def _visit(browser, address, **options):
    page = browser.new_page(**options)
    seen = SimpleNamespace(requests=[], failed=[], messages=[])
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("requestfailed", lambda request: seen.failed.append(request.url))
    page.on("pageerror", lambda error: seen.messages.append(str(error)))
    page.on(
        "console",
        lambda message: message.type in ("error", "warning") and seen.messages.append(message.text),
    )
    page.goto(address)
    return page, seen


@pytest.fixture(params=WIDTHS)
def visit(request, browser, address):
    page, seen = _visit(browser, address, viewport={"width": WIDTHS[request.param], "height": 800})
    yield page, seen
    page.close()


@pytest.fixture
def page(browser, address):
    page, _ = _visit(browser, address, viewport={"width": WIDTHS["desktop"], "height": 800})
    yield page
    page.close()


def _unfold(page):
    page.evaluate("document.querySelectorAll('details').forEach((details) => details.open = true)")


def test_loads_without_errors_and_without_the_network_and_only_tables_scroll_sideways(visit):
    page, seen = visit
    for unfold in (lambda _: None, _unfold):
        unfold(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for table in page.locator(".printed-table").all():
        cut = table.evaluate("(table) => table.scrollWidth - table.parentElement.clientWidth")
        assert cut <= 0 or page.viewport_size["width"] > 400, table.inner_text()[:60]
    assert page.locator("figure img").count() == 3  # the figures of the papers that show results
    claims = (
        page.locator(".claims tbody tr:not(.sentence)").filter(has_not_text="not judged").count()
    )
    assert page.locator(".claims img").count() == claims  # all readings of each
    page.evaluate(LOAD_PICTURES)
    assert seen.messages == []
    assert seen.failed == []
    assert {url.split(":")[0] for url in seen.requests} <= {"file", "data"}


def test_the_keyboard_reaches_everything_in_order_and_shows_where_it_is(page):
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    assert skip.evaluate("(link) => link === document.activeElement")
    assert skip.bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    reached = []
    for _ in range(18):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
    places = [step["place"] for step in reached]
    assert places == sorted(set(places))
    assert all(step["outlined"] for step in reached), reached
    assert {"A", "SUMMARY", "DIV"} <= {step["tag"] for step in reached}


def test_landmarks_and_headings_name_every_part(page):
    for role in ("banner", "main", "contentinfo"):
        assert page.get_by_role(role).count() == 1
    navigation = page.get_by_role("navigation", name="On this page").get_by_role("link")
    for link in navigation.all():
        target = page.locator(link.get_attribute("href"))
        assert target.evaluate("(part) => part.getAttribute('aria-labelledby')")
    assert navigation.count() == 1 + len(PAPERS)
    levels = page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map((h) => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))


@pytest.mark.parametrize(("width", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_axe_finds_no_violation(browser, address, width, scheme):
    page, _ = _visit(
        browser,
        address,
        viewport={"width": WIDTHS[width], "height": 800},
        color_scheme=scheme,
    )
    _unfold(page)
    found = axe.Axe().run(page)
    page.close()
    assert found.violations_count == 0, found.generate_report()


def test_print_shows_the_reasons_and_no_controls(page):
    opened = page.locator("details[open]").count()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert page.locator("nav:visible").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == opened


def test_every_line_tells_its_number(page):
    judged = [v.shown for paper in PAPERS for v in judge_paper(paper)]
    run = [v for v in judged if v.n_trials and v.word != "quoted"]
    titles = page.locator(".forest .line > title").all_text_contents()
    assert sorted(titles) == sorted(map(described, run))


FOCUSED_LINE = """() => {
    const line = document.activeElement, told = line.closest("figure").querySelector(".told");
    return [line.querySelector("title").textContent, told.textContent];
}"""


def test_what_a_line_tells_when_pointed_at_is_told_by_keyboard_too(page):
    picture = page.locator("svg.forest").first
    lines = picture.locator(".line > title").all_text_contents()
    picture.locator("[tabindex='0']").focus()
    for key, line in [("", 0), ("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1)]:
        if key:
            page.keyboard.press(key)
        assert page.evaluate(FOCUSED_LINE) == [lines[line]] * 2
    assert picture.locator("[tabindex='0']").count() == 1
    page.keyboard.press("Tab")
    assert not picture.evaluate("(svg) => svg.contains(document.activeElement)")


def test_what_a_line_tells_is_told_where_nothing_can_hover(browser, address):
    page, _ = _visit(
        browser, address, viewport={"width": WIDTHS["phone"], "height": 800}, has_touch=True
    )
    line = page.locator("svg.forest .line").first
    line.tap()
    told = page.locator("figure:has(svg.forest) .told").first.text_content()
    assert told == line.locator("title").text_content()
    page.close()


def test_a_caption_fits_the_width_that_one_sees(browser, address):
    page, _ = _visit(browser, address, viewport={"width": WIDTHS["phone"], "height": 800})
    for caption in page.locator("caption:visible span").all():
        box = caption.bounding_box()
        assert box["x"] + box["width"] <= WIDTHS["phone"]
    page.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_contents_stay_in_view_and_do_not_cover_what_they_lead_to(browser, address, width):
    page, _ = _visit(browser, address, viewport={"width": WIDTHS[width], "height": 800})
    contents = page.locator("nav summary")
    links = page.get_by_role("navigation", name="On this page").get_by_role("link")
    assert links.first.is_visible() == (width == "desktop")
    page.evaluate("scrollTo(0, document.body.scrollHeight / 2)")
    assert 0 <= contents.bounding_box()["y"] < 100
    if width == "phone":
        contents.press("Enter")
    page.locator(f"nav a[href='#{PAPERS[1]}']").click()
    heading = page.locator(f"#{PAPERS[1]}-heading").bounding_box()
    assert 0 <= heading["y"] < 400
    if width == "phone":
        assert not links.first.is_visible()
        bar = page.locator("nav").bounding_box()
        assert heading["y"] >= bar["y"] + bar["height"]
    page.wait_for_function(
        "(key) => document.querySelector('nav a[aria-current]').hash === key",
        arg=f"#{PAPERS[1]}",
    )
    page.close()
