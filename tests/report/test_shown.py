"""What the tables of the notebooks show on the committed records, against a stored list."""

import pytest

from tests import shown, stored_list


@pytest.mark.parametrize("key", shown.KEYS)
def test_tables_show_what_they_did(key):
    stored_list.check(shown.shown(key), shown.FOLDER / f"{key}.json", f"tests.shown {key}")
