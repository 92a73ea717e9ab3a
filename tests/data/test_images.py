"""Sets of images: archives of every kind, the manifest that decides, and reading one by one."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile

import numpy as np
import pytest
from PIL import Image
from sklearn.model_selection import train_test_split

import data_fetch
from data_fetch import images
from data_fetch.fetcher import Fetcher
from reprolib import HMAX


def jpeg(pixels, mode=None):
    buffer = io.BytesIO()
    picture = Image.fromarray(pixels)
    (picture.convert(mode) if mode else picture).save(buffer, "JPEG", quality=90)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def files():
    """Drawn portraits as files, by their paths in the archive: a set in the form of PubFig83."""
    drawn = data_fetch.load("embedded/portraits")
    return {
        f"PubFig83/{label}/{number}.jpg": jpeg(drawn.extra["images"][number])
        for number, label in list(enumerate(drawn.y))[::6]
    }


def manifest_of(files, forms=None):
    raw = list(files.values())
    return images.Manifest(
        tuple("/".join(name.split("/")[-2:]) for name in files),
        np.array([list(hashlib.sha256(r).digest()[: images.KEPT]) for r in raw], np.uint8),
        np.array([len(r) for r in raw]),
        forms,
    )


@pytest.fixture
def known(files, monkeypatch):
    found = manifest_of(files)
    monkeypatch.setattr(images, "read_manifest", lambda name: found)
    return found


def tarred(path, files, mode="w:gz"):
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, mode) as archive:
        for name, raw in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    return path


def zipped(path, files):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in files.items():
            archive.writestr(name, raw)
    return path


PACKED = {
    "tar.gz": tarred,
    "tar": lambda path, files: tarred(path, files, "w"),
    "zip": zipped,
    "other folders": lambda path, files: zipped(path, {f"a/b/{n}": r for n, r in files.items()}),
    "other order": lambda path, files: tarred(path, dict(reversed(files.items()))),
    "other files": lambda path, files: tarred(path, {"PubFig83/x/tmp": b"", **files}),
}


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED.keys())
def test_whatever_holds_the_images_they_are_the_same(known, files, tmp_path, pack):
    pack(tmp_path / "mirror/pubfig83/pubfig83.v1.tgz", files)
    fetcher = Fetcher(cache=tmp_path / "cache", mirror=str(tmp_path / "mirror"))
    dataset = data_fetch.load("pubfig83", fetcher)
    assert dataset.source == "original"
    assert dataset.X.shape == (len(files), 32)
    raw = list(files.values())
    assert dataset.X[3].tobytes() == hashlib.sha256(raw[3]).digest()
    assert set(dataset.y) == {f"person {who}" for who in range(6)}
    pixels = dataset.extra["images"][3]
    np.testing.assert_array_equal(pixels, np.asarray(Image.open(io.BytesIO(raw[3]))))
    assert data_fetch.available("pubfig83", fetcher)
    again = Fetcher(cache=tmp_path / "cache", mirror=None)
    assert data_fetch.load("pubfig83", again).digest() == dataset.digest()


def altered(files):
    first, *_ = files
    raw = bytearray(files[first])
    raw[-9] ^= 1
    return {**files, first: bytes(raw)}


WRONG = {
    "one is missing": (
        lambda path, files: tarred(path, dict(list(files.items())[1:])),
        "lacks 1 of 12 images, the first is person 0/0.jpg",
    ),
    "one is altered": (
        lambda path, files: tarred(path, altered(files)),
        "has another image as person 0/0.jpg",
    ),
    "one is longer": (
        lambda path, files: tarred(path, {n: r + b"0" for n, r in files.items()}),
        "has another image as person 0/0.jpg",
    ),
    "a path leads outside": (
        lambda path, files: tarred(path, {f"../../{n}": r for n, r in files.items()}),
        "which leads outside",
    ),
    "a bomb": (
        lambda path, files: tarred(path, {"x": bytes(10**6), **files}),
        "holds far more than the images",
    ),
    "no archive": (lambda path, files: path.write_bytes(b"0" * 99), "is no whole tar or zip file"),
    "half an archive": (
        lambda path, files: path.write_bytes(tarred(path, files).read_bytes()[:9000]),
        "is no whole tar or zip file",
    ),
}


@pytest.mark.parametrize(("pack", "words"), WRONG.values(), ids=WRONG.keys())
def test_other_archives_are_not_taken(known, files, tmp_path, pack, words):
    path = tmp_path / "mirror/pubfig83/pubfig83.v1.tgz"
    path.parent.mkdir(parents=True)
    pack(path, files)
    assert words in images.fault(path, "pubfig83")
    fetcher = Fetcher(cache=tmp_path / "cache", mirror=str(tmp_path / "mirror"))
    with pytest.raises(data_fetch.DataUnavailableError, match="gave other data: ") as error:
        data_fetch.load("pubfig83", fetcher)
    assert words in str(error.value)
    assert not list((tmp_path / "cache").rglob("*.tgz"))


def test_who_has_no_copy_reads_the_terms_and_where_to_go(tmp_path):
    with pytest.raises(data_fetch.DataUnavailableError) as error:
        data_fetch.load("pubfig83", Fetcher(cache=tmp_path, mirror=None))
    for words in ("https://vision.seas.harvard.edu/pubfig83/", "non-commercial", str(tmp_path)):
        assert words in str(error.value)


def test_images_are_read_as_they_are(tmp_path, monkeypatch):
    grey, colour = np.full((20, 30), 90, np.uint8), np.full((25, 15, 3), 90, np.uint8)
    files = {"a/b/1.jpg": jpeg(grey), "a/b/2.jpg": jpeg(colour), "a/c/1.jpg": jpeg(colour, "CMYK")}
    forms = np.array([[30, 20, 0], [15, 25, 1], [15, 25, 1]])
    monkeypatch.setattr(images, "read_manifest", lambda name: manifest_of(files, forms))
    path = tarred(tmp_path / "x.tar", files)
    found = images.load_images("caltech101", {"images": path}).extra["images"]
    assert [found[i].shape for i in (0, 1)] == [(20, 30), (25, 15, 3)]
    with pytest.raises(data_fetch.AlteredDataError, match="c/1.jpg has the mode CMYK"):
        found[2]
    monkeypatch.setattr(images, "read_manifest", lambda name: manifest_of(files, forms[[1, 0, 2]]))
    found = images.load_images("caltech101", {"images": path}).extra["images"]
    with pytest.raises(data_fetch.AlteredDataError, match="decoded to 30 x 20 pixels, L; 15 x 25"):
        found[0]


@pytest.mark.parametrize("name", ["embedded/objects", "embedded/portraits"])
def test_drawn_images_go_through_scikit_learn(name):
    dataset = data_fetch.load(name)
    assert dataset.digest() == data_fetch.load(name).digest()
    pictures = dataset.extra["images"]
    assert len(pictures) == len(dataset.y) == 72
    assert len(np.unique(dataset.X, axis=0)) == 72
    assert pictures.shape == (72,)
    np.testing.assert_array_equal(pictures[5:8][1], pictures[6])
    np.testing.assert_array_equal(pictures[np.arange(72) == 6][0], pictures[6])
    train, test, y, _ = train_test_split(
        pictures, dataset.y, train_size=6, test_size=2, random_state=0
    )
    assert isinstance(train, images.Images)
    features = HMAX(n_patches=8, patch_sizes=(2,), side=40).fit(train, y).transform(test)
    assert features.shape == (2, 8)


def test_the_drawn_objects_are_grey_and_coloured_and_differ_in_size():
    shapes = [image.shape for image in data_fetch.load("embedded/objects").extra["images"]]
    assert sum(len(shape) == 2 for shape in shapes) == 18
    assert len(set(shapes)) > 50


@pytest.mark.parametrize(
    ("name", "n_images", "n_classes"), [("caltech101", 9144, 102), ("pubfig83", 13838, 83)]
)
def test_the_manifests_of_the_package(name, n_images, n_classes):
    manifest = images.read_manifest(name)
    assert len(set(manifest.names)) == len(np.unique(manifest.prefixes, axis=0)) == n_images
    classes = [one.partition("/")[0] for one in manifest.names]
    assert len(set(classes)) == n_classes
    if name == "caltech101":
        assert classes.count("BACKGROUND_Google") == 467
        assert (manifest.forms[:, 2] == 0).sum() == 411
        assert manifest.sizes.sum() == 138_601_397
    else:
        assert np.unique(classes, return_counts=True)[1].min() == 100
        assert manifest.sizes.sum() == 46_424_935


@pytest.mark.needs_data("caltech101")
def test_images_of_caltech101():
    dataset = data_fetch.load("caltech101")
    assert dataset.source == "original"
    forms = images.read_manifest("caltech101").forms
    for i in [*np.flatnonzero(forms[:, 2] == 0)[::100], *range(0, 9144, 900)]:
        pixels = dataset.extra["images"][i]
        assert pixels.shape[:2] == (forms[i, 1], forms[i, 0])
        assert pixels.ndim == (3 if forms[i, 2] else 2)
