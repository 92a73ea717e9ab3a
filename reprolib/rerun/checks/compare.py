"""What a run of the full profile changes against the committed results, paper by paper."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from reprolib.rerun.checks.agreement import difference, joined, same
from reprolib.rerun.records.folders import results_directory
from reprolib.rerun.records.rows import record_name
from reprolib.rerun.records.tables import load_paper, load_run
from reprolib.rerun.verdicts.judge import Verdict, judge_paper
from reprolib.rerun.verdicts.printed import numbers, printed_values

#: Source of a data set that one of the two runs does not have.
NOWHERE = "–"


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
    profile : str
        Profile that the run was made by.
    n_agree : int
        Records that agree with the committed ones.
    changes : sequence of RecordChange
        All others, those that had to differ last.
    data : mapping of str to tuple of str
        What the committed records were made on and what those of the run, for each data set of
        another source or of other content.
    verdicts : sequence of tuple of Verdict
        Committed and new verdict on each printed number where the word or our value changed.
    not_run : sequence of Verdict
        Committed verdicts on numbers of which the run has no record.
    """

    paper: str
    profile: str
    n_agree: int
    changes: Sequence[RecordChange]
    data: Mapping[str, tuple[str, str]]
    verdicts: Sequence[tuple[Verdict, Verdict]]
    not_run: Sequence[Verdict]

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed."""
        return not (self.changes or self.data or self.verdicts or self.not_run)


def paper_difference(
    paper: str, directory: Path, committed: Path | None = None
) -> PaperDifference | None:
    """Compare a paper's results in a folder with the committed ones.

    Records are joined by their keys and agree as in `agreement.difference`.

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
    root = results_directory(paper, committed)
    new, old = load_paper(paper, directory), load_paper(paper, root)
    if new.empty:
        return None
    pairs = joined(new, old)
    changes = [change for pair in pairs if (change := _change(*pair)) is not None]
    verdicts = _other_verdicts(paper, root, directory) if len(old) else []
    return PaperDifference(
        paper,
        profile=str(load_run(paper, directory).get("profile")),
        n_agree=len(pairs) - len(changes),
        changes=sorted(changes, key=lambda change: (change.other_source, change.kind)),
        data=_other_data(paper, (root, old), (directory, new)),
        verdicts=[pair for pair in verdicts if pair[1].n_trials],
        not_run=[then for then, now in verdicts if not now.n_trials],
    )


def _change(row: Mapping | None, other: Mapping | None) -> RecordChange | None:
    if row is None or other is None:
        found, kind = (other, "missing") if row is None else (row, "new")
        assert found is not None
        return RecordChange(found["table"], record_name(found), kind)
    faults = difference(row, other)
    if not faults:
        return None
    moved = row["source"] != other["source"]
    return RecordChange(row["table"], record_name(row), "differs", faults, moved)


def _other_data(
    paper: str, committed: tuple[Path, pd.DataFrame], run: tuple[Path, pd.DataFrame]
) -> dict[str, tuple[str, str]]:
    then, now = (_sources(records) for _, records in (committed, run))
    digests, others = (_digests(paper, root) for root, _ in (committed, run))
    found = {}
    for name in sorted({**then, **now}):
        pair = then.get(name, NOWHERE), now.get(name, NOWHERE)
        if pair[0] != pair[1]:
            found[name] = pair
        elif digests.get(name) != others.get(name):
            found[name] = (pair[0], f"{pair[1]}, other content")
    return found


def _digests(paper: str, directory: Path) -> dict[str, str]:
    data = load_run(paper, directory).get("data", {})
    return {name: about["digest"] for name, about in data.items()}


def _sources(records: pd.DataFrame) -> dict[str, str]:
    groups = records.groupby("dataset")["source"]
    return {str(name): ", ".join(sorted(set(sources))) for name, sources in groups}


def _other_verdicts(paper: str, committed: Path, run: Path) -> list[tuple[Verdict, Verdict]]:
    if not numbers(paper):
        return []
    pairs = zip(judge_paper(paper, committed), judge_paper(paper, run), strict=True)
    return [(then, now) for then, now in pairs if not same_verdict(then, now)]


def same_verdict(then: Verdict, now: Verdict) -> bool:
    """Whether two verdicts have one word, one reading, and values of ours that agree."""
    return (then.word, then.reading) == (now.word, now.reading) and same(then.ours, now.ours)


def beside_committed(paper: str, records: pd.DataFrame) -> pd.DataFrame:
    """Records of some tasks with the committed values and the printed ones, one line a record.

    Returns
    -------
    DataFrame
        task; metric, with setting and reading where the task measures several; ours, committed and
        printed, in the unit of the records (a printed value is mostly a mean over trials), NaN
        where there is none; result: "equal", what differs, or why there is nothing to compare.
    """
    committed = {record_name(row): row for row in load_paper(paper).to_dict("records")}
    lines = []
    for row in records.to_dict("records"):
        name, other = record_name(row), committed.get(record_name(row))
        printed = printed_values(paper, row)
        lines.append(
            {
                "task": row["task"],
                "metric": name.removeprefix(f"{row['task']} "),
                "ours": row["value"],
                "committed": other["value"] if other else math.nan,
                "printed": printed.get(row["metric"], math.nan),
                "result": _result(row, other),
            }
        )
    return pd.DataFrame(lines)


def _result(row: Mapping, committed: Mapping | None) -> str:
    if row["status"] != "ok":
        return str(row["status"])
    if committed is None:
        return "not among the committed records"
    faults = difference(row, committed)
    return f"differs: {'; '.join(faults)}" if faults else "equal"
