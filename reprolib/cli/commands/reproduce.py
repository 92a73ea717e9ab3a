"""``reprolib reproduce``: from data to records, tables, figures, report and verdicts."""

from __future__ import annotations

import argparse
import textwrap
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reprolib.cli import arguments as shared
from reprolib.cli import console
from reprolib.cli.arguments import BUILD, SITE
from reprolib.cli.failures import FailureLog
from reprolib.rerun.records import registry
from reprolib.rerun.records.duration import Minutes, minutes_text
from reprolib.rerun.records.registry import PAPERS

if TYPE_CHECKING:
    from rich.console import Console

    from data_fetch.errors import DataUnavailableError
    from reprolib.rerun.records.task import Protocol
    from reprolib.rerun.tasks.runner import Run
    from reprolib.rerun.tasks.selection import Only

HELP = "rerun papers: records, tables, figures, report, counts of the verdicts"
#: Said when a run ends early.
ADVICE = "Finished tasks are stored; the same command continues from them."
#: Letters of what differs in a record; a path has hundreds of numbers.
WIDTH = 60
#: Records of selected tasks that are listed one by one; of more, those that differ.
MOST = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_papers(parser, "all")
    profile = parser.add_mutually_exclusive_group()
    profile.add_argument(
        "--quick",
        dest="profile",
        action="store_const",
        const="quick",
        help="a first look: few trials of every table, one or two minutes a paper (default)",
    )
    full = profile.add_argument(
        "--full",
        dest="profile",
        action="store_const",
        const="full",
        help="the complete experiments of the papers%(minutes)s",
    )
    full.minutes = Minutes()  # type: ignore[attr-defined]
    shared.add_jobs(parser)
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="run the tasks on the workers of this dask scheduler, as in tcp://127.0.0.1:8786, "
        "in place of --jobs",
    )
    parser.add_argument(
        "--embedded",
        action="store_true",
        help="use drawn or bundled data even where the real data are available",
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="TASKS",
        help="run only these tasks, then print ours, committed and printed values: "
        "TABLE/DATASET/METHOD/TRIAL or its first parts, * for any letters; may be given several "
        "times",
    )
    parser.add_argument(
        "--fresh", action="store_true", help="run every task again, also those with stored results"
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="say for every task why it was taken from the store or run",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="run nothing; say how many tasks and minutes a run takes, and which data",
    )
    parser.add_argument(
        "--output",
        type=Path,
        help="folder for results, tables, figures, report and the log of failures (default: "
        "build, or build/only with --only; without --output and --only, a --full run on real data "
        "without failures also replaces the checkout's results)",
    )
    parser.set_defaults(profile="quick")


def run(arguments: argparse.Namespace) -> int:
    """Check the arguments, and rerun, or say what would be run."""
    arguments.papers = shared.chosen_papers(arguments.papers) or list(PAPERS)
    shared.require_jobs(arguments.jobs)
    if arguments.dry_run:
        arguments.advice = ""
        return dry_run(arguments)
    shared.require_output_folder(arguments.output or BUILD)
    if arguments.scheduler is None:
        return rerun(arguments)
    from reprolib.rerun.tasks.cluster import connected

    with connected(arguments.scheduler):
        return rerun(arguments)


def dry_run(arguments: argparse.Namespace) -> int:
    """Check the papers' names, and print tasks, data and minutes of each, and of all."""
    import data_fetch
    from reprolib.rerun.checks.check import require_sound
    from reprolib.rerun.tasks.plan import plan
    from reprolib.rerun.tasks.selection import Only, require_used

    require_sound(arguments.papers)
    warn_of_broken(arguments.papers)
    out = console.out()
    only = Only(arguments.only) if arguments.only else None
    seconds, used = [], set[str]()
    for paper in arguments.papers:
        found = plan(paper, arguments.profile, embedded=arguments.embedded, only=only)
        used.update(found.used)
        if only is not None and not found.n_tasks:
            continue
        seconds.append(found.seconds)
        out.print(
            f"{paper}, {arguments.profile} profile: {found.n_tasks} tasks, {found.n_stored} of "
            f"them finished and stored; {minutes_text(found.seconds, arguments.jobs)}"
        )
        if found.at_hand:
            out.print(f"  data: {', '.join(found.at_hand)}")
        for name, count in found.to_fetch.items():
            others = ", ".join(data_fetch.counterparts(name)) or "nothing"
            out.print(f"  to be fetched: {name}, for {count} tasks (otherwise {others} stands in)")
        if found.note:
            out.print(f"  {found.note}")
    if len(seconds) > 1:
        out.print(f"all: {minutes_text(sum(seconds), arguments.jobs)}")
    if only is not None:
        require_used(only, used, arguments.papers)
    return 0


