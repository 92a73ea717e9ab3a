"""Reads a paper's ``printed.toml``: from text to `reprolib.rerun.printed.schema.File`.

A sound file is converted at once. Only for one with faults are its parts gone through, so that
each fault is named with its place, key, value and remedy.
"""

from __future__ import annotations

import functools
import hashlib
import re
import tomllib
import types
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import inspect

from reprolib.rerun.printed.names import STEERING, nearest
from reprolib.rerun.printed.schema import HEADLINE, Cell, File, Line, Part, Settings, Table, Value

#: Columns of the records by which a row and a column of a printed table select ours.
SELECTORS = ("dataset", "method", "metric")
#: What a claim that is judged must say.
JUDGED = ("tables", "claims", "metric", "larger", "a", "b")

P = TypeVar("P", bound=Part)


def parsed_toml(text: str, file: str) -> dict[str, Any]:
    """Parse TOML; ``file`` is its name in messages.

    Raises
    ------
    ValueError
        If it is none, or a text in it has a character that steers a terminal or a page.
    """
    try:
        parsed = tomllib.loads(text)
    except ValueError as error:  # also of a number with thousands of digits
        raise ValueError(f"{file}: {error}") from error
    parts: list[Any] = [parsed]
    for part in parts:  # grows
        if isinstance(part, dict):
            parts += [*part, *part.values()]
        elif isinstance(part, list):
            parts += part
        elif isinstance(part, str) and (found := STEERING.search(part)):
            raise ValueError(
                f"{file}: the text {part!r} has the character U+{ord(found[0]):04X}, which cannot "
                "be shown; leave it out"
            )
    return parsed


def read(text: str, file: str) -> File:
    """Read a paper's file.

    Parameters
    ----------
    text : str
        Content of the file.
    file : str
        Its name, for messages.

    Raises
    ------
    ValueError
        If it is no TOML, or has another form than it must; all faults are named.
    """
    found = as_part(parsed_toml(text, file), File, file)
    require(file, name_faults(found, "printed."))
    return found


def as_part(entry: Mapping[str, Any], part: type[P], file: str) -> P:
    """Parsed TOML as a type of the schema.

    Raises
    ------
    ValueError
        If keys or values are not as the schema says; all are named.
    """
    try:
        return msgspec.convert(entry, part)
    except msgspec.ValidationError as error:
        require(file, form_faults("", entry, part))
        raise ValueError(f"{file}: {error}") from error


def require(file: str, faults: Iterable[str]) -> None:
    """Raise ValueError that names all faults of a file, if there are any."""
    if found := list(dict.fromkeys(faults)):
        raise ValueError("\n".join(f"{file}: {fault}" for fault in found))


def digest(text: str) -> str:
    """Sha256 of what a file says but for its story, whose words make no record stale."""
    said = {key: part for key, part in tomllib.loads(text).items() if key != "story"}
    return hashlib.sha256(msgspec.json.encode(said, order="sorted")).hexdigest()


def form_faults(where: str, entry: Any, part: type[Part]) -> Iterator[str]:
    """Yield unknown and missing keys, and values that are not what the schema says.

    Parameters
    ----------
    where : str
        Place of the table in the file, empty for the file itself.
    entry : object
        What stands there.
    part : type
        What it must be.
    """
    here = where or "the file"
    if not isinstance(entry, dict):
        yield f"{here} must be a table"
        return
    known = _types_of(part)
    for field in msgspec.structs.fields(part):
        if field.required and field.name not in entry:
            yield f"{here}: {field.name} is missing"
    for key, value in entry.items():
        if key not in known:
            yield f"{here}: unknown key {key!r}{nearest(key, known)}"
            continue
        inside = f"{where}.{key}" if where else key
        of, kind = _of(known[key])
        if key == "values" and isinstance(value, dict):
            yield from _value_faults(inside, value, entry.get("columns"))
        elif kind is dict and isinstance(value, dict) and value:
            yield from _each(((f"{inside}.{_key(name)}", item) for name, item in value.items()), of)
        elif kind is list and isinstance(value, list) and value and _is_part(of):
            yield from _each(((f"{inside}, entry {n}", v) for n, v in enumerate(value, 1)), of)
        elif kind is None and isinstance(value, dict) and _is_part(of):
            yield from form_faults(inside, value, of)
        elif not fits(value, known[key]):
            yield f"{here}: {key} is {value!r}; it must be {words(known[key])}"


def _each(items: Iterable[tuple[str, Any]], of: Any) -> Iterator[str]:
    """Yield the faults of several values of one type, each with its place."""
    for where, value in items:
        if _is_part(of):
            yield from form_faults(where, value, of)
        elif not fits(value, of):
            yield f"{where} is {value!r}; it must be {words(of)}"


