"""``reprolib compare-methods``: which classifier on one's own table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from reprolib.cli import arguments as shared

HELP = "compare classifiers on your own table (CSV): what is decided and what is not"
#: Said when a run ends early.
ADVICE = "Finished trials are stored; the same command continues from them."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("data", type=Path, metavar="DATA.csv", help="one row an example")
    parser.add_argument("--target", required=True, metavar="COLUMN", help="column of the class")
    parser.add_argument(
        "--groups", metavar="COLUMN", help="column of a group that is never on both sides"
    )
    parser.add_argument("--drop", nargs="+", default=[], metavar="COLUMN", help="leave these out")
    parser.add_argument(
        "--methods", nargs="+", metavar="METHOD", help="keys of the study: svc, lda, mkpm"
    )
    parser.add_argument(
        "--estimator",
        action="append",
        default=[],
        metavar="MODULE:NAME",
        help="a scikit-learn classifier, beside --methods; importing its module runs it",
    )
    parser.add_argument("--reference", default="", help="compare the others with it")
    parser.add_argument("--trials", type=int, default=20, help="random splits (default: 20)")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw FILE.svg, .png or .pdf")
    shared.add_jobs(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare, and print the tables and the sentence.

    Raises
    ------
    ValueError
        If the file lacks a column, or an argument has an invalid value.
    OSError
        If a file cannot be read or written.
    """
    shared.require_jobs(arguments.jobs)
    import pandas as pd

    from reprolib import compare_methods
    from reprolib.cli.console import err, out, shown_progress
    from reprolib.rerun.verdicts.errors import require_trials

    require_trials(arguments.trials, "--trials")
    table = pd.read_csv(arguments.data)
    others = [c for c in (arguments.groups, *arguments.drop) if c]
    for column in (arguments.target, *others):
        if column not in table:
            known = ", ".join(map(str, table.columns))
            raise ValueError(f"{arguments.data} has no column {column!r}; it has {known}.")
    with shown_progress(err(), arguments.data.name) as progress:
        found = compare_methods(
            table.drop(columns=[arguments.target, *others]),
            table[arguments.target],
            table[arguments.groups] if arguments.groups else None,
            **_estimators(arguments),
            reference=arguments.reference,
            n_trials=arguments.trials,
            n_jobs=arguments.jobs,
            progress=progress,
        )
    for line in found.lines():
        out().print(line)
    if arguments.figure is not None:
        found.figure().savefig(arguments.figure)
    return 0


def _estimators(arguments: argparse.Namespace) -> dict[str, Any]:
    """Methods of the study and estimators of the user's, by name; nothing for the usual ones."""
    from reprolib.rerun.tasks.estimators import load_estimator, name_of

    own = {name_of(e): e for e in map(load_estimator, arguments.estimator)}
    named = {key: key for key in arguments.methods or ()}
    return {"estimators": {**named, **own}} if named or own else {}
