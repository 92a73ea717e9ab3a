"""The form of a file, said once: its faults with good messages, and its JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from reprolib.rerun.records.registry import nearest

_TYPES: Mapping[str, Any] = {
    "string": str,
    "number": int | float,
    "integer": int,
    "array": list,
    "object": dict,
}


def is_valid(value: Any, schema: Any) -> bool:
    """Whether a value is as a JSON Schema says; of its keywords, those that forms use.

    Parameters
    ----------
    value : object
    schema : mapping, or False
        False allows nothing.
    """
    if schema is False:
        return False
    if "anyOf" in schema:
        return any(is_valid(value, each) for each in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        allowed = schema.get("enum", [schema.get("const")])
        return any(type(value) is type(each) and value == each for each in allowed)
    if "type" in schema and (
        isinstance(value, bool) or not isinstance(value, _TYPES[schema["type"]])
    ):
        return False
    if isinstance(value, str | list):
        least = schema.get("minLength", schema.get("minItems", 0))
        return len(value) >= least and (isinstance(value, str) or _are_items(value, schema))
    if isinstance(value, dict):
        return _are_entries(value, schema)
    return ("minimum" not in schema or value >= schema["minimum"]) and (
        "exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"]
    )


def _are_items(values: list[Any], schema: Mapping[str, Any]) -> bool:
    first, rest = schema.get("prefixItems", []), schema.get("items", {})
    return all(map(is_valid, values, first)) and all(
        is_valid(value, rest) for value in values[len(first) :]
    )


def _are_entries(table: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    known, other = schema.get("properties", {}), schema.get("additionalProperties", {})
    return set(schema.get("required", ())) <= table.keys() and all(
        is_valid(value, known.get(key, other)) for key, value in table.items()
    )


@dataclass(frozen=True)
class Value:
    """A value that has no keys of its own.

    Parameters
    ----------
    expected : str
        What it must be, in words.
    schema : dict
        The same as JSON Schema.
    about : str
        What it stands for.
    is_checked_later : bool
        Whether it is checked by code that knows the rest of the file.
    """

    expected: str
    schema: Mapping[str, Any]
    about: str = ""
    is_checked_later: bool = False

    def fits(self, value: Any) -> bool:
        """Whether a value is allowed."""
        return self.is_checked_later or is_valid(value, self.schema)

    def means(self, about: str) -> Self:
        """The same, with what it stands for."""
        return replace(self, about=about)


@dataclass(frozen=True)
class Table:
    """A table whose keys are known.

    Parameters
    ----------
    keys : dict
        Form of the value of every key.
    required : tuple of str
        Keys that must be there.
    about : str
        What it stands for.
    """

    keys: Mapping[str, Form]
    required: tuple[str, ...] = ()
    about: str = ""
    expected: str = "a table"

    def fits(self, value: Any) -> bool:
        """Whether it is a table at all."""
        return isinstance(value, dict)

    def means(self, about: str) -> Self:
        """The same, with what it stands for."""
        return replace(self, about=about)


@dataclass(frozen=True)
class Named:
    """A table whose keys are names of the writer's own, all values of one form."""

    of: Form
    about: str = ""
    expected: str = "a table"

    def fits(self, value: Any) -> bool:
        """Whether it is a table at all."""
        return isinstance(value, dict)


@dataclass(frozen=True)
class Listed:
    """A list of tables of one form."""

    of: Table
    about: str = ""
    expected: str = "a list of tables"

    def fits(self, value: Any) -> bool:
        """Whether it is a list of tables at all."""
        return isinstance(value, list) and all(map(self.of.fits, value))


Form = Value | Table | Named | Listed


def key_faults(where: str, table: Any, form: Table) -> Iterator[str]:
    """Yield unknown and missing keys of a table, and values that are not what they must be."""
    if not form.fits(table):
        yield f"{where} must be a table"
        return
    for key, value in table.items():
        if key not in form.keys:
            yield f"{where}: unknown key {key!r}{nearest(key, form.keys)}"
        elif not form.keys[key].fits(value):
            yield f"{where}: {key} is {value!r}; it must be {form.keys[key].expected}"
    for key in form.required:
        if key not in table:
            yield f"{where}: {key} is missing"


def table_faults(where: str, table: Any, form: Table) -> list[str]:
    """Faults of a table and, if its own keys are sound, of the tables in it."""
    found = list(key_faults(where, table, form))
    if found:
        return found
    for key, value in table.items():
        found += faults_within(f"{where}.{key}", value, form.keys[key])
    return found


def faults_within(where: str, value: Any, form: Form) -> Iterator[str]:
    """Yield the faults of what a value of the right kind holds."""
    if isinstance(form, Table):
        yield from table_faults(where, value, form)
    elif isinstance(form, Listed):
        for number, part in enumerate(value, start=1):
            yield from table_faults(f"{where}, entry {number}", part, form.of)
    elif isinstance(form, Named):
        for name, part in value.items():
            if isinstance(form.of, Table):
                yield from table_faults(f"{where}, {name!r}", part, form.of)
            elif not form.of.fits(part):
                yield f"{where}: {name!r} is {part!r}; it must be {form.of.expected}"


def schema(form: Form) -> dict[str, Any]:
    """JSON Schema of a form."""
    about = {"description": form.about} if form.about else {}
    if isinstance(form, Value):
        return {**about, **form.schema}
    if isinstance(form, Listed):
        return {**about, "type": "array", "items": schema(form.of)}
    if isinstance(form, Named):
        return {**about, "type": "object", "additionalProperties": schema(form.of)}
    return {
        **about,
        "type": "object",
        "properties": {key: schema(of) for key, of in form.keys.items()},
        "required": list(form.required),
        "additionalProperties": False,
    }
