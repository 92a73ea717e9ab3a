"""The fingerprint of the code: what a protocol reaches, and nothing that changes no number."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from reprolib.rerun.records import Task, fingerprint, load_tasks
from reprolib.rerun.records.fingerprint import Code, code_of, module_fingerprint
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.records.task import get_protocol, measure_of
from reprolib.rerun.tasks.runner import code_of_task
from reprolib.rerun.tasks.selection import tasks_of
from tests import fake_paper

ROOT = Path(__file__).resolve().parents[2]
TABLE2 = Task("kpm", "table2", "raetsch/heart", "kpm")


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Write the modules of a small package, and give its fingerprint in a fresh process."""
    folder = tmp_path / "toy"
    folder.mkdir()
    texts = {
        "__init__": "from .model import fit\n",
        "model": "from toy.kernel import gram\n\ndef fit(x):\n    return gram(x) + 1\n",
        "kernel": "def gram(x):\n    return 2 * x\n",
        "figures": "def draw():\n    pass\n",
        "run": "from toy import fit\n\ndef run(task, data):\n    return fit(task)\n",
    }
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)

    def edited(name, old, new):
        path = folder / f"{name}.py"
        path.write_text(path.read_text().replace(old, new))

    def value():
        code = """
        from reprolib.rerun.records.fingerprint import code_of
        from toy.run import run
        print(code_of(run).fingerprint)
        """
        command = [sys.executable, "-c", textwrap.dedent(code)]
        path = {"PYTHONPATH": f"{tmp_path}:{':'.join(sys.path)}"}
        return subprocess.run(command, env=path, capture_output=True, text=True, check=True).stdout

    return edited, value


def test_a_change_of_a_reached_module_is_seen_and_of_another_is_not(package):
    edited, value = package
    before = value()
    edited("figures", "pass", "return 3")
    assert value() == before, "the run does not import it"
    edited("kernel", "2 * x", "3 * x")
    assert value() != before
    edited("model", "from toy.kernel import gram", "import toy.kernel\ngram = toy.kernel.gram")
    other_import = value()
    edited("kernel", "3 * x", "2 * x")
    assert value() != other_import, "however it is imported"


def test_comments_docstrings_and_layout_change_nothing(package):
    edited, value = package
    before = value()
    edited("kernel", "def gram(x):\n", 'def gram(x):\n    """Kernel."""\n    # twice\n\n')
    assert value() == before
    edited("kernel", "2 * x", "2*x")
    assert value() == before
    edited("kernel", "2*x", "2.0*x")
    assert value() != before, "an int is no float"


def test_a_name_is_followed_through_its_package_to_the_module_that_defines_it():
    modules = code_of_task(get_protocol("kpm"), TABLE2).modules
    assert "reprolib.methods.kpm.estimators" in modules
    assert "data_fetch.raetsch.PUBLISHED_SVM" in modules, "the published widths, and no loader"
    others = ("reprolib.methods.simplex", "reprolib.rerun", "reprolib.report", "figures")
    assert not [name for name in modules if name.startswith(others)]
    assert {"experiment.run", "methods.cross_validated"} <= modules.keys()
    assert not {"experiment.RUN", "experiment.GRIDS", "methods.figure1_kpm"} & modules.keys()


@pytest.mark.parametrize("paper", PAPERS)
def test_every_function_of_a_paper_has_code_of_its_own(paper):
    """One fingerprint a paper made 7,200 tasks of KPM pending for one added reading."""
    protocol = get_protocol(paper)
    tasks = tasks_of(paper, load_tasks(paper))
    measures = {measure_of(protocol.measures, task) for task in tasks}
    codes = {code_of_task(protocol, task).fingerprint for task in tasks}
    assert None not in measures
    assert len(codes) == len(measures) > 1


