"""``reprolib renew-notebooks``: its arguments."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "execute notebooks in place, as they are committed: outputs without timings"
FOLDER = Path("notebooks")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "notebooks", nargs="*", type=Path, metavar="FILE", help="(default: notebooks/*.ipynb)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Check that the files are there, and execute them.

    Raises
    ------
    FileNotFoundError
        If a notebook does not exist, or there are none.
    ValueError
        If the packages that execute notebooks are not installed.
    """
    paths = arguments.notebooks or sorted(FOLDER.glob("*.ipynb"))
    if not paths:
        raise FileNotFoundError(f"there are no notebooks in {FOLDER.resolve()}")
    for path in paths:
        if not path.is_file():
            raise FileNotFoundError(f"notebook {path} does not exist")
    try:
        from reprolib.cli import renew_notebooks
    except ImportError as error:
        raise ValueError(
            f"renew-notebooks needs {error.name}: install reprolib with its extra `test`"
        ) from error
    return renew_notebooks.run(paths)
