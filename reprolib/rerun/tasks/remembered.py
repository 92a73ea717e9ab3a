"""What tasks of one run share, so that the same fit is not made twice.

Only the answer of a pure function of data and settings is remembered, and found again by both: a
task has the same records whether an earlier one has left the answer or not, in any order and in
any number of processes.
"""

from __future__ import annotations

import os
import pickle
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import filelock
import joblib

#: Where the processes of a run leave answers for each other; each keeps its own where this is None.
_folder: Path | None = None


@contextmanager
def shared_in(folder: Path) -> Iterator[None]:
    """Share answers through files in a folder, while the context lasts.

    Parameters
    ----------
    folder : Path
        Made for this run and deleted with it: its files are trusted.
    """
    global _folder
    before, _folder = _folder, folder
    try:
        yield
    finally:
        _folder = before


class Remembered:
    """Answers of this process, and of those that share a folder, by what they depend on.

    Parameters
    ----------
    name : str
        A name for the kind of answer. Answers with different names are never mixed up.
    size : int
        The latest answers that a process keeps. They should be small: numbers or predictions, no
        models.

    Examples
    --------
    >>> from reprolib.rerun.tasks.remembered import Remembered
    >>> sums = Remembered("sums", size=10)
    >>> sums.of([1, 2], lambda: 1 + 2)
    3
    >>> sums.of([1, 2], lambda: print("not called again"))
    3
    """

    def __init__(self, name: str, size: int):
        self.name = name
        self.size = size
        self._answers: OrderedDict[str, Any] = OrderedDict()

    def of(self, what: Any, make: Callable[[], Any]) -> Any:
        """Answer to ``what``: arrays, numbers, texts and estimators that are not fitted."""
        key = joblib.hash((self.name, what))
        if key not in self._answers:
            self._answers[key] = make() if _folder is None else _from_file(_folder / key, make)
        self._answers.move_to_end(key)
        if len(self._answers) > self.size:
            self._answers.popitem(last=False)
        return self._answers[key]


def _from_file(path: Path, make: Callable[[], Any]) -> Any:
    """Read an answer, or make it and leave it; another process that asks for it waits meanwhile.

    The lock of a process that dies is free again. Where nothing can be written, as on a full disk,
    every process makes the answer for itself.
    """
    with ExitStack() as held:
        with suppress(OSError, NotImplementedError):
            held.enter_context(filelock.FileLock(f"{path}.lock"))
        if path.is_file():
            return pickle.loads(path.read_bytes())
        answer = make()
        unfinished = path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            unfinished.write_bytes(pickle.dumps(answer))
            os.replace(unfinished, path)
        return answer
