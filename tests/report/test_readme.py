"""The README's first screen and the page on the words say what the results and the rules say."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

from reprolib.report.headline import sentences
from reprolib.report.theme import GROUNDS, LOOKS, palette, slug
from reprolib.rerun.printed.schema import MARGIN
from reprolib.rerun.records.registry import PAPERS, printed_of
from reprolib.rerun.verdicts import judge_paper
from reprolib.rerun.verdicts.claims import CLAIM_WORDS, judge_claims
from reprolib.rerun.verdicts.designs.selection import N_DRAWS
from reprolib.rerun.verdicts.errors import CORRELATION
from reprolib.rerun.verdicts.judge import count_words, performances
from reprolib.rerun.verdicts.words import JUDGED, SELECTION_MARGIN, WORDS
from tools import readme_block as readme

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def text():
    return (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def made():
    """What `make readme` would write, by file."""
    return readme.made(ROOT / "README.md", PAPERS)


MADE = ["README.md", readme.ERROR_RATES_PAGE, readme.WORDS_PICTURE, readme.PICTURE]


@pytest.mark.parametrize("name", MADE)
def test_what_is_committed_agrees_with_the_results(made, name):
    """A picture is out of date if it shows something else, not if it has another blue."""
    committed = (ROOT / name).read_text(encoding="utf-8")
    shown = [re.sub("#[0-9a-f]{6}", "", text) for text in (made[ROOT / name], committed)]
    assert shown[0] == shown[1], "run `make readme`"


def test_the_first_screen_says_what_it_is_shows_what_stands_and_what_to_type(text):
    first = text[: text.index(readme.BEGIN)]
    assert readme.PICTURE in first
    assert first.index(readme.BEGIN_PICTURE) < 1300
    before = first[: first.index(readme.BEGIN_PICTURE)]
    assert all(command in before for command in ("pip install", "make reproduce", "make lab"))
    titles = [re.sub(r"[^a-z]", "", printed_of(p).printed.paper.title.lower()) for p in PAPERS]
    told = re.sub(r"[^a-z]", "", text.lower())
    assert not [title for title in titles if title not in told]


def test_every_paper_has_a_sentence_and_a_bar(text, made):
    """A reader who does not know the marks yet: how far can each paper be trusted?"""
    root = ET.fromstring(made[ROOT / readme.PICTURE])
    shown = root.get("aria-label")
    for paper in PAPERS:
        file, own = printed_of(paper), performances(judge_paper(paper), "own")
        assert sentences([paper])[paper] in text
        counts = ", ".join(f"{n} {word}" for word, n in own.items() if n)
        assert f"{file.story.short}, {file.printed.paper.year}: {counts}" in shown
    assert len(root.findall(f"{SVG}rect")) > 2 * len(PAPERS)


def test_no_block_of_commands_scrolls_sideways_on_a_phone(text):
    """400 pixels show 41 letters."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    for language, block in blocks:
        if not language:
            assert max(map(len, block.splitlines())) <= 41


def test_counts_in_the_sentences_of_the_headline_are_those_of_the_verdicts():
    told = sentences(PAPERS)
    others = count_words(
        v for v in judge_paper("mkmmc") if (v.role, v.quantity) == ("baseline", "performance")
    )
    exact = others["to the digit"]
    assert f"come out to the last digit, {exact} of 18 accuracies" in told["mkmmc"]
    own = [v for v in judge_paper("mkmmc") if (v.role, v.quantity) == ("own", "performance")]
    below = [round(-v.difference) for v in own if v.number.table != "table3"]
    assert f"{min(below)} to {max(below)} points below print" in told["mkmmc"]
    claims = Counter(claim.word for claim in judge_claims("keops"))
    assert f"Of its {sum(claims.values())} claims two hold, two hold in most" in told["keops"]
    assert (claims["holds"], claims["holds, but"]) == (2, 2)
    assert f"{claims['undecided']} are undecided" in told["keops"]
    own = [v for v in judge_paper("simplex") if (v.role, v.quantity) == ("own", "performance")]
    off = [v.number for v in own if v.word == "not reproduced"]
    assert (
        "All eight of its own accuracies that are off are online ones or of Caltech-101"
        in told["simplex"]
    )
    assert len(off) == 8
    assert all("Online" in n.row or n.column == "Ctech" for n in off)
    (same,) = (c for c in judge_claims("kpm") if c.claim.name == "Table 2: as good as the SVM")
    assert f"{same.difference:.2f} points higher" in told["kpm"]
    assert same.difference + same.weakest.error.half_width(0.9) < MARGIN


def test_readme_without_markers_is_refused(tmp_path):
    (tmp_path / "README.md").write_text("# no markers")
    with pytest.raises(ValueError, match="markers"):
        readme.made(tmp_path / "README.md", PAPERS)


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
