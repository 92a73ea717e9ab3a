"""Small pictures: rows of images, directions of MMC as images, weights of kernels on their way."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from reprolib.methods.mkmmc import MMC
from reprolib.report.style import BLUE, SMALL, WIDTH, figure_grid


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


def weights_on_their_way(path, test_errors) -> Figure:
    """Weights of kernels, narrow to wide, at the start and after every step, and test errors.

    Parameters
    ----------
    path : array_like of shape (n_steps, n_kernels)
        Weights; the first are the start.
    test_errors : mapping of str to float
        Per cent, by method.
    """
    path = np.asarray(path)
    n_steps, n_kernels = path.shape
    shown = [0, 1, 2, n_steps - 1][: max(n_steps, 1)] if n_steps > 3 else range(n_steps)
    figure, axes = figure_grid(len(shown), 1, size=(WIDTH, 0.75), sharex=True)
    for axis, step in zip(axes, shown, strict=True):
        axis.bar(range(n_kernels), path[step], color=BLUE)
        for kernel, weight in enumerate(path[step]):
            if weight > 0.15:
                at = (kernel, weight)
                axis.annotate(f"{weight:.2f}", at, ha="center", va="bottom", fontsize=SMALL)
        axis.set(ylim=(0, 1.35), yticks=[], ylabel="start" if step == 0 else f"step {step}")
        axis.grid(False)
    half = n_kernels // 2
    axes[-1].set_xticks(range(n_kernels), [f"$2^{{{k - half}}}$" for k in range(n_kernels)])
    axes[-1].set_xlabel("width of the kernel, as a multiple of the mean distance squared")
    told = ", ".join(f"{name} {error:.1f} %" for name, error in test_errors.items())
    axes[0].set_title(f"test error: {told}")
    return figure
