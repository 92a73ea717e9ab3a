"""The image sets: reading the files, and the simulated counterpart."""

import hashlib

import numpy as np
import pytest
from scipy.io import savemat
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import data_fetch
from data_fetch.embedded.faces import load_embedded
from data_fetch.faces import SPLITS, load_faces, published_splits
from reprolib.methods.mkmmc import MMC

#: Images and classes of every set.
SIZES = {"faces/orl": (400, 40), "faces/yale": (165, 15), "faces/coil20": (1440, 20)}


def write_file(path, name="faces/yale", **changes):
    n_images, n_classes = SIZES[name]
    content = {
        "fea": np.zeros((n_images, 1024), dtype=np.uint8),
        "gnd": (np.arange(n_images) % n_classes + 1)[:, None].astype(np.uint8),
        **changes,
    }
    savemat(path, {key: value for key, value in content.items() if value is not None})
    return {"faces/file.mat": path}


@pytest.mark.parametrize("name", SIZES)
def test_rows_are_upright_images(tmp_path, name):
    n_images, n_classes = SIZES[name]
    upright = np.arange(1024).reshape(32, 32) % 251
    fea = np.tile(upright.flatten(order="F"), (n_images, 1)).astype(np.uint8)
    dataset = load_faces(name, write_file(tmp_path / "x.mat", name, fea=fea))
    assert dataset.X.dtype == np.float64
    assert dataset.image_shape == (32, 32)
    np.testing.assert_array_equal(dataset.X[-1].reshape(dataset.image_shape), upright)
    np.testing.assert_array_equal(np.unique(dataset.y), np.arange(1, n_classes + 1))
    assert dataset.source == ("resampled" if name == "faces/coil20" else "original")


def test_scikit_features_copy_gives_the_same_values(tmp_path):
    images = np.random.default_rng(0).integers(256, size=(165, 1024)).astype(np.uint8)
    ours = load_faces("faces/yale", write_file(tmp_path / "1.mat", fea=images))
    savemat(tmp_path / "2.mat", {"X": images.astype(float), "Y": ours.y[:, None]})
    theirs = load_faces("faces/yale", {"faces/file.mat": tmp_path / "2.mat"})
    assert theirs.digest() == ours.digest()


def test_simulated_faces_are_deterministic_images():
    a, b = load_embedded(), load_embedded()
    assert a.digest() == b.digest()
    assert a.source == "embedded"
    assert a.X.shape == (180, 1024)
    assert a.image_shape == (32, 32)
    assert a.X.min() >= 0
    assert a.X.max() <= 255
    np.testing.assert_array_equal(np.bincount(a.y)[1:], 12)


def test_methods_rank_on_simulated_faces_as_on_real_ones():
    data = load_embedded()
    train = np.flatnonzero(np.arange(len(data.y)) % 12 < 3)
    test = np.setdiff1d(np.arange(len(data.y)), train)
    scores = [
        make_pipeline(step, KNeighborsClassifier(1))
        .fit(data.X[train], data.y[train])
        .score(data.X[test], data.y[test])
        for step in (PCA(14), MMC(14), MMC(14, within_weight=4))
    ]
    assert scores == sorted(scores)
    assert 0.4 < scores[0] < scores[1] - 0.05


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.needs_data(name)) for name in SIZES]
)
def test_real_images_have_their_published_shape(name):
    data = data_fetch.load(name)
    n_images, n_classes = SIZES[name]
    assert data.X.shape == (n_images, 1024)
    np.testing.assert_array_equal(np.unique(data.y), np.arange(1, n_classes + 1))
    assert 0 <= data.X.min() < data.X.max() <= (1 if name == "faces/coil20" else 255)


@pytest.mark.parametrize(("stem", "n_images", "n_people"), [("orl", 400, 40), ("yale", 165, 15)])
def test_published_splits_have_so_many_images_of_each_person(stem, n_images, n_people):
    splits = published_splits(f"faces/{stem}", n_images)
    people = np.arange(n_images) // (n_images // n_people)
    sizes = [len(train) // n_people for train, _ in splits]
    assert sizes == [2] * 50 + [3] * 50 + [4] * 50
    for size, (train, test) in zip(sizes, splits, strict=True):
        np.testing.assert_array_equal(np.bincount(people[train]), size)
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(n_images))
    assert not published_splits("faces/coil20", 1440)


def test_published_splits_are_the_file_that_was_compared_with_its_source():
    """The 300 files of the repository, by their git blobs, made the file with this hash."""
    digest = "0e88685b3e1bb12583e753b13ab66eefb157ad69e63f4031f809f8a68205a855"
    assert hashlib.sha256(SPLITS.read_bytes()).hexdigest() == digest
