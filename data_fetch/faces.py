"""ORL, Yale and COIL-20 at 32 x 32 pixels, from Deng Cai's MATLAB files.

The Yale images must not be republished: show no Yale image in anything that is committed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from data_fetch.dataset import Dataset
from data_fetch.matlab import read_mat

IMAGE_SHAPE = (32, 32)

#: Images and classes of every set.
SIZES = {"faces/orl": (400, 40), "faces/yale": (165, 15), "faces/coil20": (1440, 20)}


def load_faces(name: str, paths: dict[str, Path]) -> Dataset:
    """Read one of the three image sets.

    Grey levels as in the file: 0 to 255 (ORL, Yale), 0 to 1 (COIL-20). The files hold every image
    column by column; here a row of ``X`` reshaped to ``image_shape`` is the upright image.

    Parameters
    ----------
    name : {"faces/orl", "faces/yale", "faces/coil20"}
    paths : dict of str to Path
        The one file of the set, by its catalog key.

    Raises
    ------
    ValueError
        If the file does not hold that set.
    """
    if name not in SIZES:
        raise ValueError(f"name is {name!r}; this module reads {', '.join(SIZES)}.")
    (path,) = paths.values()
    # Cai's names, and those of the same images in scikit-feature.
    content = read_mat(path, ["fea", "gnd", "X", "Y"])
    for ours, theirs in (("fea", "X"), ("gnd", "Y")):
        if theirs in content:
            content.setdefault(ours, content[theirs])
    n_images, n_classes = SIZES[name]
    shapes = {key: content[key].shape for key in ("fea", "gnd") if key in content}
    if shapes != {"fea": (n_images, 1024), "gnd": (n_images, 1)}:
        raise ValueError(
            f"{path} is not {name}: it holds {shapes or 'neither fea nor gnd'}, but fea "
            f"({n_images}, 1024) and gnd ({n_images}, 1) were expected; download it again"
        )
    kinds = {key: content[key].dtype.kind for key in shapes}
    bad = [k for k in shapes if kinds[k] not in "uif" or not np.isfinite(content[k]).all()]
    if bad:
        raise ValueError(f"{path} is not {name}: {bad} hold other values than finite real numbers")
    labels = content["gnd"].ravel()
    if not np.array_equal(np.unique(labels), np.arange(1, n_classes + 1)):
        raise ValueError(
            f"{path} is not {name}: its labels are not 1 to {n_classes}; download it again"
        )
    columns_first = content["fea"].astype(np.float64).reshape(n_images, *IMAGE_SHAPE)
    return Dataset(
        name=name,
        X=np.ascontiguousarray(columns_first.transpose(0, 2, 1)).reshape(n_images, -1),
        y=labels.astype(np.int64),
        source="resampled",
        source_note=f"all {n_images} original images; the random splits are ours, seeded",
        image_shape=IMAGE_SHAPE,
    )