def _key(name: str) -> str:
    """A key as it stands in TOML."""
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else f'"{name}"'


def _value_faults(where: str, values: Mapping[str, Any], columns: Any) -> Iterator[str]:
    """Yield printed values that are none, by row and column."""
    names = list(columns) if isinstance(columns, dict) else []
    for row, printed in values.items():
        if not isinstance(printed, list):
            yield f"{where}: row {row!r} is {printed!r}; it must be a list, one entry a column"
            continue
        for place, value in enumerate(printed):
            if not fits(value, Value):
                column = f"column {names[place]!r}" if place < len(names) else f"entry {place + 1}"
                yield (
                    f"{where}: row {row!r}, {column} is {value!r}; it must be a number, a pair of "
                    "a number and its spread, or an empty text"
                )


@functools.cache
def _types_of(part: type[Part]) -> Mapping[str, Any]:
    return get_type_hints(part, include_extras=True)


def _of(kind: Any) -> tuple[Any, type | None]:
    """What a type holds, and whether it is a table by name (dict), a list, or neither (None)."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) in (Union, types.UnionType):
        several = [each for each in get_args(kind) if each is not type(None)]
        return _of(several[0]) if len(several) == 1 else (kind, None)
    if (origin := get_origin(kind)) in (dict, list, Mapping):
        inside = get_args(kind)[-1]
        bare = _of(inside)[0]
        return bare if _is_part(bare) else inside, list if origin is list else dict
    return kind, None


def _is_part(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Part)


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a type of the schema."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def words(kind: Any) -> str:
    """What a value of a type must be, in words."""
    return _words(inspect.type_info(kind))


def _words(of: inspect.Type) -> str:
    match of:
        case inspect.Metadata():
            return _words(of.type)
        case inspect.LiteralType() if of.values == ("",):
            return "an empty text"
        case inspect.LiteralType():
            return f"{'one of ' if of.values[1:] else ''}{', '.join(map(str, of.values))}"
        case inspect.StrType():
            return "a text"
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType():
            most = f" and at most {of.le}" if (of.le or 2**53) < 2**53 else ""
            return f"a whole number, at least {of.ge}{most}"
        case inspect.FloatType():
            return "a number" if of.gt is None else f"a number above {of.gt:g}"
        case inspect.ListType(max_length=2):
            return "a pair of them"
        case inspect.ListType() | inspect.VarTupleType():
            least = ", at least one" if getattr(of, "min_length", 0) else ""
            return f"a list of {_several(of.item_type)}{least}"
        case inspect.DictType():
            return (
                f"a table of {_several(of.value_type)}{', at least one' if of.min_length else ''}"
            )
        case inspect.StructType():
            return "a table"
        case inspect.UnionType():
            told = [_words(each) for each in of.types if not isinstance(each, inspect.NoneType)]
            return ", or ".join(told)
    return "anything"


def _several(of: inspect.Type) -> str:
    """What several values of a type are, in words."""
    told = _words(of)
    if told in ("a text", "a table", "a number"):
        return f"{told[2:]}s"
    return "such" if told.startswith("one of ") else f"entries, each {told}"


def merged(table: Table, row: str, column: str) -> dict[str, Any]:
    """What is said of a number: by its cell, else its column, its row, or the table."""
    own: list[Cell] = [c for c in table.cells if (c.row, c.column) == (row, column)]
    said: dict[str, Any] = {}
    for part in (table, table.rows[row], table.columns[column], *own[:1]):
        for name in (Settings if part is table else Line).__struct_fields__:
            if (value := getattr(part, name, None)) is not None:
                said[name] = value
    line = [table.rows[row], table.columns[column], *own[:1]]
    said["quantity"] = _quantity(table, line)
    return said


def _quantity(table: Table, line: list[Any]) -> Any:
    """What a row or column says; a selection if its design is one; what the table says."""
    stated = [part.quantity for part in line if part.quantity]
    designs = [part.design for part in line if part.design]
    implied = "selection" if designs and designs[-1] == "selection" else table.quantity
    return stated[-1] if stated else implied


def text_on(notes: Iterable[Any], row: str, column: str) -> str:
    """Text of the first note on a row and column, an asterisk standing for all; else empty."""
    for note in notes:
        if note.row in (row, "*") and note.column in (column, "*"):
            return note.text
    return ""


def name_faults(file: File, within: str = "") -> Iterator[str]:
    """Yield what parts of a file say of one another and does not hold.

    Parameters
    ----------
    file : File
        As read.
    within : str
        What stands before "tables" and "claims" in the file.
    """
    tables = file.printed.tables
    for key, table in tables.items():
        where = f"{within}tables.{key}"
        yield from _row_faults(where, table)
        notes = [note for note in file.story.explanations if note.table == key]
        for name, listed in (("quoted", table.quoted), ("cells", table.cells)):
            yield from _place_faults(f"{where}.{name}", listed, table)
        yield from _place_faults(f"story.explanations of {key!r}", notes, table)
    for number, note in enumerate(file.story.explanations, start=1):
        if note.table not in tables:
            where = f"story.explanations, entry {number}"
            yield f"{where}: no table {note.table!r}{nearest(note.table, tables)}"
    for number, claim in enumerate(file.printed.claims, start=1):
        if claim.not_judged is not None:
            continue
        where = f"{within}claims, entry {number}"
        missing = [key for key in JUDGED if getattr(claim, key) is None]
        yield from (f"{where}: {key} is missing" for key in missing)
        for name in claim.tables or ():
            if name not in tables:
                yield f"{where}: no table {name!r}{nearest(name, tables)}"
        if claim.a is not None and claim.a.method is None:
            yield f"{where}.a: method is missing"
        for place, side in enumerate(claim.b or (), start=1):
            if side.method is None and side.value is None:
                yield f"{where}.b, entry {place}: it selects nothing; say method or value"
            elif claim.a is not None and _selected(side) == _selected(claim.a):
                yield f"{where}: side a is compared with itself; name a rival under b"
    names = Counter(claim.name for claim in file.printed.claims)
    yield from (f"claims: {n} have the name {name!r}" for name, n in names.items() if n > 1)
    readings = Counter(reading.name for reading in file.readings)
    yield from (f"readings: {n} have the name {name!r}" for name, n in readings.items() if n > 1)
    if within:
        for name in readings:
            if name not in file.story.readings:
                yield f"story.readings: {name!r} is missing; say its question and text"
        for name in file.story.readings:
            if name not in readings and name != HEADLINE:
                yield f"story.readings: no reading {name!r}{nearest(name, readings)}"


def _selected(side: Any) -> dict[str, Any]:
    """What a side is, whatever it is called."""
    said = {key: getattr(side, key) for key in side.__struct_fields__ if key != "label"}
    return {"value": None, **said}


def _row_faults(where: str, table: Table) -> Iterator[str]:
    """Yield rows without values, values without a row, and numbers of which too little is said."""
    for name in table.not_run:
        if name not in table.rows and name not in table.columns:
            known = [*table.rows, *table.columns]
            yield f"{where}.not_run: no row or column {name!r}{nearest(name, known)}"
    for row in table.rows:
        if row not in table.values:
            yield f"{where}.values: row {row!r} has no values"
    for row, printed in table.values.items():
        if row not in table.rows:
            yield f"{where}.values: no row {row!r}{nearest(row, table.rows)}"
        elif len(printed) != len(table.columns):
            n, n_columns = len(printed), len(table.columns)
            yield f"{where}.values: row {row!r} has {n} entries for {n_columns} columns"
        else:
            for column, value in zip(table.columns, printed, strict=True):
                if isinstance(value, list) and value[1] < 0:
                    yield (
                        f"{where}.values: row {row!r}, column {column!r} is {value!r}; it must be "
                        "a number and its spread, which is at least 0"
                    )
                elif value != "":
                    yield from _number_faults(where, table, row, column)


def _number_faults(where: str, table: Table, row: str, column: str) -> Iterator[str]:
    said = merged(table, row, column)
    place = f"row {row!r}, column {column!r}"
    if "role" not in said and not text_on(table.quoted, row, column):
        yield f"{where}: nothing says the role of {place}"
    if said.get("spread") == "interquartile range" and "runs" in said.get("design", ""):
        yield (
            f"{where}: {place} has an interquartile range and the design runs, which compares "
            "standard deviations; print has none, so leave the spread out"
        )
    if not said["quantity"]:
        yield f"{where}: nothing says the quantity of {place}"
    if row not in table.not_run and column not in table.not_run:
        for name in SELECTORS:
            if name not in said:
                yield f"{where}: neither row {row!r} nor column {column!r} says the {name}"


def _place_faults(where: str, notes: Iterable[Any], table: Table) -> Iterator[str]:
    """Yield notes on rows and columns that the table lacks."""
    for number, note in enumerate(notes, start=1):
        for part, names in (("row", table.rows), ("column", table.columns)):
            if (name := getattr(note, part)) != "*" and name not in names:
                yield f"{where}, entry {number}: no {part} {name!r}{nearest(name, names)}"
