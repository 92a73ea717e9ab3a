"""A budget of dimensions, spent by hand, on a two-dimensional example."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from reprolib.methods.shared.kernels import gram
from reprolib.report.style import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    SMALL,
    WIDTH,
    figure_grid,
    plane_grid,
)

COLOURS = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY)


def spent(
    data: Sequence, fresh: Sequence, gamma: float, shares: Sequence[int], best: Sequence[int]
) -> Figure:
    """Regions where the classes share a budget by hand, and the losses of their machines.

    Parameters
    ----------
    data, fresh : pair of ndarray
        Points and their classes 0, 1, ...: to train on, and to test on.
    gamma : float
        Of the Gaussian kernel.
    shares, best : sequence of int
        Dimensions of every class: by hand, and of the programme.
    """
    X, y = data
    eigenvalues, V = np.linalg.eigh(gram(X, X, "rbf", gamma=gamma))
    V, eigenvalues = V[:, ::-1], np.maximum(eigenvalues[::-1], 1e-12 * eigenvalues[-1])
    coefficients = V.T @ (2.0 * (y[:, None] == np.unique(y)) - 1)
    losses = 1 - np.cumsum(coefficients**2, axis=0) / len(y)

    def decided(points, dimensions: Sequence[int]) -> np.ndarray:
        features = gram(points, X, "rbf", gamma=gamma) @ (V / eigenvalues)
        scores = [features[:, :k] @ coefficients[:k, c] for c, k in enumerate(dimensions)]
        return np.argmax(scores, axis=0)

    def told(dimensions: Sequence[int]) -> str:
        loss = sum(([1.0, *losses[:, c]])[min(k, len(y))] for c, k in enumerate(dimensions))
        train, test = (100 * np.mean(decided(p, dimensions) != own) for p, own in (data, fresh))
        shown = " + ".join(map(str, dimensions))
        return f"{shown}: loss {loss:.3f}, training {train:.1f} %, test {test:.1f} %"

    figure, (plane, curves) = figure_grid(1, 2, size=(WIDTH / 2, 3.0))
    grid_x, grid_y, points = plane_grid(X, 90)
    regions = decided(points, shares).reshape(grid_x.shape)
    for c, colour in zip(np.unique(y), COLOURS, strict=False):
        own = (regions == c).astype(float)
        plane.contourf(grid_x, grid_y, own, levels=[0.5, 1], colors=colour, alpha=0.3)
        plane.scatter(*X[y == c].T, color=colour, s=12, edgecolor="white", lw=0.3)
        path = [1.0, *losses[: max(sum(best), 1), c]]
        curves.plot(path, color=colour, lw=1.4)
        curves.plot(shares[c], path[min(shares[c], len(path) - 1)], "o", color=colour)
        curves.plot(best[c], path[min(best[c], len(path) - 1)], "D", mfc="none", color=colour, ms=9)
    plane.set(xticks=[], yticks=[], title="regions")
    plane.grid(False)
    curves.set(xlabel="dimensions of a class", title="loss of each machine (◇ programme)")
    text = f"by hand {told(shares)}\nprogramme {told(best)}"
    figure.suptitle(text, fontsize=SMALL)
    return figure
