"""The published experiments, one file per paper, as data and loops that yield records."""

from __future__ import annotations

import importlib

from reprolib.protocols.base import Measurement, Protocol, Task

#: Papers whose protocol is in the package, in the order in which they are shown.
PAPERS = ("kpm", "mkpm", "simplex", "mkmmc", "keops")
#: Papers whose protocol runs, by name, but has no committed results yet.
IN_PROGRESS: tuple[str, ...] = ()
#: Experiments of our own, with a protocol and results, but no printed numbers.
STUDIES = ("across",)

__all__ = ["IN_PROGRESS", "PAPERS", "STUDIES", "Measurement", "Protocol", "Task", "get_protocol"]


def get_protocol(paper: str) -> Protocol:
    """Protocol of a paper by its key.

    Raises
    ------
    ValueError
        If there is no such paper in the package.
    """
    known = PAPERS + IN_PROGRESS + STUDIES
    if paper not in known:
        raise ValueError(f"paper is {paper!r}; the package has {', '.join(known)}.")
    return importlib.import_module(f"reprolib.protocols.{paper}").PROTOCOL
