"""Small pictures of MMC: its graph, its weight step, eigen-images, projections."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
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


def simplex_figure(M, points) -> Figure:
    """Level lines of theta' M theta for three kernels, with named points (weights by name)."""
    grid = np.array([(a, b, 60 - a - b) for a in range(61) for b in range(61 - a)]) / 60
    values = np.einsum("ij,jk,ik->i", grid, M, grid)
    figure, axis = plt.subplots(figsize=(5.4, 4.2))
    x, y = (grid @ _CORNERS).T
    axis.add_patch(plt.Polygon(_CORNERS, fill=False, edgecolor=BLACK, lw=1.2))
    lines = axis.tricontour(x, y, values, levels=9, cmap="viridis")
    axis.clabel(lines, fontsize=8, fmt="%.2g")
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
    figure.legend(fontsize=9, loc="outside lower center", ncols=len(points))
    axis.set_axis_off()
    axis.set_aspect("equal")
    return figure


def turned_figure(curves, at: float, projected, y, is_test) -> Figure:
    """Accuracy against the weight of S_w, and the projection at one weight.

    Parameters
    ----------
    curves : dict of str to dict of float to float
        Accuracy in per cent by weight, by name of the curve.
    at : float
        The weight whose projection is drawn.
    projected : ndarray of shape (n, 2)
    y, is_test : ndarray of shape (n,)
    """
    figure, axes = figure_grid(1, 2, size=(4.2, 3.4))
    for name, curve in curves.items():
        axes[0].plot(list(curve), list(curve.values()), "o-", ms=4, label=name)
    axes[0].axvline(at, color=BLACK, ls=":", lw=1.2)
    axes[0].set(xlabel="weight μ of the within-class scatter", ylabel="accuracy (%)")
    axes[0].set(xscale="log", xticks=[1, 2, 5, 10, 20])
    axes[0].set_xticks([], minor=True)
    axes[0].set_xticklabels(["1", "2", "5", "10", "20"])
    axes[0].legend(fontsize=8, loc="lower right")
    _draw_classes(axes[1], projected, y, is_test)
    axes[1].set_title(f"five people, μ = {at:g}")
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


def _draw_classes(axis, Z, y, is_test) -> None:
    """First two coordinates, a colour a class: training points filled, test points open."""
    classes = np.unique(y)
    colours = plt.get_cmap("tab10")(np.arange(len(classes)) % 10)
    for label, colour in zip(classes, colours, strict=True):
        train, test = (y == label) & ~is_test, (y == label) & is_test
        axis.plot(*Z[train, :2].T, "o", color=colour, ms=7)
        axis.plot(*Z[test, :2].T, "o", color=colour, mfc="none", ms=4, alpha=0.8)
    axis.set_xticks([])
    axis.set_yticks([])
