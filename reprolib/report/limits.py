"""What a run with few trials cannot decide about the printed numbers, and what a full one can."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reprolib.rerun.verdicts import Verdict
from reprolib.rerun.verdicts.printed import Number
from reprolib.rerun.verdicts.words import Word

#: Word of a number whose interval is too wide to decide.
TOO_WIDE: Word = "undecided"


@dataclass(frozen=True)
class Limits:
    """Numbers of a run by whether it decides them; quotations and what cannot be run are left out.

    Parameters
    ----------
    decided, too_few, missing : sequence of Verdict
        Of the run: with a word that says something; with too few trials; without any.
    full : sequence of Verdict
        The same numbers in a full run; empty if there is none.
    """

    decided: Sequence[Verdict]
    too_few: Sequence[Verdict]
    missing: Sequence[Verdict]
    full: Sequence[Verdict]

    @property
    def n_numbers(self) -> int:
        """How many there are."""
        return len(self.decided) + len(self.too_few) + len(self.missing)

    @property
    def n_open(self) -> int:
        """How many the run does not decide."""
        return len(self.too_few) + len(self.missing)

    @property
    def n_decided_by_full(self) -> int:
        """How many of those the full run decides."""
        decided = {v.number.id for v in self.full if _is_decided(v)}
        return sum(v.number.id in decided for v in (*self.too_few, *self.missing))

    @property
    def other_word(self) -> Sequence[Verdict]:
        """What the run decides otherwise than the full run."""
        words = {v.number.id: v.word for v in self.full}
        return [v for v in self.decided if words.get(v.number.id, v.word) != v.word]


def limits(run: Iterable[Verdict], full: Iterable[Verdict]) -> Limits:
    """Sort the verdicts of a run.

    Parameters
    ----------
    run, full : iterable of Verdict
        All verdicts on one paper, or on several, of the run and of the full one.
    """
    own = [v for v in run if _is_to_be_run(v)]
    return Limits(
        decided=[v for v in own if _is_decided(v)],
        too_few=[v for v in own if v.n_trials and not _is_decided(v)],
        missing=[v for v in own if not v.n_trials],
        full=[v for v in full if _is_to_be_run(v) and v.n_trials],
    )


def _is_to_be_run(v: Verdict) -> bool:
    return v.role != "quoted" and not v.number.not_run


def _is_decided(v: Verdict) -> bool:
    return bool(v.n_trials) and v.word != TOO_WIDE


def limits_text(found: Limits, profile: str, full_run: str) -> list[str]:
    """Lines on one paper: trials, what is decided and what is not, and what a full run adds.

    Parameters
    ----------
    found : Limits
    profile : str
        Of the run.
    full_run : str
        Command of the full run, with its time.
    """
    lines = [_trials(found, profile)]
    lines += _listed(found.decided, f"It decides {len(found.decided)} of {found.n_numbers} numbers")
    lines += _listed(found.too_few, f"Too few trials to decide {len(found.too_few)}")
    for reason in dict.fromkeys(v.reason for v in found.missing):
        part = [v for v in found.missing if v.reason == reason]
        lines += _listed(part, f"Not run {len(part)} ({reason})")
    return [*lines, *_full_lines(found, full_run)]


def _trials(found: Limits, profile: str) -> str:
    measured = (*found.decided, *found.too_few)
    if not measured:
        return "This run measured no number that can be judged."
    parts = [f"The {profile} profile has {_range(v.n_trials for v in measured)} trials a number"]
    if found.full:
        parts.append(f"the full one {_range(v.n_trials for v in found.full)}")
    parts.append(f"the paper {_range(v.number.trials for v in measured)}")
    return f"{', '.join(parts)}."


def _full_lines(found: Limits, full_run: str) -> Iterator[str]:
    if not found.full:
        yield f"{full_run} has more trials."
        return
    if found.n_open:
        yield (
            f"{full_run}, on the data of the committed results, decides "
            f"{found.n_decided_by_full} of these {found.n_open}."
        )
    if n_other := len(found.other_word):
        yield (
            f"{n_other} of the {len(found.decided)} have another word in the committed full "
            f"results: {places(v.number for v in found.other_word)}. Trust those."
        )


def _range(numbers: Iterable[int]) -> str:
    ordered = sorted(set(numbers))
    return f"{ordered[0]} to {ordered[-1]}" if len(ordered) > 1 else str(ordered[0])


def _listed(verdicts: Sequence[Verdict], head: str) -> list[str]:
    return [f"{head}: {places(v.number for v in verdicts)}."] if verdicts else []


def places(numbers: Iterable[Number]) -> str:
    """``table1 KPM (Banana, Heart), SVM (Banana); table2 KPM (Heart)``."""
    tables: dict[str, dict[str, list[str]]] = {}
    for number in numbers:
        columns = tables.setdefault(number.table, {})
        columns.setdefault(number.column, []).append(number.row)
    return "; ".join(
        f"{table} " + ", ".join(f"{name} ({', '.join(rows)})" for name, rows in columns.items())
        for table, columns in tables.items()
    )
