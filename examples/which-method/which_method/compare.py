"""``which-method compare``: which classifier on one's own table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from reprolib.rerun.tasks.estimators import load_estimator, name_of
from reprolib.rerun.verdicts.errors import require_trials
from which_method.own_data import compare_methods


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("data", type=Path, metavar="DATA.csv", help="one row an example")
    parser.add_argument("--target", required=True, metavar="COLUMN", help="column of the class")
    parser.add_argument(
        "--groups", metavar="COLUMN", help="column of a group that is never on both sides"
    )
    parser.add_argument("--drop", nargs="+", default=[], metavar="COLUMN", help="leave these out")
    parser.add_argument(
        "--methods", nargs="+", default=[], metavar="METHOD", help="of the study: svc, lda, mkpm"
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
    parser.add_argument(
        "--jobs", type=int, default=2, help="worker processes, -1 for all cores (default: 2)"
    )


def run(options: argparse.Namespace) -> None:
    """Compare, and print the tables and the sentence.

    Raises
    ------
    ValueError
        If the file lacks a column, or an argument has an invalid value.
    OSError
        If a file cannot be read or written.
    """
    require_trials(options.trials, "--trials")
    if options.jobs == 0:
        raise ValueError("--jobs is 0; give a number of worker processes, or -1 for all cores")
    table = pd.read_csv(options.data)
    others = [column for column in (options.groups, *options.drop) if column]
    for column in (options.target, *others):
        if column not in table:
            known = ", ".join(map(str, table.columns))
            raise ValueError(f"{options.data} has no column {column!r}; it has {known}.")
    own = {name_of(e): e for e in map(load_estimator, options.estimator)}
    named: dict[str, Any] = {**{key: key for key in options.methods}, **own}
    found = compare_methods(
        table.drop(columns=[options.target, *others]),
        table[options.target],
        table[options.groups] if options.groups else None,
        **({"estimators": named} if named else {}),
        reference=options.reference,
        n_trials=options.trials,
        n_jobs=options.jobs,
        progress=_say,
    )
    print(*found.lines(), sep="\n")
    if options.figure is not None:
        found.figure().savefig(options.figure)


def _say(done: int, total: int) -> None:
    """Ten lines, whatever the number of fits."""
    if done * 10 // total > (done - 1) * 10 // total:
        print(f"{done} of {total} fits", file=sys.stderr)
