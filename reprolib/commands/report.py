"""``reprolib report``: the HTML page on stored results."""

from __future__ import annotations

from rich.console import Console

from reprolib.protocols import PAPERS, STUDIES
from reprolib.report import write_report


def run(arguments) -> int:
    """Write the report on the results below ``--results``.

    Raises
    ------
    FileNotFoundError
        If the folder does not exist.
    """
    if not arguments.results.is_dir():
        raise FileNotFoundError(
            f"--results is {arguments.results}, which is no folder; "
            "run `reprolib reproduce --full` first, or name the folder of another run"
        )
    title = "reprolib: five papers on kernel methods, rerun"
<<<<<<< HEAD
    path = write_report(
        PAPERS, arguments.results, arguments.output, title=title, site=arguments.site
    )
=======
    path = write_report([*PAPERS, *STUDIES], arguments.results, arguments.output, title=title)
>>>>>>> f2c1260 (Study across the papers: tests, reproduce and report take studies)
    Console().print(f"Report: {path.resolve()}", soft_wrap=True, highlight=False)
    return 0
