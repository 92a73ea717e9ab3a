"""Loader of UCI's and StatLog's text files."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

import data_fetch
from data_fetch.embedded.digits import load_embedded
from data_fetch.tables import LAYOUTS, load_table


def write(path, table, sep=","):
    """Whole numbers in columns; compressed if the name says so."""
    text = "".join(sep.join(map(str, row)) + "\n" for row in table)
    path.write_bytes(gzip.compress(text.encode(), 1) if path.suffix == ".gz" else text.encode())


@pytest.mark.parametrize("name", LAYOUTS)
def test_features_labels_and_split_are_those_of_the_files(name, tmp_path):
    layout, rng = LAYOUTS[name], np.random.default_rng(0)
    paths, tables = {}, []
    for key, n_rows in zip(layout.files, (16_500, 70) if layout.n_train else (90, 40)):  # noqa: B905
        X = rng.integers(0, 9, (n_rows, layout.libsvm or 16))
        y = 1 + rng.integers(0, 26, n_rows)
        tables.append((X, y))
        paths[key] = tmp_path / key
        if layout.libsvm:
            X[:, -1] = 0
            dump_svmlight_file(X, y, str(paths[key]), zero_based=False)
        elif layout.letters:
            write(paths[key], np.column_stack([[chr(ord("A") + label - 1) for label in y], X]))
        else:
            write(paths[key], np.column_stack([X, y]), layout.delimiter or " ")
    X, y = (np.concatenate(parts) for parts in zip(*tables, strict=True))
    dataset = load_table(name, paths)
    np.testing.assert_array_equal(dataset.X, X)
    np.testing.assert_array_equal(dataset.y, y)
    assert dataset.source == "original"
    if name == "statlog/segment":
        assert not dataset.splits
    else:
        ((train, test),) = dataset.splits
        np.testing.assert_array_equal(np.concatenate([train, test]), np.arange(len(y)))
        assert len(train) == (layout.n_train or 90)


#: Rows and columns of the sets, rows of their official training sets, and classes.
PUBLISHED = {
    "uci/landsat": (6435, 36, 4435, 6),
    "uci/optdigits": (5620, 64, 3823, 10),
    "uci/pendigits": (10992, 16, 7494, 10),
    "uci/letter": (20000, 16, 16000, 26),
    "uci/isolet": (7797, 617, 6238, 26),
    "statlog/dna": (3186, 180, 2000, 3),
    "statlog/segment": (2310, 19, 2310, 7),
    "statlog/satimage": (6435, 36, 4435, 6),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.needs_data(name)) for name in PUBLISHED]
)
def test_real_tables_have_their_published_shape(name):
    n, p, n_train, n_classes = PUBLISHED[name]
    data = data_fetch.load(name)
    assert data.X.shape == (n, p) == (data_fetch.info(name).n_samples, p)
    assert len(np.unique(data.y)) == n_classes
    assert [len(train) for train, _ in data.splits] == ([n_train] if n_train < n else [])
    assert np.isfinite(data.X).all()


def test_embedded_digits():
    data = load_embedded()
    assert data.X.shape == (1797, 64)
    assert (data.X.min(), data.X.max()) == (0, 16)
    assert [len(part) for part in data.splits[0]] == [1000, 797]
    assert data.digest() == data_fetch.load("embedded/optdigits").digest()


@pytest.mark.needs_data("uci/optdigits")
def test_embedded_digits_are_the_official_test_set():
    data = data_fetch.load("uci/optdigits")
    np.testing.assert_array_equal(data.X[data.splits[0][1]], load_embedded().X)
