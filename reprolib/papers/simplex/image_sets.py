"""The columns of Table 2 on images: Caltech-101 by HMAX, PubFig83 by features that a user brings.

Every trial draws as many training images a class; all others are test images, or as many a class
as the protocol says. Computed features are kept as a file: see `image_features`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from data_fetch import Dataset
from reprolib.papers.simplex import methods
from reprolib.papers.simplex.image_features import BACKGROUND, hmax_features
from reprolib.rerun.records import Measurement, Task


@dataclass(frozen=True)
class ImageSet:
    """How many images of a class are for training and for test, and what HMAX is told.

    Parameters
    ----------
    n_train : int
        Training images of a class.
    n_test : int, optional
        All others, if not given.
    hmax : mapping
        Parameters that differ from the defaults.
    """

    n_train: int
    n_test: int | None = None
    hmax: Mapping[str, Any] = field(default_factory=dict)


_SMALL = {"n_patches": 60, "patch_sizes": (4, 8), "side": 60}
IMAGE_SETS: Mapping[str, ImageSet] = {
    "caltech101": ImageSet(30),
    "pubfig83/features": ImageSet(90, 10),
    "embedded/objects": ImageSet(6, hmax=_SMALL),
    "embedded/portraits": ImageSet(6, 6, hmax=_SMALL),
}


def run(task: Task, dataset: Dataset) -> list[Measurement]:
    """Run one task of Table 2 on the split of its trial."""
    features, params = features_of(dataset, task.params), task.params
    protocol = IMAGE_SETS[dataset.name]
    n_train = params.get("n_train", protocol.n_train)
    with_background = params.get("with_background", False)
    labels = [q for q in np.unique(dataset.y) if with_background or q != BACKGROUND]
    rng = np.random.default_rng(task.trial)
    mixed = [rng.permutation(np.flatnonzero(dataset.y == label)) for label in labels]
    end = None if protocol.n_test is None else n_train + protocol.n_test
    train, test = (
        np.sort(np.concatenate([rows[part] for rows in mixed]))
        for part in (slice(n_train), slice(n_train, end))
    )
    X, X_test = (np.asarray(features[rows], dtype=float) for rows in (train, test))
    found = methods.table2(task, X, dataset.y[train], X_test, dataset.y[test])
    is_ours = dataset.source == "original"
    return [replace(m, source="resampled") if is_ours else m for m in found]


def features_of(dataset: Dataset, params: Mapping[str, Any]) -> np.ndarray:
    """C2 of the images with the settings of a reading, or features that the data set itself has."""
    if "images" not in dataset.extra:
        return dataset.X
    settings = {**IMAGE_SETS[dataset.name].hmax, **params.get("hmax", {})}
    return hmax_features(dataset, settings, params.get("patches_of", BACKGROUND))
