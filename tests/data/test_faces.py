"""The image sets: reading the files, and the simulated counterpart."""

import tracemalloc

import numpy as np
import pytest
from scipy.io import savemat
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from data_fetch.embedded.faces import load_embedded
from data_fetch.faces import SIZES, load_faces
from reprolib.methods.mkmmc import MMC


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
    assert dataset.source == "resampled"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fea": None}, r"it holds \{'gnd': \(165, 1\)\}"),
        ({"fea": None, "gnd": None, "x": 1}, "neither fea nor gnd"),
        ({"fea": np.zeros((165, 100))}, r"\(165, 1024\) and gnd \(165, 1\) were expected"),
        ({"gnd": np.full((165, 1), 99)}, "labels are not 1 to 15"),
        ({"gnd": (np.arange(165) % 15 + 1.5)[:, None]}, "labels are not 1 to 15"),
        ({"fea": np.full((165, 1024), np.nan)}, "'fea'.* other values than finite real numbers"),
        ({"fea": np.full((165, 1024), 1j)}, "'fea'.* other values than finite real numbers"),
        ({"gnd": np.full((165, 1), np.inf)}, "'gnd'.* other values than finite real numbers"),
    ],
)
def test_another_file_is_refused(tmp_path, changes, message):
    with pytest.raises(ValueError, match=message):
        load_faces("faces/yale", write_file(tmp_path / "x.mat", **changes))


def test_scikit_features_copy_gives_the_same_values(tmp_path):
    images = np.random.default_rng(0).integers(256, size=(165, 1024)).astype(np.uint8)
    ours = load_faces("faces/yale", write_file(tmp_path / "1.mat", fea=images))
    savemat(tmp_path / "2.mat", {"X": images.astype(float), "Y": ours.y[:, None]})
    theirs = load_faces("faces/yale", {"faces/file.mat": tmp_path / "2.mat"})
    assert theirs.digest() == ours.digest()


def test_shape_that_the_file_cannot_hold_is_refused_before_memory_is_taken(tmp_path):
    path = tmp_path / "x.mat"
    savemat(path, {"fea": np.zeros((2, 3)), "gnd": np.zeros((2, 1))})
    content = bytearray(path.read_bytes())
    place = content.index(np.array([2, 3], dtype="<i4").tobytes())
    content[place : place + 8] = np.array([2**30, 2**30], dtype="<i4").tobytes()
    path.write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"fea has the shape .*, which is more than a file of"):
            load_faces("faces/yale", {"faces/file.mat": path})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000


def test_another_name_is_refused():
    with pytest.raises(ValueError, match="this module reads faces/orl, faces/yale, faces/coil20"):
        load_faces("faces/feret", {})


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
