"""``reprolib report``: the HTML page on stored results."""

from __future__ import annotations

from reprolib.cli.console import out
from reprolib.cli.publication import require_results_of, with_results
from reprolib.report.page import write_report
from reprolib.rerun.records.registry import PAPERS, STUDIES

TITLE = "reprolib: papers on kernel methods, rerun"


def run(arguments) -> int:
    """Write the report on the results below ``--results``.

    Raises
    ------
    FileNotFoundError
        If there are no results there.
    """
    keys = arguments.papers or with_results((*PAPERS, *STUDIES), arguments.results)
    require_results_of(keys, arguments.results)
    path = write_report(keys, arguments.results, arguments.output, title=TITLE, site=arguments.site)
    out().print(f"Report: {path.resolve()}")
    return 0
