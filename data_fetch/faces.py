"""ORL, Yale and COIL-20 at 32 x 32 pixels, from Deng Cai's MATLAB files.

The Yale images must not be republished: show no Yale image in anything that is committed.

``cai_splits.npz`` has the random splits of ORL and Yale that Cai's page of face data distributes:
fifty each with 2, 3 and 4 training images a person. Row numbers from 1, in the order of his files;
all other rows are for testing. They are from the public copy weiyikang/SDDP at commit e17d85f,
folder code, files {ORL,Yale}/{2,3,4}Train/1.mat to 50.mat. The page asks that its papers be cited:
Cai, He, Hu, Han & Huang 2007, Learning a spatially smooth subspace for face recognition, CVPR.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.io import loadmat

from data_fetch.dataset import Dataset

IMAGE_SHAPE = (32, 32)
SPLITS = Path(__file__).with_name("cai_splits.npz")
#: Training images a person of the published splits.
TRAINING_IMAGES = (2, 3, 4)


def load_faces(name: str, paths: dict[str, Path]) -> Dataset:
    """Read one of the three image sets.

    Grey levels as in the file: 0 to 255 (ORL, Yale), 0 to 1 (COIL-20). The files hold every image
    column by column; here a row of ``X`` reshaped to ``image_shape`` is the upright image.

    Parameters
    ----------
    name : {"faces/orl", "faces/yale", "faces/coil20"}
        Name that the data set gets.
    paths : dict of str to Path
        The one file of the set, by its catalog key.

    Returns
    -------
    Dataset
        ``splits`` of ORL and Yale are the 150 published ones: fifty with two training images a
        person, then fifty with three, then fifty with four. COIL-20 has none.
    """
    (path,) = paths.values()
    # Cai's names, and those of the same images in scikit-feature.
    content = loadmat(path, variable_names=["fea", "gnd", "X", "Y"])
    images, labels = (
        (content[ours] if ours in content else content[theirs])
        for ours, theirs in (("fea", "X"), ("gnd", "Y"))
    )
    n_images = len(images)
    columns_first = images.astype(np.float64).reshape(n_images, *IMAGE_SHAPE)
    splits = published_splits(name, n_images)
    if splits:
        note = f"all {n_images} original images; Deng Cai's {len(splits)} published splits"
    else:
        note = f"all {n_images} original images; no published splits, the random ones are ours"
    return Dataset(
        name=name,
        X=np.ascontiguousarray(columns_first.transpose(0, 2, 1)).reshape(n_images, -1),
        y=labels.ravel().astype(np.int64),
        source="original" if splits else "resampled",
        source_note=note,
        splits=splits,
        image_shape=IMAGE_SHAPE,
    )


def published_splits(name: str, n_images: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows for training, in the order of the files, and for testing; none of COIL-20."""
    stem = name.rpartition("/")[2]
    with np.load(SPLITS) as stored:
        drawn = [stored[key] for n in TRAINING_IMAGES if (key := f"{stem}_{n}") in stored.files]
    trains = [rows.astype(np.int64) - 1 for of_size in drawn for rows in of_size]
    return [(rows, np.setdiff1d(np.arange(n_images), rows)) for rows in trains]
