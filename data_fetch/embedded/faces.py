"""Simulated faces: smooth identities under directed light, with shifts and expressions.

An image is a shared face (oval, eyes, mouth) plus a smooth pattern of the person, seen in light
from a random direction, with a smaller smooth pattern of the moment, shifted by up to a pixel.
As in real face sets the light moves an image further than the person does, so that projections
that know the classes (MMC) beat those that do not (PCA).
"""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter, shift

from data_fetch.dataset import Dataset

N_PEOPLE, N_IMAGES, SIDE = 15, 12, 32
SEED = 20091107


def load_embedded(name: str = "embedded/faces") -> Dataset:
    """Make the simulated faces: 15 people with 12 images of 32 x 32 pixels each."""
    rng = np.random.default_rng(SEED)
    v, u = np.mgrid[-1 : 1 : SIDE * 1j, -1 : 1 : SIDE * 1j]
    # What all people have in common.
    oval = 1 / (1 + np.exp(12 * (np.hypot(u / 0.85, v) - 0.95)))
    eyes = _spot(u + 0.35, v + 0.25, 0.16, 0.10) + _spot(u - 0.35, v + 0.25, 0.16, 0.10)
    mouth = _spot(u, v - 0.5, 0.30, 0.08)
    face = 0.25 + 0.40 * oval - 0.25 * eyes - 0.20 * mouth
    images = []
    for _ in range(N_PEOPLE):
        person = face + 0.06 * _smooth_field(rng, 3.0)
        for _ in range(N_IMAGES):
            moment = person + 0.05 * _smooth_field(rng, 2.0)
            # Light from a random direction, a shift by up to a pixel, and noise of the camera.
            angle, strength = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.5)
            lit = moment * (1 + strength * (np.cos(angle) * u + np.sin(angle) * v))
            moved = shift(lit, rng.uniform(-1, 1, size=2), order=1, mode="nearest")
            images.append(moved + rng.normal(scale=0.01, size=moment.shape))
    X = np.round(255 * np.clip(np.array(images), 0, 1)).reshape(len(images), -1)
    return Dataset(
        name=name,
        X=X,
        y=np.repeat(np.arange(1, N_PEOPLE + 1), N_IMAGES),
        source="embedded",
        source_note=f"{N_PEOPLE} simulated people, {N_IMAGES} images each",
        image_shape=(SIDE, SIDE),
    )


def _spot(x, y, width, height):
    return np.exp(-((x / width) ** 2) - (y / height) ** 2)


def _smooth_field(rng, width: float):
    """Random pattern with the given correlation length in pixels, mean zero and unit spread."""
    field = gaussian_filter(rng.normal(size=(SIDE, SIDE)), width, mode="wrap")
    return (field - field.mean()) / field.std()
