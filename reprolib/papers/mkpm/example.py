"""Pictures of MKPM on a two-dimensional example."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from data_fetch.embedded.haxby import simulate_session
from reprolib.methods.mkpm import MKPMClassifier
from reprolib.report.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    RED,
    WIDTH,
    figure_grid,
    plane_grid,
)

COLOURS = (BLUE, ORANGE, GREEN, RED)
CLASSES = ("left blob", "right blob", "first arc", "second arc")


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


def at_dimension(model, X, y, X_test, y_test, d: int) -> Figure:
    """Predicted class over the plane at one total dimension, and where it lies on the path.

    Parameters
    ----------
    model : MKPMClassifier
        Fitted on X and y.
    X, y, X_test, y_test : ndarray
        As from `rings`.
    d : int
        Total dimension; the end of the path, if that is less.
    """
    d = min(d, model.n_components_)
    figure = plt.figure(figsize=(WIDTH, 3.9))
    plane, shares, accuracy = figure.subplot_mosaic(
        [["plane", "shares"], ["plane", "accuracy"]], height_ratios=[1.4, 1]
    ).values()
    _draw_regions(plane, model, X, y, d)
    for k, name in enumerate(CLASSES):
        path = model.allocation_path_[:, k]
        label = f"{name}: {path[d]}"
        shares.step(range(len(path)), path, color=COLOURS[k], lw=1.2, label=label)
    shares.set_title(f"dimensions of each class (above: at d = {d})")
    shares.tick_params(labelbottom=False)
    figure.legend(*shares.get_legend_handles_labels(), loc="outside upper center", ncols=4)
    accuracy.plot(model.score_path(X, y), color=BLACK, ls="--", lw=1.2, label="training")
    accuracy.plot(model.score_path(X_test, y_test), color=BLACK, lw=1.2, label="test")
    accuracy.set(xlabel="total dimension d", title="accuracy")
    accuracy.legend(loc="lower right")
    for axis in (shares, accuracy):
        axis.axvline(d, color=BLACK, ls=":", lw=1.2)
    return figure


def _draw_regions(axis, model, X, y, d: int) -> None:
    grid_x, grid_y, points = plane_grid(X, 90)
    predicted = model.predict_path(points)[:, d].reshape(grid_x.shape)
    for k, colour in enumerate(COLOURS):
        own = (predicted == k).astype(float)
        axis.contourf(grid_x, grid_y, own, levels=[0.5, 1], colors=colour, alpha=0.3)
    axis.scatter(*X.T, c=[COLOURS[k] for k in y], s=10, edgecolor="white", lw=0.3)
    axis.set(title=f"d = {d}", xticks=[], yticks=[])
    axis.spines[:].set_visible(False)
    axis.grid(False)


def rings_at(d: int) -> Figure:
    """Four classes of unlike difficulty, the arcs wound round each other, at one budget."""
    X, y = rings(400, seed=0)
    model = MKPMClassifier(200, kernel="rbf", gamma=1.0).fit(X, y)
    X_test, y_test = rings(400, seed=1)
    return at_dimension(model, X, y, X_test, y_test, d)


def brain() -> Figure:
    """Mean activity of a simulated session for two kinds of pictures, and their difference."""
    series, mask, labels, _ = simulate_session(seed=0)
    volumes, inside = series.get_fdata(), mask.get_fdata() > 0
    z = int(inside.sum(axis=(0, 1)).argmax())
    rows = np.flatnonzero(inside[:, :, z].any(axis=0))
    face, house = (volumes[:, :, z, labels == name].mean(axis=-1) for name in ("face", "house"))
    apart = np.where(inside[:, :, z], face - house, np.nan)
    most = np.nanmax(np.abs(apart))
    figure, axes = figure_grid(1, 3, size=(WIDTH / 3, 2.2))
    axes[0].imshow(face.T, origin="lower", cmap="gray")
    axes[1].imshow(house.T, origin="lower", cmap="gray")
    axes[2].imshow(apart.T, origin="lower", cmap="RdBu_r", vmin=-most, vmax=most)
    for axis, title in zip(axes, ("faces", "houses", "faces − houses"), strict=True):
        axis.contour(inside[:, :, z].T, levels=[0.5], colors=ORANGE, linewidths=2)
        axis.set(title=title, ylim=(rows[0] - 2.5, rows[-1] + 2.5))
        axis.set_axis_off()
    return figure
