"""The words of verdicts, and the rules that choose between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from reprolib.rerun.verdicts.errors import Error

Word = Literal[
    "to the digit",
    "reproduced",
    "reproduced in a variant",
    "undecided",
    "undecided, differs",
    "not reproduced",
    "quoted",
    "not run",
]
WORDS: tuple[Word, ...] = get_args(Word)
#: Words that say that a number came out.
CAME_OUT: tuple[Word, ...] = ("to the digit", "reproduced")
#: Words of numbers that are judged by an interval, the best first.
JUDGED: tuple[Word, ...] = ("reproduced", "undecided", "undecided, differs", "not reproduced")

#: Part of a printed selection by which ours may differ and still be called reproduced, but at least
#: one step. Selections of one and the same method on other draws differ by about as much.
SELECTION_MARGIN = 0.2


def word_of(low: float, high: float, low_90: float, high_90: float, margin: float) -> Word:
    """Word for a difference, ours minus printed, whose intervals are known.

    - reproduced: the 90 % interval lies inside the margin (two one-sided tests at 5 %; Schuirmann
      1987), also where it excludes zero;
    - not reproduced: the 95 % interval lies outside the margin, so that the two differ by more;
    - undecided, differs: neither, and the 95 % interval excludes zero;
    - undecided: none of these.

    The more data, the narrower the intervals: a difference below the margin ends as *reproduced*,
    one above it as *not reproduced*.

    Parameters
    ----------
    low, high : float
        Ends of the 95 % interval.
    low_90, high_90 : float
        Ends of the 90 % interval.
    margin : float
        In the unit of the difference.
    """
    if -margin < low_90 and high_90 < margin:
        return "reproduced"
    if low > margin or high < -margin:
        return "not reproduced"
    return "undecided, differs" if low > 0 or high < 0 else "undecided"


def of_difference(difference: float, error: Error, margin: float) -> Word:
    """`word_of` for a difference with an error model.

    Parameters
    ----------
    difference : float
        Ours minus printed.
    error : Error
        Error of the difference.
    margin : float
        In the unit of the difference.
    """
    return word_of(*error.ends(difference), margin)


def of_contrast(
    difference: float, error: Error, *, larger_is_better: bool = True
) -> Literal["better", "worse", "undecided"]:
    """Word for one method beside another where every difference counts, however small.

    Better or worse if the 95 % interval of the difference excludes zero, otherwise undecided.
    """
    if not abs(difference) > error.half_width():
        return "undecided"
    return "better" if (difference > 0) == larger_is_better else "worse"


def row_gain(
    words: Sequence[Word],
    trials: Sequence[int],
    reading_words: Sequence[Word | None],
    reading_trials: Sequence[int],
) -> int:
    """How many numbers of a row have a better word under a reading than in the judged run.

    0 unless the reading was run for all numbers of the row, with at least as many trials each, none
    of them differs under it (*not reproduced*, or *undecided, differs*), and none has a worse word
    than in the judged run. A number that is undecided under the reading adds nothing.

    Parameters
    ----------
    words, trials : sequence
        Of the judged run, for every number of the row that is run.
    reading_words, reading_trials : sequence
        Under the reading; None where it has no records.
    """
    gain = 0
    order = ("undecided", "reproduced", "to the digit")
    for word, n, other, n_other in zip(words, trials, reading_words, reading_trials, strict=True):
        before = order.index(word) if word in order else 0
        if other not in order or n_other < n or order.index(other) < before:
            return 0
        gain += order.index(other) > before
    return gain
