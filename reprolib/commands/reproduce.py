"""``reprolib reproduce``: from data to scoreboard."""

from __future__ import annotations

import contextlib
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
from rich.console import Console

from reprolib import results, tables
from reprolib.commands.progress import shown_progress
from reprolib.figures import report_figures
from reprolib.figures.style import use_style
from reprolib.protocols import PAPERS, STUDIES, get_protocol
from reprolib.protocols.runner import Run, run_protocol
from reprolib.report import write_report


def run(arguments) -> int:
    """Rerun papers and studies: tables, figures, the report; print the scoreboard.

    Returns
    -------
    int
        1 if a task failed (the others are stored, and shown), else 0.
    """
    papers = list(dict.fromkeys(arguments.papers)) or [*PAPERS, *STUDIES]
    protocols = [get_protocol(paper) for paper in papers]
    if arguments.jobs == 0:
        raise ValueError("--jobs is 0; give the number of worker processes, or -1 for all cores.")
    output = arguments.output or arguments.build / "results"
    to_be_committed = arguments.profile == "full" and arguments.output is None
    out, err = Console(), Console(stderr=True)
    failed = 0
    with _cluster(arguments.cluster) as cluster:
        for protocol in protocols:
            with shown_progress(err, protocol.paper) as progress:
                outcome = run_protocol(
                    protocol,
                    arguments.profile,
                    embedded=arguments.embedded,
                    n_jobs=arguments.jobs,
                    cluster=cluster,
                    progress=progress,
                )
            failed += _write(err, outcome, output, arguments.build)
            if to_be_committed:
                publish(err, outcome)
    report = write_report(
        papers,
        output,
        arguments.build / "report.html",
        title=f"reprolib: {arguments.profile} run of {', '.join(p.upper() for p in papers)}",
        site=arguments.build / "docs",
    )
    if printed := [paper for paper in papers if paper not in STUDIES]:
        print_scoreboard(out, printed, output, arguments.profile)
    figures = (arguments.build / "figures").resolve()
    out.print(f"Figures: {figures}", soft_wrap=True, highlight=False)
    out.print(f"Report: {report.resolve()}", soft_wrap=True, highlight=False)
    return 1 if failed else 0


def _cluster(address: str | None):
    """Connect to the cluster at an address; without one, tasks run on this machine."""
    if address is None:
        return contextlib.nullcontext()
    try:
        from reprolib.cluster import Cluster
    except ImportError as error:
        raise ValueError(
            f"--cluster needs {error.name}: install reprolib with its extra `cluster`"
        ) from error
    return Cluster(address)


def _write(err: Console, outcome: Run, output: Path, build: Path) -> int:
    """Write tables and figures of one paper; return the number of failed records."""
    _say_substitutions(err, outcome)
    failed = _say_failures(err, outcome)
    _write_tables(err, outcome, output)
    write_figures(outcome.paper, outcome, build / "figures" / outcome.paper)
    return failed


def publish(err: Console, outcome: Run) -> None:
    """Replace the committed results of a paper, if all records are sound and on real data."""
    directory = results.committed_directory()
    if reason := _why_not_published(outcome):
        kept = directory / outcome.paper
        err.print(f"{kept} is left as it is: {reason}", highlight=False, soft_wrap=True)
    else:
        _write_tables(err, outcome, directory)


def _write_tables(err: Console, outcome: Run, directory: Path) -> None:
    for path in results.write_tables(outcome.records, directory / outcome.paper, outcome.meta):
        err.print(f"wrote {path}", highlight=False)


def _why_not_published(outcome: Run) -> str:
    if not results.can_be_committed():
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
    console.print(
        f"[bold yellow]Embedded data stand in for {names}[/bold yellow]: these data could not be "
        "had. Numbers made on embedded data are marked so and are no reproduction.",
        highlight=False,
    )
    console.print(next(iter(outcome.substituted.values())), highlight=False, markup=False)


def _say_failures(console: Console, outcome: Run) -> int:
    failures = outcome.failures
    for row in failures.itertuples():
        console.print(
            f"{row.table} {row.dataset} {row.method} {row.reading} {row.trial}: {row.status}",
            style="red",
            highlight=False,
            markup=False,
        )
    return len(failures)


def write_figures(paper: str, outcome: Run, directory: Path) -> None:
    """Write the paper's figures as PNG files."""
    matplotlib.use("Agg")
    use_style()
    directory.mkdir(parents=True, exist_ok=True)
    for number, (_, figure) in enumerate(report_figures(paper, outcome.records).items(), start=1):
        figure.savefig(directory / f"figure{number}.png")
        plt.close(figure)


def print_scoreboard(console: Console, papers, directory: Path, profile: str) -> None:
    """Print the counts of verdicts of this run, and of the committed full results."""
    console.print(f"\nScoreboard of this run ({profile} profile)", style="bold")
    console.print(tables.scoreboard(papers, directory).to_string(), highlight=False)
    committed = results.committed_directory()
    if directory.resolve() != committed.resolve() and (committed / papers[0]).exists():
        console.print("\nScoreboard of the committed full results", style="bold")
        console.print(tables.scoreboard(papers, committed).to_string(), highlight=False)
    console.print()
