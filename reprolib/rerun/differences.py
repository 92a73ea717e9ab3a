"""What a run of the full profile changes against the committed results, paper by paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from reprolib.rerun import records as results
from reprolib.rerun.agreement import difference, paired, record_name, same
from reprolib.rerun.folders import committed_directory
from reprolib.rerun.printed import numbers
from reprolib.rerun.verdicts import Verdict, judge_paper


@dataclass(frozen=True)
class RecordChange:
    """A record that is not the committed one.

    Parameters
    ----------
    table : str
    record : str
        Its name, by key columns.
    kind : {"differs", "new", "missing"}
    faults : sequence of str
        What differs, one text a column; none for a new or missing record.
    other_source : bool
        Whether the committed record was made on data of another source, so that it had to differ.
    """

    table: str
    record: str
    kind: str
    faults: Sequence[str] = ()
    other_source: bool = False


@dataclass(frozen=True)
class PaperDifference:
    """What a run changes of one paper.

    Parameters
    ----------
    paper : str
    profiles : sequence of str
        Profiles that the tables of the run were made by.
    n_agree : int
        Records that agree with the committed ones.
    changes : sequence of RecordChange
        All others, those that had to differ last.
    data : mapping of str to tuple of str
        What the committed records were made on and what those of the run, for each data set of
        another source or of other content.
    verdicts : sequence of tuple of Verdict
        Committed and new verdict on each printed number where the word or our value changed.
    """

    paper: str
    profiles: Sequence[str]
    n_agree: int
    changes: Sequence[RecordChange]
    data: Mapping[str, tuple[str, str]]
    verdicts: Sequence[tuple[Verdict, Verdict]]

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed."""
        return not (self.changes or self.data or self.verdicts)


def paper_difference(
    paper: str, directory: Path, committed: Path | None = None
) -> PaperDifference | None:
    """Compare a paper's results in a folder with the committed ones.

    Records are paired by their keys and agree as in `reprolib.rerun.agreement.difference`.

    Parameters
    ----------
    paper : str
    directory : Path
        Results folder of the run, with one folder a paper.
    committed : Path, optional
        Results folder to compare with; the committed one by default.

    Returns
    -------
    PaperDifference or None
        None if the run has no results of the paper.

    Raises
    ------
    ValueError
        If a table cannot be read.
    """
    root = committed_directory() if committed is None else committed
    new, old = results.load_paper(paper, directory), results.load_paper(paper, root)
    if new.empty:
        return None
    pairs = list(paired(new.to_dict("records"), old.to_dict("records")))
    changes = [change for pair in pairs if (change := _change(*pair)) is not None]
    metas = results.load_meta(paper, directory)
    return PaperDifference(
        paper,
        profiles=sorted({str(meta.get("profile")) for meta in metas.values()}),
        n_agree=len(pairs) - len(changes),
        changes=sorted(changes, key=lambda change: (change.other_source, change.kind)),
        data=_other_data(paper, (root, old), (directory, new)),
        verdicts=_other_verdicts(paper, root, directory) if len(old) else [],
    )


def _change(row: Mapping | None, other: Mapping | None) -> RecordChange | None:
    if row is None or other is None:
        there, kind = (other, "missing") if row is None else (row, "new")
        assert there is not None
        return RecordChange(there["table"], record_name(there), kind)
    faults = difference(row, other)
    if not faults:
        return None
    moved = row["source"] != other["source"]
    return RecordChange(row["table"], record_name(row), "differs", faults, moved)


def _other_data(
    paper: str, committed: tuple[Path, pd.DataFrame], run: tuple[Path, pd.DataFrame]
) -> dict[str, tuple[str, str]]:
    then, now = (_sources(records) for _, records in (committed, run))
    metas = (results.load_meta(paper, root) for root, _ in (committed, run))
    digests, others = map(results.data_digests, metas)
    found = {}
    for name in sorted({**then, **now}):
        pair = then.get(name, "–"), now.get(name, "–")
        if pair[0] != pair[1]:
            found[name] = pair
        elif digests.get(name) != others.get(name):
            found[name] = (pair[0], f"{pair[1]}, other content")
    return found


def _sources(records: pd.DataFrame) -> dict[str, str]:
    groups = records.groupby("dataset")["source"]
    return {str(name): ", ".join(sorted(set(sources))) for name, sources in groups}


def _other_verdicts(paper: str, committed: Path, run: Path) -> list[tuple[Verdict, Verdict]]:
    if not numbers(paper):
        return []
    pairs = zip(judge_paper(paper, committed), judge_paper(paper, run), strict=True)
    return [(then, now) for then, now in pairs if not _same_verdict(then, now)]


def _same_verdict(then: Verdict, now: Verdict) -> bool:
    return (then.word, then.reading) == (now.word, now.reading) and same(then.ours, now.ours)
