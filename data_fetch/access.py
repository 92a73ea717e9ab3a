"""From a name to its data: files, loader, and a check of the parsed values."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from data_fetch.catalog import Catalog, Entry, Version, default_catalog
from data_fetch.dataset import Dataset
from data_fetch.errors import AlteredDataError
from data_fetch.fetcher import Fetcher

#: The extra that brings a library which some loaders need.
EXTRAS = {"mne": "eeg", "nibabel": "fmri"}


@dataclass(frozen=True)
class Info:
    """What is known of a data set without loading it."""

    name: str
    title: str
    n_samples: int
    n_features: int
    state: str
    bytes: int
    terms: str
    cite: str
    source: str
    counterparts: tuple[str, ...]
    sources: tuple[str, ...] = ()


def names(catalog: Catalog | None = None) -> list[str]:
    """Return the names of all data sets.

    Parameters
    ----------
    catalog : Catalog, optional
        Another one than that of the package and the papers outside.

    Returns
    -------
    list of str
        For example "raetsch/banana", in the order of the catalog.
    """
    return list((catalog or default_catalog()).entries)


def counterparts(name: str, catalog: Catalog | None = None) -> tuple[str, ...]:
    """Return the embedded data sets that stand in for another one.

    Parameters
    ----------
    name : str
        For example "raetsch/twonorm".
    catalog : Catalog, optional
        Another one than that of the package and the papers outside.

    Returns
    -------
    tuple of str
        Their names; ``name`` itself, if it needs no file.
    """
    entry = (catalog or default_catalog()).entry(name)
    return entry.counterparts if entry.files or entry.counterparts else (name,)


def available(name: str, fetcher: Fetcher | None = None) -> bool:
    """Whether `load` needs no network.

    Parameters
    ----------
    name : str
        For example "raetsch/banana".
    fetcher : Fetcher, optional
        Other places than the environment's.

    Returns
    -------
    bool
        True if the data set has no files, or all are in the cache or a mirror folder.
    """
    fetcher = fetcher or Fetcher()
    return fetcher.state(fetcher.entry(name)) != "needs download"


def fetch(name: str, fetcher: Fetcher | None = None) -> list[Path]:
    """Bring the files of a data set into the cache, and return their paths.

    Parameters
    ----------
    name : str
        For example "raetsch/banana". An embedded data set has no files.
    fetcher : Fetcher, optional
        Other places than the environment's.

    Returns
    -------
    list of Path
        Files in the cache, in the order of the catalog.

    Raises
    ------
    ValueError
        If there is no data set of that name.
    DataUnavailableError
        If a file is not available from any source, or the cache cannot be written. The message
        says what was tried, what to download by hand, and where to put it.
    """
    fetcher = fetcher or Fetcher()
    return [fetcher.cache / version.path for version in fetcher.get(fetcher.entry(name))]


def load(
    name: str,
    fetcher: Fetcher | None = None,
    *,
    labels: Literal["published", "audited"] = "published",
) -> Dataset:
    """Load a data set: from the cache, else the mirror, else the sites that publish it.

    Files are checked by their hash before anything reads them, and the parsed values by the
    digest in the catalog.

    Parameters
    ----------
    name : str
        For example "raetsch/banana" or "embedded/twonorm"; `names` gives all.
    fetcher : Fetcher, optional
        Other places than those that ``REPROLIB_DATA`` and ``REPROLIB_MIRROR`` name.
    labels : {"published", "audited"}, default="published"
        As published, or corrected where a test shows an error (`Dataset.notes`); the source
        note says so. Most data sets have none.

    Returns
    -------
    Dataset
        Its values with their source.

    Raises
    ------
    ValueError
        If there is no data set of that name, or no such labels.
    DataUnavailableError
        If a file is not available from any source; see `fetch`. No embedded data set is put in
        its place: `counterparts` names those that could stand in.
    AlteredDataError
        If intact files parse to other values than the known ones.
    """
    if labels not in ("published", "audited"):
        raise ValueError(f"labels={labels!r}; it must be 'published' or 'audited'")
    fetcher = fetcher or Fetcher()
    entry = fetcher.entry(name)
    loader, digest = resolve(entry.loader), entry.digest
    if entry.files:
        versions = fetcher.get(entry)
        keys = (fetcher.catalog.files[file].key for file in entry.files)
        paths = (fetcher.cache / version.path for version in versions)
        dataset = loader(entry.name, dict(zip(keys, paths, strict=True)))
        digest = known_digest(entry, versions)
        what = "the files are intact, but their parsed values have"
        why = (
            "a reader (scipy, nibabel, numpy) may have changed: please report it with `pip freeze`"
        )
    else:
        dataset = loader(entry.name)
        what = "the values have"
        why = f"another version of {entry.bundled or 'a library'} may bring others"
        if entry.bundled and dataset.source == "embedded":
            raise ValueError(
                f"{entry.name} is bundled with {entry.bundled}, but its loader {entry.loader} "
                "gives the source 'embedded'; give 'original', 'partial' or 'resampled'"
            )
    if digest is not None and dataset.digest() != digest:
        raise AlteredDataError(
            f"{entry.name}: {what} another digest than the catalog's {digest}; {why}"
        )
    dataset = replace(dataset, notes=entry.notes)
    return resolve(entry.audited)(dataset) if labels == "audited" and entry.audited else dataset


def known_digest(entry: Entry, versions: list[Version]) -> str | None:
    """Digest that the values must have when they are made of these versions; None if not known.

    Versions that we never saw, but whose publisher states a hash, may be written with other
    digits or hold more values: the hash is enough.
    """
    if not all(version.seen for version in versions):
        return None
    return next((version.digest for version in versions if version.digest), entry.digest)


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


def info(name: str, fetcher: Fetcher | None = None) -> Info:
    """Return what is known of a data set without loading it.

    Parameters
    ----------
    name : str
        For example "raetsch/banana".
    fetcher : Fetcher, optional
        Other places than the environment's.

    Returns
    -------
    Info
        Size, terms, source, and where it would come from.
    """
    fetcher = fetcher or Fetcher()
    catalog, entry = fetcher.catalog, fetcher.entry(name)
    about = (name, entry.title, *entry.size)
    if not entry.files:
        bundled = entry.bundled or ("scikit-learn" if name == "embedded/optdigits" else "")
        return Info(
            *about,
            state="bundled" if entry.bundled else "embedded",
            bytes=0,
            terms=f"bundled with {bundled}" if bundled else "generated",
            cite="",
            source=entry.source if entry.bundled else "embedded",
            counterparts=counterparts(name, catalog),
        )
    files = [catalog.files[f] for f in entry.files]
    versions = fetcher.expected(entry)
    partial = any(v.fidelity == "partial" for v in versions)
    given = next((v.source for v in versions if v.source), None)
    # What is not downloaded by itself comes with its archive.
    needed = [
        v if v.urls or v.bytes or not v.members else catalog.archives[v.members[0].archive]
        for v in versions
    ]
    return Info(
        *about,
        state=fetcher.state(entry),
        bytes=_total(needed),
        terms="; ".join(dict.fromkeys(f.terms for f in files)),
        cite="; ".join(dict.fromkeys(f.cite for f in files)),
        source=given or (entry.partial_source if partial else entry.source),
        counterparts=entry.counterparts,
        sources=_sources(entry, fetcher),
    )


def _sources(entry: Entry, fetcher: Fetcher) -> tuple[str, ...]:
    """Sources of a data set in the order in which they are tried, with the bytes they cost."""
    catalog = fetcher.catalog
    versions = [v for name in entry.files for v in catalog.versions(entry, name)]
    archives = [catalog.archives[m.archive] for v in versions for m in v.members]
    kinds = {
        "site": [v for v in versions if v.urls],
        "archive": [a for a in archives if a.urls],
        "package": [v for v in (*archives, *versions) if v.package],
    }
    costs = [f"{k} {max(_total(vs) / 1e6, 0.1):.1f} MB" for k, vs in kinds.items() if vs]
    return ("mirror", *costs) if fetcher.mirror else tuple(costs)


def _total(versions: Iterable[Version]) -> int:
    """Bytes of downloads; an archive with several files counts once."""
    return sum({v.path: v.bytes or v.at_most for v in versions}.values())
