"""Drawn pictures in the form of Caltech-101 and of PubFig83, made with whole numbers only.

"embedded/objects" has outlines and solids on grounds that differ, of many sizes, some grey;
"embedded/portraits" a few people's faces, who differ in hair, eyes and mouth.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np

from data_fetch.dataset import Dataset
from data_fetch.images import Images

N_OBJECTS, N_PEOPLE, N_PORTRAITS = 12, 6, 12
SEED = 20121203


def _disk(y, x, r):
    return y * y + x * x <= r * r


def _box(y, x, r):
    return (abs(y) <= r * 8 // 10) & (abs(x) <= r * 8 // 10)


SHAPES: dict[str, Callable] = {
    "box": _box,
    "cross": lambda y, x, r: _box(y, x, r) & ((abs(y) <= r // 4) | (abs(x) <= r // 4)),
    "disk": _disk,
    "frame": lambda y, x, r: _box(y, x, r) & ~_box(y, x, r * 6 // 10),
    "ladder": lambda y, x, r: _box(y, x, r) & (((y + 8 * r) // (r // 5 + 1)) % 2 == 0),
    "ring": lambda y, x, r: _disk(y, x, r) & ~_disk(y, x, r * 6 // 10),
}


def load_embedded(name: str) -> Dataset:
    """Draw one of the two sets.

    Parameters
    ----------
    name : {"embedded/objects", "embedded/portraits"}
        Which one.

    Returns
    -------
    Dataset
        As from `data_fetch.images.load_images`; the sha256 is that of shape and pixels.
    """
    rng = np.random.default_rng(SEED)
    if name == "embedded/objects":
        drawn = [(label, _object(rng, label, i)) for label in SHAPES for i in range(N_OBJECTS)]
        note = f"{len(SHAPES)} drawn shapes, {N_OBJECTS} images each"
    else:
        drawn = [
            (f"person {who}", _portrait(rng, who))
            for who in range(N_PEOPLE)
            for _ in range(N_PORTRAITS)
        ]
        note = f"{N_PEOPLE} drawn people, {N_PORTRAITS} images each"
    hashes = [hashlib.sha256(str(p.shape).encode() + p.tobytes()).digest() for _, p in drawn]
    labels = [label for label, _ in drawn]
    return Dataset(
        name=name,
        X=np.array([list(digest) for digest in hashes], np.uint8),
        y=np.array(labels),
        source="embedded",
        source_note=note,
        extra={
            "images": Images([pixels for _, pixels in drawn], np.copy),
            "names": tuple(f"{label}/{i % 12 + 1}.jpg" for i, label in enumerate(labels)),
        },
    )


def _object(rng, label: str, number: int) -> np.ndarray:
    """One shape near the middle of an image of its own size; every fourth one is grey."""
    height, width = (int(n) for n in rng.integers(70, 110, 2))
    y, x = np.mgrid[:height, :width]
    middle = [n // 2 + int(rng.integers(-8, 9)) for n in (height, width)]
    inside = SHAPES[label](y - middle[0], x - middle[1], int(rng.integers(22, 32)))
    ground, ink = rng.integers(90, 140, 3), rng.integers(0, 60, 3)
    if rng.integers(2):
        ink = 255 - ink
    pixels = np.where(inside[..., np.newaxis], ink, ground) + rng.integers(-12, 13, (*y.shape, 3))
    pixels = pixels.clip(0, 255).astype(np.uint8)
    return pixels[..., 0] if number % 4 == 3 else pixels


def _portrait(rng, who: int) -> np.ndarray:
    """One face of 60 x 60 pixels, moved by up to three of them, in light that differs."""
    y, x = np.mgrid[:60, :60]
    y, x = y - 32 - int(rng.integers(-3, 4)), x - 30 - int(rng.integers(-3, 4))
    pixels = np.full((60, 60, 3), rng.integers(30, 220, 3))
    pixels[_disk(y * 8 // 10, x, 20)] = (205, 170, 140)
    pixels[_disk(y * 8 // 10, x, 21) & (y < -9 - who % 3 * 4)] = (40 + 30 * (who % 4),) * 3
    for side in (-1, 1):
        pixels[_disk(y + 4, x - side * (6 + who % 3 * 2), 2 + who % 2)] = (25, 25, 40)
    pixels[(abs(y - 11) <= 1 + who // 3) & (abs(x) <= 4 + who % 2 * 5)] = (150, 50, 50)
    light = int(rng.integers(70, 131))
    pixels = pixels * light // 100 + rng.integers(-8, 9, pixels.shape)
    return pixels.clip(0, 255).astype(np.uint8)
