"""An order to terminate ends a command as Ctrl-C does, so that nothing is left behind."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Terminated(KeyboardInterrupt):
    """A command that was told to end: by ``kill``, a time limit of a cluster, a shutdown."""


@contextmanager
def raising_terminated() -> Iterator[None]:
    """Raise `Terminated` where SIGTERM arrives, while the context lasts.

    Python's own answer is to end at once: worker processes go on, and their files stay. Signals
    reach the main thread alone; in another one nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _raise(number: int, frame: object) -> None:
    raise Terminated
