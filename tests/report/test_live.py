"""Cells that need real data compute where the data are, and else show what was committed."""

from __future__ import annotations

import json
import re

import IPython.display
import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

import data_fetch
from reprolib.report import notebook as module
from reprolib.report.notebook import live
from reprolib.rerun.records.registry import project_folder

CELL = """
@live("kpm", "{name}")
def heart():
    import data_fetch
    print("computed on", data_fetch.load("{name}").name)
    return [1.5]
"""
IMPORT = "from reprolib.report.notebook import live"


def run(name: str) -> list:
    """Outputs of a live cell on one data set."""
    cells = [new_code_cell(IMPORT), new_code_cell(CELL.format(name=name))]
    notebook = new_notebook(cells=cells)
    NotebookClient(notebook, kernel_name="python3", timeout=60).execute()
    return notebook.cells[1].outputs


@pytest.fixture
def no_data(tmp_path, monkeypatch):
    monkeypatch.setenv("REPROLIB_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("REPROLIB_MIRROR", "")


def test_data_at_hand_are_computed_on():
    printed, returned = run("embedded/twonorm")
    assert printed["data"]["text/plain"] == "computed on embedded/twonorm\n"
    assert returned["data"]["text/plain"] == "[1.5]"
    assert returned["metadata"]["reprolib"] == {"live": "heart"}


def test_without_the_data_a_line_says_so_above_the_committed_result(no_data):
    line, *shown = run("raetsch/heart")
    assert "Not recomputed here: raetsch/heart is not at hand" in line["data"]["text/markdown"]
    assert "`reprolib data fetch raetsch/heart`" in line["data"]["text/markdown"]
    assert line["metadata"]["reprolib"] == {"missing": ["raetsch/heart"]}
    assert len(shown) == len(module.committed_outputs("kpm", "heart"))
    assert "test error" in shown[0]["data"]["text/plain"]


def test_what_is_not_computed_is_not_called_live(no_data, tmp_path, monkeypatch):
    """It said "0.21 in the records, 0.21 live" where nothing had been computed."""
    outputs = [
        {"data": {"text/plain": ["0.21 in the records, 0.21 live"]}},
        {"data": {"text/html": "<th>live</th>", "image/png": "live"}},
    ]
    for output in outputs:
        output["metadata"] = {"reprolib": {"live": "heart"}}
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks/kpm.ipynb").write_text(json.dumps({"cells": [{"outputs": outputs}]}))
    seen = []
    monkeypatch.setattr(module, "project_of", lambda _: tmp_path)
    monkeypatch.setattr(module, "in_notebook", lambda: True)
    monkeypatch.setattr(IPython.display, "display", lambda data, **_: seen.append(data))

    def heart():
        raise AssertionError("there are no data")

    live("kpm", "raetsch/heart")(heart)
    line, *shown = seen
    assert "Not recomputed here" in line["text/plain"]
    assert shown[0] == {"text/plain": "0.21 in the records, 0.21 when committed"}
    assert shown[1] == {"text/html": "<th>when committed</th>", "image/png": "live"}


def test_a_committed_result_that_was_deleted_does_not_stop_the_notebook(
    no_data, tmp_path, monkeypatch, capsys
):
    (tmp_path / "notebooks").mkdir()
    for text in ("{", "{}", json.dumps({"cells": [{"outputs": []}]})):
        (tmp_path / "notebooks/kpm.ipynb").write_text(text)
        monkeypatch.setattr(module, "project_of", lambda _: tmp_path)
        live("kpm", "raetsch/heart")(lambda: 1 / 0)
        assert "The committed result was deleted." in capsys.readouterr().out


def test_data_that_vanish_while_they_are_read_do_not_stop_the_notebook(capsys):
    def heart():
        raise data_fetch.DataUnavailableError("the mirror is gone")

    live("kpm", "embedded/twonorm")(heart)
    assert "Not recomputed here: embedded/twonorm" in capsys.readouterr().out


def test_what_is_wrong_in_a_cell_is_raised():
    with pytest.raises(AssertionError, match="of ours"):
        live("kpm", "embedded/twonorm")(lambda: (_ for _ in ()).throw(AssertionError("of ours")))


def notebooks():
    for path in sorted(project_folder("notebooks").glob("*.ipynb")):
        yield pytest.param(nbformat.read(path, as_version=4), id=path.stem)


@pytest.mark.parametrize("notebook", [*notebooks()])
def test_every_live_cell_has_its_committed_result_and_is_left_to_us_by_nbval(notebook):
    for cell in notebook.cells:
        for function in re.findall(
            r"^@(?:paper\.)?live\(.*\)\ndef (\w+)", cell.source, re.MULTILINE
        ):
            names = {out.metadata.get("reprolib", {}).get("live") for out in cell.outputs}
            assert names == {function}
            assert "nbval-ignore-output" in cell.metadata.tags
