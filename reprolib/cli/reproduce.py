"""``reprolib reproduce``: from data to scoreboard."""

from __future__ import annotations

import contextlib
import textwrap
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pandas as pd
from rich.console import Console

from data_fetch.advice import missing_table
from data_fetch.errors import DataUnavailableError
from reprolib.cli import console as consoles
from reprolib.cli.arguments import BUILD, SITE
from reprolib.cli.failures import FailureLog
from reprolib.cli.progress import shown_progress
from reprolib.cli.reproduced import show_paper
from reprolib.cli.table_text import left_aligned, print_numbers
from reprolib.report import tables
from reprolib.report.page import write_report
from reprolib.report.paper_figures import FORMATS as FIGURES
from reprolib.report.printed_tables import FORMATS as TABLES
from reprolib.rerun import records as results
from reprolib.rerun.checks.check import require_sound
from reprolib.rerun.checks.compare import beside_committed
from reprolib.rerun.records.folders import can_be_committed, committed_directory
from reprolib.rerun.records.registry import PAPERS, STUDIES, get_protocol
from reprolib.rerun.records.task import Protocol
from reprolib.rerun.tasks.local import LocalWorkers, Workers
from reprolib.rerun.tasks.runner import NothingSelectedError, Run, StageError, run_protocol
from reprolib.rerun.tasks.selection import Selection
from reprolib.rerun.verdicts import judge_paper

#: Letters of what differs in a record; a path has hundreds of numbers.
WIDTH = 60
#: Records of selected tasks that are listed one by one; of more, those that differ.
MOST = 50


def run(arguments) -> int:
    """Rerun papers and studies.

    Returns
    -------
    int
        1 if a task, a stage or a figure failed (the others are stored, and shown), else 0.
    """
    papers = arguments.papers or [*PAPERS, *STUDIES]
    require_sound(papers)
    protocols = [get_protocol(paper) for paper in papers]
    only = Selection(arguments.only) if arguments.only else None
    output = arguments.output or (BUILD if only is None else BUILD / "only")
    log = FailureLog(consoles.err(), output / "failures.log")
    write = _write_all if only is None else _write_selected
    write(outcomes(protocols, arguments, only, log), arguments, output, log)
    return 1 if log.n_failures else 0


def outcomes(protocols, arguments, only: Selection | None, log: FailureLog) -> Iterator[Run]:
    """Yield the run of every protocol whose stages could list their tasks; say which could not.

    Raises
    ------
    NothingSelectedError
        If ``only`` selects no task of any protocol.
    """
    without: list[NothingSelectedError] = []
    with _workers(arguments, [protocol.paper for protocol in protocols]) as workers:
        for protocol in protocols:
            try:
                yield _outcome(protocol, arguments, workers, only, log)
            except StageError as error:
                log.say(str(error), traceback.format_exc())
            except NothingSelectedError as error:
                without.append(error)
    if len(without) == len(protocols):
        raise without[0]


def _outcome(
    protocol: Protocol, arguments, workers: Workers, only: Selection | None, log: FailureLog
) -> Run:
    with shown_progress(log.console, protocol.paper) as progress:
        outcome = run_protocol(
            protocol,
            arguments.profile,
            embedded=arguments.embedded,
            workers=workers,
            only=only,
            fresh=arguments.fresh,
            progress=progress,
            failed=log,
        )
    _say_substitutions(log.console, outcome)
    _say_sources(log.console, outcome, each=arguments.explain)
    return outcome


def _say_sources(console: Console, outcome: Run, *, each: bool) -> None:
    """Say how many tasks were taken from the store and run; why each of them was, where asked."""
    if each:
        for task, why in outcome.explained.items():
            console.print(f"{task}: {why}", soft_wrap=True, highlight=False)
    reasons = Counter(why.reason for why in outcome.explained.values())
    counted = "; ".join(f"{n} {reason}" for reason, n in reasons.most_common())
    console.print(f"{outcome.paper}: {counted}", soft_wrap=True, highlight=False)


def _workers(arguments, papers: Sequence[str]) -> AbstractContextManager[Workers]:
    """Worker processes of this machine, or those of the cluster at an address."""
    if arguments.cluster is None:
        return contextlib.nullcontext(LocalWorkers(arguments.jobs))
    try:
        from reprolib.rerun.tasks.cluster import Cluster
    except ImportError as error:
        raise ValueError(
            f"--cluster needs {error.name}: install reprolib with its extra `cluster`"
        ) from error
    return Cluster(arguments.cluster, papers)


