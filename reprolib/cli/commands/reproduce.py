"""``reprolib reproduce``: from data to records, tables, figures, report and verdicts."""

from __future__ import annotations

import argparse
import csv
import gzip
import math
import os
import textwrap
import traceback
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reprolib.cli import arguments as shared
from reprolib.cli import console
from reprolib.cli.arguments import BUILD, SITE
from reprolib.rerun.printed.names import nearest
from reprolib.rerun.records import registry
from reprolib.rerun.records.duration import minutes_of
from reprolib.rerun.records.registry import PAPERS

if TYPE_CHECKING:
    from rich.console import Console

    from data_fetch.errors import DataUnavailableError
    from reprolib.rerun.records.task import Protocol
    from reprolib.rerun.tasks.runner import Failure, Only, Run

HELP = "rerun papers: records, tables, figures, report, counts of the verdicts"
#: Said when a run ends early.
ADVICE = "Finished tasks are stored; the same command continues from them."
#: Letters of what differs in a record; a path has hundreds of numbers.
WIDTH = 60
#: Records of selected tasks that are listed one by one; of more, those that differ.
MOST = 50
#: Names that are listed where a part of --only is unknown.
NAMES = 20


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
    full.minutes = _Minutes()  # type: ignore[attr-defined]
    shared.add_jobs(parser)
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


class _Minutes:
    """Minutes of all full runs on two cores, read only where the help is printed.

    Empty without committed tables of tasks. What is wrong with them or with their folder is said by
    the commands that need them.
    """

    def __str__(self) -> str:
        seconds = 0.0
        try:
            for path in registry.committed_directory().glob("*/tasks.csv.gz"):
                with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
                    seconds += sum(float(line["seconds"]) for line in csv.DictReader(file))
        except (OSError, EOFError, zlib.error, csv.Error, ValueError, KeyError, TypeError):
            return ""
        return f": {minutes_of(seconds)} minutes for all on two cores" if seconds else ""


def run(arguments: argparse.Namespace) -> int:
    """Check the arguments, and rerun, or say what would be run."""
    arguments.papers = shared.chosen_papers(arguments.papers) or list(PAPERS)
    shared.require_jobs(arguments.jobs)
    if arguments.dry_run:
        arguments.advice = ""
        return dry_run(arguments)
    shared.require_output_folder(arguments.output or BUILD)
    return rerun(arguments)


def dry_run(arguments: argparse.Namespace) -> int:
    """Check the papers' names, and print tasks, data and minutes of each, and of all."""
    import data_fetch
    from reprolib.rerun.checks.check import require_sound
    from reprolib.rerun.records.task import get_protocol
    from reprolib.rerun.tasks.plan import plan
    from reprolib.rerun.tasks.runner import Only

    require_sound(arguments.papers)
    warn_of_broken(arguments.papers)
    out = console.out()
    only = Only(arguments.only) if arguments.only else None
    seconds, used = [], set[str]()
    for paper in arguments.papers:
        found = plan(get_protocol(paper), arguments.profile, embedded=arguments.embedded, only=only)
        used.update(found.used)
        if only is not None and not found.n_tasks:
            continue
        seconds.append(found.seconds)
        out.print(
            f"{paper}, {arguments.profile} profile: {found.n_tasks} tasks, {found.n_stored} of "
            f"them finished and stored; {minutes(found.seconds, arguments.jobs)}"
        )
        if found.at_hand:
            out.print(f"  data: {', '.join(found.at_hand)}")
        for name, count in found.to_fetch.items():
            others = ", ".join(data_fetch.counterparts(name)) or "nothing"
            out.print(f"  to be fetched: {name}, for {count} tasks (otherwise {others} stands in)")
        if found.note:
            out.print(f"  {found.note}")
    if len(seconds) > 1:
        out.print(f"all: {minutes(sum(seconds), arguments.jobs)}")
    if only is not None:
        require_used(only, used, arguments.papers)
    return 0


