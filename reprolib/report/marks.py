"""What a mark of the report says when one points at it, under the verdict and under a reading."""

from __future__ import annotations

from collections.abc import Mapping

from reprolib.report.tables import difference_text, half_width_text, number_text
from reprolib.rerun.verdicts.judge import Verdict

#: Choice of the words that the judged readings give alone, without credit.
JUDGED = "judged"


def label(v: Verdict) -> str:
    """Name a published number and give its value: ``KPM, table1, Heart, KPM: published 16.89``."""
    number = v.number
    published = number_text(number.value, number.spread, number.digits)
    return (
        f"{number.paper.upper()}, {number.table}, {number.row}, {number.column}: "
        f"published {published}"
    )


def described(v: Verdict) -> str:
    """Describe a number in one sentence: published, ours, difference with interval, verdict."""
    if not v.n_trials:
        return f"{label(v)}, {v.word}"
    digits = v.number.digits
    return (
        f"{label(v)}, ours {number_text(v.ours, v.spread, digits)}, "
        f"difference {difference_text(v.difference, digits)}, "
        f"95 % half-width {half_width_text(v.half_width, digits)}, "
        f"detectable {half_width_text(v.detectable, digits)} ({v.design}), "
        f"trials {v.n_trials}, {v.source}: {v.word}"
    )


def outcomes(v: Verdict) -> Mapping[str, tuple[str, str]]:
    """Word, and what one reads when pointing at the mark, by reading.

    Returns
    -------
    dict
        Empty name: the verdict, with its credit; `JUDGED`: the judged reading alone; then every
        other reading with records.
    """
    texts = {"": (str(v.word), described(v))}
    if not v.n_trials:
        return texts
    texts[JUDGED] = (v.judged_word, f"{_ours(v, v.ours, v.spread)}: {v.judged_word}")
    for name, outcome in v.readings.items():
        text = _ours(v, outcome.ours, outcome.spread)
        texts[name] = (outcome.word, f"{text} under “{name}”: {outcome.word}")
    return texts


def _ours(v: Verdict, ours: float, spread: float) -> str:
    return f"{label(v)}, ours {number_text(ours, spread, v.number.digits)}"
