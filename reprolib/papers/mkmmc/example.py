"""Small pictures of MMC: its graph, its weight step, eigen-images, projections."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from reprolib.report.style import (
    BLACK,
    BLUE,
    ORANGE,
    RED,
    figure_grid,
    note_source,
)

_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])


def graph_figure(X, y, W) -> Figure:
    """Points in the plane, and the edges of equation (7): width by weight, colour by sign."""
    figure, axis = plt.subplots(figsize=(5.4, 4.4))
    for sign, colour, label in [(1, RED, "pushed apart (W > 0)"), (-1, BLUE, "drawn together")]:
        edges = [(i, j) for i in range(len(X)) for j in range(i) if sign * W[i, j] > 0]
        if edges:
            widths = [6 * abs(W[i, j]) / np.abs(W).max() for i, j in edges]
            lines = LineCollection([X[list(e)] for e in edges], linewidths=widths, colors=colour)
            lines.set_alpha(0.45)
            axis.add_collection(lines)
        axis.plot([], [], color=colour, label=label)
    for label, marker in zip(np.unique(y), "os^D", strict=False):
        axis.plot(*X[y == label].T, marker, color=BLACK, ms=9)
    axis.legend(fontsize=9)
    axis.set_aspect("equal")
    return figure


def simplex_figure(M, points) -> Figure:
    """Level lines of theta' M theta for three kernels, with named points (weights by name)."""
    grid = np.array([(a, b, 60 - a - b) for a in range(61) for b in range(61 - a)]) / 60
    values = np.einsum("ij,jk,ik->i", grid, M, grid)
    figure, axis = plt.subplots(figsize=(5.4, 4.2))
    x, y = (grid @ _CORNERS).T
    axis.tricontour(x, y, values, levels=14, cmap="viridis")
    for (name, theta), (colour, marker) in zip(
        points.items(), [(ORANGE, "s"), (BLUE, "o"), (RED, "*")], strict=False
    ):
        at = np.asarray(theta) @ _CORNERS
        axis.plot(*at, marker, color=colour, ms=12, label=name, ls="", clip_on=False)
    for k, corner in enumerate(_CORNERS):
        axis.annotate(
            f"kernel {k + 1}",
            corner,
            textcoords="offset points",
            xytext=(0, -14 if k < 2 else 8),
            ha="center",
        )
    axis.legend(fontsize=9, loc="upper right")
    axis.set_axis_off()
    axis.set_aspect("equal")
    return figure


def image_grid(rows, image_shape, source: str = "") -> Figure:
    """Rows of images with a name each: dict of name -> array of shape (n_images, n_pixels)."""
    n_columns = max(len(images) for images in rows.values())
    figure, axes = figure_grid(len(rows), n_columns, size=(1.05, 1.12))
    for axis in axes:
        axis.set_axis_off()
    for i, (name, images) in enumerate(rows.items()):
        for j, image in enumerate(images):
            axis = axes[i * n_columns + j]
            axis.imshow(np.asarray(image).reshape(image_shape), cmap="gray")
        axes[i * n_columns].set_title(name, loc="left", fontsize=9)
    note_source(figure, source)
    return figure


def projection_figure(projections, y, is_test, source: str = "") -> Figure:
    """First two coordinates of several projections: training points filled, test points open."""
    figure, axes = figure_grid(1, len(projections), size=(3.4, 3.2))
    classes = np.unique(y)
    colours = plt.get_cmap("tab10")(np.arange(len(classes)) % 10)
    for axis, (name, Z) in zip(axes, projections.items(), strict=True):
        for label, colour in zip(classes, colours, strict=True):
            train, test = (y == label) & ~is_test, (y == label) & is_test
            axis.plot(*Z[train, :2].T, "o", color=colour, ms=7)
            axis.plot(*Z[test, :2].T, "o", color=colour, mfc="none", ms=4, alpha=0.8)
        axis.set_title(name)
        axis.set_xticks([])
        axis.set_yticks([])
    note_source(figure, source)
    return figure