def rerun(arguments: argparse.Namespace) -> int:
    """Rerun papers.

    Returns
    -------
    int
        1 if a task, a stage or a figure failed (the others are stored, and shown), else 0.
    """
    from reprolib.rerun.checks.check import require_sound
    from reprolib.rerun.records.task import get_protocol
    from reprolib.rerun.tasks.selection import Only, require_used, tasks_of

    require_sound(arguments.papers)
    warn_of_broken(arguments.papers)
    protocols = [get_protocol(paper) for paper in arguments.papers]
    only = Only(arguments.only) if arguments.only else None
    output = arguments.output or (BUILD if only is None else BUILD / "only")
    log = FailureLog(console.err(), output / "failures.log")
    write = _write_all if only is None else _write_selected
    used: set[str] = set()

    def noted() -> Iterator[Run]:
        for run in outcomes(protocols, arguments, only, log):
            if only is not None:
                used.update(only.used(tasks_of(run.paper, run.tasks)))
            yield run

    write(noted(), arguments, output, log)
    if only is not None and not log.n_failures:
        require_used(only, used, arguments.papers)
    return 1 if log.n_failures else 0


def warn_of_broken(papers: Sequence[str]) -> None:
    """Say whose committed results have faults: a run goes on without them."""
    from reprolib.rerun.records.folder import folder_faults, mending, shortened

    for paper in papers:
        if faults := folder_faults(paper):
            lines = [*map(str, shortened(faults)), *mending(paper, faults)]
            head = f"The committed results of {paper} are left out:"
            console.err().print(console.headed(head, "\n  ".join(["", *lines]), "bold yellow"))


def outcomes(
    protocols: Sequence[Protocol],
    arguments: argparse.Namespace,
    only: Only | None,
    log: FailureLog,
) -> Iterator[Run]:
    """Yield the run of every protocol whose stages could list their tasks; say which could not.

    Raises
    ------
    ValueError
        If ``only`` selects no task of any protocol.
    """
    from reprolib.rerun.tasks.runner import StageError, run_protocol
    from reprolib.rerun.tasks.selection import NothingSelectedError, unknown_part
    from reprolib.rerun.tasks.worker import LocalWorkers

    without: list[NothingSelectedError] = []
    for protocol in protocols:
        try:
            with console.shown_progress(log.console, protocol.paper) as progress:
                outcome = run_protocol(
                    protocol,
                    arguments.profile,
                    embedded=arguments.embedded,
                    workers=LocalWorkers(arguments.jobs),
                    only=only,
                    fresh=arguments.fresh,
                    progress=progress,
                    failed=log,
                )
        except StageError as error:
            log.say(str(error), traceback.format_exc())
            continue
        except NothingSelectedError as error:
            without.append(error)
            continue
        if outcome.substituted:
            names = ", ".join(outcome.substituted)
            message = (
                "these data are not available. Numbers made on embedded data are marked so and "
                "are no reproduction."
            )
            head = f"Embedded data stand in for {names}:"
            log.console.print(console.headed(head, message, "bold yellow"))
        if arguments.explain:
            for task, why in outcome.explained.items():
                log.console.print(f"{task}: {why}")
        reasons = Counter(why.reason for why in outcome.explained.values())
        counted = "; ".join(f"{n} {reason}" for reason, n in reasons.most_common())
        log.console.print(f"{outcome.paper}: {counted}")
        log.console.print(outcome.sizes())
        yield outcome
    if len(without) == len(protocols):
        papers = [protocol.paper for protocol in protocols]
        raise ValueError(unknown_part(arguments.only, papers) or str(without[0]))


def _write_all(
    runs: Iterator[Run], arguments: argparse.Namespace, output: Path, log: FailureLog
) -> None:
    """Write tables, figures and report; print the counts of verdicts."""
    from reprolib.report import paper_figures, printed_tables
    from reprolib.report.page import write_report
    from reprolib.rerun.verdicts import numbers

    out = console.out()
    finished: list[str] = []
    substituted: dict[str, DataUnavailableError] = {}
    for outcome in runs:
        finished.append(outcome.paper)
        substituted |= outcome.substituted
        log.console.print(f"wrote {outcome.write(output / 'results')}")
        show_paper(outcome, arguments, output, log)
        if arguments.profile == "full" and arguments.output is None:
            publish(log.console, outcome)
    report = write_report(
        finished,
        output / "results",
        output / "report.html",
        title=f"reprolib: {arguments.profile} run of {', '.join(p.upper() for p in finished)}",
        site=SITE,
    )
    if printed := [paper for paper in finished if numbers(paper)]:
        print_scoreboard(out, printed, output / "results", arguments)
        out.print(f"Tables: {(output / 'tables').resolve()} ({', '.join(printed_tables.FORMATS)})")
    print_missing(out, substituted)
    out.print(f"Figures: {(output / 'figures').resolve()} ({', '.join(paper_figures.FORMATS)})")
    out.print(f"Report: {report.resolve()}")


