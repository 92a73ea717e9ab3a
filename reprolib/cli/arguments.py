"""Arguments that several commands share, and checks of them that need no data.

No module here imports numpy or pandas at its top, so that help and wrong arguments are answered at
once.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from reprolib.rerun.records.duration import WORKERS
from reprolib.rerun.records.registry import PAPERS, paper_key, results_directory

#: Folder of everything that a run writes, unless another one is named.
BUILD = Path("build")
#: Where `make docs` puts the site, whose notebook pages the report links.
SITE = BUILD / "docs"


def add_papers(parser: argparse.ArgumentParser, default: str) -> None:
    """Add the papers to choose from."""
    known = ", ".join(PAPERS)
    parser.add_argument("papers", nargs="*", metavar="PAPER", help=f"{known} (default: {default})")


def chosen_papers(names: list[str]) -> list[str]:
    """Keys of the papers that were named, each once.

    Raises
    ------
    ValueError
        If there is no paper of a name.
    """
    return list(dict.fromkeys(paper_key(name) for name in names))


def add_jobs(parser) -> None:
    """Add the number of worker processes."""
    words = f"worker processes, -1 for all cores (default: {WORKERS})"
    parser.add_argument("--jobs", type=int, default=WORKERS, help=words)


def require_jobs(number: int) -> None:
    """Raise ValueError if a number of worker processes is zero, or more than a machine can run."""
    cores = os.cpu_count() or 1
    most = max(64, 4 * cores)
    if number == 0 or not -cores <= number <= most:
        raise ValueError(
            f"--jobs is {number}; give the number of worker processes, at most {most} on this "
            f"machine of {cores} cores, or -1 for all cores."
        )


def add_results_folder(parser: argparse.ArgumentParser) -> None:
    """Add the folder that results are read from."""
    parser.add_argument(
        "--results", type=Path, help="results folder (default: the committed results)"
    )


def require_results(folder: Path | None) -> None:
    """Raise FileNotFoundError if a folder of results was named that does not exist."""
    if folder is not None and not folder.is_dir():
        raise FileNotFoundError(f"--results is {folder}, which is no folder")


def with_results(papers: Iterable[str], folder: Path | None) -> list[str]:
    """Those of the papers that have results: in a folder, or each in its own."""
    from reprolib.rerun.records.folder import has_results  # pandas: slow, and the help needs none

    return [key for key in papers if has_results(key, folder)]


def chosen_with_results(
    named: Sequence[str], known: Sequence[str], folder: Path | None
) -> list[str]:
    """Papers that were named, or all of the known ones with results.

    Raises
    ------
    FileNotFoundError
        If there are no results of a paper that was named, or of any.
    """
    papers = list(named) or with_results(known, folder)
    missing = [key for key in papers if not with_results([key], folder)]
    if not papers or missing:
        of_papers = f" of {', '.join(missing)}" if missing else ""
        looked_in = results_directory(missing[0] if missing else "", folder)
        raise FileNotFoundError(
            f"there are no results{of_papers} in {looked_in}; `reprolib reproduce` makes some, and "
            "--results names their folder"
        )
    return papers


def chosen_with_whole_results(
    named: Sequence[str], known: Sequence[str], folder: Path | None
) -> list[str]:
    """Papers as `chosen_with_results`, of which the results can be used.

    Raises
    ------
    FileNotFoundError
        If there are no results of a paper that was named, or of any.
    BrokenResultsError
        If those of a paper are not as they were sealed, or are none.
    """
    from reprolib.rerun.records.folder import require_whole

    papers = chosen_with_results(named, known, folder)
    for paper in papers:
        require_whole(paper, folder)
    return papers


def require_output_folder(folder: Path, argument: str = "--output") -> None:
    """Raise OSError if a folder cannot be written to, or cannot be made."""
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not existing.is_dir():
        raise NotADirectoryError(f"{argument} is {folder}, but {existing} is a file; name a folder")
    _require_writable(folder, existing, argument)


def require_output_file(file: Path, argument: str = "--output") -> None:
    """Raise OSError if a file cannot be written."""
    if file.is_dir():
        raise IsADirectoryError(f"{argument} is {file}, which is a folder; name a file in it")
    existing = next(path for path in file.absolute().parents if path.exists())
    if not existing.is_dir():
        raise NotADirectoryError(f"{argument} is {file}, but {existing} is a file; name another")
    _require_writable(file, existing, argument)


def _require_writable(output: Path, existing: Path, argument: str) -> None:
    try:
        with tempfile.TemporaryDirectory(dir=existing):
            pass
    except OSError as error:
        reason = f"{argument} is {output}, but {existing} cannot be written to ({error.strerror})"
        raise PermissionError(f"{reason}; name another place") from error
