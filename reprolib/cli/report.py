"""``reprolib report``: the HTML page on stored results."""

from __future__ import annotations

from reprolib.cli.console import out
from reprolib.report.page import write_report
from reprolib.rerun.records.folders import committed_directory
from reprolib.rerun.records.registry import PAPERS, STUDIES

TITLE = "reprolib: papers on kernel methods, rerun"


def run(arguments) -> int:
    """Write the report on the results below ``--results``.

    Raises
    ------
    FileNotFoundError
        If there are no results there.
    """
    results = arguments.results or committed_directory()
    keys = [key for key in (*PAPERS, *STUDIES) if (results / key).is_dir()]
    if not keys:
        raise FileNotFoundError(
            f"there are no results in {results}; `reprolib reproduce` makes some, and --results "
            "names their folder"
        )
    path = write_report(keys, results, arguments.output, title=TITLE, site=arguments.site)
    out().print(f"Report: {path.resolve()}")
    return 0
