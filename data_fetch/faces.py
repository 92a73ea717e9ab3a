"""ORL, Yale and COIL-20 at 32 x 32 pixels, from Deng Cai's MATLAB files.

The Yale images must not be republished: show no Yale image in anything that is committed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.io import loadmat

from data_fetch.dataset import Dataset

IMAGE_SHAPE = (32, 32)


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
    return Dataset(
        name=name,
        X=np.ascontiguousarray(columns_first.transpose(0, 2, 1)).reshape(n_images, -1),
        y=labels.ravel().astype(np.int64),
        source="resampled",
        source_note=f"all {n_images} original images; the random splits are ours, seeded",
        image_shape=IMAGE_SHAPE,
    )
