"""``reprolib compare``: what a run changes, as Markdown."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from reprolib.cli.console import out
from reprolib.cli.results import with_results
from reprolib.report.printed_tables import Markdown, markdown_code, markdown_escaped, markdown_table
from reprolib.report.tables import number_text
from reprolib.rerun.checks.compare import (
    NOWHERE,
    PaperDifference,
    RecordChange,
    paper_difference,
)
from reprolib.rerun.records.folders import results_directory, write_atomically
from reprolib.rerun.records.registry import PAPERS, STUDIES
from reprolib.rerun.records.task import HEADLINE
from reprolib.rerun.verdicts.judge import Verdict

#: Letters of what differs in a column of a record; a path has hundreds of numbers.
WIDTH = 120
#: Most digits after the point that are shown to see how two values differ.
MOST_DIGITS = 12


def run(arguments) -> int:
    """Compare, and write the difference to the console or to a file.

    Raises
    ------
    FileNotFoundError
        If there are no results of any paper in the folder, or no committed ones.
    """
    directory = results_of(arguments.folder)
    keys = (*PAPERS, *STUDIES)
    for key in with_results(keys, directory):
        committed = results_directory(key, arguments.results)
        if not committed.is_dir():
            raise FileNotFoundError(
                f"there are no committed results in {committed}; --results names another folder"
            )
    found = {key: paper_difference(key, directory, arguments.results) for key in keys}
    if not any(found.values()):
        raise FileNotFoundError(
            f"DIR is {arguments.folder}, which has no results; `reprolib reproduce --full --output "
            f"{arguments.folder}` makes some"
        )
    text = markdown(found, arguments.limit)
    if arguments.output is None:
        out().print(text, end="")
    else:
        write_atomically(arguments.output, text)
        out().print(f"Difference: {arguments.output.resolve()}")
    return 0


def results_of(folder: Path) -> Path:
    """Results folder of a run: below the one that ``reproduce --output`` was given, or itself."""
    inside = folder / "results"
    return inside if inside.is_dir() else folder


def markdown(found: Mapping[str, PaperDifference | None], limit: int) -> str:
    """Markdown page of the differences of papers.

    Parameters
    ----------
    found : mapping
        Difference by paper; None where the run has no results.
    limit : int
        Differing and new records of each table to list; the rest is counted, and so are all that
        the run does not have.
    """
    blocks = ["# This run against the committed results", *_summary(found)]
    for difference in found.values():
        if difference is not None and not difference.is_empty:
            blocks += _section(difference, limit)
    return "\n\n".join(blocks) + "\n"


def _summary(found: Mapping[str, PaperDifference | None]) -> Iterator[str]:
    at_hand = [difference for difference in found.values() if difference is not None]
    if all(difference.is_empty for difference in at_hand):
        yield f"No difference: all {sum(d.n_agree for d in at_hand)} records agree."
    head = ["paper", "agree", "differ", "of these on other data", "new", "missing", "numbers moved"]
    yield markdown_table(head, map(_counts, at_hand))
    without = [key.upper() for key, difference in found.items() if difference is None]
    if without:
        yield f"No results in this run: {', '.join(without)}."
    for difference in at_hand:
        if difference.profile != "full":
            yield f"{difference.paper.upper()} is no full run (profile: {difference.profile})."


def _counts(difference: PaperDifference) -> list[object]:
    kinds = Counter(change.kind for change in difference.changes)
    moved = sum(change.other_source for change in difference.changes)
    return [
        difference.paper.upper(),
        difference.n_agree,
        kinds["differs"],
        moved,
        kinds["new"],
        kinds["missing"],
        len(difference.verdicts),
    ]


def _section(difference: PaperDifference, limit: int) -> Iterator[str]:
    yield f"## {difference.paper.upper()}"
    yield from _not_in_run(difference)
    if rows := [(name, *pair) for name, pair in difference.data.items() if pair[1] != NOWHERE]:
        yield markdown_table(["data set", "committed", "this run"], rows)
    if difference.verdicts:
        head = ["table", "row", "column", "printed", "committed", "verdict", "now", "verdict now"]
        yield markdown_table(head, (_number_row(*pair) for pair in difference.verdicts))
    changes = [change for change in difference.changes if change.kind != "missing"]
    for table in sorted({change.table for change in changes}):
        yield from _records(table, [c for c in changes if c.table == table], limit)


def _not_in_run(difference: PaperDifference) -> Iterator[str]:
    """Count what only the committed results have: data sets, printed numbers, records by table."""
    if datasets := [name for name, pair in difference.data.items() if pair[1] == NOWHERE]:
        yield f"Data sets that this run does not have: {markdown_escaped(', '.join(datasets))}."
    if difference.not_run:
        yield (
            f"Printed numbers without a record in this run: {len(difference.not_run)}, such as "
            f"{markdown_escaped(difference.not_run[0].number.id)}."
        )
    missing = [change for change in difference.changes if change.kind == "missing"]
    tables = {change.table: change.record for change in reversed(missing)}
    if missing:
        counts = Counter(change.table for change in missing)
        rows = [(t, counts[t], Markdown(markdown_code(tables[t]))) for t in sorted(tables)]
        yield markdown_table(["table", "records missing in this run", "such as"], rows)


def _number_row(then: Verdict, now: Verdict) -> list[str]:
    number = then.number
    committed, ours = _distinct_texts(then, now)
    printed = number_text(number.value, number.spread, number.digits)
    place = [number.table, number.row, number.column]
    return [*place, printed, committed, _word(then), ours, _word(now)]


def _distinct_texts(then: Verdict, now: Verdict) -> list[str]:
    """Both of our values, with the printed digits or as many as show that they differ."""
    for digits in range(then.number.digits, MOST_DIGITS):
        texts = [number_text(v.ours, v.spread, digits) for v in (then, now)]
        if texts[0] != texts[1] or then.ours == now.ours:
            break
    return texts


def _word(verdict: Verdict) -> str:
    return verdict.word if verdict.reading == HEADLINE else f"{verdict.word}: {verdict.reading}"


def _records(table: str, changes: Sequence[RecordChange], limit: int) -> Iterator[str]:
    kinds = Counter(change.kind for change in changes)
    words = {"differs": "differ", "new": "new"}
    counts = ", ".join(f"{kinds[kind]} {word}" for kind, word in words.items() if kinds[kind])
    yield f"### {markdown_escaped(table)}: {counts}"
    lines = [_change_line(change) for change in changes[:limit]]
    if len(changes) > limit:
        lines.append(f"- and {len(changes) - limit} more")
    yield "\n".join(lines)


def _change_line(change: RecordChange) -> str:
    faults = (textwrap.shorten(fault, WIDTH, placeholder=" …") for fault in change.faults)
    why = markdown_escaped("; ".join(faults) or change.kind)
    return f"- {markdown_code(change.record)}: {why}"
