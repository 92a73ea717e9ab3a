"""``reprolib run``: one's own estimator in a paper's table."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from reprolib.cli import arguments as shared

HELP = "run your scikit-learn estimator in a paper's table: its row beside printed and ours"
#: Said when a run ends early.
ADVICE = "Finished trials are stored; the same command continues from them."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "--estimator",
        required=True,
        metavar="MODULE:NAME",
        help="class, function or object in a module: my_module:MyClassifier, "
        "path/to/my_module.py:make, sklearn.neighbors:KNeighborsClassifier; importing it runs it",
    )
    parser.add_argument(
        "--on", required=True, metavar="PAPER/TABLE", help="kpm/table2, mkpm/table1"
    )
    parser.add_argument(
        "--grid", metavar="JSON", help="values to choose from: '{\"n_neighbors\": [1, 5, 15]}'"
    )
    parser.add_argument("--name", default="", help="what it is called in tables (default: class)")
    parser.add_argument(
        "--dataset",
        action="append",
        default=[],
        metavar="NAME",
        help="on this data set only, * for any letters; may be given several times",
    )
    parser.add_argument("--trials", type=int, metavar="N", help="at most N trials of every row")
    parser.add_argument(
        "--quick",
        dest="profile",
        action="store_const",
        const="quick",
        default="full",
        help="the few trials of the quick profile",
    )
    parser.add_argument("--embedded", action="store_true", help="use embedded data")
    shared.add_jobs(parser)
    parser.add_argument(
        "--output",
        type=Path,
        default=shared.BUILD / "mine",
        help="folder for its records, apart from all results (default: build/mine)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run it, print its row, and write its records.

    Raises
    ------
    ValueError
        If an argument has an invalid value.
    """
    shared.require_jobs(arguments.jobs)
    shared.require_output_folder(arguments.output)
    paper, _, table = arguments.on.partition("/")
    if not table:
        raise ValueError(f"--on is {arguments.on!r}; give PAPER/TABLE, such as kpm/table2.")
    try:
        grid = None if arguments.grid is None else json.loads(arguments.grid)
    except ValueError as error:
        raise ValueError(
            f"--grid is no JSON ({error}); give {{'name': [values]}} in it."
        ) from error
    if grid is not None and not (
        isinstance(grid, dict) and all(isinstance(values, list) for values in grid.values())
    ):
        raise ValueError(
            f'--grid is {arguments.grid}; give lists by name: {{"n_neighbors": [1, 5, 15]}}.'
        )
    from reprolib.cli.console import err, out, shown_progress
    from reprolib.rerun.checks.evaluate import evaluate
    from reprolib.rerun.tasks.estimators import load_estimator

    estimator = load_estimator(arguments.estimator)
    with shown_progress(err(), arguments.on) as progress:
        found = evaluate(
            estimator,
            paper,
            table,
            grid=grid,
            name=arguments.name,
            datasets=arguments.dataset,
            trials=arguments.trials,
            profile=arguments.profile,
            embedded=arguments.embedded,
            n_jobs=arguments.jobs,
            progress=progress,
        )
    for line in (*found.lines(), f"Records: {found.write(arguments.output).parent}"):
        out().print(line)
    return 0
