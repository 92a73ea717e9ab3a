"""The columns of images: HMAX kept as a file, splits by class, features that a user has."""

from __future__ import annotations

import numpy as np
import pytest

import data_fetch
from data_fetch import Dataset, images
from reprolib.methods.simplex.hmax import HMAX
from reprolib.papers.simplex import image_features, image_sets, methods
from reprolib.papers.simplex.image_features import BACKGROUND, hmax_features
from reprolib.papers.simplex.image_sets import ImageSet
from reprolib.rerun.records import Task

SMALL = {"n_patches": 12, "patch_sizes": (4,), "side": 60}


@pytest.fixture
def objects(tmp_path, monkeypatch):
    """Drawn objects; features are kept in a folder of the test."""
    monkeypatch.setenv("REPROLIB_DATA", str(tmp_path))
    return data_fetch.load("embedded/objects")


def fails(*_):
    raise AssertionError("HMAX was called")


def test_features_are_computed_once(objects, monkeypatch):
    first = hmax_features(objects, SMALL)
    monkeypatch.setattr(HMAX, "transform", fails)
    np.testing.assert_array_equal(hmax_features(objects, SMALL), first)


def test_other_settings_or_images_are_other_files(objects, tmp_path):
    hmax_features(objects, SMALL)
    hmax_features(objects, {**SMALL, "limited": True})
    hmax_features(objects, SMALL, patches_of="disk")
    hmax_features(objects, {**SMALL, "random_state": 1})
    fewer = Dataset(objects.name, objects.X[:9], objects.y[:9], "embedded", "")
    fewer.extra["images"] = objects.extra["images"][:9]
    hmax_features(fewer, SMALL)
    assert len(list((tmp_path / "features").glob("*.npy"))) == 5


def test_what_was_interrupted_goes_on_and_is_the_same(objects, tmp_path, monkeypatch):
    monkeypatch.setattr(image_features, "BLOCK", 20)
    transform, done = HMAX.transform, []

    def stops(hmax, X):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(len(X))
        return transform(hmax, X)

    monkeypatch.setattr(HMAX, "transform", stops)
    with pytest.raises(KeyboardInterrupt):
        hmax_features(objects, SMALL)
    assert not list((tmp_path / "features").glob("*.npy"))
    calls = []
    monkeypatch.setattr(HMAX, "transform", lambda h, X: calls.append(len(X)) or transform(h, X))
    found = hmax_features(objects, SMALL)
    pictures = objects.extra["images"]
    assert sorted(done + calls) == [12, 20, 20, 20], "every block once, in any order"
    whole = transform(HMAX(**SMALL, random_state=0).fit(pictures), pictures)
    np.testing.assert_array_equal(found, whole.astype(np.float16))
    assert [path.suffix for path in (tmp_path / "features").iterdir()] == [".npy"]


def test_another_process_may_finish_the_same_features_first(objects, monkeypatch):
    """Of two workers, the second failed where the first had joined the blocks and removed them."""
    monkeypatch.setattr(image_features, "BLOCK", 20)
    transform, calls, of_other = HMAX.transform, [], []

    def beside_another(hmax, X):
        calls.append(len(X))
        if len(calls) == 1:
            of_other.append(hmax_features(objects, SMALL))
        return transform(hmax, X)

    monkeypatch.setattr(HMAX, "transform", beside_another)
    np.testing.assert_array_equal(hmax_features(objects, SMALL), of_other[0])
    assert len(calls) == 1 + 4, "but for the block that both had begun, nothing was done twice"


@pytest.fixture
def splits(monkeypatch):
    """What the methods are given: (labels for training, labels for test)."""
    given = []
    monkeypatch.setattr(
        methods, "table2", lambda task, X, y, Z, z: given.append((X, y, Z, z)) or []
    )
    return given


def numbered(name, counts):
    """Features that are the number of the row, as a data set with its own features."""
    y = np.repeat(list(counts), list(counts.values()))
    return Dataset(name, np.arange(len(y))[:, np.newaxis], y, "original", "")


def of_trial(trial, **params):
    return Task("simplex", "table2", "", "s-ls", trial=trial, params=params)


def test_every_trial_draws_as_many_a_class_and_tests_all_others(splits):
    dataset = numbered("caltech101", {BACKGROUND: 50, "ant": 31, "bee": 90})
    for trial in (0, 0, 1):
        image_sets.run(of_trial(trial), dataset)
    (X, y, X_test, y_test), again, other = splits
    assert dict(zip(*np.unique(y, return_counts=True), strict=True)) == {"ant": 30, "bee": 30}
    assert dict(zip(*np.unique(y_test, return_counts=True), strict=True)) == {"ant": 1, "bee": 60}
    assert sorted(np.vstack([X, X_test]).ravel()) == list(range(50, 171))
    np.testing.assert_array_equal(again[0], X)
    assert not np.array_equal(other[0], X)


