"""Files of figures: readable, the same every time, with their origin in the metadata."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import matplotlib.pyplot as plt
import pytest
from PIL import Image

from reprolib.report import paper_figures as files
from reprolib.report.origin import Origin
from reprolib.report.style import use_style

MADE = Origin(
    title="KPM: Rätsch's sets ± α",
    paper="G. Blanchard: Kernel Projection Machine",
    command="reprolib figures kpm",
    records="kpm/records.csv.xz (table1); full profile, run on 2026-11-22",
    versions="reprolib 0.1.0, numpy 2.4.6",
    source="partial: raetsch/banana; resampled: raetsch/splice",
)


def drawn():
    figure, axis = plt.subplots()
    axis.plot([1, 2, 3], [2, 1, 3], label="error")
    axis.fill_between([1, 2, 3], [1, 0, 2], [3, 2, 4], alpha=0.2)
    axis.legend()
    return figure


@pytest.fixture(autouse=True)
def _style():
    with plt.rc_context():
        use_style()
        yield
        plt.close("all")


def told(path) -> str:
    """Title, origin and source that a file tells of itself."""
    content = path.read_bytes()
    if path.suffix == ".png":
        with Image.open(path) as image:
            return "\n".join(map(str, image.text.values()))
    if path.suffix == ".svg":
        return "\n".join(ElementTree.fromstring(content).itertext())
    texts = [
        _pdf_text(raw)
        for raw in re.findall(rb"/(?:Title|Subject|Keywords) \((.*?[^\\])\)\n?", content, re.DOTALL)
    ]
    return "\n".join(texts)


def _pdf_text(raw: bytes) -> str:
    plain = re.sub(rb"\\([()\\])", rb"\1", raw).replace(rb"\n", b"\n").replace(rb"\r", b"\r")
    return plain.decode("utf-16" if plain.startswith(b"\xfe\xff") else "latin-1")


@pytest.mark.parametrize("ending", files.FORMATS)
def test_a_file_names_command_versions_and_source(ending, tmp_path):
    (path,) = files.save_figures({"Caption": drawn()}, MADE, tmp_path / "kpm-figure", [ending])
    text = told(path)
    assert path.name == f"kpm-figure1.{ending}"
    assert "Caption" in text
    for part in (MADE.command, MADE.records, MADE.versions, MADE.source):
        assert part in text, f"{ending} does not tell {part}"


@pytest.mark.parametrize("ending", files.FORMATS)
def test_the_same_figure_is_the_same_file(ending, monkeypatch):
    """At another time and in another time zone, too: a picture under version control stays."""
    first = files.figure_bytes(drawn(), MADE, ending)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    assert files.figure_bytes(drawn(), MADE, ending) == first
    assert not re.search(rb"CreationDate|ModDate|<dc:date>|date:create", first)


def test_fonts_in_pdf_are_those_that_journals_take():
    content = files.figure_bytes(drawn(), MADE, "pdf")
    assert b"/Type3" not in content
    assert b"/FontFile2" in content or b"/TrueType" in content or b"CIDFontType2" in content


def test_figures_that_cannot_be_drawn_are_an_error_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "drawn_figures", lambda *args: ({}, "Traceback\nKeyError: 'x'\n"))
    with pytest.raises(
        ValueError, match="figures of kpm cannot be drawn .*KeyError: 'x'.*full run"
    ):
        files.write_figures("kpm", tmp_path, ["pdf"], command="reprolib figures kpm")
