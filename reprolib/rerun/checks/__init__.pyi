from .one_task import recompute

__all__ = ["recompute"]
