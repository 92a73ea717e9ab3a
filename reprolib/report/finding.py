"""Three lines on each paper, computed from the verdicts: own method, baselines, readings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from reprolib.report.tables import difference_text, half_width_text, number_text
from reprolib.rerun.verdicts.judge import Verdict, count_words
from reprolib.rerun.verdicts.words import WORDS


def finding(verdicts: Sequence[Verdict]) -> list[tuple[str, str]]:
    """Heading and text of each line; none for a paper without printed numbers.

    Parameters
    ----------
    verdicts : sequence of Verdict
        All of one paper.
    """
    if not verdicts:
        return []
    own = [v for v in verdicts if v.role == "own"]
    return [
        ("Own method", " ".join([_by_quantity(own), *_extremes(own)])),
        ("Baselines", " ".join([_by_quantity(_of_role(verdicts, "baseline")), *_quoted(verdicts)])),
        ("Readings", _readings(verdicts)),
    ]


def _of_role(verdicts: Iterable[Verdict], role: str) -> list[Verdict]:
    return [v for v in verdicts if v.role == role]


def _by_quantity(verdicts: Sequence[Verdict]) -> str:
    """Count the words, performance first: ``Performance, 12 numbers: 12 reproduced.``."""
    sentences = []
    for quantity in ("performance", "selection"):
        of_quantity = [v for v in verdicts if v.quantity == quantity]
        if of_quantity:
            counts = count_words(of_quantity)
            words = ", ".join(f"{counts[word]} {word}" for word in WORDS if counts[word])
            sentences.append(f"{quantity.capitalize()}, {_numbers(len(of_quantity))}: {words}.")
    return " ".join(sentences) or "None printed."


def _numbers(count: int) -> str:
    return f"{count} number{'' if count == 1 else 's'}"


def _extremes(own: Sequence[Verdict]) -> list[str]:
    """Largest miss, and the largest difference that an undecided performance may hide."""
    measured = [v for v in own if v.quantity == "performance" and np.isfinite(v.half_width)]
    undecided = [v for v in measured if v.word == "undecided"]
    missed = [v for v in measured if v.word == "not reproduced"]
    sentences = []
    if missed:
        v = max(missed, key=lambda v: abs(v.difference) / v.number.scale)
        size = difference_text(v.difference, v.number.digits)
        sentences.append(f"Largest difference of a missed performance: {size}, {_where(v)}.")
    if undecided:
        v = max(undecided, key=lambda v: v.detectable / v.number.scale)
        size = half_width_text(v.detectable, v.number.digits)
        sentences.append(f"Largest difference that could have been missed: {size}, {_where(v)}.")
    return sentences


def _where(v: Verdict) -> str:
    digits = v.number.digits
    published, ours = (number_text(value, None, digits) for value in (v.number.value, v.ours))
    name = f"{v.number.table}, {v.number.row}, {v.number.column}"
    return f"{name} (published {published}, ours {ours})"


def _quoted(verdicts: Sequence[Verdict]) -> list[str]:
    count = len(_of_role(verdicts, "quoted"))
    return [f"Quoted from elsewhere and not judged: {_numbers(count)}."] if count else []


def _readings(verdicts: Sequence[Verdict]) -> str:
    tried = {name for v in verdicts for name in v.readings}
    credited = [v for v in verdicts if v.word == "reproduced under a reading"]
    names = dict.fromkeys(f"“{v.reading}”" for v in credited)
    if not credited:
        return f"Tried beside the judged one: {len(tried)}; none reproduces a row that it misses."
    return (
        f"Tried beside the judged one: {len(tried)}; {_numbers(len(credited))} reproduced only "
        f"under {' or '.join(names)}."
    )
