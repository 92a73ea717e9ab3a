"""Pictures of MKPM on a two-dimensional example."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from reprolib.report.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    RED,
    SKY,
    figure_grid,
)

COLOURS = (BLUE, ORANGE, GREEN, RED)


def rings(n_samples: int, seed: int):
    """Four classes of unlike difficulty: two far blobs, and two arcs that wind round each other."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 4
    angle = rng.uniform(0.3, 2.2 * np.pi, n_samples)
    radius = 0.25 * angle
    phase = np.where(y == 3, np.pi, 0.0)
    X = np.column_stack([radius * np.cos(angle + phase), radius * np.sin(angle + phase)])
    X += rng.normal(scale=0.12, size=X.shape)
    centres = np.array([[-2.6, 1.6], [2.6, -1.6]])
    blobs = y < 2
    X[blobs] = centres[y[blobs]] + rng.normal(scale=0.45, size=(blobs.sum(), 2))
    return X, y


def decision_regions(model, X, y, dimensions: Sequence[int]) -> Figure:
    """Predicted class over the plane at several total dimensions, with the training points."""
    low, high = X.min(axis=0) - 0.4, X.max(axis=0) + 0.4
    axis_x, axis_y = np.linspace(low[0], high[0], 90), np.linspace(low[1], high[1], 90)
    grid = np.stack(np.meshgrid(axis_x, axis_y), axis=-1)
    predicted = model.predict_path(grid.reshape(-1, 2))
    figure, axes = figure_grid(1, len(dimensions), size=(2.9, 2.7), sharex=True, sharey=True)
    for axis, d in zip(axes, dimensions, strict=True):
        axis.pcolormesh(
            axis_x,
            axis_y,
            predicted[:, d].reshape(90, 90),
            cmap=ListedColormap(COLOURS),
            alpha=0.3,
            vmin=0,
            vmax=3,
        )
        axis.scatter(*X.T, c=[COLOURS[k] for k in y], s=6)
        shares = " + ".join(str(k) for k in model.allocation_path_[d])
        axis.set_title(f"d = {d} = {shares}", fontsize=10)
        axis.grid(False)
    return figure


def path_picture(model, X, y, X_test, y_test) -> Figure:
    """Along the path: risk of every class alone, the shared budget, and accuracies."""
    figure, axes = figure_grid(1, 3, size=(3.7, 2.9))
    for k, risks in enumerate(model.bit_objective_path_):
        axes[0].plot(risks, color=COLOURS[k], label=f"class {k}")
        axes[1].plot(model.allocation_path_[:, k], color=COLOURS[k])
    axes[0].set(xlabel="dimensions of the class", title="risk $G_l(d)$ of each class alone")
    axes[0].legend(fontsize=8)
    axes[1].set(xlabel="total dimension d", title="best allocation")
    axes[2].plot(model.score_path(X, y), color=BLACK, ls="--", label="training")
    axes[2].plot(model.score_path(X_test, y_test), color=SKY, label="test")
    axes[2].set(xlabel="total dimension d", title="accuracy")
    axes[2].legend(fontsize=8)
    return figure
