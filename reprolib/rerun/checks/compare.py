"""Records of two runs beside each other: which agree, which moved, and which verdicts change."""

from __future__ import annotations

import functools
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from reprolib.rerun.records import rows
from reprolib.rerun.records.folder import committed_results
from reprolib.rerun.records.registry import results_directory
from reprolib.rerun.records.rows import KEY, record_name
from reprolib.rerun.records.tables import load_paper, load_run
from reprolib.rerun.verdicts.judge import Verdict, judge_paper
from reprolib.rerun.verdicts.printed import numbers, printed_values

#: Relative to the larger of 1 and the number for a value and a path (the tables hold ten digits,
#: the paths six; the least change of an error rate, one test point in 20,000, is 5e-5), to the
#: number itself for a hyperparameter, which may be small.
TOLERANCE = 1e-5
#: Certificates below this relative duality gap are one class: what is left there is rounding.
GAP_FLOOR = 1e-6
#: Above it, certificates that differ by a larger factor than this are of different classes.
GAP_FACTOR = 10.0


def difference(row: Mapping, other: Mapping) -> list[str]:
    """What differs between a recomputed record and a committed one.

    Compared are all columns that a verdict or a figure reads: the value, the number of test
    points, source, status, level, hyperparameters, the path, and the certificate. Numbers agree
    within `TOLERANCE`, NaN agrees with NaN, texts and counts agree exactly. Of the duality gap,
    whose digits are rounding errors, only the class counts (see `same_certificate`).

    Parameters
    ----------
    row, other : mapping
        Recomputed and committed record, by column.

    Returns
    -------
    list of str
        One text for each column that differs.
    """
    found = []
    for column, (parse, agree) in COLUMN_RULES.items():
        if row[column] is other[column] or row[column] == other[column]:
            continue
        now, then = _parsed(parse, row[column]), _parsed(parse, other[column])
        if not agree(now, then):
            found.append(f"{column} {now}, committed {then}")
    return found


def same(a: Any, b: Any, scale: float = 1.0) -> bool:
    """Compare numbers within `TOLERANCE`, also inside of lists and dicts; the rest exactly.

    Parameters
    ----------
    a, b : object
        What JSON can hold.
    scale : float
        The tolerance is relative to the largest of this and both numbers.

    Returns
    -------
    bool
        Whether they agree.
    """
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k], scale) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y, scale) for x, y in zip(a, b, strict=True))
    if isinstance(a, float | int) and isinstance(b, float | int):
        if math.isfinite(a) and math.isfinite(b):
            return abs(a - b) <= TOLERANCE * max(scale, abs(a), abs(b))
        return a == b or (math.isnan(a) and math.isnan(b))
    return a == b


def same_certificate(a: Any, b: Any) -> bool:
    """Whether two relative duality gaps are of the same class; texts that are none, if equal.

    Both are missing (NaN: no certificate was measured), or both are there and differ by at most
    `GAP_FACTOR`, where everything up to `GAP_FLOOR` counts as `GAP_FLOOR`. So a committed gap is
    never claimed better than the recomputed one by more than that, nor worse.
    """
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    low, high = sorted(max(abs(gap), GAP_FLOOR) for gap in (a, b))
    return high <= GAP_FACTOR * low


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _parsed(parse: Callable[[Any], Any], value: Any) -> Any:
    """Parsed value, or the text as it stands if a committed file holds something else."""
    try:
        return parse(value)
    except ValueError:
        return str(value)


def _exact(a: Any, b: Any) -> bool:
    return a == b


#: How the entries of a column are read, and when two of them agree.
COLUMN_RULES: dict[str, tuple[Callable[[Any], Any], Callable[[Any, Any], bool]]] = {
    **dict.fromkeys(("dataset", "method", rows.SOURCE, rows.STATUS), (str, _exact)),
    **dict.fromkeys((rows.LEVEL, "seed", "trial"), (_number, same)),
    rows.CHOSEN: (json.loads, functools.partial(same, scale=0.0)),
    rows.VALUE: (_number, same),
    rows.N_TEST: (int, _exact),
    rows.GAP: (_number, same_certificate),
    rows.PATH: (lambda path: [float(value) for value in path.split()], same),
}


def joined(made: pd.DataFrame, others: pd.DataFrame) -> list[tuple[dict | None, dict | None]]:
    """Join records of two runs by their keys; None stands for one that the other has not."""
    first, second = (
        {tuple(row[k] for k in KEY): row for row in frame.to_dict("records")}
        for frame in (made, others)
    )
    return [(first.get(key), second.get(key)) for key in {**first, **second}]


def compare(made: pd.DataFrame, committed: pd.DataFrame) -> list[str]:
    """Compare recomputed records with the committed ones that the same tasks must have made.

    Parameters
    ----------
    made, committed : DataFrame
        Records as recomputed, and as committed.

    Returns
    -------
    list of str
        One line for every record that differs, that is new, or that no task made.
    """
    lines = []
    for row, other in joined(made, committed):
        if row is None:
            what = "a committed record that its task does not make"
        elif other is None:
            what = "no such committed record"
        else:
            what = "; ".join(difference(row, other))
        if what:
            lines.append(f"{record_name(row or other or {})}: {what}")
    return lines


