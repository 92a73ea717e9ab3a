"""The page on the data sets says what the catalog and the records say."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import data_fetch
from data_fetch.catalog import default_catalog
from reprolib.rerun.records import load_paper

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def sections(tmp_path_factory):
    """Text of every data set by its name."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(DOCS), *sys.path])
        import data_sets

        data_sets.write_data_sets(folder)
    texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))]
    parts = re.split(r"^### (.*)$", "".join(texts), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_every_data_set_has_a_section_with_its_size_and_terms(sections):
    catalog = default_catalog()
    assert set(sections) == set(catalog.entries)
    for name, entry in catalog.entries.items():
        assert f"{entry.size[0]:,} rows" in sections[name]
        assert entry.classes >= 2
        assert all(catalog.files[file].terms in sections[name] for file in entry.files)


def test_the_notes_of_a_data_set_stand_with_it(sections):
    for name, entry in default_catalog().entries.items():
        assert all(note in sections[name] for note in entry.notes)


def test_the_source_is_that_of_the_committed_records(sections):
    records = load_paper("kpm")
    sources = records.loc[records["dataset"] == "raetsch/heart", "source"].unique()
    assert f"[KPM](notebooks/kpm.ipynb) ({', '.join(sorted(sources))})" in sections["raetsch/heart"]


@pytest.mark.parametrize("name", ["embedded/optdigits", "embedded/waveform"])
def test_the_catalog_counts_the_classes(name):
    assert len(np.unique(data_fetch.load(name).y)) == default_catalog().entry(name).classes


@pytest.mark.needs_data("statlog/segment", "uci/pendigits", "faces/yale")
@pytest.mark.parametrize("name", ["statlog/segment", "uci/pendigits", "faces/yale"])
def test_the_catalog_counts_the_classes_of_real_data(name):
    assert len(np.unique(data_fetch.load(name).y)) == default_catalog().entry(name).classes
