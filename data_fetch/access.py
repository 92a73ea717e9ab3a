"""From a name to its data: files, loader, and a check of the parsed values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from data_fetch import registry
from data_fetch.catalog import Catalog, Entry, default_catalog
from data_fetch.dataset import Dataset
from data_fetch.errors import AlteredDataError
from data_fetch.fetcher import Fetcher, LocalFile


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


def names(catalog: Catalog | None = None) -> list[str]:
    """Return the names of all data sets, embedded ones last."""
    return list((catalog or default_catalog()).entries)


def counterparts(name: str, catalog: Catalog | None = None) -> tuple[str, ...]:
    """Return the embedded data sets that stand in for ``name`` (itself, if it is embedded)."""
    entry = (catalog or default_catalog()).entry(name)
    return entry.counterparts if entry.files else (name,)


def available(name: str, fetcher: Fetcher | None = None) -> bool:
    """Whether `load` needs no network: embedded, or all files in the cache or a mirror folder."""
    fetcher = fetcher or Fetcher()
    entry = fetcher.catalog.entry(name)
    return fetcher.state(entry) != "needs download"


def fetch(name: str, fetcher: Fetcher | None = None) -> list[Path]:
    """Bring the files of a data set into the cache, and return their paths.

    Parameters
    ----------
    name : str
        For example "raetsch/banana". An embedded data set has no files.
    fetcher : Fetcher, optional
        Other places than the environment's.

    Raises
    ------
    ValueError
        If there is no data set of that name.
    DataUnavailableError
        If a file cannot be had from any source, or the cache cannot be written. The message
        says what was tried, what to download by hand, and where to put it.
    """
    fetcher = fetcher or Fetcher()
    entry = fetcher.catalog.entry(name)
    while True:
        files = fetcher.get(entry)
        if all(file.verified for file in files) or _content(entry, files, fetcher) is not None:
            return [file.path for file in files]


def load(name: str, fetcher: Fetcher | None = None) -> Dataset:
    """Load a data set: from the cache, else the mirror, else the sites that publish it.

    Files are checked by their sha256, and the parsed values by the digest in the catalog.

    Parameters
    ----------
    name : str
        For example "raetsch/banana" or "embedded/twonorm"; `names` gives all.
    fetcher : Fetcher, optional
        Other places than those that ``REPROLIB_DATA`` and ``REPROLIB_MIRROR`` name.

    Raises
    ------
    ValueError
        If there is no data set of that name.
    DataUnavailableError
        If a file cannot be had from any source; see `fetch`. No embedded data set is put in
        its place: `counterparts` names those that could stand in.
    AlteredDataError
        If intact files parse to other values than the known ones.
    """
    fetcher = fetcher or Fetcher()
    entry = fetcher.catalog.entry(name)
    if not entry.files:
        return registry.load_embedded(name)
    while True:
        dataset = _content(entry, fetcher.get(entry), fetcher)
        if dataset is not None:
            return dataset


def _paths(files: list[LocalFile], entry: Entry) -> dict[str, Path]:
    return {name.rpartition("/")[2]: f.path for name, f in zip(entry.files, files, strict=True)}


def _content(entry: Entry, files: list[LocalFile], fetcher: Fetcher) -> Dataset | None:
    """Parse files and check the values; None where unverified files hold other data.

    Those are deleted, and their source will not be asked again.
    """
    unverified = [file for file in files if not file.verified]
    try:
        dataset = registry.load_files(entry.name, _paths(files, entry))
    except Exception:
        if not unverified:
            raise
    else:
        if _values_are_known(dataset, entry, files):
            return dataset
        if not unverified:
            raise AlteredDataError(
                f"{entry.name}: the files are intact, but their parsed values have another "
                f"digest than the catalog's {entry.digest}; a reader (scipy, nibabel, numpy) "
                "may have changed: please report it with `pip freeze`"
            )
    for file in unverified:
        fetcher.reject(file)
    return None


def _values_are_known(dataset: Dataset, entry: Entry, files: list[LocalFile]) -> bool:
    """Compare the digest; with none to compare with, only intact files will do.

    Versions that we never saw, but whose publisher states a sha256, may be written with other
    digits or hold more values: the sha256 is enough.
    """
    if entry.digest is None or any(not file.version.seen for file in files):
        return all(file.verified for file in files)
    return dataset.digest() == entry.digest


def info(name: str, fetcher: Fetcher | None = None) -> Info:
    """Return what is known of a data set without loading it."""
    fetcher = fetcher or Fetcher()
    catalog = fetcher.catalog
    entry = catalog.entry(name)
    if not entry.files:
        terms = "bundled with scikit-learn" if name == "embedded/optdigits" else "generated"
        return Info(name, entry.title, *entry.size, "embedded", 0, terms, "", "embedded", (name,))
    files = [catalog.files[f] for f in entry.files]
    versions = fetcher.expected(entry)
    partial = any(v.fidelity == "partial" for v in versions)
    sizes = {v.archive or v.path: _size(catalog, v) for v in versions}
    return Info(
        name,
        entry.title,
        *entry.size,
        state=fetcher.state(entry),
        bytes=sum(sizes.values()),
        terms="; ".join(dict.fromkeys(f.terms for f in files)),
        cite="; ".join(dict.fromkeys(f.cite for f in files)),
        source=entry.partial_source if partial else "original",
        counterparts=entry.counterparts,
    )


def _size(catalog: Catalog, version) -> int:
    return version.bytes if version.archive is None else catalog.archives[version.archive].bytes
