"""``reprolib reproduce --minutes``: the tasks that decide the most numbers in some time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rich.console import Console

from reprolib.cli import console as consoles
from reprolib.cli.arguments import BUILD
from reprolib.cli.dry_run import minutes, n_workers
from reprolib.cli.failures import FailureLog
from reprolib.cli.reproduce import outcomes, write_tables
from reprolib.cli.table_text import print_numbers
from reprolib.report.limits import Limits, limits, places
from reprolib.rerun.checks.check import require_sound
from reprolib.rerun.checks.in_minutes import Aim, Chosen, aims_of, choose
from reprolib.rerun.records import to_frame
from reprolib.rerun.records.registry import PAPERS, get_protocol
from reprolib.rerun.records.tables import load_tasks
from reprolib.rerun.tasks.runner import Run
from reprolib.rerun.verdicts import Verdict, judge_paper


def run(arguments) -> int:
    """Choose tasks, run them, and say what they decided.

    Returns
    -------
    int
        1 if a task failed, else 0.
    """
    arguments.profile = "full"
    papers = arguments.papers or list(PAPERS)
    require_sound(papers)
    aims = _aims(arguments, papers)
    chosen = _chosen(arguments, aims)
    out = consoles.out()
    _print_plan(out, chosen, len(aims), arguments.jobs)
    if arguments.dry_run:
        return 0
    output = arguments.output or BUILD / "minutes"
    log = FailureLog(consoles.err(), output / "failures.log")
    protocols = [
        get_protocol(paper) for paper in dict.fromkeys(a.number.paper for a in chosen.aims)
    ]
    by_paper: dict[str, Limits] = {}
    for outcome in _with_derived(outcomes(protocols, arguments, chosen, log)):
        write_tables(consoles.err(), outcome, output / "results")
        judged = judge_paper(outcome.paper, output / "results")
        by_paper[outcome.paper] = limits(judged, judge_paper(outcome.paper))
    _print_decided(out, chosen, by_paper)
    return 1 if log.n_failures else 0


def _aims(arguments, papers: Sequence[str]) -> list[Aim]:
    """All numbers that a run can be expected to decide on the data at hand."""
    if arguments.only or arguments.embedded:
        other = "--only" if arguments.only else "--embedded"
        raise ValueError(
            f"--minutes chooses among tasks on real data; {other} cannot be given with it: omit one"
        )
    known = [paper for paper in papers if paper in PAPERS and len(load_tasks(paper))]
    if not known:
        raise ValueError(
            "--minutes chooses by committed results of printed numbers; there are none of "
            f"{', '.join(papers)}. Use --quick or --full"
        )
    return [aim for paper in known for aim in aims_of(get_protocol(paper))]


def _chosen(arguments, aims: Sequence[Aim]) -> Chosen:
    """Tasks that fit into the minutes."""
    chosen = choose(aims, 60 * arguments.minutes * n_workers(arguments.jobs))
    if not chosen.aims:
        raise ValueError(
            f"--minutes is {arguments.minutes:g}, too few for any of the {len(aims)} numbers that "
            "can be decided on data at hand; give more, or get data with `reprolib data fetch`"
        )
    return chosen


def _print_plan(out: Console, chosen: Chosen, n_aims: int, n_jobs: int) -> None:
    """Say how many tasks there are, how long they take, and which numbers they should decide."""
    took = minutes(sum(chosen.seconds.values()), n_jobs)
    out.print(
        f"Tasks: {len(chosen.seconds)}, {took}. Numbers that they are expected to decide: "
        f"{len(chosen.aims)} of the {n_aims} that can be decided on the data at hand.",
        soft_wrap=True,
    )
    numbers = [aim.number for aim in chosen.aims]
    for paper in dict.fromkeys(number.paper for number in numbers):
        of_paper = places(number for number in numbers if number.paper == paper)
        out.print(f"  {paper}: {of_paper}", soft_wrap=True, highlight=False)


def _with_derived(runs: Iterator[Run]) -> Iterator[Run]:
    """Add what is derived from trials: an aim has all tasks of its trials, as a quick run has."""
    for outcome in runs:
        derived = get_protocol(outcome.paper).derive(outcome.records)
        rows: list[Mapping[Any, Any]] = [*outcome.records.to_dict("records"), *derived]
        yield replace(outcome, records=to_frame(rows)) if derived else outcome


def _print_decided(out: Console, chosen: Chosen, by_paper: dict[str, Limits]) -> None:
    """Say what was decided, what was not, and how the committed results differ."""
    decided = [v for of_paper in by_paper.values() for v in of_paper.decided]
    for paper, of_paper in by_paper.items():
        out.print(f"\n{paper}: {len(of_paper.decided)} of {of_paper.n_numbers} numbers decided")
        print_numbers(out, of_paper.decided)
        aimed = {aim.number.id for aim in chosen.aims if aim.number.paper == paper}
        missed = [v for v in (*of_paper.too_few, *of_paper.missing) if v.number.id in aimed]
        if missed:
            out.print(
                f"Not decided, against expectation: {places(v.number for v in missed)}",
                soft_wrap=True,
            )
    full = [v for of_paper in by_paper.values() for v in of_paper.full]
    out.print(f"\nDecided here: {_counts(decided)}", soft_wrap=True)
    out.print(f"In the full results: {_counts(full)}", soft_wrap=True)
    out.print("The numbers here are those that cost least, and no sample of all.", soft_wrap=True)
    others = [
        f"{paper} {places(v.number for v in of_paper.other_word)}"
        for paper, of_paper in by_paper.items()
        if of_paper.other_word
    ]
    if others:
        out.print(
            f"Decided otherwise by the full results: {'; '.join(others)}. Trust those",
            soft_wrap=True,
        )


def _counts(verdicts: Sequence[Verdict]) -> str:
    words = Counter(v.word for v in verdicts)
    return ", ".join(f"{n} {word}" for word, n in words.most_common()) or "none"
