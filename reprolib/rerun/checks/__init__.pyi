from .evaluate import Evaluation, evaluate
from .one_task import recompute

__all__ = ["Evaluation", "evaluate", "recompute"]
