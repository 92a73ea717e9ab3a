from .judge import Outcome, Verdict, judge_paper
from .number import Number
from .printed import numbers

__all__ = ["Number", "Outcome", "Verdict", "judge_paper", "numbers"]
