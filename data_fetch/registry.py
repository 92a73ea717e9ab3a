"""Which loader reads or makes which data set: dotted names, imported when they are needed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable

from data_fetch.catalog import default_catalog
from data_fetch.dataset import Dataset

#: The extra that brings a library which some loaders need.
EXTRAS = {"mne": "eeg", "nibabel": "fmri"}


def resolve(dotted: str) -> Callable[..., Dataset]:
    """Import "package.module:function" and return the function.

    Raises
    ------
    ValueError
        If there is no such module or function.
    """
    module, _, function = dotted.partition(":")
    try:
        return getattr(importlib.import_module(module), function)
    except (ModuleNotFoundError, AttributeError) as error:
        extra = EXTRAS.get(str(error.name))
        remedy = f'; pip install "reprolib[{extra}]"' if extra else ""
        raise ValueError(
            f"the loader {dotted!r} of a data set cannot be imported: {error}{remedy}"
        ) from error


def loader_modules(names: Iterable[str]) -> set[str]:
    """Names of the modules that read or make data sets, as far as the catalog has them."""
    entries = default_catalog().entries
    return {entries[name].loader.partition(":")[0] for name in names if name in entries}
