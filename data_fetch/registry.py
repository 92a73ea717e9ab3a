"""Which loader reads which data set: dotted names, imported when they are needed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from pathlib import Path

from data_fetch.catalog import default_catalog
from data_fetch.dataset import Dataset

#: Loader of files by first part of the data set's name, called with (name, paths by file key).
LOADERS = {
    "raetsch": "data_fetch.raetsch:load_raetsch",
    "statlog": "data_fetch.statlog:load_statlog",
    "uci": "data_fetch.uci:load_uci",
    "haxby": "data_fetch.haxby:load_haxby",
    "p300": "data_fetch.p300:load_p300",
    "faces": "data_fetch.faces:load_faces",
}

#: Maker of every embedded data set, called with (name).
EMBEDDED = {
    "embedded/twonorm": "data_fetch.embedded.breiman:load_embedded",
    "embedded/ringnorm": "data_fetch.embedded.breiman:load_embedded",
    "embedded/waveform": "data_fetch.embedded.breiman:load_embedded",
    "embedded/optdigits": "data_fetch.embedded.digits:load_embedded",
    "embedded/haxby": "data_fetch.embedded.haxby:load_embedded",
    "embedded/p300": "data_fetch.embedded.p300:load_embedded",
    "embedded/faces": "data_fetch.embedded.faces:load_embedded",
}

#: The extra that brings a library which some loaders need.
EXTRAS = {"mne": "eeg", "nibabel": "fmri"}

#: What corrects the labels of a family that has errors, called with (data set as published).
AUDITED = {"p300": "data_fetch.p300:with_audited_labels"}


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
    """Names of the modules that read or make data sets, as far as they are ours."""
    own = default_catalog().entries
    dotted = (
        (own[name].loader if name in own else None)
        or EMBEDDED.get(name)
        or LOADERS.get(name.partition("/")[0])
        for name in names
    )
    return {name.partition(":")[0] for name in dotted if name}


def load_files(name: str, paths: dict[str, Path], loader: str | None = None) -> Dataset:
    """Read a data set from its files, by a loader of its own or that of its family."""
    family = name.partition("/")[0]
    if loader is None and family not in LOADERS:
        raise ValueError(f"no loader for {name!r}; families with one: {', '.join(LOADERS)}")
    return resolve(loader or LOADERS[family])(name, paths)


def with_audited_labels(dataset: Dataset) -> Dataset:
    """Correct the labels that the audit shows to be wrong; most data sets have none."""
    corrected = AUDITED.get(dataset.name.partition("/")[0])
    return resolve(corrected)(dataset) if corrected else dataset


def load_embedded(name: str, loader: str | None = None) -> Dataset:
    """Make an embedded data set, by a loader of its own or one of ours."""
    if loader is None and name not in EMBEDDED:
        raise ValueError(f"no embedded data set {name!r}; there are {', '.join(EMBEDDED)}")
    return resolve(loader or EMBEDDED[name])(name)
