"""What the words of a verdict mean, in one sentence each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reprolib.rerun.verdicts.calibration import expected_false_alarms, judged_performances
from reprolib.rerun.verdicts.claims import ClaimWord
from reprolib.rerun.verdicts.judge import Verdict
from reprolib.rerun.verdicts.words import LARGEST_CHANCE, MARGIN, Word

#: The rule of each word.
RULES: Mapping[Word, str] = {
    "reproduced": (
        f"The difference is less than {MARGIN:g} percentage points, and surely so: its 90 % "
        "interval lies inside. A selected hyperparameter: the published one lies in the range of "
        f"ours, and at most {LARGEST_CHANCE:.0%} of the candidates do."
    ),
    "reproduced under a reading": (
        "Not under the reading that is judged, but one other reading of the text, which is named, "
        "reproduces numbers of the row that the judged one does not, and none of the row's numbers "
        "is worse under it."
    ),
    "undecided": (
        "Neither: our runs, or those of the paper, spread too widely to tell. The difference that "
        "they would have detected stands beside it."
    ),
    "not reproduced": "The 95 % interval of the difference excludes zero.",
    "quoted": "The paper took the number from elsewhere; it is no experiment of the paper.",
    "not run": "We have no result on real data.",
}
#: What our own report says of each: it gives reasons, too.
MEANINGS: Mapping[Word, str] = {
    word: f"{rule.rstrip('.')}; the reason stands beside the number."
    if word in ("not reproduced", "not run")
    else rule
    for word, rule in RULES.items()
}

CLAIM_MEANINGS: Mapping[ClaimWord, str] = {
    "holds": "Our runs on the same trials show what the paper says, at a level of 5 %.",
    "fails": "Our runs show the opposite, at a level of 5 %.",
    "undecided": "Neither; the difference that would have been detected stands beside it.",
}


def calibration_text(verdicts: Sequence[Verdict]) -> str:
    """Say how many performances chance alone would call not reproduced; empty if none are run."""
    count = len(judged_performances(verdicts))
    if not count:
        return ""
    return (
        f"Were all of the {count} performances with an interval equal to print, chance alone would "
        f"call {expected_false_alarms(verdicts):.1f} of them not reproduced."
    )
