"""``reprolib report``: the HTML page on stored results."""

from __future__ import annotations

from reprolib.cli.console import out
from reprolib.report.page import write_report
from reprolib.rerun.folders import require_folder
from reprolib.rerun.registry import PAPERS, STUDIES


def run(arguments) -> int:
    """Write the report on the results below ``--results``.

    Raises
    ------
    FileNotFoundError
        If the folder does not exist.
    """
    require_folder(arguments.results)
    title = "reprolib: five papers on kernel methods, rerun"
    keys = [*PAPERS, *STUDIES]
    path = write_report(keys, arguments.results, arguments.output, title=title, site=arguments.site)
    out().print(f"Report: {path.resolve()}")
    return 0
