"""Optdigits rows that scikit-learn bundles: 1797 handwritten digits, 8 x 8 counts from 0 to 16.

They are the official test set of Optdigits. Used here as a small data set of its own, so no
number made on it is comparable with one on the official split.

Source: Alpaydin & Kaynak 1998, UCI Machine Learning Repository.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

from data_fetch.dataset import Dataset

N_TRAIN = 1000


def load_embedded(name: str = "embedded/optdigits") -> Dataset:
    """Bundled rows, the first 1000 for training and the other 797 for testing."""
    digits = load_digits()
    rows = np.arange(len(digits.data))
    return Dataset(
        name,
        np.asarray(digits.data, dtype=np.float64),
        np.asarray(digits.target, dtype=np.int64),
        "embedded",
        "the 1797 Optdigits rows bundled with scikit-learn, first 1000 for training",
        [(rows[:N_TRAIN], rows[N_TRAIN:])],
        image_shape=(8, 8),
    )