def require_used(only: Only, used: Collection[str], papers: Sequence[str]) -> None:
    """Raise ValueError if a pattern of ``--only`` selected no task, whatever others did."""
    for pattern in only.patterns:
        if pattern not in used:
            unknown = unknown_part([pattern], papers)
            raise ValueError(unknown or f"--only {pattern!r} selects no task on data at hand")


def minutes(seconds: float, n_jobs: int) -> str:
    """Time of tasks that take some seconds in all, on a number of worker processes."""
    if math.isnan(seconds):
        return "time unknown: there are no committed results"
    n = n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)
    number = minutes_of(seconds, n)
    workers = f"{n} worker{'s' * (n > 1)}"
    return f"about {number} minute{'s' * (number != 1)} with {workers}"


def unknown_part(patterns: Sequence[str], papers: Sequence[str]) -> str:
    """Say which part of a pattern of ``--only`` no committed task has, and what there is instead.

    Empty where every part is known, and where that cannot be told: of a pattern with ``*`` only a
    table without one is looked up, and embedded data sets have few committed tasks.
    """
    import pandas as pd

    from reprolib.rerun.records.folder import committed_results
    from reprolib.rerun.tasks.plan import tasks_of
    from reprolib.rerun.tasks.runner import Only

    made = pd.concat([committed_results(paper).tasks for paper in papers])
    for pattern in patterns:
        table, _, rest = pattern.strip("/").lower().partition("/")
        rows = made if "*" in table else made[made["table"].str.lower() == table]
        if rows.empty:
            return _unknown("table", table, ", ".join(papers), made["table"])
        if "*" in pattern or not rest or rest.startswith("embedded"):
            continue
        names = {str(name).lower() for name in rows["dataset"]}
        here = [n for n in names if f"{rest}/".startswith(f"{n}/") or n.startswith(f"{rest}/")]
        if not here:
            first, *more = rest.split("/")
            begun = more and any(name.startswith(f"{first}/") for name in names)
            wrong = f"{first}/{more[0]}" if begun else first
            return _unknown("data set", wrong, table, rows["dataset"])
        method = rest.removeprefix(here[0]).strip("/").split("/")[0]
        rows = rows[rows["dataset"].str.lower() == here[0]]
        if len(here) != 1 or not method:
            continue
        where = f"{table}/{here[0]}"
        if method not in {*rows["method"].str.lower()}:
            return _unknown("method", method, where, rows["method"])
        rows = rows[rows["method"].str.lower() == method]
        if not any(map(Only([pattern]).has, tasks_of("", rows))):
            last = rest.removeprefix(f"{here[0]}/{method}").strip("/")
            known = rows["reading"].where(rows["setting"] == "", rows["setting"])
            trials = f"trials up to {rows['trial'].max()}"
            return _unknown("variant or trial", last, f"{where}/{method}", [*known, trials])
    return ""


def _unknown(what: str, name: str, where: str, known: Iterable[str]) -> str:
    names = list(dict.fromkeys(known))
    more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    near = nearest(name, names)
    advice = near if "did you mean" in near else ""
    told = ", ".join(names[:NAMES])
    return f"--only: {where} has no {what} {name!r}; it has {told}{more}{advice}"


def rerun(arguments: argparse.Namespace) -> int:
    """Rerun papers.

    Returns
    -------
    int
        1 if a task, a stage or a figure failed (the others are stored, and shown), else 0.
    """
    from reprolib.rerun.checks.check import require_sound
    from reprolib.rerun.records.task import get_protocol
    from reprolib.rerun.tasks.plan import tasks_of
    from reprolib.rerun.tasks.runner import Only

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
    from reprolib.rerun.tasks.runner import NothingSelectedError, StageError, run_protocol
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
        log.console.print(counts(outcome))
        yield outcome
    if len(without) == len(protocols):
        papers = [protocol.paper for protocol in protocols]
        raise ValueError(unknown_part(arguments.only, papers) or str(without[0]))


