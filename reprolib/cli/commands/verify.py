"""``reprolib verify``: whether the committed records are still reproduced."""

from __future__ import annotations

import argparse
import textwrap
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from reprolib.cli import arguments as shared
from reprolib.rerun.records.registry import PAPERS, committed_directory

if TYPE_CHECKING:
    from rich.console import Console

    from reprolib.rerun.checks.compare import RunDifference
    from reprolib.rerun.checks.verify import Verification

HELP = "recompute a random part of the committed records, or compare them with a run's"
#: Differing records of a paper that are listed, and letters of each (a path has many numbers).
LISTED, WIDTH = 50, 160
#: Most digits after the point that are shown to see how two values differ.
MOST_DIGITS = 12


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
    parser.add_argument(
        "--against",
        type=Path,
        metavar="FOLDER",
        help="recompute nothing: say which records and verdicts a run changed. FOLDER is the one "
        "that was given to `reproduce --output` (build, if none was given)",
    )
    parser.add_argument(
        "--why",
        nargs="?",
        const="",
        metavar="TASKS",
        help="recompute nothing: say what changed in the code since the records were made, by "
        "table and method; with TASKS (TABLE/DATASET/METHOD or its first parts) for single numbers",
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="TASKS",
        help="draw from these tasks only, named as in `reproduce --only`",
    )
    parser.add_argument(
        "--stamp",
        action="store_true",
        help="have the records name the code here where it is proved to give them: the tasks were "
        "recomputed and agree, or nothing that they reach has changed",
    )
    shared.add_jobs(parser)
    shared.add_results_folder(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare committed records with recomputed ones or with those of a run, and say what differs.

    Returns
    -------
    int
        1 if a record differs, or fewer were recomputed than were drawn, else 0.

    Raises
    ------
    ValueError
        If ``--fraction`` is out of range, or there is no paper of a name.
    OSError
        If there are no results of a paper, or none of a run in the folder of ``--against``.
    """
    arguments.papers = shared.chosen_papers(arguments.papers)
    shared.require_jobs(arguments.jobs)
    shared.require_results(arguments.results)
    if arguments.why is not None:
        return _say_why(arguments)
    return _recompute(arguments) if arguments.against is None else _compare(arguments)


def _say_why(arguments: argparse.Namespace) -> int:
    from reprolib.cli.console import out
    from reprolib.rerun.checks.why import changes, told
    from reprolib.rerun.tasks.selection import Only

    papers = shared.chosen_with_whole_results(arguments.papers, PAPERS, arguments.results)
    only = Only([arguments.why]) if arguments.why else None
    found = {paper: changes(paper, arguments.results, only) for paper in papers}
    if only is not None and not any(found.values()):
        raise ValueError(f"--why {arguments.why!r} selects no task of {', '.join(papers)}")
    for paper, lines in found.items():
        for line in lines:
            out().print(f"{paper}, {told(*line, everything=only is not None)}", soft_wrap=True)
    return 0


def _recompute(arguments: argparse.Namespace) -> int:
    from reprolib.cli.console import err, out, shown_progress
    from reprolib.rerun.checks import verify
    from reprolib.rerun.checks.compare import TOLERANCE
    from reprolib.rerun.checks.why import stamp
    from reprolib.rerun.records.provenance import commit_of
    from reprolib.rerun.records.task import get_protocol
    from reprolib.rerun.tasks.selection import Only

    verify.check_fraction(arguments.fraction, "--fraction")
    # Without a name all that has results, also what has no protocol here.
    known = map(committed_directory, PAPERS)
    folders = {arguments.results} if arguments.results else set(known)
    found = {path.parent.name for folder in folders for path in folder.glob("[!.]*/*")}
    papers = shared.chosen_with_results(arguments.papers, sorted(found), arguments.results)
    seed = datetime.now(UTC).toordinal() if arguments.seed is None else arguments.seed
    out().print(
        f"Recomputing {arguments.fraction:.3g} of the tasks of every table from scratch; "
        f"{verify.nights(arguments.fraction)} days in a row recompute every task once. "
        f"Relative tolerance {TOLERANCE:g}. The same choice again: --seed {seed}"
    )
    only = Only(arguments.only) if arguments.only else None
    failed = False
    for paper in papers:
        if not arguments.papers and paper not in PAPERS:
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
                only=only,
            )
        _say_recomputed(out(), outcome)
        if arguments.stamp:
            names = (paper, get_protocol(paper), outcome.proved, commit_of(paper))
            n_stamped = stamp(*names, arguments.results)
            out().print(f"  {n_stamped} tasks name the code here now")
        failed |= bool(outcome.differences)
        failed |= outcome.coverage < 1 and not arguments.missing_data
    return 1 if failed else 0


def _say_recomputed(out: Console, outcome: Verification) -> None:
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
    for line in outcome.mending:
        out.print(f"  {line}")
    if outcome.differences:
        for package, (then, now) in outcome.other_versions.items():
            out.print(f"  made with {package} {then}, here it is {now}, which may be why")


def _compare(arguments: argparse.Namespace) -> int:
    from reprolib.cli.console import out
    from reprolib.rerun.checks.compare import run_difference

    inside = arguments.against / "results"
    folder = inside if inside.is_dir() else arguments.against
    from reprolib.rerun.records.folder import require_whole

    papers = shared.with_results(arguments.papers or PAPERS, folder)
    lost = [key for key in arguments.papers if key not in papers]
    if lost or not papers:
        of_papers = f" of {', '.join(lost)}" if lost else ""
        raise FileNotFoundError(
            f"--against is {arguments.against}, which has no results{of_papers}; "
            f"`reprolib reproduce --full --output {arguments.against}` makes some"
        )
    differing = False
    for paper in papers:
        require_whole(paper, folder)
        require_whole(paper, arguments.results)
        found = run_difference(paper, folder, arguments.results)
        if found is not None:
            _say_difference(out(), found)
            differing |= bool(found.differing)
    return 1 if differing else 0


def _say_difference(out: Console, found: RunDifference) -> None:
    from reprolib.report.tables import number_text
    from reprolib.rerun.records.task import HEADLINE

    counts = {
        "agree": found.n_agree,
        "differ": len(found.differing),
        "differ as their data are of another source": found.n_on_other_data,
        "are new": sum(found.new.values()),
        "are missing": sum(found.missing.values()),
    }
    said = ", ".join(f"{n} {what}" for what, n in counts.items() if n or what == "agree")
    out.print(f"{found.paper}, {found.profile} profile: of its records {said}")
    for name, sources in found.data.items():
        out.print("  data {}: committed {}, now {}".format(name, *sources))
    for what, tables in {"new": found.new, "missing": found.missing}.items():
        if tables:
            out.print(f"  {what}: {', '.join(f'{n} of {table}' for table, n in tables.items())}")
    for then, now in found.verdicts:
        number = then.number
        # With as many digits as show how the values differ.
        for digits in range(number.digits, MOST_DIGITS):
            values = [number_text(v.ours, v.spread, digits) for v in (then, now)]
            if values[0] != values[1] or then.ours == now.ours:
                break
        words = [v.word if v.reading == HEADLINE else f"{v.word}: {v.reading}" for v in (then, now)]
        printed = number_text(number.value, number.spread, number.digits)
        out.print(
            f"  moved: {number.id}, printed {printed}: committed {values[0]} ({words[0]}), "
            f"now {values[1]} ({words[1]})"
        )
    if found.not_run:
        some = found.not_run[0].number.id
        out.print(f"  printed numbers without a record: {len(found.not_run)}, such as {some}")
    for name, what in list(found.differing.items())[:LISTED]:
        out.print(f"  differs: {textwrap.shorten(f'{name}: {what}', WIDTH, placeholder=' …')}")
    if len(found.differing) > LISTED:
        out.print(f"  and {len(found.differing) - LISTED} more differ")
