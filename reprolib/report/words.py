"""What the words of a verdict mean, in one sentence each."""

from __future__ import annotations

from collections.abc import Mapping

from reprolib.rerun.verdicts.rules import CLOSE_POINTS, SHARP_POINTS, Word

MEANINGS: Mapping[Word, str] = {
    "reproduced": (
        "The published number lies in the 95 % interval around ours, and the interval is narrow: "
        f"its half-width is at most {SHARP_POINTS:g} percentage points, or one published standard "
        "deviation if that is larger."
    ),
    "compatible": (
        "The published number lies in the interval, but the interval is too wide to say more."
    ),
    "reproduced under a reading": (
        "Not under the headline reading, but one other reading of the text, which is named, "
        "reproduces numbers of the row that the headline misses, and none of the row's numbers is "
        "worse under it."
    ),
    "close": (
        f"Outside the interval, but the difference is at most {CLOSE_POINTS:g} percentage point, "
        "or one published standard deviation if that is larger."
    ),
    "not reproduced": "Outside the interval and not close; the reason stands beside the number.",
    "quoted": "The paper took the number from elsewhere; it is no experiment of the paper.",
    "not run": "We have no result on real data; the reason stands beside the number.",
}