#: Of KPM's methods, after each edit. A process forks: libraries are imported once.
CODES = """
import json, os, pathlib, sys
import numba, pandas, scipy.stats, sklearn.metrics, sklearn.model_selection, sklearn.svm

for file, old, new in json.loads(sys.argv[1]):
    if os.fork():
        assert os.wait()[1] == 0
        continue
    path = pathlib.Path(file)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    from reprolib.rerun.records import Task
    from reprolib.rerun.records.task import get_protocol
    from reprolib.rerun.tasks.runner import code_of_task

    protocol = get_protocol("kpm")
    tasks = {key: Task("kpm", key[0], "raetsch/heart", key[1]) for key in protocol.measures}
    codes = {"/".join(key): code_of_task(protocol, task) for key, task in tasks.items()}
    path.write_text(text)
    print(json.dumps({name: [c.fingerprint, c.texts] for name, c in codes.items()}), flush=True)
    os._exit(0)
"""


def edited(folder, *edits):
    """Names of KPM's methods, and of those of which an edit changed the code, and the texts."""
    for name in ("reprolib", "data_fetch"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run(
        [sys.executable, "-c", CODES, json.dumps([(edits[0][0], "", ""), *edits])],
        env={"PYTHONPATH": f"{folder}:{':'.join(sys.path)}", "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    before, *all_after = map(json.loads, done.stdout.splitlines())
    yield set(before)
    for after in all_after:
        yield tuple(
            {name for name in before if before[name][part] != after[name][part]} for part in (0, 1)
        )


def test_an_edit_makes_those_tasks_pending_that_reach_it(tmp_path):
    told = '[story.readings.new]\nquestion = "?"\ntext = "!"\n'
    reading = f'{told}[[readings]]\nname = "new"\nmethods = ["kpm"]\n'
    printed = "reprolib/papers/kpm/printed.toml"
    ties = "reprolib/methods/shared/ties.py"
    every, by_reading, by_docstring, by_ties, by_method, by_machinery = edited(
        tmp_path,
        (printed, "[[readings]]\n", f"{reading}\n[[readings]]\n"),
        (ties, '"""', '"""New words. '),
        (ties, "import numpy as np", "import numpy as np\nX = 1"),
        ("reprolib/papers/kpm/methods.py", "def figure1_kpm(", "def figure1_kpm(unused=0, *"),
        ("reprolib/rerun/tasks/runner.py", "import time", "import time\nX = 1"),
    )
    of_ties = every - {"table1/svm"}
    assert by_reading == (set(), set())
    assert by_docstring == (set(), of_ties)
    assert by_ties[0] == of_ties
    assert by_method[0] == {"figure1/kpm"}
    assert by_machinery[0] == set()


def test_functions_outside_of_the_package_are_told_apart():
    def one(task, data):
        return 1

    def two(task, data):
        return 2

    same, other = code_of(one), code_of(two)
    assert same.fingerprint == code_of(one).fingerprint
    assert dict(same.modules) != dict(other.modules)


def test_a_replaced_function_of_a_protocol_is_other_code():
    mine = dataclasses.replace(fake_paper.PROTOCOL, run=lambda task, data: [])
    codes = [code_of_task(protocol, TABLE2) for protocol in (fake_paper.PROTOCOL, mine)]
    assert codes[0].fingerprint != codes[1].fingerprint


def test_a_version_of_a_library_is_part_of_it(monkeypatch):
    before = code_of(fake_paper.run)
    monkeypatch.setattr(fingerprint, "versions", lambda: {**before.versions, "numpy": "9.9"})
    after = code_of(fake_paper.run)
    assert before.fingerprint != after.fingerprint
    told = after.change_since(before.about())
    assert told == f"numpy {before.versions['numpy']} -> 9.9"


def test_an_order_of_modules_does_not_count():
    assert Code({"a": "1", "b": "2"}, {}).fingerprint == Code({"b": "2", "a": "1"}, {}).fingerprint
    assert module_fingerprint("no.such.module") == ""
