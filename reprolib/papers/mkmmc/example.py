"""Small pictures of MMC: its weight step, eigen-images."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from data_fetch.embedded.faces import load_embedded
from reprolib.methods.mkmmc import MMC
from reprolib.report.style import (
    BLACK,
    BLUE,
    ORANGE,
    RED,
    SMALL,
    figure_grid,
    note_source,
)

_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])


def simplex_figure(M, points) -> Figure:
    """Level lines of theta' M theta for three kernels, with named points (weights by name)."""
    grid = np.array([(a, b, 60 - a - b) for a in range(61) for b in range(61 - a)]) / 60
    values = np.einsum("ij,jk,ik->i", grid, M, grid)
    figure, axis = plt.subplots(figsize=(5.4, 4.2))
    x, y = (grid @ _CORNERS).T
    axis.add_patch(plt.Polygon(_CORNERS, fill=False, edgecolor=BLACK, lw=1.2))
    lines = axis.tricontour(x, y, values, levels=9, cmap="viridis")
    axis.clabel(lines, fontsize=SMALL, fmt="%.2g")
    for (name, theta), (colour, marker) in zip(
        points.items(), [(ORANGE, "s"), (BLUE, "o"), (RED, "*")], strict=False
    ):
        at = np.asarray(theta) @ _CORNERS
        axis.plot(*at, marker, color=colour, ms=12, label=name, ls="", clip_on=False)
    for k, corner in enumerate(_CORNERS):
        axis.annotate(
            f"kernel {k + 1} alone: {M[k, k]:.2g}",
            corner,
            textcoords="offset points",
            xytext=(0, -14 if k < 2 else 8),
            ha="center",
        )
    figure.legend(loc="outside lower center", ncols=len(points))
    axis.set_axis_off()
    axis.set_aspect("equal")
    return figure


def image_grid(rows, image_shape, source: str = "") -> Figure:
    """Rows of images with a name each: dict of name -> array of shape (n_images, n_pixels)."""
    n_columns = max(len(images) for images in rows.values())
    figure, axes = figure_grid(len(rows), n_columns, size=(0.75, 0.82))
    for axis in axes:
        axis.set_axis_off()
    for i, (name, images) in enumerate(rows.items()):
        for j, image in enumerate(images):
            axis = axes[i * n_columns + j]
            axis.imshow(np.asarray(image).reshape(image_shape), cmap="gray")
        title = axes[i * n_columns].set_title(name, loc="left", fontsize=SMALL)
        title.set_in_layout(False)  # it may stand above the other images, too
    note_source(figure, source)
    return figure


def eigenimages() -> Figure:
    """Drawn faces that stand in for the data sets, and the directions of MMC as images."""
    data = load_embedded()
    people = np.unique(data.y)[:8]
    first = np.array([data.X[data.y == person][0] for person in people])
    rows = np.concatenate([np.flatnonzero(data.y == person)[:4] for person in np.unique(data.y)])
    directions = MMC().fit(data.X[rows], data.y[rows]).components_[:8]
    side = round(np.sqrt(data.X.shape[1]))
    shown = {"eight people, drawn": first, "leading directions of MMC": directions}
    return image_grid(shown, (side, side), data.source)
