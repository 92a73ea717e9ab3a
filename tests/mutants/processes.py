"""Tests run in a process that is forked with numpy and its friends already imported."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import resource
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

#: Imported once; nothing of the package may be among them.
WARM = ("matplotlib.pyplot", "mne", "nibabel", "numba", "pandas", "cvxopt", "joblib")
WARM += ("scipy.optimize", "scipy.linalg", "scipy.stats", "sklearn.svm", "sklearn.ensemble")
WARM += ("sklearn.multiclass", "sklearn.model_selection", "sklearn.utils.estimator_checks")
WARM += ("hypothesis", "jinja2", "jsonschema", "rich.console")
LEFT_OUT = (".git", ".venv", "build", "__pycache__", ".coverage*", ".hypothesis", ".*_cache")


def copy_of(root: Path, folder: Path) -> Path:
    """Copy a checkout, without what git does not know."""
    shutil.copytree(root, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    return folder


def warm_up(copy: Path) -> None:
    """Import what all tests need, with numba's cache in the copy."""
    os.environ["NUMBA_CACHE_DIR"] = str(copy.parent / "numba")
    os.environ["PYTHONPATH"] = str(copy)
    for name in WARM:
        importlib.import_module(name)


def passes(nodes: Sequence[str], copy: Path, seconds: float) -> bool:
    """Whether all the tests pass in the copy, within ``seconds`` of processor time.

    Raises
    ------
    RuntimeError
        If no test was run.
    """
    process = multiprocessing.get_context("fork").Process(target=_run, args=(nodes, copy, seconds))
    process.start()
    process.join(20 * seconds)
    if process.is_alive():
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
    if process.exitcode == pytest.ExitCode.NO_TESTS_COLLECTED:
        raise RuntimeError(f"no test was run of {' '.join(nodes)}")
    return process.exitcode == 0


def _run(nodes: Sequence[str], copy: Path, seconds: float) -> None:
    os.setsid()
    log = os.open(copy.parent / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
    os.chdir(copy)
    for name in [n for n in sys.modules if n.partition(".")[0] in {"tests", "conftest"}]:
        del sys.modules[name]
    sys.path.insert(0, str(copy))
    sys.dont_write_bytecode = True
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:cov"]
    os._exit(pytest.main([*options, *nodes]))
