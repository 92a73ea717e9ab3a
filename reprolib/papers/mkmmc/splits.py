"""Published and seeded splits by class, and what all methods on a split share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.metrics import euclidean_distances

from data_fetch import Dataset
from reprolib.methods.mkmmc import bandwidth_grid, nearest_neighbor, nearest_neighbor_path

#: k in the widths 2^k sigma_0^2.
EXPONENTS = tuple(range(-5, 6))


def published(dataset: Dataset, n_train: int, trial: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices (train, test) of one published split, n_train rows a class for training."""
    n_rows = n_train * len(np.unique(dataset.y))
    return [split for split in dataset.splits if len(split[0]) == n_rows][trial]


def drawn(y, n_train: int, trial: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices (train, test) of one seeded split, n_train rows a class for training."""
    rng = np.random.default_rng([n_train, trial])
    shuffled = [rng.permutation(np.flatnonzero(y == label)) for label in np.unique(y)]
    train = np.concatenate([rows[:n_train] for rows in shuffled])
    test = np.concatenate([rows[n_train:] for rows in shuffled])
    return np.sort(train), np.sort(test)


@dataclass(frozen=True)
class Trial:
    """One split, and what its methods share."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray

    @cached_property
    def n_classes(self) -> int:
        """Number of classes, the largest dimension searched."""
        return len(np.unique(self.y))

    @property
    def class_size(self) -> float:
        """Training images a class."""
        return len(self.y) / self.n_classes

    @cached_property
    def gammas(self):
        """The paper's eleven bandwidths, narrowest first."""
        return bandwidth_grid(self.X, EXPONENTS)

    @cached_property
    def grams(self):
        """Gram matrices of the eleven kernels."""
        squared = euclidean_distances(self.X, squared=True)
        return np.exp(-self.gammas[:, None, None] * squared)

    @cached_property
    def test_grams(self):
        """The eleven kernels between test and training images."""
        return np.exp(-self.gammas[:, None, None] * self._test_squares)

    def test_gram(self, t: int):
        """One of them."""
        return np.exp(-self.gammas[t] * self._test_squares)

    @cached_property
    def _test_squares(self):
        return euclidean_distances(self.X_test, self.X, squared=True)

    def on_unit_sphere(self) -> Trial:
        """The same split with every image scaled to unit norm."""
        X = self.X / np.linalg.norm(self.X, axis=1, keepdims=True)
        X_test = self.X_test / np.linalg.norm(self.X_test, axis=1, keepdims=True)
        return Trial(X, self.y, X_test, self.y_test)

    def test_path(self, train, test, n_dimensions: int):
        """Test accuracy in 1, ..., n_dimensions coordinates; flat where there are no more."""
        labels = nearest_neighbor_path(train[:, :n_dimensions], self.y, test[:, :n_dimensions])
        accuracy = np.mean(labels == self.y_test, axis=1)
        return np.pad(accuracy, (0, n_dimensions - len(accuracy)), mode="edge")

    def accuracy(self, train, test) -> float:
        """Test accuracy of 1-nearest neighbour in all coordinates."""
        return float(np.mean(nearest_neighbor(train, self.y, test) == self.y_test))

    def transformer_path(self, transformer):
        """Test accuracy behind a fitted transformer in up to c dimensions."""
        return self.test_path(
            transformer.transform(self.X), transformer.transform(self.X_test), self.n_classes
        )
