"""Pictures of the method on a two-dimensional example."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from reprolib.methods.kpm import KPMClassifier
from reprolib.methods.kpm.estimators import error_path
from reprolib.methods.shared.kernels import gram, gram_eigh
from reprolib.report.style import (
    BLACK,
    BLUE,
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


def refitted(X, y, X_test, y_test, D: int, gamma: float) -> Figure:
    """KPM fitted on the plane: its decision, and its errors on these and on fresh points."""
    model = fitted(X, y, max(D, 60), gamma)
    grid_x, grid_y, points = plane_grid(X, 80)
    paths = model.decision_path(points)
    D = min(D, paths.shape[1])
    figure, (plane, errors) = figure_grid(1, 2, size=(WIDTH / 2, 3.2))
    _draw_regions(plane, grid_x, grid_y, paths[:, D - 1].reshape(grid_x.shape))
    _draw_points(plane, X, y)
    plane.set_title(f"γ = {gamma:g}, D = {D}")
    found = []
    for points, labels, name, colour, style in [
        (X, y, "training", BLACK, "--"),
        (X_test, y_test, "test", BLUE, "-"),
    ]:
        path = 100 * error_path(labels, model.decision_path(points))
        errors.plot(np.arange(1, len(path) + 1), path, style, color=colour, lw=1.4)
        errors.plot(D, path[D - 1], "o", color=colour)
        found.append(f"{name} {path[D - 1]:.1f} %")
    errors.axvline(D, color=BLACK, ls=":", lw=1.2)
    errors.set(title="error: " + ", ".join(found), xlabel="D", ylim=(0, 55))
    legend_above(plane)
    return figure


def components(X, y, gamma: float, which: Sequence[int]) -> Figure:
    """Kernel principal components of a Gaussian kernel as functions on the plane.

    Component j is V_j at the training points, and k(x, .)' V_j / lambda_j elsewhere. Those beyond
    the rank are left out.
    """
    grid_x, grid_y, points = plane_grid(X)
    eigenvalues, V = gram_eigh(gram(X, kernel="rbf", gamma=gamma))
    values = gram(points, X, "rbf", gamma=gamma) @ (V / eigenvalues)
    which = [j for j in which if j <= len(eigenvalues)]
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
