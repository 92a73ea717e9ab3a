"""The data contract: what every loader returns."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

Source = Literal["original", "partial", "resampled", "embedded"]


@dataclass(frozen=True)
class Dataset:
    """A data set with its provenance.

    Parameters
    ----------
    name : str
        For example "raetsch/banana".
    X : ndarray of shape (n, p)
    y : ndarray of shape (n,)
    source : {"original", "partial", "resampled", "embedded"}
        original: the upstream values; partial: real values, only some of them;
        resampled: real pool, our own seeded splits; embedded: generated or bundled.
    source_note : str
        Which and how many values, in words; printed beside every number made on the data.
    splits : sequence of (train, test) index arrays
        Published splits where they exist (seeded ones when ``source`` is "resampled").
    groups : ndarray of shape (n,), optional
        Run or session of every row.
    feature_names : sequence of str, optional
    image_shape : tuple, optional
        Shape of one row of ``X`` as an image.
    extra : dict
        What the domain needs: an ``mne`` object, a nibabel image and mask.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    source: Source
    source_note: str = ""
    splits: Sequence[tuple[np.ndarray, np.ndarray]] = ()
    groups: np.ndarray | None = None
    feature_names: Sequence[str] | None = None
    image_shape: tuple[int, ...] | None = None
    extra: dict[str, Any] = field(default_factory=dict, compare=False)

    def digest(self) -> str:
        """Fingerprint (sha256, hex) of the data and splits: keys every stored record."""
        h = hashlib.sha256()
        arrays = [self.X, self.y, self.groups, *(part for split in self.splits for part in split)]
        for array in arrays:
            a = np.ascontiguousarray([] if array is None else array)
            h.update(f"{a.dtype.str}{a.shape}".encode())
            h.update("\0".join(a).encode() if a.dtype.kind in "UO" else a.tobytes())
        return h.hexdigest()


def canonical_digest(X, y) -> str:
    """Fingerprint of the values of a data set that does not depend on the order of its rows.

    The same data in another container, with rows in another order, have the same digest; a
    changed value does not. Covers dtype, shape, sorted class counts and the rows (with their
    labels) in lexicographic order.
    """
    X = np.asarray(X, dtype=np.float64) + 0.0
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    counts = np.bincount(codes)
    table = np.column_stack([codes.astype(np.float64), X])
    order = np.lexsort(table.T[::-1])
    h = hashlib.sha256()
    h.update(f"{X.dtype.str}{X.shape}{[str(c) for c in classes]}{counts.tolist()}".encode())
    h.update(np.ascontiguousarray(table[order]).tobytes())
    return h.hexdigest()
