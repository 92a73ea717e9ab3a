"""Loader of the StatLog files."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from data_fetch.statlog import _SHAPES, load_statlog


@pytest.fixture
def files(tmp_path):
    """Files of the right shapes with random values."""
    rng = np.random.default_rng(0)
    paths = {}
    for n_features, n_classes, rows in _SHAPES.values():
        for key, n_rows in rows.items():
            X = np.round(rng.uniform(-1, 1, (n_rows, n_features)), 3)
            X[:, -1] = 0.0
            paths[key] = tmp_path / key
            y = 1 + np.arange(n_rows) % n_classes
            dump_svmlight_file(X, y, str(paths[key]), zero_based=False)
    return paths


@pytest.mark.parametrize(
    ("name", "shape", "n_classes", "n_train"),
    [
        ("statlog/dna", (3186, 180), 3, 2000),
        ("statlog/satimage", (6435, 36), 6, 4435),
        ("statlog/segment", (2310, 19), 7, None),
    ],
)
def test_shapes_and_split(files, name, shape, n_classes, n_train):
    dataset = load_statlog(name, files)
    assert dataset.X.shape == shape
    assert dataset.source == "original"
    np.testing.assert_array_equal(np.unique(dataset.y), np.arange(1, n_classes + 1))
    if n_train is None:
        assert not dataset.splits
    else:
        ((train, test),) = dataset.splits
        assert len(train) == n_train
        np.testing.assert_array_equal(np.concatenate([train, test]), np.arange(len(dataset.y)))


def test_file_that_ends_early(files):
    text = files["dna.scale"].read_text().splitlines(keepends=True)
    files["dna.scale"].write_text("".join(text[:1200]))
    with pytest.raises(ValueError, match="1200 rows, expected 2000: the file is incomplete"):
        load_statlog("statlog/dna", files)


def test_line_that_is_cut(files):
    text = files["segment.scale"].read_text()
    files["segment.scale"].write_text(text[: len(text) // 2] + " 3:0.1x")
    with pytest.raises(ValueError, match="is not a LIBSVM text file of 19 features"):
        load_statlog("statlog/segment", files)


def test_class_that_is_missing(files):
    text = files["segment.scale"].read_text().splitlines(keepends=True)
    files["segment.scale"].write_text("".join("1" + line[1:] for line in text))
    with pytest.raises(ValueError, match="has 1 classes, expected 7"):
        load_statlog("statlog/segment", files)
