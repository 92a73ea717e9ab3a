"""The report in a real browser: desktop and phone width, mouse and keyboard, light, dark, print."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

from reprolib.report.charts import described
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_claims
from reprolib.rerun.verdicts.judge import count_words, judge_paper
from reprolib.rerun.verdicts.words import WORDS

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
#: Texts of the rows of numbers that one sees.
SHOWN_ROWS = """() => [...document.querySelectorAll("#numbers tbody tr")]
    .filter((row) => row.offsetParent).map((row) => row.textContent)"""


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
def whole_page(browser, address):
    page, _ = _visit(browser, address, viewport={"width": WIDTHS["desktop"], "height": 800})
    yield page
    page.close()


@pytest.fixture
def page(whole_page):
    """The page with the first rows of its tables: a browser lays it out in a fifth of the time."""
    _thin_out(whole_page)
    return whole_page


def _unfold(page):
    page.evaluate("document.querySelectorAll('details').forEach((details) => details.open = true)")


def _thin_out(page):
    """Keep four rows of every table, and the first of each verdict: all rows are made alike."""
    page.evaluate(
        """() => {
            for (const body of document.querySelectorAll("tbody")) {
                const seen = new Set();
                [...body.rows].forEach((row, i) => {
                    const verdict = row.querySelector("td.verdict")?.dataset.verdict;
                    if (i >= 4 && (!verdict || seen.has(verdict))) row.remove();
                    seen.add(verdict);
                });
            }
        }"""
    )


def _column(page, index):
    return page.locator(f"#numbers tbody tr td:nth-child({index})").all_text_contents()


def _leading_numbers(texts):
    return [float(text.split()[0]) for text in texts if text[0] in "-0123456789"]


def test_loads_without_errors_and_without_the_network_and_only_tables_scroll_sideways(visit):
    page, seen = visit
    for unfold in (lambda _: None, _unfold):
        unfold(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("img").count() > len(PAPERS)
    page.evaluate(LOAD_PICTURES)
    assert seen.messages == []
    assert seen.failed == []
    assert {url.split(":")[0] for url in seen.requests} <= {"file", "data"}


def test_numbers_sort_by_value_in_both_directions_by_mouse_and_keyboard(whole_page):
    header = whole_page.locator("#numbers th", has_text="published")
    index = whole_page.locator("#numbers th").all_text_contents().index("published") + 1
    button = header.get_by_role("button")
    unsorted = _column(whole_page, index)
    for direction, reverse in [("ascending", False), ("descending", True)]:
        button.press("Enter") if reverse else button.click()
        assert header.get_attribute("aria-sort") == direction
        numbers = _leading_numbers(_column(whole_page, index))
        assert numbers == sorted(numbers, reverse=reverse)
        assert len(numbers) == len(unsorted)
    assert whole_page.locator("#numbers th:not([aria-sort=none])").count() == 1


def test_every_table_sorts(page):
    """By the keyboard: a click can miss while pictures that are loaded late move the page."""
    _unfold(page)
    for records in page.locator(".records").all():
        header = records.locator("th").last
        header.get_by_role("button").press("Enter")
        assert header.get_attribute("aria-sort") == "ascending"


def test_numbers_filter_by_verdict_and_text(whole_page):
    counts = count_words([v for paper in PAPERS for v in judge_paper(paper)])
    status = whole_page.locator("#numbers").get_by_role("status")
    total = sum(counts.values())
    for word, count in counts.items():
        whole_page.get_by_label("Verdict in numbers").select_option(word)
        assert len(whole_page.evaluate(SHOWN_ROWS)) == count
        assert status.text_content() == f"{count} of {total} rows"
    whole_page.get_by_label("Verdict in numbers").select_option("")
    whole_page.get_by_label("Filter numbers by text").fill(PAPERS[0])
    texts = whole_page.evaluate(SHOWN_ROWS)
    assert 0 < len(texts) < total
    assert all(PAPERS[0] in text.lower() for text in texts)


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
    assert {"INPUT", "SELECT", "BUTTON"} <= {step["tag"] for step in reached}


def test_a_wide_table_scrolls_by_keyboard(browser, address):
    page, _ = _visit(browser, address, viewport={"width": WIDTHS["phone"], "height": 800})
    region = page.locator("#numbers .scroll")
    region.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("(region) => region.scrollLeft > 0", arg=region.element_handle())
    page.close()


def test_landmarks_and_headings_name_every_part(page):
    for role in ("banner", "main", "contentinfo"):
        assert page.get_by_role(role).count() == 1
    navigation = page.get_by_role("navigation", name="On this page").get_by_role("link")
    for link in navigation.all():
        target = page.locator(link.get_attribute("href"))
        assert target.evaluate("(part) => part.getAttribute('aria-labelledby')")
    assert navigation.count() == 2 + len(PAPERS)
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
    _thin_out(page)
    _unfold(page)
    found = axe.Axe().run(page)
    page.close()
    assert found.violations_count == 0, found.generate_report()


def test_print_shows_the_reasons_and_no_controls(page):
    opened = page.locator("details[open]").count()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert page.locator(".controls:visible").count() == 0
    assert page.locator("nav:visible").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == opened


def _legend_counts(page):
    return page.evaluate(
        r"""() => Object.fromEntries([...document.querySelectorAll(".scoreboard .legend")].map(
            (entry) => [entry.dataset.word, Number(entry.textContent.match(/\((\d+)\)/)[1])]))"""
    )


def _counts(words):
    listed = list(words)
    return {word: listed.count(word) for word in WORDS}


def test_the_selector_shows_the_scoreboard_under_a_reading(page):
    verdicts = [v for paper in PAPERS for v in judge_paper(paper)]
    choice = page.get_by_label("Show the scoreboard under")
    assert _legend_counts(page) == count_words(verdicts)
    choice.select_option("judged")
    assert _legend_counts(page) == _counts(v.judged_word for v in verdicts if v.n_trials)
    for paper in PAPERS:
        reading = next(name for v in judge_paper(paper) for name in v.readings)
        choice.select_option(label=f"{paper.upper()}: {reading}")
        measured = [v for v in judge_paper(paper) if reading in v.readings]
        assert _legend_counts(page) == _counts(v.readings[reading].word for v in measured)
        assert page.locator(".mark:not(.unmeasured)").count() == len(measured)
        told = page.locator("#reading-status").text_content()
        assert told.startswith(f"{len(measured)} numbers: ")
        titles = page.locator(".mark:not(.unmeasured) title").all_text_contents()
        assert all(f"under “{reading}”" in title for title in titles)
    choice.select_option([""])
    assert _legend_counts(page) == count_words(verdicts)
    assert page.locator(".mark.unmeasured").count() == 0


def test_the_selector_works_by_keyboard(page):
    choice = page.get_by_label("Show the scoreboard under")
    choice.focus()
    page.keyboard.press("ArrowDown")
    assert choice.input_value() == "judged"
    assert _legend_counts(page)["reproduced under a reading"] == 0


def test_every_mark_tells_its_number(page):
    titles = page.locator(".mark > title").all_text_contents()
    told = [described(v) for paper in PAPERS for v in judge_paper(paper)]
    claims = [described(c) for paper in PAPERS for c in judge_claims(paper)]
    assert sorted(titles) == sorted(told + claims)
    assert sorted(page.locator(".forest .line > title").all_text_contents()) == sorted(told)


FOCUSED_MARK = """() => {
    const mark = document.activeElement, told = mark.closest("figure").querySelector(".told");
    return [mark.querySelector("title").textContent, told.textContent];
}"""


@pytest.mark.parametrize("kind", ["scoreboard", "forest"])
def test_what_a_mark_tells_when_pointed_at_is_told_by_keyboard_too(page, kind):
    picture = page.locator(f"svg.{kind}").first
    lines = picture.locator(".mark > title, .line > title").all_text_contents()
    page.locator("figure", has=page.locator(f"svg.{kind}")).first.locator(".scroll").focus()
    page.keyboard.press("Tab")
    for key, line in [("", 0), ("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1)]:
        if key:
            page.keyboard.press(key)
        assert page.evaluate(FOCUSED_MARK) == [lines[line]] * 2
    page.keyboard.press("ArrowRight")
    name, told = page.evaluate(FOCUSED_MARK)
    assert name == told != lines[1]
    assert ("under" in told) == (kind == "forest"), "sideways through the readings of a line"
    assert picture.locator("[tabindex='0']").count() == 1
    page.keyboard.press("Tab")
    assert not picture.evaluate("(svg) => svg.contains(document.activeElement)")


def test_what_a_mark_tells_is_told_where_nothing_can_hover(browser, address):
    page, _ = _visit(
        browser, address, viewport={"width": WIDTHS["phone"], "height": 800}, has_touch=True
    )
    mark = page.locator(".scoreboard .mark").first
    mark.tap()
    told = page.locator("#scoreboard .told").text_content()
    assert told == mark.locator("title").text_content()
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
