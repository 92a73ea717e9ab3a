"""``reprolib reproduce``: from data to scoreboard."""

from __future__ import annotations

import contextlib
import traceback
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
from rich.console import Console

from reprolib.cli import console as consoles
from reprolib.cli.failures import FailureLog
from reprolib.cli.progress import shown_progress
from reprolib.report.page import write_report
from reprolib.report.paper_figures import drawn_figures
from reprolib.report.style import use_style
from reprolib.rerun import records as results
from reprolib.rerun import tables
from reprolib.rerun.folders import can_be_committed, committed_directory
from reprolib.rerun.registry import PAPERS, STUDIES, get_protocol
from reprolib.rerun.runner import Run, StageError, run_protocol
from reprolib.rerun.task import Protocol


def run(arguments) -> int:
    """Rerun papers and studies: tables, figures, the report; print the scoreboard.

    Returns
    -------
    int
        1 if a task, a stage or a figure failed (the others are stored, and shown), else 0.
    """
    papers = list(dict.fromkeys(arguments.papers)) or [*PAPERS, *STUDIES]
    protocols = [get_protocol(paper) for paper in papers]
    if arguments.jobs == 0:
        raise ValueError("--jobs is 0; give the number of worker processes, or -1 for all cores.")
    output = arguments.output or arguments.build / "results"
    to_be_committed = arguments.profile == "full" and arguments.output is None
    out, err = consoles.out(), consoles.err()
    log = FailureLog(err, arguments.build / "failures.log")
    finished = []
    with _cluster(arguments.cluster) as cluster:
        for protocol in protocols:
            outcome = _outcome(protocol, arguments, cluster, log)
            if outcome is None:
                continue
            finished.append(protocol.paper)
            _write(log, outcome, output, arguments.build)
            if to_be_committed:
                publish(err, outcome)
    report = write_report(
        finished,
        output,
        arguments.build / "report.html",
        title=f"reprolib: {arguments.profile} run of {', '.join(p.upper() for p in papers)}",
        site=arguments.build / "docs",
    )
    if printed := [paper for paper in finished if paper not in STUDIES]:
        print_scoreboard(out, printed, output, arguments.profile)
    figures = (arguments.build / "figures").resolve()
    out.print(f"Figures: {figures}")
    out.print(f"Report: {report.resolve()}")
    return 1 if log.n_failures else 0


def _outcome(protocol: Protocol, arguments, cluster, log: FailureLog) -> Run | None:
    """Run a protocol; None if one of its stages could not list its tasks, which is said."""
    try:
        with shown_progress(log.console, protocol.paper) as progress:
            return run_protocol(
                protocol,
                arguments.profile,
                embedded=arguments.embedded,
                n_jobs=arguments.jobs,
                cluster=cluster,
                progress=progress,
                failed=log,
            )
    except StageError as error:
        log.say(str(error), traceback.format_exc())
        return None


def _cluster(address: str | None):
    """Connect to the cluster at an address; without one, tasks run on this machine."""
    if address is None:
        return contextlib.nullcontext()
    try:
        from reprolib.rerun.cluster import Cluster
    except ImportError as error:
        raise ValueError(
            f"--cluster needs {error.name}: install reprolib with its extra `cluster`"
        ) from error
    return Cluster(address)


def _write(log: FailureLog, outcome: Run, output: Path, build: Path) -> None:
    """Write tables and figures of one paper."""
    _say_substitutions(log.console, outcome)
    _write_tables(log.console, outcome, output)
    write_figures(outcome.paper, outcome, build / "figures" / outcome.paper, log)


def publish(err: Console, outcome: Run) -> None:
    """Replace the committed results of a paper, if all records are sound and on real data."""
    directory = committed_directory()
    if reason := _why_not_published(outcome):
        kept = directory / outcome.paper
        err.print(f"{kept} is left as it is: {reason}")
    else:
        _write_tables(err, outcome, directory)


def _write_tables(err: Console, outcome: Run, directory: Path) -> None:
    for path in results.write_tables(outcome.records, directory / outcome.paper, outcome.meta):
        err.print(f"wrote {path}")


def _why_not_published(outcome: Run) -> str:
    if not can_be_committed():
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
    told = (
        "these data are not available. Numbers made on embedded data are marked so and are no "
        "reproduction."
    )
    head = f"Embedded data stand in for {names}:"
    console.print(consoles.headed(head, told, "bold yellow"))
    console.print(next(iter(outcome.substituted.values())))


def write_figures(paper: str, outcome: Run, directory: Path, log: FailureLog) -> None:
    """Write the paper's figures as PNG files; what cannot be drawn is said."""
    matplotlib.use("Agg")
    use_style()
    directory.mkdir(parents=True, exist_ok=True)
    figures, fault = drawn_figures(paper, outcome.records)
    if fault:
        log.say(f"the figures of {paper} cannot be drawn", fault)
    for number, figure in enumerate(figures.values(), start=1):
        figure.savefig(directory / f"figure{number}.png")
        plt.close(figure)


def print_scoreboard(console: Console, papers, directory: Path, profile: str) -> None:
    """Print the counts of verdicts of this run, and of the committed full results."""
    console.print(f"\nScoreboard of this run ({profile} profile)", style="bold")
    console.print(tables.scoreboard(papers, directory).to_string())
    committed = committed_directory()
    if directory.resolve() != committed.resolve() and (committed / papers[0]).exists():
        console.print("\nScoreboard of the committed full results", style="bold")
        console.print(tables.scoreboard(papers, committed).to_string())
    console.print()
