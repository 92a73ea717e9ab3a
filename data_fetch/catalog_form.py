"""What is wrong with the form of a catalog, with the name that was probably meant."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Collection, Iterator, Mapping
from typing import Any


def known_and_required(form: type, given: Collection[str] = ()) -> tuple[set[str], set[str]]:
    """Keys of a table that becomes an object of a dataclass, and those that it must have.

    Parameters
    ----------
    form : dataclass
    given : collection of str
        Fields that the reader fills in.
    """
    fields = [field for field in dataclasses.fields(form) if field.name not in given]
    none = dataclasses.MISSING
    required = {f.name for f in fields if f.default is none and f.default_factory is none}
    return {field.name for field in fields}, required


def key_faults(
    where: str, table: Any, known: Collection[str], required: Collection[str]
) -> Iterator[str]:
    """Yield unknown and missing keys of a table."""
    if not isinstance(table, Mapping):
        yield f"{where} is {table!r}; it must be a table"
        return
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(sorted(known))}"
            yield f"{where}: unknown key {key!r}; {hint}"
    for key in sorted(set(required) - set(table)):
        yield f"{where}: {key} is missing"