@dataclass(frozen=True)
class RunDifference:
    """What a run changes of one paper's committed results.

    Parameters
    ----------
    paper : str
        Paper key.
    profile : str
        Profile that the run was made by.
    n_agree : int
        Records that agree with the committed ones.
    differing : mapping of str to str
        What differs in a record, by its name; both were made on data of one source.
    n_on_other_data : int
        Records that differ, and were made on data of another source: they had to.
    new, missing : mapping of str to int
        Records by table that only the run has, and that only the committed results have.
    data : mapping of str to tuple of str
        What a data set was in the committed run and what it is now, where that is not the same.
    verdicts : sequence of tuple of Verdict
        Committed and new verdict on each printed number where the word or our value changed.
    not_run : sequence of Verdict
        Committed verdicts on numbers of which the run has no record.
    """

    paper: str
    profile: str
    n_agree: int
    differing: Mapping[str, str]
    n_on_other_data: int
    new: Mapping[str, int]
    missing: Mapping[str, int]
    data: Mapping[str, tuple[str, str]]
    verdicts: Sequence[tuple[Verdict, Verdict]]
    not_run: Sequence[Verdict]


def run_difference(
    paper: str, directory: Path, committed: Path | None = None
) -> RunDifference | None:
    """Compare a paper's results in a folder with the committed ones.

    Parameters
    ----------
    paper : str
        Paper key.
    directory : Path
        Results folder of the run, with one folder a paper.
    committed : Path, optional
        Results folder to compare with; the committed one by default.

    Returns
    -------
    RunDifference or None
        None if the run has no results of the paper.

    Raises
    ------
    ValueError
        If a table cannot be read.
    """
    root = results_directory(paper, committed)
    now, then = load_paper(paper, directory), load_paper(paper, root)
    if now.empty:
        return None
    new, missing = Counter[str](), Counter[str]()
    differing: dict[str, str] = {}
    n_agree = n_on_other_data = 0
    for row, other in joined(now, then):
        if row is None or other is None:
            (new if other is None else missing)[(row or other or {})["table"]] += 1
        elif not (faults := difference(row, other)):
            n_agree += 1
        elif row["source"] != other["source"]:
            n_on_other_data += 1
        else:
            differing[record_name(row)] = "; ".join(faults)
    run = load_run(paper, directory)
    verdicts = []
    if len(then) and numbers(paper):
        pairs = zip(judge_paper(paper, root), judge_paper(paper, directory), strict=True)
        verdicts = [pair for pair in pairs if not same_verdict(*pair)]
    return RunDifference(
        paper,
        str(run.get("profile")),
        n_agree,
        differing,
        n_on_other_data,
        new,
        missing,
        _other_data((then, load_run(paper, root)), (now, run)),
        verdicts=[pair for pair in verdicts if pair[1].n_trials],
        not_run=[before for before, after in verdicts if not after.n_trials],
    )


def _other_data(
    committed: tuple[pd.DataFrame, Mapping], made: tuple[pd.DataFrame, Mapping]
) -> dict[str, tuple[str, str]]:
    """Data sets of both runs whose source or content is another one."""
    (then, _), (now, _) = sources = [
        (records.groupby("dataset")["source"].unique().map(sorted).map(", ".join), run)
        for records, run in (committed, made)
    ]
    digests = [
        {name: about.get("digest") for name, about in run.get("data", {}).items()}
        for _, run in sources
    ]
    found = {}
    for name in sorted(then.index.intersection(now.index)):
        if then[name] != now[name]:
            found[name] = (then[name], now[name])
        elif digests[0].get(name) != digests[1].get(name):
            found[name] = (then[name], f"{now[name]}, other content")
    return found


def same_verdict(then: Verdict, now: Verdict) -> bool:
    """Whether two verdicts have one word, one reading, and values of ours that agree.

    Parameters
    ----------
    then, now : Verdict
        On the same printed number.

    Returns
    -------
    bool
        Whether they agree.
    """
    return (then.word, then.reading) == (now.word, now.reading) and same(then.ours, now.ours)


def beside_committed(paper: str, records: pd.DataFrame) -> pd.DataFrame:
    """Records of some tasks with the committed values and the printed ones, one line a record.

    Parameters
    ----------
    paper : str
        Paper key.
    records : DataFrame
        What some of its tasks gave.

    Returns
    -------
    DataFrame
        task; metric, with setting and reading where the task measures several; ours, committed and
        printed, in the unit of the records (a printed value is mostly a mean over trials), NaN
        where there is none; result: "equal", what differs, or why there is nothing to compare.
    """
    committed = {
        record_name(row): row for row in committed_results(paper).records.to_dict("records")
    }
    lines = []
    for row in records.to_dict("records"):
        name, other = record_name(row), committed.get(record_name(row))
        if row["status"] != "ok":
            result = str(row["status"])
        elif other is None:
            result = "not among the committed records"
        else:
            faults = difference(row, other)
            result = f"differs: {'; '.join(faults)}" if faults else "equal"
        lines.append(
            {
                "task": row["task"],
                "metric": name.removeprefix(f"{row['task']} "),
                "ours": row["value"],
                "committed": other["value"] if other else math.nan,
                "printed": printed_values(paper, row).get(row["metric"], math.nan),
                "result": result,
            }
        )
    return pd.DataFrame(lines)
