"""Small pictures of MMC: rows of images, and its directions as images."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from reprolib.methods.mkmmc import MMC
from reprolib.report.style import WIDTH, figure_grid


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


def eigenimages(X, y) -> Figure:
    """First image of every class, and the leading directions of MMC as images."""
    first = [X[y == c][0] for c in np.unique(y)]
    side = round(np.sqrt(X.shape[1]))
    directions = MMC().fit(X, y).components_[: len(first)]
    return image_grid({"one of each": first, "directions": directions}, (side, side))
