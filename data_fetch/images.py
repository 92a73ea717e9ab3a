"""Sets of images in one archive: Caltech-101 and PubFig83.

The archive may be packed in more than one way (a tar or zip file, other folders around, other files
beside). A manifest, ``manifests.npz``, says which images it must have: the first 12 bytes of the
sha256 of every file, its bytes and, for Caltech-101, width, height and mode. It has no pixels.
Features of the images that a user brings are a table, ``features.npz``: see `load_features`.
``tests/data/image_manifests.py`` makes it of the full lists.
"""

from __future__ import annotations

import functools
import hashlib
import io
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from data_fetch.dataset import Dataset
from data_fetch.errors import AlteredDataError

#: Bytes of a sha256 that the manifest keeps: a false file of the same size takes 2^96 trials.
KEPT = 12
#: Images of a class that a table of features must have.
LEAST_OF_CLASS = 100
#: An archive may hold this many times the bytes of its images, for whatever lies beside them.
MOST = 10
MANIFESTS = Path(__file__).with_name("manifests.npz")


@dataclass(frozen=True)
class Manifest:
    """What a set of images must have, in the order of the rows.

    ``names`` are "class/file"; ``prefixes`` the first bytes of every sha256, ``sizes`` the bytes of
    every file, and ``forms`` its width, its height, and 1 for colour or 0 for grey, where they are
    known.
    """

    names: tuple[str, ...]
    prefixes: np.ndarray
    sizes: np.ndarray
    forms: np.ndarray | None = None


class Images(Sequence):
    """Images that are read when they are asked for.

    ``images[3]`` is an array of bytes of shape (h, w), grey, or (h, w, 3), colour, as in the file;
    a slice, mask or list of numbers gives those images, unread. scikit-learn can split them.
    """

    def __init__(self, items: Sequence[Any], read: Callable[[Any], np.ndarray]):
        self._items, self._read = items, read

    @property
    def shape(self) -> tuple[int]:
        """How many images there are, as an array of one axis says it."""
        return (len(self._items),)

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index):
        """One image, or some of them."""
        if isinstance(index, tuple) and len(index) == 2 and index[1] is Ellipsis:
            index = index[0]  # as scikit-learn asks
        if isinstance(index, int | np.integer):
            return self._read(self._items[int(index)])
        if isinstance(index, slice):
            chosen = range(len(self))[index]
        else:
            chosen = np.arange(len(self))[np.asarray(index)]
        return Images([self._items[i] for i in chosen], self._read)


@functools.cache
def read_manifest(name: str) -> Manifest:
    """Read the manifest of a data set that the package has.

    Parameters
    ----------
    name : {"caltech101", "pubfig83"}
        Name of the data set.

    Returns
    -------
    Manifest
        Its images, by class and number.
    """
    with np.load(MANIFESTS) as stored:
        of_set = {
            key.removeprefix(f"{name}."): stored[key]
            for key in stored.files
            if key.startswith(f"{name}.")
        }
    classes = np.repeat(of_set["classes"], of_set["counts"])
    pattern = str(of_set["pattern"])
    return Manifest(
        tuple(f"{c}/{pattern.format(n)}" for c, n in zip(classes, of_set["numbers"], strict=True)),
        of_set["prefixes"],
        of_set["sizes"],
        of_set.get("forms"),
    )


def load_images(name: str, paths: dict[str, Path]) -> Dataset:
    """Read "caltech101" or "pubfig83": all images, packed, and which is which.

    Parameters
    ----------
    name : str
        Name of the data set, and of its manifest.
    paths : dict of str to Path
        The one archive of the set, by its catalog key.

    Returns
    -------
    Dataset
        ``extra["images"]`` are the `Images`, which decode a file when it is asked for and keep grey
        ones grey; ``extra["names"]`` their paths. ``X`` holds the sha256 of every file, 32 bytes a
        row: what features are filed by. ``y`` is the class.

    Raises
    ------
    AlteredDataError
        If the archive lacks images, or has another one in the place of one; or, when an image is
        read, if it has not the size and mode that it should have.
    """
    (path,) = paths.values()
    manifest = read_manifest(name)
    files = _files(path, manifest)
    forms = manifest.forms if manifest.forms is not None else [None] * len(files)
    classes = [file_name.partition("/")[0] for file_name in manifest.names]
    return Dataset(
        name=name,
        X=np.array([list(hashlib.sha256(raw).digest()) for raw in files], np.uint8),
        y=np.array(classes),
        source="original",
        source_note=f"all {len(files)} images; a row is the sha256 of one",
        extra={
            "images": Images(list(zip(manifest.names, files, forms, strict=True)), _decoded),
            "names": manifest.names,
        },
    )


def load_features(name: str, paths: dict[str, Path]) -> Dataset:
    """Read "pubfig83/features": one vector an image, made by whoever has the images.

    Parameters
    ----------
    name : str
        Name of the data set: that of the manifest, and of the table.
    paths : dict of str to Path
        The table, by its catalog key: a file of `numpy.savez` with ``sha256``, the hash of every
        image in hexadecimal digits, and ``features``, one row an image.

    Returns
    -------
    Dataset
        ``X`` are the features and ``y`` the class, both in the order of the manifest.

    Raises
    ------
    AlteredDataError
        If the table has another form, an image that is not in the set, one twice, or fewer than
        100 of a class.
    """
    (path,) = paths.values()
    manifest = read_manifest(name.partition("/")[0])
    rows, features = _table(path, manifest)
    order = np.argsort(rows)
    classes = np.array([one.partition("/")[0] for one in manifest.names])
    return Dataset(
        name=name,
        X=features[order],
        y=classes[rows[order]],
        source="original",
        source_note=f"features of {len(rows)} images, as {path.name} has them",
    )


