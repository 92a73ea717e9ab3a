"""``reprolib bench``: the speed comparisons of the project's ``benchmarks`` folder."""

from __future__ import annotations

import argparse
import runpy

from reprolib.rerun.records.folders import project_folder
from reprolib.rerun.records.registry import resolved

HELP = "run a speed comparison against named peers"
FOLDER = project_folder("benchmarks")


def names() -> list[str]:
    """Benchmarks of the project, by the names of their files."""
    return sorted(path.stem for path in FOLDER.glob("*.py"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("name", metavar="NAME", help=", ".join(names()))
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="passed on to the benchmark")


def run(arguments: argparse.Namespace) -> int:
    """Run a benchmark script with its own arguments.

    Raises
    ------
    ValueError
        If there is no benchmark of that name.
    FileNotFoundError
        If the package has none.
    """
    if not FOLDER.is_dir():
        raise FileNotFoundError(
            f"{FOLDER} does not exist; install reprolib from a wheel or from its checkout"
        )
    name = resolved("benchmark", arguments.name, names())
    main = runpy.run_path(str(FOLDER / f"{name}.py"))["main"]
    return main(arguments.arguments) or 0
