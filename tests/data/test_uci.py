import gzip

import numpy as np
import pytest

import data_fetch
from data_fetch.embedded.digits import load_embedded
from data_fetch.uci import LAYOUTS, load_uci


def write(path, rows, sep=","):
    path.write_text("".join(sep.join(map(str, row)) + "\n" for row in rows))
    return path


def test_label_is_last_and_files_are_training_and_test(tmp_path):
    train = write(tmp_path / "a", [[*range(16), 3], [*range(1, 17), 4]])
    test = write(tmp_path / "b", [[*range(2, 18), 5]])
    data = load_uci("uci/pendigits", {"pendigits.tra": train, "pendigits.tes": test})
    np.testing.assert_array_equal(data.X, [range(16), range(1, 17), range(2, 18)])
    np.testing.assert_array_equal(data.y, [3, 4, 5])
    (rows_train, rows_test) = data.splits[0]
    assert (rows_train.tolist(), rows_test.tolist()) == ([0, 1], [2])
    assert data.source == "original"


def test_landsat_is_separated_by_spaces(tmp_path):
    path = write(tmp_path / "a", [[*range(36), 7]], sep=" ")
    data = load_uci("uci/landsat", {"sat.trn": path, "sat.tst": path})
    assert data.X.shape == (2, 36)
    np.testing.assert_array_equal(data.y, [7, 7])


def test_letter_has_its_label_first_and_is_split_by_rows(tmp_path):
    rows = [["ABZ"[i % 3], *[i % 16] * 16] for i in range(16_002)]
    path = write(tmp_path / "a", rows)
    data = load_uci("uci/letter", {"letter-recognition.data": path})
    np.testing.assert_array_equal(data.y[:3], [1, 2, 26])
    assert [len(part) for part in data.splits[0]] == [16_000, 2]


def test_isolet_is_compressed_by_gzip(tmp_path):
    values = np.round(np.linspace(-1, 1, 617), 4)
    text = (", ".join(f"{v:.4f}" for v in values) + ", 26.\n").encode()
    path = tmp_path / "a"
    path.write_bytes(gzip.compress(text))
    data = load_uci("uci/isolet", {"isolet1+2+3+4.data.gz": path, "isolet5.data.gz": path})
    np.testing.assert_array_equal(data.X, [values, values])
    np.testing.assert_array_equal(data.y, [26, 26])


@pytest.mark.fault("parser")
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[*range(16), "nan"]], "holds a value that is not finite"),
        ([["inf", *range(16)]], "holds a value that is not finite"),
        ([[*range(16), 1.5]], "holds a value that is not finite, or a label that is not whole"),
        ([[1, 2, 3]], "has 3 columns; 16 features and a label expected"),
        ([[*range(16), "x"]], "not a table of numbers"),
        ([[*range(17)], [1, 2]], "not a table of numbers"),
    ],
)
def test_other_layouts_are_refused_with_the_file(tmp_path, rows, message):
    path = write(tmp_path / "file", rows)
    with pytest.raises(ValueError, match=f"file .*{message}|file {message}"):
        load_uci("uci/pendigits", {"pendigits.tra": path, "pendigits.tes": path})


@pytest.mark.fault("parser")
def test_letter_labels_must_be_letters(tmp_path):
    path = write(tmp_path / "a", [["7", *range(16)]])
    with pytest.raises(ValueError, match="not a table of numbers as expected: .*'7'"):
        load_uci("uci/letter", {"letter-recognition.data": path})


@pytest.mark.fault("parser")
def test_a_short_letter_file_is_refused(tmp_path):
    path = write(tmp_path / "a", [["A", *range(16)]])
    with pytest.raises(ValueError, match="has 1 rows; more than 16000 expected"):
        load_uci("uci/letter", {"letter-recognition.data": path})


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match="no UCI data set 'uci/iris'; there are isolet"):
        load_uci("uci/iris", {})


def test_embedded_digits():
    data = load_embedded()
    assert data.X.shape == (1797, 64)
    assert (data.X.min(), data.X.max()) == (0, 16)
    assert [len(part) for part in data.splits[0]] == [1000, 797]
    assert data.digest() == data_fetch.load("embedded/optdigits").digest()


@pytest.mark.parametrize(
    ("name", "shape", "n_train", "n_classes"),
    [
        pytest.param(f"uci/{name}", *facts, marks=pytest.mark.needs_data(f"uci/{name}"))
        for name, *facts in [
            ("landsat", (6435, 36), 4435, 6),
            ("optdigits", (5620, 64), 3823, 10),
            ("pendigits", (10992, 16), 7494, 10),
            ("letter", (20000, 16), 16000, 26),
            ("isolet", (7797, 617), 6238, 26),
        ]
    ],
)
def test_real_data(name, shape, n_train, n_classes):
    data = data_fetch.load(name)
    assert data.X.shape == shape
    assert len(data.splits[0][0]) == n_train
    assert len(np.unique(data.y)) == n_classes
    assert LAYOUTS[name.rpartition("/")[2]].n_features == shape[1]


@pytest.mark.needs_data("uci/optdigits")
def test_embedded_digits_are_the_official_test_set():
    data = data_fetch.load("uci/optdigits")
    np.testing.assert_array_equal(data.X[data.splits[0][1]], load_embedded().X)
