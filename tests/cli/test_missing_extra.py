"""What a person sees whose installation lacks an extra."""

import sys

import pytest

import data_fetch
from reprolib import SimplexConeSVC
from reprolib.cli.commands import check, report
from reprolib.cli.main import main


def test_a_command_names_the_extra_that_it_needs(monkeypatch, capsys):
    def run(arguments):
        raise ModuleNotFoundError("No module named 'matplotlib'", name="matplotlib.pyplot")

    monkeypatch.setattr(report, "run", run)
    assert main(["report"]) == 2
    assert 'pip install "reprolib[papers]"' in " ".join(capsys.readouterr().err.split())


def test_names_are_checked_without_the_extra_that_draws(monkeypatch, capsys):
    util, find = check.importlib.util, check.importlib.util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda n: None if n == "matplotlib" else find(n))
    assert main(["check", "mkpm"]) == 0
    assert 'no faults; figures not drawn: pip install "reprolib[papers]"' in capsys.readouterr().out


def test_a_module_of_ours_that_is_missing_is_a_bug_and_not_an_extra(monkeypatch):
    def run(arguments):
        raise ModuleNotFoundError("No module named 'reprolib.gone'", name="reprolib.gone")

    monkeypatch.setattr(report, "run", run)
    with pytest.raises(ModuleNotFoundError, match="gone"):
        main(["report"])


def test_data_name_the_extra_that_they_need(monkeypatch):
    monkeypatch.setitem(sys.modules, "nibabel", None)
    monkeypatch.delitem(sys.modules, "data_fetch.embedded.haxby", raising=False)
    with pytest.raises(ValueError, match=r"pip install .reprolib\[fmri\]"):
        data_fetch.load("embedded/haxby")


def test_an_estimator_without_its_solver_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxopt", None)
    with pytest.raises(ModuleNotFoundError, match="pip install cvxopt"):
        SimplexConeSVC(solver="cvxopt").fit([[0.0], [1.0], [2.0]], [0, 1, 2])
