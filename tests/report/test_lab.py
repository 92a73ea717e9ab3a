"""A notebook in JupyterLab, in a real browser: run all, move every slider, save, validate.

All sliders are drawn by one function, which refuses a text that follows one (`test_sliders`) in
every notebook that is run. So the notebook with the most of them is enough here, the shorter of
two, without real data, with which a cell computes for longer and is no different to JupyterLab.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
NAMES = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))
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
    """Copies of the notebooks, and nothing beside them."""
    folder = tmp_path_factory.mktemp("alone")
    for name in NAMES:
        shutil.copy(NOTEBOOKS / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Settings of JupyterLab and data of the test's own: none."""
    own = tmp_path_factory.mktemp("jupyter")
    names = ("JUPYTER_CONFIG_DIR", "IPYTHONDIR", "REPROLIB_DATA")
    return {**os.environ, "REPROLIB_MIRROR": "", **{name: str(own / name) for name in names}}


@pytest.fixture(scope="module")
def lab(folder, environment, tmp_path_factory):
    """Address of a JupyterLab on the copies."""
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
            return f"http://127.0.0.1:{found[1]}/lab/tree/{{name}}?token=t&reset"
        assert server.poll() is None, log.read_text()
        time.sleep(0.1)
    raise AssertionError(log.read_text())


@pytest.mark.slow
def test_a_notebook_is_still_valid_after_run_all_sliders_and_save(
    browser, lab, folder, environment
):
    name = max(NAMES, key=lambda name: (len(_sliders_of(NOTEBOOKS / name)), -_n_cells(name)))
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(60_000)
    page.goto(lab.format(name=name))
    page.wait_for_function("window.jupyterapp?.shell.currentWidget?.content?.widgets?.length > 3")
    page.set_default_timeout(TIMEOUT)
    page.evaluate(RUN_ALL)
    assert page.evaluate(FAILED) == 0, "a cell stopped the run"
    n_moved = _move_sliders(page)
    page.evaluate(SAVE)
    page.close()

    start, saved = _sliders_of(NOTEBOOKS / name), _sliders_of(folder / name)
    assert n_moved == len(saved) == len(start), "not every slider was found"
    assert not [key for key, value in saved.items() if value == start[key]], "a slider stood still"
    assert _validated(folder / name, environment) == ""


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


def _n_cells(name: str) -> int:
    """Cells of a committed notebook."""
    return len(json.loads((NOTEBOOKS / name).read_text(encoding="utf-8"))["cells"])


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
