"""What tasks of one process share, so that the same fit is not made twice.

Only the answer of a pure function of data and settings is remembered, and found again by both: a
task has the same records whether an earlier one has left the answer or not, in any order and in
any number of processes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import joblib


class Remembered:
    """Answers of this process by the content of what they depend on.

    Parameters
    ----------
    size : int
        The latest answers that are kept. They should be small: numbers or predictions, no models.

    Examples
    --------
    >>> from reprolib.rerun.tasks.remembered import Remembered
    >>> sums = Remembered(size=10)
    >>> sums.of(([1, 2], "sum"), lambda: 1 + 2)
    3
    >>> sums.of(([1, 2], "sum"), lambda: print("not called again"))
    3
    """

    def __init__(self, size: int):
        self.size = size
        self._answers: OrderedDict[str, Any] = OrderedDict()

    def of(self, what: Any, make: Callable[[], Any]) -> Any:
        """Answer to ``what``: arrays, numbers, texts and estimators that are not fitted."""
        key = joblib.hash(what)
        if key not in self._answers:
            self._answers[key] = make()
        self._answers.move_to_end(key)
        if len(self._answers) > self.size:
            self._answers.popitem(last=False)
        return self._answers[key]
