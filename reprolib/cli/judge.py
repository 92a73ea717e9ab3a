"""``reprolib judge``: the tables on the terminal, JSON and a page."""

from __future__ import annotations

import argparse

from reprolib.cli import console
from reprolib.rerun.records.folders import write_atomically
from reprolib.rerun.verdicts.anyone import judge_table
from reprolib.rerun.verdicts.expected import worse_than_expected


def run(arguments: argparse.Namespace) -> int:
    """Print the verdicts, and write what was asked for."""
    from reprolib.report import judged as shown
    from reprolib.report.claims import claims_lines

    judged = judge_table(arguments.printed, arguments.results)
    out = console.out()
    for frame in (claims_lines(judged.claims), shown.numbers_frame(judged)):
        if len(frame):
            out.print(frame.to_string(), soft_wrap=True, markup=False, highlight=False)
    if arguments.json is not None:
        write_atomically(arguments.json, shown.as_json(judged))
    if arguments.html is not None:
        write_atomically(arguments.html, shown.page(judged))
    worse = worse_than_expected(judged)
    for told in worse.values():
        out.print(told, soft_wrap=True, markup=False, highlight=False)
    return 1 if worse else 0
