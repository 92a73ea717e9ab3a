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
    return path


@pytest.fixture
def files(tmp_path):
    """Make files of the shapes of a data set with random features, and the tables in them."""

    def make(name):
        layout, rng = LAYOUTS[name], np.random.default_rng(0)
        paths, tables = {}, []
        for key, n_rows in layout.rows.items():
            X = rng.integers(0, 9, (n_rows, layout.n_features))
            y = 1 + rng.integers(0, 26, n_rows)
            tables.append((X, y))
            paths[key] = tmp_path / key
            if layout.libsvm:
                X[:, -1] = 0
                dump_svmlight_file(X, y, str(paths[key]), zero_based=False)
            elif layout.letters:
                letters = [chr(ord("A") + label - 1) for label in y]
                write(paths[key], np.column_stack([letters, X]))
            else:
                write(paths[key], np.column_stack([X, y]), layout.delimiter or " ")
        X, y = (np.concatenate(parts) for parts in zip(*tables, strict=True))
        return paths, X, y

    return make


@pytest.mark.parametrize("name", LAYOUTS)
def test_features_labels_and_split_are_those_of_the_files(files, name):
    paths, X, y = files(name)
    dataset = load_table(name, paths)
    np.testing.assert_array_equal(dataset.X, X)
    np.testing.assert_array_equal(dataset.y, y)
    assert dataset.source == "original"
    if name == "statlog/segment":
        assert not dataset.splits
    else:
        ((train, test),) = dataset.splits
        np.testing.assert_array_equal(np.concatenate([train, test]), np.arange(len(y)))
        n_first = next(iter(LAYOUTS[name].rows.values()))
        assert len(train) == (16_000 if name == "uci/letter" else n_first)


ROW = [*range(16), 3]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([*ROW[:-1], "nan"], "holds a value that is not finite"),
        (["inf", *ROW[1:]], "holds a value that is not finite"),
        ([*ROW[:-1], 1.5], "holds a value that is not finite, or a label that is not whole"),
        ([*ROW[:-1], "x"], "is not a table of 16 features and a label as expected"),
        ([1, 2], "is not a table of 16 features and a label as expected"),
    ],
    ids=["label nan", "inf", "label in parts", "text", "short line"],
)
def test_other_values_are_refused_with_the_file(tmp_path, row, message):
    rows = LAYOUTS["uci/pendigits"].rows["pendigits.tra"]
    path = write(tmp_path / "file", [*[ROW] * (rows - 1), row])
    with pytest.raises(ValueError, match=f"file {message}"):
        load_table("uci/pendigits", {"pendigits.tra": path, "pendigits.tes": path})


@pytest.mark.parametrize("name", LAYOUTS)
def test_file_of_another_shape_is_refused(files, name):
    paths, *_ = files(name)
    key = next(iter(paths))
    if key.endswith(".gz"):
        write(paths[key], [[*range(617), 3]])
    else:
        first = paths[key].read_text().splitlines(keepends=True)[:-1]
        paths[key].write_text("".join(first))
    with pytest.raises(ValueError, match="expected .*: the file is incomplete or another one"):
        load_table(name, paths)


def test_other_number_of_columns_is_refused(tmp_path):
    path = write(tmp_path / "a", [[1, 2, 3]])
    with pytest.raises(ValueError, match="has 1 rows of 2 features, expected 7494 of 16"):
        load_table("uci/pendigits", {"pendigits.tra": path, "pendigits.tes": path})


def test_file_that_is_cut(files):
    paths, *_ = files("statlog/segment")
    text = paths["segment.scale"].read_text()
    paths["segment.scale"].write_text(text[: len(text) // 2] + " 3:0.1x")
    with pytest.raises(ValueError, match="is not a table of 19 features"):
        load_table("statlog/segment", paths)
    paths, *_ = files("uci/isolet")
    packed = paths["isolet5.data.gz"].read_bytes()
    paths["isolet5.data.gz"].write_bytes(packed[: len(packed) // 2])
    with pytest.raises(ValueError, match="is not a table of 617 features"):
        load_table("uci/isolet", paths)


def test_letter_labels_must_be_letters(tmp_path):
    path = write(tmp_path / "a", [["7", *range(16)]])
    with pytest.raises(ValueError, match="not a table of 16 features .*'7'"):
        load_table("uci/letter", {"letter-recognition.data": path})


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match="no table 'uci/iris'; there are statlog/dna"):
        load_table("uci/iris", {})


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
