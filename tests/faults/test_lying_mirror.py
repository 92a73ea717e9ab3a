"""A mirror with wrong bytes under the right name: a run never takes them for the data.

File by file, with other sources to turn to: ``tests/data/test_fetch.py`` (`lying_mirror`).
"""

from __future__ import annotations

import pandas as pd
import pytest

from data_fetch.catalog import default_catalog
from tests.faults import tiny

DATASET = "raetsch/breast_cancer"


@pytest.fixture
def lies(tmp_path):
    """Environment with a mirror that has every file of the data set, with other bytes."""
    catalog = default_catalog()
    entry = catalog.entry(DATASET)
    for name in entry.files:
        for version in catalog.files[name].versions:
            path = tmp_path / "mirror" / version.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"something else".ljust(version.bytes))
    nowhere = "http://127.0.0.1:9"
    return {
        "REPROLIB_MIRROR": str(tmp_path / "mirror"),
        "REPROLIB_DATA": str(tmp_path / "cache"),
        "HTTP_PROXY": nowhere,
        "HTTPS_PROXY": nowhere,
        "http_proxy": nowhere,
        "https_proxy": nowhere,
        "NO_PROXY": "",
        "no_proxy": "",
    }


def test_embedded_data_stand_in_and_say_so(undisturbed, lies, tmp_path):
    folder = tmp_path / "run"
    assert tiny.run(folder, environment=lies, dataset=DATASET) == 0, tiny.said(folder)
    message = tiny.said(folder)
    assert f"Embedded data stand in for {DATASET}" in message
    assert "wrong sha256" in message
    assert "are no reproduction" in message
    tables = tiny.tables(folder)
    assert set(tables["source"]) == {"embedded"}
    pd.testing.assert_frame_equal(tables, undisturbed)