def _write_all(outcomes: Iterator[Run], arguments, output: Path, log: FailureLog) -> None:
    """Write tables, figures and report; print the scoreboard."""
    out, err = consoles.out(), consoles.err()
    finished: list[str] = []
    substituted: dict[str, DataUnavailableError] = {}
    for outcome in outcomes:
        finished.append(outcome.paper)
        substituted |= outcome.substituted
        write_tables(err, outcome, output / "results")
        show_paper(outcome.paper, outcome.records, arguments, output, log)
        if arguments.profile == "full" and arguments.output is None:
            publish(err, outcome)
    report = write_report(
        finished,
        output / "results",
        output / "report.html",
        title=f"reprolib: {arguments.profile} run of {', '.join(p.upper() for p in finished)}",
        site=SITE,
    )
    if printed := [paper for paper in finished if paper not in STUDIES]:
        print_scoreboard(out, printed, output / "results", arguments.profile)
        out.print(f"Tables: {(output / 'tables').resolve()} ({', '.join(TABLES)})")
    print_missing(out, substituted)
    out.print(f"Figures: {(output / 'figures').resolve()} ({', '.join(FIGURES)})")
    out.print(f"Report: {report.resolve()}")


def _write_selected(outcomes: Iterator[Run], arguments, output: Path, log: FailureLog) -> None:
    """Write the records of selected tasks; print them beside committed and printed values."""
    out = consoles.out()
    for outcome in outcomes:
        write_tables(consoles.err(), outcome, output / "results")
        _print_records(out, beside_committed(outcome.paper, outcome.records))
        if outcome.paper in PAPERS:
            judged = judge_paper(outcome.paper, output / "results")
            print_numbers(out, [v for v in judged if v.n_trials])
    out.print(f"\nRecords: {(output / 'results').resolve()}", soft_wrap=True)


def _print_records(out: Console, frame: pd.DataFrame) -> None:
    """Print records beside the committed ones: all of a few, else those that differ."""
    equal = frame["result"] == "equal"
    listed = frame if len(frame) <= MOST else frame[~equal]
    if len(listed):
        short = [textwrap.shorten(t, WIDTH, placeholder=" …") for t in listed["result"]]
        out.print(left_aligned(listed.assign(result=short)))
        if listed["printed"].notna().any():
            out.print("Printed: over all trials of the paper, in the unit of the records.")
    out.print(f"{equal.sum()} of {len(frame)} records equal the committed ones.")


def publish(err: Console, outcome: Run) -> None:
    """Replace the committed results of a paper, if all records are sound and on real data."""
    directory = committed_directory(outcome.paper)
    if reason := _why_not_published(outcome):
        kept = directory / outcome.paper
        err.print(f"{kept} is left as it is: {reason}")
    else:
        write_tables(err, outcome, directory)


def write_tables(err: Console, outcome: Run, directory: Path) -> None:
    """Write the records of a run, and say where.

    Raises
    ------
    OSError
        If the folder cannot be written to.
    """
    try:
        folder = directory / outcome.paper
        paths = results.write_results(outcome.records, folder, outcome.tasks, outcome.about)
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}; finished tasks are stored") from error
    for path in paths:
        err.print(f"wrote {path}")


def _why_not_published(outcome: Run) -> str:
    if not can_be_committed(outcome.paper):
        return "reprolib is not run from a checkout; name a folder in REPROLIB_RESULTS"
    if len(outcome.failures):
        return f"{len(outcome.failures)} records failed"
    if outcome.substituted:
        return f"embedded data stood in for {', '.join(outcome.substituted)}"
    if set(outcome.records["source"]) == {"embedded"}:
        return "this was a run on embedded data"
    return ""


def _say_substitutions(console: Console, outcome: Run) -> None:
    if not outcome.substituted:
        return
    names = ", ".join(outcome.substituted)
    message = (
        "these data are not available. Numbers made on embedded data are marked so and are no "
        "reproduction."
    )
    head = f"Embedded data stand in for {names}:"
    console.print(consoles.headed(head, message, "bold yellow"))


def print_missing(console: Console, substituted: Mapping[str, DataUnavailableError]) -> None:
    """Print one line for every data set that is not at hand: why, and what may bring it."""
    if not substituted:
        return
    rows = missing_table(substituted)
    width = max(len(row.name) for row in rows)
    console.print("\nNot at hand, so these were run on embedded data or left out:", style="bold")
    for row in rows:
        console.print(f"  {row.name:{width}}  {row.command}  ({row.why})", soft_wrap=True)


def print_scoreboard(console: Console, papers, directory: Path, profile: str) -> None:
    """Print the counts of verdicts of this run, and of the committed full results."""
    console.print(f"\nScoreboard of this run ({profile} profile)", style="bold")
    console.print(tables.scoreboard(papers, directory).to_string())
    committed = committed_directory(papers[0])
    if directory.resolve() != committed.resolve() and (committed / papers[0]).exists():
        console.print("\nScoreboard of the committed full results", style="bold")
        console.print(tables.scoreboard(papers).to_string())
    console.print()
