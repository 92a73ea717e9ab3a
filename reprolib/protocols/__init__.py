"""The published experiments, one file per paper, as data and loops that yield records."""

from __future__ import annotations

import importlib

from reprolib.protocols.base import Measurement, Protocol, Task

#: Papers whose protocol is in the package, in the order in which they are shown.
PAPERS = ("kpm", "mkpm", "simplex", "mkmmc")

__all__ = ["PAPERS", "Measurement", "Protocol", "Task", "get_protocol"]


def get_protocol(paper: str) -> Protocol:
    """Protocol of a paper by its key.

    Raises
    ------
    ValueError
        If there is no such paper in the package.
    """
    if paper not in PAPERS:
        raise ValueError(f"paper is {paper!r}; the package has {', '.join(PAPERS)}.")
    return importlib.import_module(f"reprolib.protocols.{paper}").PROTOCOL