def _table(path: Path, manifest: Manifest) -> tuple[np.ndarray, np.ndarray]:
    """Row of the manifest for every image of a table of features, and the features."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            hashes, features = stored["sha256"], stored["features"]
    except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise AlteredDataError(
            f"{path.name} is no file of numpy.savez with sha256 and features ({error})"
        ) from error
    if features.ndim != 2 or features.dtype.kind != "f" or hashes.shape != features.shape[:1]:
        raise AlteredDataError(
            f"{path.name} has sha256 of shape {hashes.shape} and features of {features.dtype} and "
            f"shape {features.shape}; one hash and one row of numbers an image were expected"
        )
    if not np.isfinite(features).all():
        raise AlteredDataError(f"{path.name} has features that are no finite numbers")
    places = {prefix.tobytes().hex(): row for row, prefix in enumerate(manifest.prefixes)}
    rows = np.array([places.get(str(one)[: 2 * KEPT].lower(), -1) for one in hashes], int)
    if (rows < 0).any():
        raise AlteredDataError(
            f"{path.name} has features of {(rows < 0).sum()} images that are not in the set, the "
            f"first is {hashes[np.argmin(rows)]}"
        )
    if len(np.unique(rows)) < len(rows):
        raise AlteredDataError(f"{path.name} has an image twice")
    classes = np.array([one.partition("/")[0] for one in manifest.names])
    for label in np.unique(classes):
        if (count := np.count_nonzero(classes[rows] == label)) < LEAST_OF_CLASS:
            raise AlteredDataError(
                f"{path.name} has {count} images of {label}; at least {LEAST_OF_CLASS} are needed"
            )
    return rows, features


def fault(path: Path, name: str) -> str | None:
    """Say in what an archive is not the set of images that a manifest lists.

    Parameters
    ----------
    path : Path
        A tar or zip file, or a table of features (``.npz``).
    name : str
        Name of the manifest.

    Returns
    -------
    str or None
        What is wrong; None if it has every image.
    """
    read = _table if path.suffix == ".npz" else _files
    try:
        read(path, read_manifest(name))
    except AlteredDataError as error:
        return str(error)
    return None


def _files(path: Path, manifest: Manifest) -> list[bytes]:
    """Content of every image of the manifest, each compared with its hash."""
    place = {name: row for row, name in enumerate(manifest.names)}
    found: list[bytes | None] = [None] * len(place)
    left = MOST * int(manifest.sizes.sum())
    try:
        for member, size, read in _members(path):
            left -= size
            if left < 0:
                raise AlteredDataError(f"{path.name} holds far more than the images")
            parts = PurePosixPath(member).parts
            row = place.get("/".join(parts[-2:]))
            if row is None:
                continue
            if ".." in parts or member.startswith("/"):
                raise AlteredDataError(f"{path.name} has the path {member!r}, which leads outside")
            # The size first: nothing is unpacked that is larger than it should be.
            raw = read() if size == manifest.sizes[row] else b""
            if hashlib.sha256(raw).digest()[:KEPT] != manifest.prefixes[row].tobytes():
                raise AlteredDataError(f"{path.name} has another image as {manifest.names[row]}")
            found[row] = raw
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError) as error:
        raise AlteredDataError(
            f"{path.name} is no whole tar or zip file ({type(error).__name__})"
        ) from error
    missing = [name for name, raw in zip(manifest.names, found, strict=True) if raw is None]
    if missing:
        raise AlteredDataError(
            f"{path.name} lacks {len(missing)} of {len(found)} images, the first is {missing[0]}"
        )
    return [raw for raw in found if raw is not None]


def _members(path: Path) -> Iterator[tuple[str, int, Callable[[], bytes]]]:
    """Name and size of every file in an archive, and what reads it."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    yield info.filename, info.file_size, functools.partial(archive.read, info)
        return
    with tarfile.open(path) as tar:
        for member in tar:
            content = tar.extractfile(member) if member.isreg() else None
            if content is not None:
                yield member.name, member.size, content.read


def _decoded(item: tuple[str, bytes, np.ndarray | None]) -> np.ndarray:
    """Pixels of one JPEG file, with the size and mode that it must have."""
    from PIL import Image  # in the extra `rerun`

    name, raw, form = item
    with Image.open(io.BytesIO(raw), formats=["JPEG"]) as picture:
        mode = picture.mode
        if mode not in ("L", "RGB"):
            raise AlteredDataError(f"{name} has the mode {mode}; L or RGB was expected")
        pixels = np.asarray(picture)
    height, width = pixels.shape[:2]
    if form is not None and (width, height, mode == "RGB") != tuple(form):
        raise AlteredDataError(
            f"{name} is decoded to {width} x {height} pixels, {mode}; {form[0]} x {form[1]}, "
            f"{'RGB' if form[2] else 'L'} was expected"
        )
    return pixels
