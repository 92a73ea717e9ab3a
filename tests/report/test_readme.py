"""The README's first screen and the page on the words say what the results and the rules say."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from reprolib.report import readme
from reprolib.report.palette import PALETTES
from reprolib.report.style import CLAIM_STYLE, VERDICT_STYLE
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_claims, judge_paper
from reprolib.rerun.verdicts.errors import CORRELATION
from reprolib.rerun.verdicts.words import MARGIN, N_DRAWS, WORDS

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def text():
    return (ROOT / "README.md").read_text(encoding="utf-8")


def test_readme_agrees_with_the_results(text):
    assert readme.updated(text, PAPERS) == text, "run `make readme`"


@pytest.mark.parametrize("path", readme.PICTURES.values())
def test_pictures_agree_with_the_results(path):
    committed = (ROOT / path).read_text(encoding="utf-8")
    assert readme.pictures(PAPERS)[path] == committed, "run `make readme`"


def test_picture_and_table_are_on_the_first_screen(text):
    first = text[: text.index("```")]
    assert all(path in first for path in readme.PICTURES.values())
    assert first.index(readme.BEGIN) < 800


def test_a_picture_has_one_mark_for_each_number_own_methods_first():
    root = ET.fromstring(readme.pictures(PAPERS)[readme.PICTURES["dark"]])
    groups = [group for group in root.iter(f"{SVG}g") if "transform" in group.attrib]
    marks = [group for group in groups if group.get("class") != "legend"]
    places = [group.get("transform") for group in marks]
    wanted = sum(len(judge_paper(p)) + len(judge_claims(p)) for p in PAPERS)
    assert len(places) == len(set(places)) == wanted
    texts = [text.text for text in root.iter(f"{SVG}text")]
    starts = [i for i, text in enumerate(texts) if text and text.split(",")[0].lower() in PAPERS]
    assert [texts[i + 1] for i in starts] == ["claims"] * len(PAPERS)
    assert texts.count("own, performance") == len(PAPERS)


def test_the_table_counts_every_number():
    lines = readme.scoreboard_markdown(PAPERS).splitlines()
    shown = [line.split("|")[2:7] for line in lines if line.startswith("| [")]
    for paper, (claims, *cells) in zip(PAPERS, shown, strict=True):
        counts = re.findall(r"&nbsp;(\d+)", "".join(cells))
        assert sum(map(int, counts)) == len(judge_paper(paper))
        assert sum(map(int, re.findall(r"&nbsp;(\d+)", claims))) == len(judge_claims(paper))


def test_readme_without_markers_is_refused():
    with pytest.raises(ValueError, match="markers"):
        readme.updated("# no markers", PAPERS)


def test_the_page_on_the_words_has_the_words_of_the_rules():
    page = (ROOT / "docs/words.md").read_text(encoding="utf-8")
    for word in WORDS:
        assert f"| {VERDICT_STYLE[word][1]} | {word} | " in page
    assert f"{MARGIN:g} percentage points" in page
    assert f"n ≥ {N_DRAWS} draws" in page
    assert f"ρ = {CORRELATION}" in page
    for word, (_, sign) in CLAIM_STYLE.items():
        assert f"| {sign} | {word} | " in page


def test_the_table_of_characteristics_is_that_of_the_results():
    page = (ROOT / readme.WORDS_PAGE).read_text(encoding="utf-8")
    assert page == readme.updated_words(page, PAPERS), "run `make readme`"


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("palette", PALETTES)
def test_marks_stand_out_from_the_ground(palette):
    colours = PALETTES[palette]
    ground = _luminance(colours["paper"]) + 0.05
    for word in WORDS:
        mark = _luminance(colours[word.replace(" ", "-")]) + 0.05
        assert max(mark / ground, ground / mark) >= 3
