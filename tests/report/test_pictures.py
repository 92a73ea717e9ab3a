"""What the figures show on the committed records, against a stored list."""

import pytest

from tests import pictures, stored_list


@pytest.mark.parametrize("key", pictures.KEYS)
def test_figures_show_what_they_did(key):
    path = pictures.FOLDER / f"{key}.json"
    stored_list.check(pictures.described_of(key), path, f"tests.pictures {key}")