def counts(outcome: Run) -> str:
    """Say how the numbers of tasks, records and trials of a run hang together."""
    records = outcome.records
    trials = records.groupby(["table", "dataset", "method", "setting", "reading"])[
        "trial"
    ].nunique()
    n_tasks, most = records["task"].nunique(), int(trials.max())
    return (
        f"{outcome.paper}: {n_tasks} task{'s' * (n_tasks != 1)} (one trial of a method on a data "
        f"set in one variant) gave {len(records)} records (one for each thing measured); a number "
        f"of a table is a mean of up to {most} trial{'s' * (most != 1)}"
    )


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
        write_tables(log.console, outcome, output / "results")
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
    import matplotlib as mpl

    from reprolib.cli.table_text import print_claims, print_table
    from reprolib.report import paper_figures, printed_tables
    from reprolib.report.origin import origin
    from reprolib.report.paper_figures import drawn_figures
    from reprolib.report.style import use_style
    from reprolib.rerun.verdicts import judge_claims

    paper, results = outcome.paper, output / "results"
    embedded = " --embedded" if arguments.embedded else ""
    command = f"reprolib reproduce {paper} --{arguments.profile}{embedded}"
    mpl.use("Agg")
    use_style()
    figures, fault = drawn_figures(paper, outcome.records)
    if fault:
        log.say(f"the figures of {paper} cannot be drawn", fault)
    if figures:
        made = origin("", paper, command, results, outcome.records)
        start = output / "figures" / paper / "figure"
        paper_figures.save_figures(figures, made, start, paper_figures.FORMATS)
    tables = printed_tables.printed_tables(paper, results, command=command)
    if tables:
        printed_tables.write_printed_tables(tables, output / "tables", printed_tables.FORMATS)
        for table in tables:
            print_table(console.out(), table)
        print_claims(console.out(), judge_claims(paper, results))


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
                f"numbers; `--full` ({minutes(seconds, arguments.jobs)}) has all.",
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
        write_tables(log.console, outcome, output / "results")
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


def write_tables(err: Console, outcome: Run, directory: Path) -> None:
    """Write the records of a run, and say where.

    Raises
    ------
    OSError
        If the folder cannot be written to.
    """
    from reprolib.rerun.records.tables import write_results

    folder = directory / outcome.paper
    try:
        paths = write_results(outcome.records, folder, outcome.tasks, outcome.about)
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}; finished tasks are stored") from error
    for path in paths:
        err.print(f"wrote {path}")


def publish(err: Console, outcome: Run) -> None:
    """Replace the committed results of a paper, if all records are sound and on real data."""
    from reprolib.rerun.records import sources

    directory = registry.committed_directory(outcome.paper)
    reason = ""
    if not registry.can_be_committed(outcome.paper):
        reason = "reprolib is not run from a checkout; name a folder in REPROLIB_RESULTS"
    elif len(outcome.failures):
        reason = f"{len(outcome.failures)} records failed"
    elif outcome.substituted:
        reason = f"embedded data stood in for {', '.join(outcome.substituted)}"
    elif set(sources(outcome.records)) == {"embedded"}:
        reason = "this was a run on embedded data"
    if reason:
        err.print(f"{directory / outcome.paper} is left as it is: {reason}")
    else:
        write_tables(err, outcome, directory)


class FailureLog:
    """Say every failure at once; the first traceback is printed, all of them are in a file.

    Parameters
    ----------
    err : Console
        Where they are printed.
    path : Path
        File of the tracebacks, written anew with the first failure. Where it cannot be written,
        all tracebacks are printed.
    """

    def __init__(self, err: Console, path: Path):
        self.console = err
        self.path = path
        self.n_failures = 0

    def __call__(self, failure: Failure) -> None:
        """Say that a task failed."""
        self.say(f"{failure.record}: {failure.status}", failure.traceback)

    def say(self, message: str, trace: str = "") -> None:
        """Print what went wrong, and keep it with its traceback."""
        self.n_failures += 1
        self.console.print(message, style="red")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "w" if self.n_failures == 1 else "a", encoding="utf-8") as file:
                file.write(f"{message}\n{trace}\n")
            written = True
        except OSError:
            written = False
        if trace and (self.n_failures == 1 or not written):
            self.console.print(trace.rstrip())
        if self.n_failures == 1 and written:
            self.console.print(f"All tracebacks of this run: {self.path.resolve()}")
