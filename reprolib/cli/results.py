"""Which papers have results: what the commands share that read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from reprolib.rerun.records.folders import results_directory
from reprolib.rerun.records.tables import table_names


def chosen_with_results(
    named: Sequence[str], known: Sequence[str], directory: Path | None
) -> list[str]:
    """Papers that were named, or all of the known ones with results.

    Raises
    ------
    FileNotFoundError
        If there are no results of a paper that was named, or of any.
    """
    papers = list(named) or with_results(known, directory)
    require_results_of(papers, directory)
    return papers


def with_results(papers: Iterable[str], directory: Path | None) -> list[str]:
    """Those of the papers that have results: in a folder, or each in its own."""
    return [key for key in papers if table_names(key, directory)]


def require_results_of(papers: Sequence[str], directory: Path | None) -> None:
    """Raise FileNotFoundError if a paper has no results, or no paper is named."""
    missing = [key for key in papers if not with_results([key], directory)]
    if not papers or missing:
        of_papers = f" of {', '.join(missing)}" if missing else ""
        folder = results_directory(missing[0] if missing else "", directory)
        raise FileNotFoundError(
            f"there are no results{of_papers} in {folder}; `reprolib reproduce` makes some, and "
            "--results names their folder"
        )
