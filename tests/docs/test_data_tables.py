"""The page on the data sets says what the catalog, the records and the audit say."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import data_fetch
from data_fetch.catalog import default_catalog
from reprolib.rerun.records import load_paper

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Cells of both tables by data set."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(DOCS), *sys.path])
        import data_tables

        data_tables.write_data_tables(folder)
    lines = [line for path in folder.glob("*.md") for line in path.read_text().splitlines()]
    found = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in lines if line.startswith("| `")]
    return {cells[0].split("`")[1]: cells for cells in found}


def test_every_data_set_has_a_row_with_its_terms(rows):
    catalog = default_catalog()
    assert set(rows) == set(catalog.entries)
    assert all(len(cells) == 5 for cells in rows.values())
    for name, entry in catalog.entries.items():
        assert all(catalog.files[file].terms in rows[name][2] for file in entry.files)


def test_every_finding_of_the_audit_stands_with_its_data_set(rows):
    audit = pd.read_csv(DOCS / "audit.csv")
    for _, found in audit.iterrows():
        assert found["finding"] in rows[found["data set"]][4].replace("\\|", "|")


def test_the_source_is_that_of_the_committed_records(rows):
    records = load_paper("kpm")
    (source,) = records.loc[records["dataset"] == "raetsch/heart", "source"].unique()[:1]
    assert "[KPM](notebooks/kpm.ipynb)" in rows["raetsch/heart"][3]
    assert source in rows["raetsch/heart"][3]


@pytest.mark.parametrize("name", ["embedded/optdigits", "embedded/waveform"])
def test_the_catalog_counts_the_classes(name):
    assert len(np.unique(data_fetch.load(name).y)) == default_catalog().entry(name).classes


@pytest.mark.needs_data("statlog/segment", "uci/pendigits", "faces/yale")
@pytest.mark.parametrize("name", ["statlog/segment", "uci/pendigits", "faces/yale"])
def test_the_catalog_counts_the_classes_of_real_data(name):
    assert len(np.unique(data_fetch.load(name).y)) == default_catalog().entry(name).classes
