"""A notebook in JupyterLab, in a real browser: run all, move every slider, save, validate.

All sliders are drawn by one function, which refuses a text that follows one (`test_sliders`) in
every notebook that is run, and `test_play` moves those of the notebooks from end to end. So a
notebook of one picture is enough here: what its cells compute is no different to JupyterLab.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tests.report.test_sliders import DRAW

ROOT = Path(__file__).parents[2]
NAME = "sliders.ipynb"
#: Where the sliders of the picture start.
START = {"D": "2", "gamma": "3"}
#: Milliseconds for all cells of one notebook.
TIMEOUT = 1_200_000
RUN_ALL = """async () => {
    const panel = window.jupyterapp.shell.currentWidget;
    await panel.sessionContext.ready;
    await window.jupyterapp.commands.execute("notebook:run-all-cells");
}"""
FAILED = """() => [...window.jupyterapp.shell.currentWidget.content.widgets]
    .filter((cell) => cell.model.type === "code" && cell.model.executionCount === null).length"""
SAVE = """async () => {
    await window.jupyterapp.commands.execute("docmanager:save");
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A notebook with two sliders, and nothing beside it."""
    folder = tmp_path_factory.mktemp("alone")
    cells = [new_markdown_cell("# A picture"), new_code_cell(textwrap.dedent(DRAW).strip())]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = new_notebook(cells=[*cells, new_code_cell("1 + 1")], metadata=kernel)
    nbformat.write(notebook, folder / NAME)
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Settings of JupyterLab and data of the test's own: none."""
    own = tmp_path_factory.mktemp("jupyter")
    names = ("JUPYTER_CONFIG_DIR", "IPYTHONDIR", "REPROLIB_DATA")
    return {
        **os.environ,
        "REPROLIB_MIRROR": "",
        "PYTHONPATH": str(ROOT),
        **{name: str(own / name) for name in names},
    }


@pytest.fixture(scope="module")
def lab(folder, environment, tmp_path_factory):
    """Address of the notebook in JupyterLab."""
    for package in ("jupyterlab", "ipywidgets"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"no {package}; install the extra `lab` (make .venv/.lab)")
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", "--port=0"]
    command += ["--expose-app-in-browser", "--allow-root", "--IdentityProvider.token=t"]
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("w") as file:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=file, stderr=file)
    try:
        yield _address(server, log)
    finally:
        server.terminate()
        server.wait(30)


def _address(server, log: Path) -> str:
    for _ in range(600):
        if found := re.search(r"http://127\.0\.0\.1:(\d+)/lab", log.read_text()):
            return f"http://127.0.0.1:{found[1]}/lab/tree/{NAME}?token=t&reset"
        assert server.poll() is None, log.read_text()
        time.sleep(0.1)
    raise AssertionError(log.read_text())


@pytest.mark.slow
def test_a_notebook_is_still_valid_after_run_all_sliders_and_save(
    browser, lab, folder, environment
):
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(60_000)
    page.goto(lab)
    page.wait_for_function("window.jupyterapp?.shell.currentWidget?.content?.widgets?.length > 2")
    page.set_default_timeout(TIMEOUT)
    page.evaluate(RUN_ALL)
    assert page.evaluate(FAILED) == 0, "a cell stopped the run"
    n_moved = _move_sliders(page)
    page.evaluate(SAVE)
    page.close()

    saved = _sliders_of(folder / NAME)
    assert n_moved == len(saved) == len(START), "not every slider was found"
    assert not saved.items() & START.items(), "a slider stood still"
    assert _validated(folder / NAME, environment) == ""


def _move_sliders(page) -> int:
    """Click each slider at its left end, or at its right one if it is there already."""
    page.wait_for_timeout(1000)
    tracks = page.locator(".widget-slider .noUi-target")
    for track in tracks.all():
        track.scroll_into_view_if_needed()
        before = track.locator(".noUi-handle").get_attribute("aria-valuenow")
        width = track.bounding_box()["width"]
        for place in (2, width - 2):
            track.click(position={"x": place, "y": 2}, force=True)
            page.wait_for_timeout(300)
            if track.locator(".noUi-handle").get_attribute("aria-valuenow") != before:
                break
    page.wait_for_timeout(3000)
    return tracks.count()


def _sliders_of(path: Path) -> dict[str, object]:
    """Where the sliders of a saved notebook stand, by name."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    notes = [output.get("metadata", {}).get("reprolib", {}) for output in outputs]
    return {key: value for note in notes for key, value in note.get("sliders", {}).items()}


def _validated(path: Path, environment: dict[str, str]) -> str:
    """What nbval says of a notebook in a folder without a conftest; empty if it says nothing."""
    command = [sys.executable, "-m", "pytest", "-q", "--nbval", path.name, "-p", "no:cacheprovider"]
    command += ["--nbval-cell-timeout=1200", "--nbval-kernel-startup-timeout=600"]
    done = subprocess.run(command, cwd=path.parent, env=environment, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr
