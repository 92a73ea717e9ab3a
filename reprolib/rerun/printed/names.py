"""Names that a person typed: found whatever their letter case, and the nearest one suggested."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable

#: Characters that steer what shows them: controls but tabulator and line ends, and marks that turn
#: the direction of writing; and the two that XML does not know.
STEERING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")


def resolved(what: str, name: str, known: Collection[str]) -> str:
    """Return the known name that was meant.

    Parameters
    ----------
    what : str
        What the name stands for, in messages: "paper", "command".
    name : str
        As it was typed.
    known : collection of str
        The names that there are.

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
