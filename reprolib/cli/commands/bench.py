"""``reprolib bench``: the speed comparisons of the checkout's ``benchmarks`` folder."""

from __future__ import annotations

import argparse
import runpy
from pathlib import Path

from reprolib.rerun.names import resolved

HELP = "run a speed comparison against named peers"
FOLDER = Path(__file__).resolve().parents[3] / "benchmarks"


def names() -> list[str]:
    """Benchmarks of the checkout, by the names of their files; none in an installed package."""
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
        If the package is installed without its checkout.
    """
    if not FOLDER.is_dir():
        raise FileNotFoundError(f"{FOLDER} does not exist: benchmarks need the project's checkout")
    name = resolved("benchmark", arguments.name, names())
    main = runpy.run_path(str(FOLDER / f"{name}.py"))["main"]
    return main(arguments.arguments) or 0
