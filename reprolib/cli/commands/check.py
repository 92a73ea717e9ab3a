"""``reprolib check``: its arguments."""

from __future__ import annotations

import argparse

from reprolib.cli import arguments as shared

HELP = "check the names in the papers' files and protocols, without running anything"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_papers(parser, "all")


def run(arguments: argparse.Namespace) -> int:
    """Check; 1 if a name is wrong."""
    papers = shared.chosen_papers(arguments.papers) or list(shared.PAPERS)
    from reprolib.cli import console
    from reprolib.rerun.checks.check import check_papers

    faults = check_papers(papers)
    for fault in faults:
        console.out().print(fault, soft_wrap=True)
    count = f"{len(faults) or 'no'} fault{'s' * (len(faults) != 1)}"
    console.out().print(f"{', '.join(papers)}: {count}")
    return 1 if faults else 0
