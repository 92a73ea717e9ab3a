"""The method on a two-dimensional example."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from reprolib.report.style import figure_grid, plane_grid


def decision_regions(model, X: np.ndarray, y: np.ndarray) -> Figure:
    """Decision regions of a fitted classifier, with the points that it was fitted to.

    Parameters
    ----------
    model : classifier
        Fitted to ``X`` and ``y``.
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,)
    """
    grid_x, grid_y, points = plane_grid(X)
    labels = model.predict(points).reshape(grid_x.shape)
    figure, axes = figure_grid(1, 1, size=(4.0, 3.6))
    axes[0].contourf(grid_x, grid_y, labels, alpha=0.2)
    axes[0].scatter(*X.T, c=y, s=12)
    return figure
