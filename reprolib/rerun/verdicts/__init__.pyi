from .anyone import Judged, judge_table
from .claims import ClaimVerdict, judge_claims
from .judge import Outcome, Verdict, judge_paper
from .printed import Number, numbers

__all__ = [
    "ClaimVerdict",
    "Judged",
    "Number",
    "Outcome",
    "Verdict",
    "judge_claims",
    "judge_paper",
    "judge_table",
    "numbers",
]
