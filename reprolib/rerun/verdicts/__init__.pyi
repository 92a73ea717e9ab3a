from .claims import ClaimVerdict, judge_claims
from .judge import Outcome, Verdict, judge_paper
from .number import Number
from .printed import numbers

__all__ = [
    "ClaimVerdict",
    "Number",
    "Outcome",
    "Verdict",
    "judge_claims",
    "judge_paper",
    "numbers",
]
