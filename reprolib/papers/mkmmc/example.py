"""Small pictures of MMC: its weight step, eigen-images."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from data_fetch.embedded.faces import load_embedded
from reprolib.methods.mkmmc import MMC
from reprolib.report.style import WIDTH, figure_grid

_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])


def image_grid(rows, image_shape) -> Figure:
    """Rows of images with a name each: dict of name -> array of shape (n_images, n_pixels)."""
    n_columns = max(len(images) for images in rows.values())
    figure, axes = figure_grid(len(rows), n_columns, size=(WIDTH / n_columns, 0.8))
    for axis in axes:
        axis.set_axis_off()
    for i, (name, images) in enumerate(rows.items()):
        first = axes[i * n_columns]
        first.text(-0.1, 0.5, name, transform=first.transAxes, ha="right", va="center")
        for axis, image in zip(axes[i * n_columns :], images, strict=False):
            axis.imshow(np.asarray(image).reshape(image_shape), cmap="gray")
    return figure


def eigenimages() -> Figure:
    """Drawn faces that stand in for the data sets, and the directions of MMC as images."""
    data = load_embedded()
    people = np.unique(data.y)[:8]
    first = np.array([data.X[data.y == person][0] for person in people])
    rows = np.concatenate([np.flatnonzero(data.y == person)[:4] for person in np.unique(data.y)])
    directions = MMC().fit(data.X[rows], data.y[rows]).components_[:8]
    side = round(np.sqrt(data.X.shape[1]))
    shown = {"eight\ninvented\npeople": first, "leading\ndirections\nof MMC": directions}
    return image_grid(shown, (side, side))
