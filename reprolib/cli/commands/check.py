"""``reprolib check``: whether papers can be run and shown, before they are."""

from __future__ import annotations

import argparse
import importlib.util
from typing import TYPE_CHECKING

from reprolib.cli import arguments as shared

if TYPE_CHECKING:
    import pandas as pd

HELP = "check the papers' files, protocols, results and figures, without running anything"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_papers(parser, "all")
    parser.add_argument(
        "--run",
        dest="ends",
        action="store_true",
        help="also run the first and the last trial of every method, reading and data set at hand, "
        "and draw the figures from them",
    )
    shared.add_jobs(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check; 1 if something is wrong.

    Raises
    ------
    ValueError
        If there is no paper of a name.
    """
    papers = shared.chosen_papers(arguments.papers) or list(shared.PAPERS)
    shared.require_jobs(arguments.jobs)
    from reprolib.cli import console
    from reprolib.rerun.checks.check import check_papers
    from reprolib.rerun.checks.ends import run_ends
    from reprolib.rerun.records.folder import committed_results, folder_faults, mending, shortened

    can_draw = importlib.util.find_spec("matplotlib") is not None
    faults = check_papers(papers)
    is_sound = not faults
    for paper in papers:
        broken = folder_faults(paper)
        faults += [*map(str, shortened(broken)), *mending(paper, broken)]
        if arguments.ends and is_sound:
            with console.shown_progress(console.err(), paper) as progress:
                found, records = run_ends(paper, n_jobs=arguments.jobs, progress=progress)
            faults += [f"{paper}: {fault}" for fault in found]
        else:
            records = committed_results(paper).records
        if is_sound and can_draw and len(records):
            faults += _figure_faults(paper, records)
    for fault in faults:
        console.out().print(fault, soft_wrap=True)
    count = f"{len(faults) or 'no'} fault{'s' * (len(faults) != 1)}"
    not_drawn = "" if can_draw else '; figures not drawn: pip install "reprolib[papers]"'
    console.out().print(f"{', '.join(papers)}: {count}{not_drawn}")
    return 1 if faults else 0


def _figure_faults(paper: str, records: pd.DataFrame) -> list[str]:
    import matplotlib as mpl

    from reprolib.report.paper_figures import figure_faults

    mpl.use("Agg")
    return figure_faults(paper, records)
