"""The audit of a data set: which checks suit it, and what they found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from data_fetch import access, storage
from data_fetch.auditing import columns, labels, rows, signals, speller
from data_fetch.auditing.finding import Finding
from data_fetch.dataset import Dataset
from data_fetch.fetcher import Fetcher


@dataclass(frozen=True)
class Audit:
    """Findings in one data set.

    Parameters
    ----------
    name, source : str
    findings : sequence of Finding
        In the order of the checks; empty if nothing was found.
    """

    name: str
    source: str
    findings: Sequence[Finding]

    def in_short(self) -> str:
        """How many findings."""
        n = len(self.findings)
        return f"{n} finding{'' if n == 1 else 's'}" if n else "nothing found"

    def to_frame(self) -> pd.DataFrame:
        """One line a finding: data set, source, check, how many, and what in words."""
        return pd.DataFrame(
            [(self.name, self.source, f.check, f.count, f.told()) for f in self.findings],
            columns=["data set", "source", "check", "count", "finding"],
        )


def write_audits(path: Path, audits: Iterable[Audit]) -> None:
    """Write the findings of many data sets as one CSV."""
    frames = [found.to_frame() for found in audits]
    with storage.partial_file(path) as partial:
        pd.concat(frames, ignore_index=True).to_csv(partial, index=False)


def audit(name: str, fetcher: Fetcher | None = None) -> Audit:
    """Look for what is wrong or odd in a data set.

    Rows that repeat (within the set, across its split, under another label, nearly); columns that
    are constant, repeated, out of the published range, or drift from training to test file; labels
    that everything else contradicts; EEG channels and fMRI volumes that are flat, clipped or far
    off. Tests keep the level of 5 % for each check and data set; what has no p-value is a fact.

    Parameters
    ----------
    name : str
        For example "p300/iib"; the labels are looked at as published.
    fetcher : Fetcher, optional
        Other places than the environment's.

    Raises
    ------
    ValueError, DataUnavailableError, AlteredDataError
        As `load`.

    See Also
    --------
    load : ``labels="audited"`` gives the corrected labels where an error is shown.

    Examples
    --------
    >>> import data_fetch
    >>> found = data_fetch.audit("embedded/twonorm")
    >>> len(found.findings)
    0
    """
    fetcher = fetcher or Fetcher()
    limits = fetcher.entry(name).limits
    return audit_dataset(access.load(name, fetcher), limits)


def audit_dataset(dataset: Dataset, limits: tuple[float, float] | None = None) -> Audit:
    """Audit a data set that is loaded, or of one's own.

    Parameters
    ----------
    dataset : Dataset
    limits : tuple of float, optional
        Smallest and largest value that the publisher states.
    """
    if "raws" in dataset.extra:
        found = [*signals.channels(dataset), *speller.contradicted(dataset)]
    else:
        codes = rows.row_codes(dataset.X)
        found = [
            *rows.repeated(codes),
            *rows.conflicting(dataset, codes),
            *rows.across_splits(dataset, codes),
            *rows.nearly_equal(dataset, codes),
            *columns.constant(dataset),
            *columns.duplicated(dataset),
            *columns.out_of_range(dataset, limits),
            *columns.drift(dataset),
        ]
        found += (
            signals.volumes(dataset)
            if "mask" in dataset.extra
            else labels.contradicted(dataset, codes)
        )
    return Audit(dataset.name, dataset.source, found)
