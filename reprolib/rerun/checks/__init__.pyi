from .evaluate import Evaluation, evaluate
from .verify import recompute

__all__ = ["Evaluation", "evaluate", "recompute"]