def test_readings_change_the_split(splits):
    dataset = numbered("caltech101", {BACKGROUND: 50, "ant": 31})
    image_sets.run(of_trial(0, n_train=15, with_background=True), dataset)
    ((_, y, _, y_test),) = splits
    assert (len(y), len(y_test)) == (30, 51)


def test_the_mean_over_classes_stands_beside_the_headline(objects):
    task = Task(
        "simplex", "table2", objects.name, "s-ls", params={"seed": 0, "also_by_class": True}
    )
    plain, by_class = image_sets.run(task, objects)
    assert plain.reading is None
    assert by_class.reading == methods.MEAN_OVER_CLASSES
    assert plain.value == pytest.approx(by_class.value)  # six test images in each
    assert plain.value > 0.5


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A made-up table of features of PubFig83, one direction a person."""
    monkeypatch.setenv("REPROLIB_DATA", str(tmp_path))
    monkeypatch.delenv("REPROLIB_MIRROR", raising=False)
    manifest = images.read_manifest("pubfig83")
    people = [name.partition("/")[0] for name in manifest.names]
    rng = np.random.default_rng(0)
    person = np.unique(people, return_inverse=True)[1]
    features = rng.standard_normal((83, 20))[person] + rng.standard_normal((len(person), 20)) / 2
    hashes = np.array([prefix.tobytes().hex() + 32 * "0" for prefix in manifest.prefixes])
    order = rng.permutation(len(hashes))
    columns = {"sha256": hashes[order], "features": features[order]}
    return tmp_path / "pubfig83/features.npz", columns, np.array(people), features


def written(path, columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **columns)


def test_features_of_pubfig83_are_run_in_the_protocol_of_its_authors(table, monkeypatch):
    path, columns, people, features = table
    written(path, columns)
    dataset = data_fetch.load("pubfig83/features")
    np.testing.assert_array_equal(dataset.y, people)
    np.testing.assert_array_equal(dataset.X, features)
    assert image_sets.IMAGE_SETS[dataset.name] == ImageSet(90, 10)
    monkeypatch.setitem(image_sets.IMAGE_SETS, dataset.name, ImageSet(9, 3))
    for method in ("s-ls", "svm ova", "s-ls online"):
        task = Task("simplex", "table2", dataset.name, method, params={"seed": 0})
        (measured,) = image_sets.run(task, dataset)
        assert (measured.n_test, measured.source) == (83 * 3, "resampled")
        assert measured.value > 0.5


WRONG = {
    "no table": (lambda c: {"x": np.zeros(3)}, "is no file of numpy.savez"),
    "a hash too few": (lambda c: {**c, "sha256": c["sha256"][1:]}, "one hash and one row"),
    "not a number": (
        lambda c: {**c, "features": np.full_like(c["features"], np.nan)},
        "no finite numbers",
    ),
    "another image": (
        lambda c: {**c, "sha256": np.where(np.arange(13838) == 7, "ab" * 32, c["sha256"])},
        f"1 images that are not in the set, the first is {'ab' * 32}",
    ),
    "an image twice": (
        lambda c: {**c, "sha256": np.concatenate([c["sha256"][:1], c["sha256"][:-1]])},
        "an image twice",
    ),
    "too few of a person": (
        lambda c: {name: values[:8000] for name, values in c.items()},
        "at least 100 are needed",
    ),
}


@pytest.mark.parametrize(("change", "words"), WRONG.values(), ids=WRONG.keys())
def test_other_tables_are_not_taken(table, change, words):
    path, columns, *_ = table
    written(path, change(columns))
    assert words in images.fault(path, "pubfig83")
    with pytest.raises(data_fetch.AlteredDataError, match="features.npz"):
        images.load_features("pubfig83/features", {"features": path})


def test_who_has_no_table_reads_what_to_fetch(tmp_path):
    fetcher = data_fetch.fetcher.Fetcher(cache=tmp_path, mirror=None)
    with pytest.raises(data_fetch.DataUnavailableError) as error:
        data_fetch.load("pubfig83/features", fetcher)
    for words in ("vision.seas.harvard.edu", "L3_Prime_descriptors", "features.npz", "no copies"):
        assert words in str(error.value)
