"""Command line: data, reproduce, verify, report, bench."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from data_fetch.cli import add_data_commands
from reprolib import __version__
from reprolib.cli import bench, readme, report, reproduce, verify
from reprolib.cli.console import err, headed
from reprolib.rerun.folders import committed_directory
from reprolib.rerun.registry import PAPERS, STUDIES

BUILD = Path("build")


def build_parser() -> argparse.ArgumentParser:
    """Parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="reprolib", description="Rerun five papers on kernel methods, number by number."
    )
    parser.add_argument("--version", action="version", version=f"reprolib {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_data_commands(commands)
    _add_reproduce(commands)
    _add_verify(commands)
    _add_report(commands)
    _add_bench(commands)
    sub = commands.add_parser("readme", help="rewrite the scoreboard in README.md from results/")
    sub.add_argument("--file", type=Path, default=Path("README.md"))
    sub.set_defaults(run=readme.run)
    return parser


def _add_reproduce(commands) -> None:
    sub = commands.add_parser(
        "reproduce", help="rerun papers: records, tables, figures, report, scoreboard"
    )
    sub.add_argument(
        "papers",
        nargs="*",
        metavar="PAPER",
        help=f"{', '.join([*PAPERS, *STUDIES])} (default: all)",
    )
    profile = sub.add_mutually_exclusive_group()
    profile.add_argument("--quick", dest="profile", action="store_const", const="quick")
    profile.add_argument("--full", dest="profile", action="store_const", const="full")
    workers = sub.add_mutually_exclusive_group()
    workers.add_argument("--jobs", type=int, default=2, help="worker processes (default: 2)")
    workers.add_argument("--cluster", metavar="ADDRESS", help="scheduler of a dask cluster to use")
    sub.add_argument(
        "--embedded", action="store_true", help="use embedded data even where real data can be had"
    )
    sub.add_argument(
        "--output",
        type=Path,
        help="results folder (default: build/results; sound --full runs on real data are also "
        "written to the checkout's results)",
    )
    sub.set_defaults(run=reproduce.run, profile="quick", build=BUILD)


def _add_verify(commands) -> None:
    sub = commands.add_parser(
        "verify", help="recompute a random part of the committed records, and compare"
    )
    sub.add_argument("papers", nargs="*", metavar="PAPER", help="(default: all with results)")
    sub.add_argument("--fraction", type=float, default=0.02, help="part of the tasks (0.02)")
    sub.add_argument("--seed", type=int, help="of the choice of tasks (default: today's date)")
    sub.add_argument("--jobs", type=int, default=2, help="worker processes (default: 2)")
    _add_results_folder(sub)
    sub.set_defaults(run=verify.run)


def _add_report(commands) -> None:
    sub = commands.add_parser("report", help="write the HTML report on the committed results")
    _add_results_folder(sub)
    sub.add_argument(
        "--output",
        type=Path,
        default=BUILD / "report.html",
        help="page to write (default: build/report.html)",
    )
    sub.add_argument(
        "--site",
        type=Path,
        default=BUILD / "docs",
        help="built documentation whose notebook pages are linked, if there (default: build/docs)",
    )
    sub.set_defaults(run=report.run)


def _add_results_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--results",
        type=Path,
        default=committed_directory(),
        help="results folder (default: the committed results)",
    )


def _add_bench(commands) -> None:
    sub = commands.add_parser("bench", help="run a speed comparison against named peers")
    sub.add_argument("name", metavar="NAME", help=", ".join(bench.names()))
    sub.add_argument("arguments", nargs=argparse.REMAINDER, help="passed on to the benchmark")
    sub.set_defaults(run=bench.run)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    console = err()
    try:
        arguments = build_parser().parse_args(argv)
        return arguments.run(arguments) or 0
    except KeyboardInterrupt:
        advice = "Finished tasks are stored; the same command goes on from here."
        console.print(headed("Interrupted.", advice))
        return 130
    except (ValueError, OSError) as error:
        console.print(headed("error:", str(error), "bold red"))
        return 2


if __name__ == "__main__":
    sys.exit(main())
