"""``reprolib verify``: whether the committed records are still reproduced."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reprolib.cli import arguments as shared
from reprolib.cli.results import require_results_of
from reprolib.rerun.records.folders import committed_directory
from reprolib.rerun.records.registry import PAPERS, STUDIES

if TYPE_CHECKING:
    from rich.console import Console

    from reprolib.rerun.checks.verify import Verification

HELP = "recompute a random part of the committed records, and compare"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_papers(parser, "all with results")
    parser.add_argument(
        "--fraction", type=float, default=0.02, help="part of the tasks (default: 0.02)"
    )
    parser.add_argument(
        "--seed",
        type=int,
        help="which part of the tasks (default: today's; the next number has the next part)",
    )
    parser.add_argument(
        "--missing-data",
        action="store_true",
        help="pass where records cannot be recomputed because their data are missing",
    )
    shared.add_jobs(parser)
    shared.add_results_folder(parser)


def run(arguments: argparse.Namespace) -> int:
    """Recompute a random part of the committed records of papers, and say what differs.

    Returns
    -------
    int
        1 if a record differs, or fewer were recomputed than were drawn, else 0.

    Raises
    ------
    ValueError
        If ``--fraction`` is out of range, or there is no paper of a name.
    FileNotFoundError
        If there are no results of a paper.
    """
    arguments.papers = shared.chosen_papers(arguments.papers)
    shared.require_jobs(arguments.jobs)
    shared.require_results(arguments.results)
    from reprolib.cli.console import err, out
    from reprolib.cli.progress import shown_progress
    from reprolib.rerun.checks import verify

    verify.check_fraction(arguments.fraction, "--fraction")
    papers = arguments.papers or _all_with_results(arguments.results)
    require_results_of(papers, arguments.results)
    seed = datetime.now(UTC).toordinal() if arguments.seed is None else arguments.seed
    out().print(
        f"Recomputing {arguments.fraction:.3g} of the tasks of every table from scratch; "
        f"{verify.nights(arguments.fraction)} days in a row recompute every task once. "
        f"Relative tolerance {verify.TOLERANCE:g}. The same choice again: --seed {seed}"
    )
    failed = False
    for paper in papers:
        if not arguments.papers and paper not in (*PAPERS, *STUDIES):
            out().print(f"{paper}: not checked, there is no protocol of that name")
            continue
        with shown_progress(err(), paper) as progress:
            outcome = verify.verify_paper(
                paper,
                fraction=arguments.fraction,
                seed=seed,
                directory=arguments.results,
                n_jobs=arguments.jobs,
                progress=progress,
            )
        _say(out(), outcome)
        failed |= bool(outcome.differences)
        failed |= outcome.coverage < 1 and not arguments.missing_data
    return 1 if failed else 0


def _all_with_results(directory: Path | None) -> list[str]:
    """Names of all folders with results, also of what has no protocol here."""
    known = map(committed_directory, (*PAPERS, *STUDIES))
    folders = {directory} if directory else set(known)
    paths = (path for folder in folders for path in folder.glob("*/*.csv.gz"))
    return sorted({path.parent.name for path in paths})


def _say(out: Console, outcome: Verification) -> None:
    if outcome.differences:
        verdict = f"{len(outcome.differences)} differ"
    else:
        verdict = "all agree" if outcome.n_checked else "nothing could be checked"
        if 0 < outcome.coverage < 1:
            verdict = "those that could be recomputed agree"
    drawn = f"{outcome.n_tasks} of {outcome.n_all_tasks} tasks, {100 * outcome.coverage:.0f} %"
    out.print(
        f"{outcome.paper}: {verdict}. {outcome.n_checked} of {outcome.n_committed} records "
        f"({drawn} of what was drawn) recomputed in {outcome.seconds:.1f} s; they took "
        f"{outcome.committed_seconds:.1f} s when they were made"
    )
    for what, why in outcome.unchecked.items():
        out.print(f"  not checked, {what}: {why}")
    for line in outcome.differences:
        out.print(f"  differs: {line}")
    if outcome.differences:
        for package, (then, now) in outcome.other_versions.items():
            out.print(f"  made with {package} {then}, here it is {now}, which may be why")
