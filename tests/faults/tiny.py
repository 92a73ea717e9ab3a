"""A tiny part of the KPM paper, rerun by `reprolib reproduce` in a process of its own.

Processes are forked from a server that has imported and set up everything (`warm`), so that twenty
of them take seconds.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path

import pandas as pd

from reprolib.cli.commands import reproduce
from reprolib.cli.main import main
from reprolib.report import page
from reprolib.rerun import records as results
from reprolib.rerun.checks import check
from tests.faults.tiny_paper import DATASET, protocol

#: What a run does to the file system, as Python's audit events name it.
EVENTS = ("open", "os.rename", "os.chmod", "os.mkdir", "os.remove", "tempfile.mkstemp")

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload([__name__, "tests.faults.warm"])


def arrange(dataset=DATASET) -> None:
    """Put the tiny paper in the place of KPM, without figures, report and scoreboard."""
    importlib.import_module("reprolib.papers.kpm.experiment").PROTOCOL = protocol(dataset)
    check.require_sound = lambda papers: None
    reproduce.show_paper = lambda *args: None
    page.write_report = lambda *args, **kwargs: Path("none")
    reproduce.print_scoreboard = lambda *args: None


def _child(folder: Path, environment, dataset, before, jobs) -> None:
    os.chdir(folder)
    os.environ.update({"REPROLIB_RECORDS": str(folder / "records"), **environment})
    log = os.open(folder / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    arrange(dataset)
    if before is not None:
        before()
    sys.exit(main(["reproduce", "kpm", "--jobs", str(jobs)]))


def start(folder: Path, *, environment=None, dataset=DATASET, before=None, jobs=1):
    """Start a run in a folder; ``before`` is called in its process."""
    folder.mkdir(exist_ok=True)
    arguments = (folder, environment or {}, dataset, before, jobs)
    process = _context.Process(target=_child, args=arguments)
    process.start()
    return process


def run(folder: Path, **options) -> int:
    """Run to its end; return the exit code (-9 if it was killed)."""
    process = start(folder, **options)
    process.join(300)
    assert process.exitcode is not None, "the run hangs"
    return process.exitcode


def said(folder: Path) -> str:
    """What the last run in a folder printed, on one line."""
    return " ".join((folder / "log.txt").read_text().split())


def tables(folder: Path) -> pd.DataFrame:
    """All tables that a run wrote, without the computing times."""
    return results.load_paper("kpm", folder / "build" / "results").drop(columns="seconds")


def stored(folder: Path) -> list[Path]:
    """Files of the finished tasks."""
    return sorted((folder / "records" / "tasks").rglob("*.json"))


@dataclasses.dataclass
class KillItself:
    """Call it in a process, and at its n-th event the process is gone (kill -9)."""

    at: int

    def __call__(self):
        left = self.at

        def hook(event, args):
            nonlocal left
            if event in EVENTS:
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                    time.sleep(60)

        sys.addaudithook(hook)


@dataclasses.dataclass
class CountEvents:
    """Call it in a process, and the number of its events is in the file at the end."""

    path: Path

    def __call__(self):
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT)
        n_events = 0

        def hook(event, args):
            nonlocal n_events
            if event in EVENTS:
                n_events += 1
                os.pwrite(descriptor, json.dumps(n_events).encode(), 0)

        sys.addaudithook(hook)
