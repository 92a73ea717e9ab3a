"""The papers of the package, found by their folders: no paper is named here."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import tomllib
from importlib import resources
from typing import TYPE_CHECKING

import reprolib.papers
from reprolib.rerun.records.names import resolved, unknown

if TYPE_CHECKING:
    from reprolib.rerun.records.task import Protocol


@functools.cache
def printed_text(paper: str) -> str:
    """Text of ``papers/<paper>/printed.toml``.

    Raises
    ------
    ValueError
        If there is no such paper in the package.
    """
    path = resources.files(reprolib.papers) / paper / "printed.toml"
    if not path.is_file():
        raise unknown("paper", paper, _KNOWN)
    return path.read_text(encoding="utf-8")


def _found() -> dict[str, bool]:
    """Whether it prints numbers, for every folder with a file of them, the oldest paper first."""
    folders = resources.files(reprolib.papers)
    names = [module.name for module in pkgutil.iter_modules(reprolib.papers.__path__)]
    keys = [name for name in names if (folders / name / "printed.toml").is_file()]
    entries = {key: tomllib.loads(printed_text(key)) for key in keys}
    in_order = sorted(keys, key=lambda key: (entries[key]["paper"]["year"], key))
    return {key: bool(entries[key]["tables"]) for key in in_order}


_KNOWN = _found()
#: Papers in the order of their years.
PAPERS = tuple(key for key, prints in _KNOWN.items() if prints)
#: Experiments of our own: a protocol and results, but no printed numbers.
STUDIES = tuple(key for key, prints in _KNOWN.items() if not prints)


def paper_key(name: str) -> str:
    """Key of a paper or study, whatever the letter case it was typed in.

    Raises
    ------
    ValueError
        If there is none of that name in the package.
    """
    return resolved("paper", name, _KNOWN)


def get_protocol(paper: str) -> Protocol:
    """Protocol of a paper by its key.

    Raises
    ------
    ValueError
        If there is no such paper in the package.
    """
    printed_text(paper)
    return importlib.import_module(f"{reprolib.papers.__name__}.{paper}.experiment").PROTOCOL
