"""``reprolib verify``: whether the committed records are still reproduced."""

from __future__ import annotations

from datetime import UTC, datetime

from rich.console import Console

from reprolib.cli import console
from reprolib.cli.progress import shown_progress
from reprolib.cli.publication import require_results_of
from reprolib.rerun.checks.verify import (
    TOLERANCE,
    Verification,
    check_fraction,
    nights,
    verify_paper,
)
from reprolib.rerun.records.folders import committed_directory
from reprolib.rerun.records.registry import PAPERS, STUDIES

KNOWN = PAPERS + STUDIES


def run(arguments) -> int:
    """Recompute a random part of the committed records of papers, and say what differs.

    Returns
    -------
    int
        1 if a record differs, or fewer were recomputed than were drawn, else 0.

    Raises
    ------
    ValueError
        If ``--fraction`` is out of range.
    FileNotFoundError
        If there are no results of a paper.
    """
    check_fraction(arguments.fraction, "--fraction")
    folders = {arguments.results} if arguments.results else {*map(committed_directory, KNOWN)}
    there = {path.parent.name for folder in folders for path in folder.glob("*/*.csv")}
    papers = arguments.papers or sorted(there)
    require_results_of(papers, arguments.results)
    seed = datetime.now(UTC).toordinal() if arguments.seed is None else arguments.seed
    out, err = console.out(), console.err()
    out.print(
        f"Recomputing {arguments.fraction:.3g} of the tasks of every table from scratch; "
        f"{nights(arguments.fraction)} days in a row recompute every task once. Relative tolerance "
        f"{TOLERANCE:g}. The same choice again: --seed {seed}"
    )
    failed = False
    for paper in papers:
        if not arguments.papers and paper not in KNOWN:
            out.print(f"{paper}: not checked, there is no protocol of that name")
            continue
        with shown_progress(err, paper) as progress:
            outcome = verify_paper(
                paper,
                fraction=arguments.fraction,
                seed=seed,
                directory=arguments.results,
                n_jobs=arguments.jobs,
                progress=progress,
            )
        _say(out, outcome)
        failed |= bool(outcome.differences)
        failed |= outcome.coverage < 1 and not arguments.missing_data
    return 1 if failed else 0


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
