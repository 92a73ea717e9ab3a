"""Haxby et al. 2001: fMRI of one subject who looks at eight categories of pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import nibabel as nib
import numpy as np

from data_fetch.catalog import default_catalog
from data_fetch.dataset import Dataset
from data_fetch.errors import AlteredDataError

#: Volumes read at a time; 32 of the upstream file's are 10 MB.
_VOLUMES_AT_A_TIME = 32

#: Where the slice lies in the grid of the whole images: found by its values, equal to those there.
SLICE = (slice(None), slice(8, 28), slice(27, 28))

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
    return masked_dataset(name, series, *_mask_and_labels(paths))


def load_openneuro(name: str, paths: Mapping[str, Path]) -> Dataset:
    """Read "haxby/subj1" from the twelve whole runs of OpenNeuro's ds000105, rest included.

    Parameters
    ----------
    name : str
        Name that the data set gets.
    paths : mapping of file key to path
        "sub-1_task-objectviewing_run-01_bold.nii.gz" and so on, and mask and labels as in
        `load_haxby`.

    Returns
    -------
    Dataset
        As from `load_haxby`, whose values it must have.

    Raises
    ------
    AlteredDataError
        If the values in the mask are others: the images then lie in another grid than the mask.
    """
    bold = sorted(key for key in paths if key.endswith("_bold.nii.gz"))
    images = [nib.load(paths[key]) for key in bold]
    dataset = masked_dataset(name, images, *_mask_and_labels(paths))
    if dataset.digest() != default_catalog().entry("haxby/subj1").digest:
        raise AlteredDataError(
            f"{name}: the values of these runs in the mask are not those that are known, so that "
            "they lie in another grid or order; take the archive of haxby/subj1 instead"
        )
    return dataset


def load_slice(name: str, paths: Mapping[str, Path]) -> Dataset:
    """Read "haxby/one_slice": all volumes of one slice, and of it the voxels in the mask.

    Parameters
    ----------
    name : str
        Name that the data set gets.
    paths : mapping of file key to path
        "run01.nii.gz" and so on, or "one_slice.npy", the runs in one array; and mask and labels
        as in `load_haxby`.

    Returns
    -------
    Dataset
        As from `masked_dataset`; ``stored`` has the values of all volumes in the mask.
    """
    mask, labels, runs = _mask_and_labels(paths)
    mask = mask.slicer[SLICE]
    if "one_slice.npy" in paths:
        images: list[Any] = [nib.Nifti1Image(np.load(paths["one_slice.npy"]), mask.affine)]
    else:
        images = [nib.load(paths[key]) for key in sorted(paths) if key.startswith("run")]
    note = "98 of the 577 voxels, those in one slice; all volumes, those of rest, too"
    dataset = masked_dataset(name, images, mask, labels, runs, source="partial", note=note)
    return replace(dataset, stored={"all volumes": dataset.extra["voxels"]})


def _mask_and_labels(paths: Mapping[str, Path]) -> tuple[Any, np.ndarray, np.ndarray]:
    mask = nib.load(paths["mask4_vt.nii.gz"])
    return mask, *read_labels(Path(paths["labels.txt"]).read_text(encoding="utf-8"))


def masked_dataset(
    name: str,
    series: Any,
    mask_image: Any,
    labels: np.ndarray,
    runs: np.ndarray,
    *,
    source=None,
    note: str = "",
) -> Dataset:
    """Task volumes of a series, read through a mask a few volumes at a time.

    Parameters
    ----------
    name : str
        Name that the data set gets.
    series : nibabel image of shape (x, y, z, t), or sequence of them
        All volumes, in one image or in several that follow each other.
    mask_image : nibabel image of shape (x, y, z)
        The voxels that are taken: those with a value above zero.
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
        (volumes since the block began); ``voxels``, ``labels`` and ``runs`` are those of all
        volumes, rest included. `Dataset.to_nifti` goes back to a volume.
    """
    mask = np.asarray(mask_image.dataobj) > 0
    parts, outside = [], False
    images = series if isinstance(series, Sequence) else [series]
    for image in images:
        for start in range(0, image.shape[3], _VOLUMES_AT_A_TIME):
            volumes = np.asarray(image.dataobj[..., start : start + _VOLUMES_AT_A_TIME])
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
            "affine": np.array(images[0].affine),
            "volume": task,
            "onset": onset[task],
            "voxels": masked,
            "labels": labels,
            "runs": runs,
        },
    )


def read_labels(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Labels and runs from a text with the header "labels chunks" and one line per volume."""
    rows = [line.split() for line in text.splitlines()[1:]]
    return np.array([row[0] for row in rows]), np.array([int(row[1]) for row in rows])
