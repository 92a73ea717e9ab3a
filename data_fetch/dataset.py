"""The data contract: what every loader returns."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

Source = Literal["original", "partial", "resampled", "embedded"]


@dataclass(frozen=True, repr=False)
class Dataset:
    """A data set with its provenance.

    Parameters
    ----------
    name : str
        For example "raetsch/banana".
    X : ndarray of shape (n, p)
        Values as stored in the files: neither filtered nor scaled.
    y : ndarray of shape (n,)
        Label of every row.
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
        Name of every column of ``X``.
    image_shape : tuple, optional
        Shape of one row of ``X`` as an image.
    extra : dict
        What the domain needs: ``mne`` recordings, a nibabel image and mask, parameters that were
        published with the data.
    notes : sequence of str
        What a user must know of the data: repeated rows, a wrong label.
    stored : mapping of str to ndarray
        What was read beside ``X``, as stored (a whole recording of which ``X`` holds windows).
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
    notes: Sequence[str] = ()
    stored: Mapping[str, np.ndarray] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        """One line: name, shape, classes, splits and source, whatever the values."""
        parts = [f"{len(self.X)} x {self.X.shape[1]}", f"{len(np.unique(self.y))} classes"]
        if len(self.splits):
            parts.append(f"{len(self.splits)} split{'s' if len(self.splits) > 1 else ''}")
        if self.groups is not None:
            parts.append(f"{len(np.unique(self.groups))} groups")
        return f"<Dataset {self.name}: {', '.join(parts)}, {self.source}>"

    def to_nifti(self, values: np.ndarray):
        """Put one value per column of ``X`` into the volume that the columns were taken from.

        Parameters
        ----------
        values : ndarray of shape (p,) or (k, p)
            For example a row of ``X``, or the weights of a classifier.

        Returns
        -------
        nibabel.Nifti1Image
            Of the mask's grid and affine, zero outside the mask, with k volumes if there are k.

        Raises
        ------
        ValueError
            If the columns are no voxels, or another number.
        """
        mask_image = self.extra.get("mask_image")
        if mask_image is None:
            raise ValueError(f"the columns of {self.name} are not voxels: it has no mask")
        mask = self.extra["mask"]
        values = np.asarray(values, dtype=np.float64)
        if values.ndim not in (1, 2) or values.shape[-1] != self.X.shape[1]:
            raise ValueError(
                f"values has shape {values.shape}; {self.X.shape[1]} voxels expected in its last "
                "axis"
            )
        volume = np.zeros((*mask.shape, *values.shape[:-1]))
        volume[mask] = values.T
        return type(mask_image)(volume, mask_image.affine)

    def digest(self) -> str:
        """Fingerprint (sha256, hex) of all that was read; it keys every stored record.

        Covers ``X``, ``y``, ``groups``, ``splits`` and ``stored`` with their types, shapes and
        order, so that other rows in the training set are other data. Loaders put nothing there
        that was computed with rounding: last bits differ between processors.
        """
        h = hashlib.sha256()
        arrays = [self.X, self.y, self.groups, *(part for split in self.splits for part in split)]
        for array in arrays:
            _update(h, [] if array is None else array)
        for name, array in sorted(self.stored.items()):
            h.update(f"\0{name}\0".encode())
            _update(h, array)
        return h.hexdigest()


def _update(h, array) -> None:
    """Add type, shape and bytes of one array to a running hash."""
    a = np.ascontiguousarray(array)
    h.update(f"{a.dtype.str}{a.shape}".encode())
    is_text = a.dtype.kind in "UO"
    h.update("\0".join(a).encode() if is_text else a.ravel().view(np.uint8))
