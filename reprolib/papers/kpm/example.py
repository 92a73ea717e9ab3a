"""Pictures of the method on a two-dimensional example."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from reprolib.methods.kpm import KPMClassifier
from reprolib.methods.shared.kernels import gram, gram_eigh
from reprolib.report.style import (
    BLACK,
    ORANGE,
    SKY,
    WIDTH,
    figure_grid,
    legend_above,
    plane_grid,
    small_multiples,
)


def fitted(X, y, D: int, gamma: float) -> KPMClassifier:
    """KPM with at most D components of a Gaussian kernel, fewer where its rank is less."""
    model = KPMClassifier(gamma=gamma)
    eigenvalues, _ = gram_eigh(gram(X, kernel="rbf", gamma=gamma), rank_tol=model.rank_tol)
    return model.set_params(n_components=min(D, len(eigenvalues))).fit(X, y)


def dimension(model: KPMClassifier, X, y, which: Sequence[int] = (3, 12, 60)) -> Figure:
    """Decision of a KPM on the plane for three numbers of components: 3, 12 and 60."""
    grid_x, grid_y, points = plane_grid(X)
    paths = model.decision_path(points)
    figure, axes = figure_grid(1, len(which), size=(WIDTH / 3, 2.7), sharex=True, sharey=True)
    for axis, D in zip(axes, which, strict=True):
        D = min(D, paths.shape[1])
        _draw_regions(axis, grid_x, grid_y, paths[:, D - 1].reshape(grid_x.shape))
        _draw_points(axis, X, y)
        axis.set_title(f"D = {D}")
    axes[0].plot([], [], color=BLACK, label="border")
    axes[0].plot([], [], color=BLACK, lw=0.8, ls="--", label="margins")
    legend_above(axes[0], ncols=4)
    return figure


def components(X, y, gamma: float, which: Sequence[int]) -> Figure:
    """Kernel principal components of a Gaussian kernel as functions on the plane.

    Component j is V_j at the training points, and k(x, .)' V_j / lambda_j elsewhere.
    """
    grid_x, grid_y, points = plane_grid(X)
    eigenvalues, V = gram_eigh(gram(X, kernel="rbf", gamma=gamma))
    values = gram(points, X, "rbf", gamma=gamma) @ (V / eigenvalues)
    figure, axes = small_multiples(len(which), size=(WIDTH / 2, 1.9))
    for axis, j in zip(axes, which, strict=True):
        level = values[:, j - 1].reshape(grid_x.shape)
        bound = np.abs(level).max()
        axis.contourf(grid_x, grid_y, level, levels=15, cmap="RdBu", vmin=-bound, vmax=bound)
        _draw_points(axis, X, y)
        axis.set_title(f"component {j}")
    legend_above(axes[0])
    return figure


def _draw_regions(axis, grid_x, grid_y, decision) -> None:
    colours = ListedColormap(["#f7dcc9", "#d3e6f5"])
    axis.contourf(grid_x, grid_y, np.sign(decision), levels=[-2, 0, 2], cmap=colours)
    axis.contour(grid_x, grid_y, decision, levels=[0], colors=BLACK, linewidths=1.8)
    axis.contour(
        grid_x, grid_y, decision, levels=[-1, 1], colors=BLACK, linewidths=0.8, linestyles="--"
    )


def _draw_points(axis, X, y) -> None:
    for chosen, name, colour, marker in [
        (y < 0, "class −1", ORANGE, "o"),
        (y > 0, "class +1", SKY, "^"),
    ]:
        look = {"s": 14, "color": colour, "marker": marker, "edgecolor": BLACK, "lw": 0.3}
        axis.scatter(*X[chosen].T, label=name, **look)
    axis.grid(False)
    axis.spines[:].set_visible(False)
    axis.set(xticks=[], yticks=[])
