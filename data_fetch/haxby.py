"""Haxby et al. 2001: fMRI of one subject who looks at eight categories of pictures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import nibabel as nib
import numpy as np

from data_fetch.dataset import Dataset

#: Volumes read at a time; 32 of the upstream file's are 10 MB.
_VOLUMES_AT_A_TIME = 32

_PARTIAL = "only task volumes within the mask hold values; these are the raw upstream ones"


def load_haxby(name: str, paths: Mapping[str, Path]) -> Dataset:
    """Read "haxby/subj1": raw activations of the voxels in the ventral temporal mask.

    Parameters
    ----------
    name : str
        Name that the data set gets.
    paths : mapping of file key to path
        "bold.nii.gz", "mask4_vt.nii.gz", "labels.txt".

    Returns
    -------
    Dataset
        As from `masked_dataset`. The source is "partial" where the series holds nothing outside
        the mask.
    """
    series = nib.load(paths["bold.nii.gz"], keep_file_open=True)
    mask = nib.load(paths["mask4_vt.nii.gz"])
    labels, runs = read_labels(Path(paths["labels.txt"]).read_text(encoding="utf-8"))
    return masked_dataset(name, series, mask, labels, runs)


def masked_dataset(name, series, mask_image, labels, runs, *, source=None, note="") -> Dataset:
    """Task volumes of a series, read through a mask a few volumes at a time.

    Parameters
    ----------
    name : str
        Name that the data set gets.
    series, mask_image : nibabel images of shape (x, y, z, t) and (x, y, z)
        All volumes, and the voxels that are taken: those with a value above zero.
    labels, runs : ndarray of shape (t,)
        Label of every volume ("rest" is left out) and its run.
    source, note : str, optional
        By default "original", or "partial" where the series is zero outside the mask.

    Returns
    -------
    Dataset
        ``X`` (task volumes, voxels in the mask, in C order of the grid), ``y`` the category,
        ``groups`` the run. ``extra`` holds ``series`` and ``mask_image`` (nibabel images), ``mask``
        (boolean grid), ``affine`` (to millimetres), ``volume`` (index in the series) and ``onset``
        (volumes since the block began). `Dataset.to_nifti` goes back to a volume.
    """
    mask = np.asarray(mask_image.dataobj) > 0
    parts, outside = [], False
    for start in range(0, series.shape[3], _VOLUMES_AT_A_TIME):
        volumes = np.asarray(series.dataobj[..., start : start + _VOLUMES_AT_A_TIME])
        parts.append(volumes[mask].T)
        outside = outside or bool(np.any(volumes[~mask]))
    masked = np.concatenate(parts)
    onset = np.zeros(len(labels), dtype=np.intp)
    for i in range(1, len(labels)):
        same_block = labels[i] == labels[i - 1] and runs[i] == runs[i - 1]
        onset[i] = onset[i - 1] + 1 if same_block else 0
    task = np.flatnonzero(labels != "rest")
    return Dataset(
        name=name,
        X=masked[task].astype(np.float64),
        y=labels[task],
        groups=runs[task],
        source=source or ("original" if outside else "partial"),
        source_note=note or ("" if outside else _PARTIAL),
        extra={
            "series": series,
            "mask_image": mask_image,
            "mask": mask,
            "affine": np.array(series.affine),
            "volume": task,
            "onset": onset[task],
        },
    )


def read_labels(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Labels and runs from a text with the header "labels chunks" and one line per volume."""
    rows = [line.split() for line in text.splitlines()[1:]]
    return np.array([row[0] for row in rows]), np.array([int(row[1]) for row in rows])
