"""The fingerprint of the code: what a protocol reaches, and nothing that changes no number."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import textwrap

import pytest

from reprolib.rerun.records import fingerprint
from reprolib.rerun.records.fingerprint import Code, code_of, module_fingerprint, reached
from reprolib.rerun.records.task import get_protocol
from reprolib.rerun.tasks.runner import code_of_protocol
from tests import fake_paper


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
        print(code_of([run]).fingerprint)
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
    modules = reached(frozenset({"reprolib.papers.kpm.experiment"}))
    assert "reprolib.methods.kpm.components" in modules or any(
        name.startswith("reprolib.methods.kpm") for name in modules
    )
    assert "reprolib.rerun.records.task" in modules
    assert "data_fetch.raetsch" in modules, "it has the published widths"
    others = ("reprolib.methods.simplex", "reprolib.report", "reprolib.papers.kpm.figures")
    assert not [name for name in modules if name.startswith(others)]


def test_data_are_read_by_code_too():
    assert "data_fetch.p300" in code_of_protocol(get_protocol("keops")).modules
    assert "data_fetch.tables" in code_of_protocol(get_protocol("simplex")).modules


def test_functions_outside_of_the_package_are_told_apart():
    def one(task, data):
        return 1

    def two(task, data):
        return 2

    same, other = code_of([one]), code_of([two])
    assert same.fingerprint == code_of([one]).fingerprint
    assert dict(same.modules) != dict(other.modules)


def test_a_replaced_function_of_a_protocol_is_other_code():
    mine = dataclasses.replace(fake_paper.PROTOCOL, run=lambda task, data: [])
    codes = [code_of_protocol(protocol) for protocol in (fake_paper.PROTOCOL, mine)]
    assert codes[0].fingerprint != codes[1].fingerprint


def test_a_version_of_a_library_is_part_of_it(monkeypatch):
    before = code_of([fake_paper.run])
    monkeypatch.setattr(fingerprint, "versions", lambda: {**before.versions, "numpy": "9.9"})
    after = code_of([fake_paper.run])
    assert before.fingerprint != after.fingerprint
    told = after.change_since({"modules": before.modules, "versions": before.versions})
    assert told == f"numpy {before.versions['numpy']} -> 9.9"


def test_an_order_of_modules_does_not_count():
    assert Code({"a": "1", "b": "2"}, {}).fingerprint == Code({"b": "2", "a": "1"}, {}).fingerprint
    assert module_fingerprint("no.such.module") == ""
