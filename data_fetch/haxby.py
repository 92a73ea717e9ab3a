"""Haxby et al. 2001: fMRI of one subject who looks at eight categories of pictures."""

from __future__ import annotations

import gzip
import math
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nibabel as nib
import numpy as np

from data_fetch.dataset import Dataset

#: Volumes read at a time; 32 of the upstream file's are 10 MB.
_VOLUMES_AT_A_TIME = 32

#: Most times that gzip can shorten a file.
MAX_EXPANSION = 1040

_DAMAGED = (
    nib.filebasedimages.ImageFileError,
    nib.spatialimages.HeaderDataError,
    EOFError,
    zlib.error,
    OSError,
)

_PARTIAL = "only task volumes within the mask hold values; these are the raw upstream ones"


def load_haxby(name: str, paths: Mapping[str, Path]) -> Dataset:
    """Read "haxby/subj1": raw activations of the voxels in the ventral temporal mask.

    Parameters
    ----------
    name : str
    paths : mapping of file key to path
        "bold.nii.gz", "mask4_vt.nii.gz", "labels.txt".

    Returns
    -------
    Dataset
        As from `masked_dataset`. The source is "partial" where the series holds nothing outside
        the mask.

    Raises
    ------
    ValueError
        If a file is damaged, or the three do not fit together.
    """
    series = _load_image(paths["bold.nii.gz"], keep_file_open=True)
    mask = _load_image(paths["mask4_vt.nii.gz"])
    labels, runs = read_labels(Path(paths["labels.txt"]).read_text(encoding="utf-8"))
    return masked_dataset(name, series, mask, labels, runs)


def masked_dataset(name, series, mask_image, labels, runs, *, source=None, note="") -> Dataset:
    """Task volumes of a series, read through a mask a few volumes at a time.

    Parameters
    ----------
    name : str
    series, mask_image : nibabel images of shape (x, y, z, t) and (x, y, z)
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

    Raises
    ------
    ValueError
        If the grids or the number of labels do not fit, the mask is empty, or a voxel is not
        finite.
    """
    mask = _checked_mask(series, mask_image)
    n_volumes = series.shape[3]
    if len(labels) != n_volumes:
        raise ValueError(
            f"{name}: labels for {len(labels)} volumes, but the series has {n_volumes}; "
            "labels and series are not of the same session."
        )
    masked, outside = _read_through(series, mask)
    task = np.flatnonzero(labels != "rest")
    X = masked[task].astype(np.float64)
    bad = np.argwhere(~np.isfinite(X))
    if len(bad):
        raise ValueError(
            f"{name}: {len(bad)} values in the mask are not finite, the first at volume "
            f"{task[bad[0, 0]]}; leave these voxels out of the mask or repair the series."
        )
    return Dataset(
        name=name,
        X=X,
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
            "onset": _volumes_since_onset(labels, runs)[task],
        },
    )


def unmask(values, mask):
    """Put one value per voxel of the mask back into the grid; NaN elsewhere."""
    volume = np.full(mask.shape, np.nan)
    volume[mask] = values
    return volume


def read_labels(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Labels and runs from a text with the header "labels chunks" and one line per volume.

    Raises
    ------
    ValueError
        If a line does not hold a label and a whole number.
    """
    lines = text.split("\n")
    rows = [line.split() for line in lines[1:] if line.strip()]
    if lines[0].split() != ["labels", "chunks"] or not all(
        len(row) == 2 and row[1].isdigit() for row in rows
    ):
        raise ValueError(
            "labels.txt needs the header 'labels chunks' and, per volume, a label and the number "
            f"of its run; it begins with {lines[0]!r}."
        )
    return np.array([row[0] for row in rows]), np.array([int(row[1]) for row in rows])


def _load_image(path: Path, **options):
    """Open an image whose file is whole, has its checksum, and a scale that is a number."""
    try:
        image: Any = nib.load(path, **options)
        size = path.stat().st_size
        claimed = math.prod(image.shape) * image.get_data_dtype().itemsize
        if claimed > MAX_EXPANSION * size:
            raise OSError(
                f"its header tells of {claimed / 1e9:.3g} GB, more than its {size} bytes can hold"
            )
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as file:
            header = nib.Nifti1Header.from_fileobj(file)
            slope, intercept = header["scl_slope"], header["scl_inter"]
            if not np.isfinite([slope, intercept]).all():
                raise OSError(f"its scale is {slope:g} x + {intercept:g}")
            # gzip compares the checksum when it is read to the end.
            while file.read(1 << 16):
                pass
            if file.tell() < header.get_data_offset() + claimed:
                raise OSError("it has fewer values than its header tells of")
        return image
    except _DAMAGED as error:
        raise ValueError(
            f"{path} is not a NIfTI file, ends early or is damaged ({error}); delete it and fetch "
            "it again."
        ) from error


def _checked_mask(series, mask_image):
    if series.ndim != 4 or mask_image.shape != series.shape[:3]:
        raise ValueError(
            f"the mask's grid {mask_image.shape} is not that of the series {series.shape}; "
            "use the mask of the same subject."
        )
    if not np.allclose(mask_image.affine, series.affine, atol=1e-3):
        raise ValueError(
            "mask and series have the same grid but other affines: they do not lie on the same "
            "voxels; resample the mask or use the one of the same subject."
        )
    mask = np.asarray(mask_image.dataobj) > 0
    if not mask.any():
        raise ValueError("the mask holds no voxel.")
    return mask


def _read_through(series, mask):
    """Masked series (t, voxels) in its own dtype, and whether anything lies outside the mask."""
    parts = []
    outside = False
    for start in range(0, series.shape[3], _VOLUMES_AT_A_TIME):
        volumes = np.asarray(series.dataobj[..., start : start + _VOLUMES_AT_A_TIME])
        parts.append(volumes[mask].T)
        outside = outside or bool(np.any(volumes[~mask]))
    return np.concatenate(parts), outside


def _volumes_since_onset(labels, runs):
    onset = np.zeros(len(labels), dtype=np.intp)
    for i in range(1, len(labels)):
        same_block = labels[i] == labels[i - 1] and runs[i] == runs[i - 1]
        onset[i] = onset[i - 1] + 1 if same_block else 0
    return onset
