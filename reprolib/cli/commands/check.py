"""``reprolib check``: whether papers can be run and shown, before they are."""

from __future__ import annotations

import argparse

from reprolib.cli import arguments as shared

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
    import matplotlib as mpl

    from reprolib.cli import console
    from reprolib.report.paper_figures import figure_faults
    from reprolib.rerun.checks.check import check_papers
    from reprolib.rerun.checks.ends import run_ends
    from reprolib.rerun.records.folder import committed_results, folder_faults, mending, shortened

    mpl.use("Agg")
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
        if is_sound and len(records):
            faults += figure_faults(paper, records)
    for fault in faults:
        console.out().print(fault, soft_wrap=True)
    count = f"{len(faults) or 'no'} fault{'s' * (len(faults) != 1)}"
    console.out().print(f"{', '.join(papers)}: {count}")
    return 1 if faults else 0
