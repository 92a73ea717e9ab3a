"""The run that nothing disturbs, with which the others are compared."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.faults import tiny


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory) -> pd.DataFrame:
    folder = tmp_path_factory.mktemp("undisturbed")
    assert tiny.run(folder) == 0, tiny.said(folder)
    frame = tiny.tables(folder)
    assert len(frame) == tiny.N_TASKS
    assert set(frame["status"]) == {"ok"}
    return frame
