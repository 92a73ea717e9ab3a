"""The papers, those of this package and others, by their keys: no paper is named here.

What a person types is found whatever its letter case, and the nearest name is suggested.
"""

from __future__ import annotations

import difflib
import functools
import hashlib
import importlib
import importlib.util
import tomllib
from collections.abc import Collection, Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from data_fetch.outside import VARIABLE
from reprolib.rerun.records.folders import Home, homes

if TYPE_CHECKING:
    from reprolib.rerun.records.task import Protocol


def resolved(what: str, name: str, known: Collection[str]) -> str:
    """Return the known name that was meant.

    Parameters
    ----------
    what : str
        What the name stands for, in messages: "paper", "command".
    name : str
        As it was typed.
    known : collection of str

    Raises
    ------
    ValueError
        If there is none.
    """
    for candidate in known:
        if candidate.lower() == name.lower():
            return candidate
    raise unknown(what, name, known)


def unknown(what: str, name: str, known: Collection[str]) -> ValueError:
    """Error on a name that is not known; it says the nearest one, and all of them."""
    near = _nearest(name, known)
    advice = f"did you mean {near!r}? Known: " if near else "known: "
    return ValueError(f"{what} is {name!r}; {advice}{', '.join(known)}.")


def nearest(name: str, known: Iterable[object]) -> str:
    """Advice on a name that is not known, to end a sentence: the nearest name, or all of them."""
    names = sorted({str(candidate) for candidate in known})
    near = _nearest(name, names)
    return f"; did you mean {near!r}?" if near else f"; known: {', '.join(names)}"


def _nearest(name: str, known: Iterable[str]) -> str:
    originals = {candidate.lower(): candidate for candidate in known}
    near = difflib.get_close_matches(name.lower(), originals, n=1, cutoff=0.5)
    return originals[near[0]] if near else ""


def home(paper: str) -> Home:
    """Where a paper lives.

    Raises
    ------
    ValueError
        If there is no such paper.
    """
    if paper not in homes():
        raise _not_found(paper, homes())
    return homes()[paper]


def _not_found(paper: str, known: Collection[str]) -> ValueError:
    fault = unknown("paper", paper, known)
    return ValueError(
        f"{fault} A paper in a repository of its own is found once `pip install -e` has installed "
        f"it, or {VARIABLE} names its folder."
    )


def printed_name(paper: str) -> str:
    """Name of a paper's file of printed numbers, in messages."""
    of = home(paper)
    return of.about(of.printed)


@functools.cache
def printed_toml(paper: str) -> dict[str, Any]:
    """What a paper's ``printed.toml`` says, unchecked.

    Raises
    ------
    ValueError
        If there is no such paper, or its file is no TOML.
    """
    return parsed_toml(printed_text(paper), printed_name(paper))


def parsed_toml(text: str, file: str) -> dict[str, Any]:
    """Parse TOML; ``file`` is its name in messages.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file}: {error}") from error


def printed_text(paper: str) -> str:
    """Text of a paper's ``printed.toml``.

    Raises
    ------
    ValueError
        If there is no such paper.
    """
    return home(paper).printed.read_text(encoding="utf-8")


def printed_digest(paper: str) -> str:
    """Sha256 of a paper's ``printed.toml``; empty for a protocol without such a file."""
    if paper not in homes() or not home(paper).printed.is_file():
        return ""
    return hashlib.sha256(printed_text(paper).encode()).hexdigest()


def _year(paper: str) -> int:
    """Year of a paper; of one whose file has a fault, which commands that read it say, the last."""
    try:
        return int(printed_toml(paper)["paper"]["year"])
    except (ValueError, KeyError, TypeError):
        return 9999


#: Papers in the order of their years.
PAPERS = tuple(sorted(homes(), key=lambda key: (_year(key), key)))


def packaged(papers: Iterable[str]) -> tuple[str, ...]:
    """Those of the papers that are part of this package."""
    return tuple(paper for paper in papers if homes()[paper].is_packaged)


def paper_key(name: str) -> str:
    """Key of a paper, whatever the letter case it was typed in.

    Raises
    ------
    ValueError
        If there is none of that name.
    """
    if name.lower() not in map(str.lower, PAPERS):
        raise _not_found(name, PAPERS)
    return resolved("paper", name, PAPERS)


def paper_module(paper: str, name: str) -> ModuleType | None:
    """Module of a paper, such as "figures"; None if it has none of that name.

    Raises
    ------
    ValueError
        If there is no such paper.
    """
    full = f"{home(paper).package}.{name}"
    return importlib.import_module(full) if importlib.util.find_spec(full) else None


def get_protocol(paper: str) -> Protocol:
    """Protocol of a paper by its key.

    Raises
    ------
    ValueError
        If there is no such paper, or it has no module "experiment" with a ``PROTOCOL``.
    """
    module = paper_module(paper, "experiment")
    if module is None or not hasattr(module, "PROTOCOL"):
        where = home(paper).folder / "experiment.py"
        raise ValueError(f"{paper} has no experiments: {where} must define PROTOCOL")
    return module.PROTOCOL
