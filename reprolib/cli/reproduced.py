"""What `reprolib reproduce` writes and prints of a paper when its tasks are done."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from rich.console import Console

from reprolib.cli import console as consoles
from reprolib.cli.dry_run import minutes
from reprolib.cli.failures import FailureLog
from reprolib.cli.table_text import print_claims, print_table
from reprolib.report.figure_files import FORMATS as FIGURES
from reprolib.report.figure_files import save_figures
from reprolib.report.limits import limits, limits_text
from reprolib.report.origin import origin
from reprolib.report.paper_figures import drawn_figures
from reprolib.report.printed_tables import FORMATS as TABLES
from reprolib.report.printed_tables import printed_tables, write_printed_tables
from reprolib.report.style import use_style
from reprolib.rerun.records import load_tasks, table_names
from reprolib.rerun.records.registry import PAPERS
from reprolib.rerun.verdicts import Verdict, judge_claims, judge_paper


def show_paper(paper: str, records: pd.DataFrame, arguments, output: Path, log: FailureLog) -> None:
    """Write figures and printed tables of a run; print the tables, and what they cannot decide."""
    results = output / "results"
    embedded = " --embedded" if arguments.embedded else ""
    command = f"reprolib reproduce {paper} --{arguments.profile}{embedded}"
    _write_figures(paper, records, command, output, log)
    if paper not in PAPERS:
        return
    tables = printed_tables(paper, results, command=command)
    write_printed_tables(tables, output / "tables", TABLES)
    out = consoles.out()
    for table in tables:
        print_table(out, table)
    print_claims(out, judge_claims(paper, results))
    if arguments.profile != "full":
        full_run = f"`reprolib reproduce {paper} --full` ({_time(paper, arguments.jobs)})"
        found = limits(judge_paper(paper, results), _committed(paper))
        for line in limits_text(found, arguments.profile, full_run):
            out.print(line, soft_wrap=not out.is_terminal)


def _write_figures(
    paper: str, records: pd.DataFrame, command: str, output: Path, log: FailureLog
) -> None:
    """Write the figures; what cannot be drawn is said."""
    mpl.use("Agg")
    use_style()
    figures, fault = drawn_figures(paper, records)
    if fault:
        log.say(f"the figures of {paper} cannot be drawn", fault)
    if figures:
        made = origin("", paper, command, output / "results", records)
        save_figures(figures, made, output / "figures" / paper / "figure", FIGURES)


def print_why(console: Console, papers: Sequence[str], results: Path, profile: str) -> None:
    """Say below the two scoreboards why that of a quick run decides less."""
    if profile == "full":
        return
    run = [limits(judge_paper(paper, results), _committed(paper)) for paper in papers]
    n_open, n_full = sum(r.n_open for r in run), sum(r.n_decided_by_full for r in run)
    message = (
        f"\nThe {profile} profile has few trials: of the {sum(r.n_numbers for r in run)} numbers "
        f"that can be run it leaves {n_open} undecided or out, and `--full`, on the data of "
        f"the committed results, decides {n_full} of these. Which, is said below the tables of "
        "each paper."
    )
    console.print(message, soft_wrap=not console.is_terminal)


def _committed(paper: str) -> list[Verdict]:
    """Verdicts on the committed results; none without them."""
    return judge_paper(paper) if table_names(paper) else []


def _time(paper: str, n_jobs: int) -> str:
    made = load_tasks(paper)
    return minutes(math.nan if made.empty else made["seconds"].sum(), n_jobs)
