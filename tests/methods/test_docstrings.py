"""Every parameter, attribute and returned value of a method has a sentence in its docstring.

An entry with a type and no word tells a student nothing that the signature does not; "as in" sends
them to another page. What is public is what has no underscore, inherited methods included.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator

import pytest

import reprolib
from reprolib import methods

ROOMS = sorted(info.name for info in pkgutil.iter_modules(methods.__path__) if info.ispkg)

SECTION = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", flags=re.MULTILINE)
WITH_ENTRIES = ("Parameters", "Attributes", "Returns", "Yields")
PUBLIC = [getattr(reprolib, name) for name in reprolib.__all__]
#: `SpellerFeatures` learns nothing, so it has no fitted attributes.
ESTIMATORS = [
    c
    for c in PUBLIC
    if isinstance(c, type) and hasattr(c, "fit") and c is not reprolib.SpellerFeatures
]


def sections(doc: str) -> dict[str, dict[str, str]]:
    """Entries of each numpydoc section: name (or type of what is returned) to its words."""
    parts = SECTION.split(doc)
    found: dict[str, dict[str, str]] = {}
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        if title in WITH_ENTRIES:
            entries = re.split(r"\n(?=\S)", text.strip("\n"))
            split = (entry.partition("\n") for entry in entries if entry.strip())
            found[title] = {head: inspect.cleandoc(body).strip() for head, _, body in split}
    return found


def public(room: str) -> Iterator[tuple[str, object]]:
    """Functions, classes and their methods, by where they are defined."""
    package = importlib.import_module(f"reprolib.methods.{room}")
    for info in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        module = importlib.import_module(info.name)
        for name, found in vars(module).items():
            if getattr(found, "__module__", None) != module.__name__:
                continue
            if inspect.isclass(found):
                if not name.startswith("_"):
                    yield f"{info.name}.{name}", found
                for method, member in vars(found).items():
                    function = getattr(member, "__func__", getattr(member, "fget", member))
                    if not method.startswith("_") and inspect.isfunction(function):
                        yield f"{info.name}.{name}.{method}", function
            elif inspect.isfunction(found) and not name.startswith("_"):
                yield f"{info.name}.{name}", found


def without_words(found) -> list[str]:
    """Entries of a docstring that say nothing, and parameters that its list leaves out."""
    entries = sections(inspect.getdoc(found) or "")
    silent = [
        f"{section}: {head}"
        for section, words in entries.items()
        for head, text in words.items()
        if len(text.split()) < 2 or re.match(r"[Aa]s (in|for|of) \S+$", text)
    ]
    silent += [
        f"{section}: {head}"
        for section, words in entries.items()
        for head in words
        if re.search(r":\s*(see|as (in|for|of)) ", head)
    ]
    if "Parameters" in entries:
        described = {
            name.strip(" *")
            for head in entries["Parameters"]
            for name in head.partition(":")[0].split(",")
        }
        signature = inspect.signature(found)
        taken = {name for name in signature.parameters if name not in ("self", "cls")}
        silent += [f"Parameters: {name} is missing" for name in sorted(taken - described)]
    return silent


@pytest.mark.parametrize("room", ROOMS)
def test_every_entry_of_a_docstring_has_a_sentence(room):
    silent = {name: without_words(found) for name, found in public(room)}
    assert {name: entries for name, entries in silent.items() if entries} == {}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda c: c.__name__)
def test_everything_that_a_user_gives_or_gets_is_listed(estimator):
    """Hyperparameters, fitted attributes, and what methods take and return."""
    entries = sections(inspect.getdoc(estimator) or "")
    missing = [
        f"{section} of the class"
        for section in ("Parameters", "Attributes")
        if section not in entries
    ]
    for name in dir(estimator):
        method = getattr(estimator, name)
        ours = (getattr(method, "__module__", None) or "").startswith(methods.__name__)
        if name.startswith("_") or not inspect.isfunction(method) or not ours:
            continue
        listed = sections(inspect.getdoc(method) or "")
        takes = [p for p in inspect.signature(method).parameters if p != "self"]
        if takes and "Parameters" not in listed:
            missing.append(f"Parameters of {name}")
        if not {"Returns", "Yields"} & set(listed):
            missing.append(f"Returns of {name}")
    assert missing == []


@pytest.mark.parametrize("doc", ["Parameters\n----------\nx : int\n", "Returns\n-------\nint\n"])
def test_an_entry_without_words_is_found(doc):
    def function(x):
        return x

    function.__doc__ = f"Do it.\n\n{doc}"
    assert len(without_words(function)) == 1