def show_paper(outcome: Run, arguments: argparse.Namespace, output: Path, log: FailureLog) -> None:
    """Write figures and printed tables of a run, and print the tables."""
    from reprolib.cli.table_text import print_claims, print_table
    from reprolib.report.written import write_paper
    from reprolib.rerun.verdicts import judge_claims

    embedded = " --embedded" if arguments.embedded else ""
    command = f"reprolib reproduce {outcome.paper} --{arguments.profile}{embedded}"
    tables, fault = write_paper(outcome.paper, outcome.records, output, command)
    if fault:
        log.say(f"the figures of {outcome.paper} cannot be drawn", fault)
    for table in tables:
        print_table(console.out(), table)
    if tables:
        print_claims(console.out(), judge_claims(outcome.paper, output / "results"))


def print_scoreboard(
    out: Console, papers: Sequence[str], results: Path, arguments: argparse.Namespace
) -> None:
    """Print the counts of verdicts of this run, and of the committed full results."""
    from reprolib.report.tables import scoreboard
    from reprolib.rerun.records.folder import committed_results, folder_faults

    out.print(f"\nVerdicts of this run ({arguments.profile} profile)", style="bold")
    out.print(scoreboard(papers, results).to_string())
    committed = registry.committed_directory(papers[0])
    is_of_run = results.resolve() == committed.resolve()
    whole = [p for p in papers if (committed / p).exists() and not folder_faults(p)]
    if whole and not is_of_run:
        out.print("\nVerdicts of the committed full results", style="bold")
        out.print(scoreboard(whole).to_string())
        if arguments.profile != "full":
            seconds = sum(committed_results(paper).tasks["seconds"].sum() for paper in whole)
            out.print(
                f"\nThe {arguments.profile} profile has few trials, too few to decide most "
                f"numbers; `--full` ({minutes_text(seconds, arguments.jobs)}) has all.",
                soft_wrap=not out.is_terminal,
            )
    out.print()


def print_missing(out: Console, substituted: Mapping[str, DataUnavailableError]) -> None:
    """Print one line for every data set that is not at hand: why, and what may bring it."""
    from data_fetch.errors import missing_table

    if substituted:
        rows = missing_table(substituted)
        width = max(len(row.name) for row in rows)
        out.print("\nNot at hand, so these were run on embedded data or left out:", style="bold")
        for row in rows:
            out.print(f"  {row.name:{width}}  {row.command}  ({row.why})")


def _write_selected(
    runs: Iterator[Run], arguments: argparse.Namespace, output: Path, log: FailureLog
) -> None:
    """Write the records of selected tasks; print them beside committed and printed values."""
    from reprolib.cli.table_text import left_aligned, print_numbers, print_readings
    from reprolib.rerun.checks.compare import beside_committed
    from reprolib.rerun.verdicts import judge_paper

    out = console.out()
    for outcome in runs:
        log.console.print(f"wrote {outcome.write(output / 'results')}")
        frame = beside_committed(outcome.paper, outcome.records)
        equal = frame["result"] == "equal"
        listed = frame if len(frame) <= MOST else frame[~equal]
        if len(listed):
            short = [textwrap.shorten(t, WIDTH, placeholder=" …") for t in listed["result"]]
            out.print(left_aligned(listed.assign(result=short)))
            if listed["printed"].notna().any():
                out.print("Printed: over all trials of the paper, in the unit of the records.")
        n_tasks = frame["task"].nunique()
        out.print(
            f"{equal.sum()} of {len(frame)} records equal the committed ones "
            f"({n_tasks} task{'s' * (n_tasks != 1)})."
        )
        judged = judge_paper(outcome.paper, output / "results")
        print_numbers(out, [v for v in judged if v.n_trials])
        print_readings(out, judged)
    out.print(f"\nRecords: {(output / 'results').resolve()}")


def publish(err: Console, outcome: Run) -> None:
    """Replace the committed results of a paper, if all records are sound and on real data."""
    directory = registry.committed_directory(outcome.paper)
    if outcome.unfit:
        err.print(f"{directory / outcome.paper} is left as it is: {outcome.unfit}")
    else:
        err.print(f"wrote {outcome.write(directory)}")
