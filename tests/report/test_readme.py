"""The README's first screen and the page on the words say what the results and the rules say."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from reprolib.report import readme
from reprolib.report.theme import GROUNDS, LOOKS, palette, slug
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import judge_claims, judge_paper
from reprolib.rerun.verdicts.claims import CLAIM_WORDS
from reprolib.rerun.verdicts.errors import CORRELATION
from reprolib.rerun.verdicts.printed import paper_entry
from reprolib.rerun.verdicts.words import JUDGED, MARGIN, N_DRAWS, SELECTION_MARGIN, WORDS

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def text():
    return (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def made():
    """What `make readme` would write, by file."""
    return readme.made(ROOT / "README.md", PAPERS)


MADE = ["README.md", readme.ERROR_RATES_PAGE, readme.WORDS_PICTURE, *readme.PICTURES.values()]


@pytest.mark.parametrize("name", MADE)
def test_what_is_committed_agrees_with_the_results(made, name):
    """A picture is out of date if it shows something else, not if it has another blue."""
    committed = (ROOT / name).read_text(encoding="utf-8")
    shown = [re.sub("#[0-9a-f]{6}", "", text) for text in (made[ROOT / name], committed)]
    assert shown[0] == shown[1], "run `make readme`"


def test_the_first_screen_says_what_it_is_shows_what_stands_and_what_to_type(text):
    first = text[: text.index(readme.BEGIN)]
    assert all(path in first for path in readme.PICTURES.values())
    assert first.index(readme.BEGIN_PICTURE) < 1300
    before = first[: first.index(readme.BEGIN_PICTURE)]
    assert all(command in before for command in ("pip install", "make reproduce", "make lab"))
    titles = [re.sub(r"[^a-z]", "", paper_entry(p)["paper"]["title"].lower()) for p in PAPERS]
    told = re.sub(r"[^a-z]", "", text.lower())
    assert not [title for title in titles if title not in told]


def test_the_first_screen_counts_numbers_and_claims_in_words(text):
    """A reader who does not know the marks yet: its counts are all numbers that are judged."""
    (said,) = re.findall(r"^\*\*What stands:\*\*.*$", text, flags=re.MULTILINE)
    judged, reproduced, _, undecided, missed, claims, *words = map(int, re.findall(r"\d+", said))
    out = ("quoted", "not run")
    assert judged == sum(v.word not in out for paper in PAPERS for v in judge_paper(paper))
    assert judged == reproduced + undecided + missed
    assert claims == sum(words) == sum(len(judge_claims(paper)) for paper in PAPERS)


def test_no_block_of_commands_scrolls_sideways_on_a_phone(text):
    """400 pixels show 41 letters."""
    for block in re.findall(r"^```\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL):
        assert max(map(len, block.splitlines())) <= 41


def test_a_picture_has_one_mark_for_each_number_own_methods_first(made):
    root = ET.fromstring(made[ROOT / readme.PICTURES["dark"]])
    marks = root.findall(f"{SVG}g[@class='mark']/{SVG}use")
    places = [(mark.get("x"), mark.get("y")) for mark in marks]
    wanted = sum(len(judge_paper(p)) + len(judge_claims(p)) for p in PAPERS)
    assert len(places) == len(set(places)) == wanted
    texts = [text.text for text in root.iter(f"{SVG}text")]
    starts = [i for i, text in enumerate(texts) if text and text.split(",")[0].lower() in PAPERS]
    assert [texts[i + 1] for i in starts] == ["claims"] * len(PAPERS)
    assert texts.count("own, performance") == len(PAPERS)


def test_the_table_counts_every_number(made):
    block = made[ROOT / "README.md"].split(readme.BEGIN)[1].split(readme.END)[0]
    lines = block.splitlines()
    shown = [line.split("|")[2:7] for line in lines if line.startswith("| [")]
    for paper, (claims, *cells) in zip(PAPERS, shown, strict=True):
        counts = re.findall(r"&nbsp;(\d+)", "".join(cells))
        assert sum(map(int, counts)) == len(judge_paper(paper))
        assert sum(map(int, re.findall(r"&nbsp;(\d+)", claims))) == len(judge_claims(paper))


def test_readme_without_markers_is_refused(tmp_path):
    (tmp_path / "README.md").write_text("# no markers")
    with pytest.raises(ValueError, match="markers"):
        readme.update_file(tmp_path / "README.md", PAPERS)


def test_the_page_on_the_words_has_the_words_of_the_rules():
    page = (ROOT / "docs/words.md").read_text(encoding="utf-8")
    for word in WORDS:
        assert f"| {LOOKS[word].sign} | {word} | " in page
    assert f"{MARGIN:g} percentage points" in page
    assert f"n ≥ {N_DRAWS} draws" in page
    assert SELECTION_MARGIN == 1 / 5
    assert "a fifth of the printed value" in page
    assert f"ρ = {CORRELATION}" in (ROOT / "docs/derivations.md").read_text(encoding="utf-8")
    n_words = len(re.findall(r"\S*\w\S*", page))
    assert n_words <= 700, f"{n_words} words: why the rules are so is said in docs/derivations.md"
    for word in CLAIM_WORDS:
        assert f"| {LOOKS[word].sign} | {word} | " in page


def test_the_picture_of_the_words_has_every_word_that_an_interval_decides(made):
    root = ET.fromstring(made[ROOT / readme.WORDS_PICTURE])
    told = " ".join(text.text or "" for text in root.iter(f"{SVG}text"))
    assert not [word for word in JUDGED if f"{LOOKS[word].sign} {word}:" not in told]
    lines = [line.get("d", "") for line in root.iter(f"{SVG}path")]
    widest = max(float(x) for line in lines for x in re.findall("H([0-9.]+)", line))
    assert widest < float(root.get("width")) <= 420, "no interval is cut, and a phone shows it"


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("ground", GROUNDS)
def test_marks_stand_out_from_the_ground(ground):
    colours = palette(ground)
    paper = _luminance(colours["paper"]) + 0.05
    for word in LOOKS:
        mark = _luminance(colours[slug(word)]) + 0.05
        assert max(mark / paper, paper / mark) >= 3


def test_words_are_told_apart_without_colour():
    for words in (WORDS, CLAIM_WORDS):
        assert len({LOOKS[word].sign for word in words}) == len(words)
        assert len({(str(LOOKS[word].marker), LOOKS[word].hollow) for word in words}) == len(words)
