"""``reprolib reproduce``: its arguments."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from reprolib.cli import arguments as shared
from reprolib.rerun.records import folders

HELP = "rerun papers: records, tables, figures, report, scoreboard"
#: Said when a run ends early.
ADVICE = "Finished tasks are stored; the same command continues from them."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_papers(parser, "all")
    profile = parser.add_mutually_exclusive_group()
    profile.add_argument(
        "--quick",
        dest="profile",
        action="store_const",
        const="quick",
        help="a first look: few trials of every table, one or two minutes a paper (default)",
    )
    full = profile.add_argument(
        "--full",
        dest="profile",
        action="store_const",
        const="full",
        help="the complete experiments of the papers%(minutes)s",
    )
    full.minutes = _Minutes()  # type: ignore[attr-defined]
    workers = parser.add_mutually_exclusive_group()
    shared.add_jobs(workers)
    workers.add_argument("--cluster", metavar="ADDRESS", help="scheduler of a dask cluster to use")
    parser.add_argument(
        "--embedded",
        action="store_true",
        help="use embedded data even where the real data are available",
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="TASKS",
        help="run these tasks only, and print ours beside committed and printed values: "
        "TABLE/DATASET/METHOD/TRIAL or its first parts, * for any letters; may be given several "
        "times",
    )
    parser.add_argument(
        "--fresh", action="store_true", help="run all tasks, whatever is stored of them"
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="say for every task why it was taken from the store or run",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="run nothing: say how many tasks, which data and how many minutes it takes",
    )
    parser.add_argument(
        "--output",
        type=Path,
        help="folder for results, tables, figures, report and the log of failures (default: "
        "build, with --only build/only; sound --full runs on real data are then also written to "
        "the checkout's results)",
    )
    parser.set_defaults(profile="quick")


class _Minutes:
    """Text of `_minutes`, read from the results only where the help is printed."""

    def __str__(self) -> str:
        return _minutes()


def _minutes() -> str:
    """Minutes of all full runs on two cores, as the committed tables of tasks tell; empty without.

    What is wrong with them or with their folder is said by the commands that need them.
    """
    try:
        paths = sorted(folders.committed_directory().glob("*/tasks.csv"))
        seconds = sum(float(line["seconds"]) for path in paths for line in _lines(path))
    except (OSError, ValueError, KeyError):
        return ""
    return f": {seconds / 120:.0f} minutes for all on two cores" if paths else ""


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def run(arguments: argparse.Namespace) -> int:
    """Check the arguments, and rerun."""
    arguments.papers = shared.chosen_papers(arguments.papers)
    shared.require_jobs(arguments.jobs)
    if not arguments.dry_run:
        shared.require_output_folder(arguments.output or shared.BUILD)
    if arguments.dry_run:
        from reprolib.cli import dry_run

        return dry_run.run(arguments)
    from reprolib.cli import reproduce

    return reproduce.run(arguments)
