"""Pictures of simplex coding: codes, decoding regions, losses, consistency."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import data_fetch
from reprolib.methods.shared.codes import decode, simplex_code
from reprolib.methods.simplex import make_loss
from reprolib.methods.simplex.consistency import pointwise_minimizer
from reprolib.methods.simplex.hmax import HMAX
from reprolib.report.style import (
    BLACK,
    BLUE,
    ORANGE,
    SKY,
    SMALL,
    WIDTH,
    figure_grid,
)

LOSS_NAMES = {
    "least_squares": "S-LS",
    "cone": "SC-SVM",
    "halfspace": "SH-SVM",
    "cone_halfspace": "SC + SH",
}
PALE = ListedColormap(["#d3e6f5", "#f9ebc8", "#cfeadf"])


def codes() -> Figure:
    """Code words of 3 classes in the plane with their decoding regions, and of 4 in space."""
    figure = plt.figure(figsize=(WIDTH, 3.0))
    plane = figure.add_subplot(1, 2, 1)
    _draw_regions(plane)
    plane.set_title("T = 3: code words and decoding regions", fontsize=SMALL)
    space = figure.add_subplot(1, 2, 2, projection="3d")
    words = simplex_code(4).T
    for i, a in enumerate(words):
        space.plot(*zip(np.zeros(3), a, strict=True), color=BLACK)
        space.text(*(1.15 * a), f"$c_{i + 1}$")
        for b in words[:i]:
            space.plot(*zip(a, b, strict=True), color=SKY, lw=1)
    space.set_axis_off()
    space.set_box_aspect((1, 1, 1), zoom=1.25)
    space.set_title("T = 4", fontsize=SMALL)
    return figure


def _grid(limit: float, steps: int = 201):
    axis = np.linspace(-limit, limit, steps)
    x, y = np.meshgrid(axis, axis)
    return x, y, np.column_stack([x.ravel(), y.ravel()])


def _draw_regions(axis, limit: float = 1.6) -> None:
    x, y, points = _grid(limit)
    labels = decode(simplex_code(3), points).reshape(x.shape)
    axis.contourf(x, y, labels, levels=[-0.5, 0.5, 1.5, 2.5], cmap=PALE)
    _draw_words(axis)
    axis.set(aspect="equal", xticks=[], yticks=[])


def _draw_words(axis) -> None:
    for q, word in enumerate(simplex_code(3).T):
        axis.annotate("", word, (0, 0), arrowprops={"arrowstyle": "->", "color": BLACK, "lw": 1.5})
        axis.text(*(1.18 * word), f"$c_{q + 1}$", ha="center", va="center")


def level_sets() -> Figure:
    """Level sets of the losses of class 1 for T = 3 (the paper's Figure 2, and SC + SH)."""
    x, y, points = _grid(2.4)
    figure, axes = figure_grid(1, 4, size=(WIDTH / 4, 1.7))
    for axis, (name, title) in zip(axes, LOSS_NAMES.items(), strict=True):
        values = make_loss(name, 3).value(points, np.zeros(len(points), dtype=int))
        levels = [0.0, 0.25, 0.5, 1, 2, 3, 4, 6, 8]
        axis.contourf(x, y, values.reshape(x.shape), levels=levels, cmap="Blues", extend="max")
        axis.contour(x, y, values.reshape(x.shape), levels=levels[1:], colors=BLACK, linewidths=0.5)
        _draw_words(axis)
        axis.set(aspect="equal", xticks=[], yticks=[])
        axis.set_title(title)
    return figure


def undecided(name: str, *, convex_hull: bool, steps: int = 15) -> tuple[np.ndarray, np.ndarray]:
    """Where the minimiser of the expected loss does not decide for the Bayes class.

    Returns
    -------
    distributions : ndarray of shape (m, 3)
        On a grid; those whose two likeliest classes are within 0.01 are left out.
    undecided : ndarray of bool of shape (m,)
        Whether another class scores as high as the Bayes class.
    """
    loss = make_loss(name, 3)
    cells = [
        np.array([i + 1 / 3, j + 1 / 3, steps - i - j - 2 / 3]) / steps
        for i in range(steps)
        for j in range(steps - i)
    ]
    clear = [p for p in cells if np.ptp(np.sort(p)[-2:]) > 0.01]
    failed = []
    for p in clear:
        scores = pointwise_minimizer(loss, p, convex_hull=convex_hull) @ loss.code
        best = int(np.argmax(p))
        failed.append(bool(scores[best] <= np.max(np.delete(scores, best)) + 1e-6))
    return np.array(clear), np.array(failed)


def hmax(shown: int = 14) -> Figure:
    """An image, its S1 and C1, and two patches: where they come from and where they answer.

    The images are drawn, not those of Caltech-101.

    Parameters
    ----------
    shown : int
        Number of the image.
    """
    drawn = data_fetch.load("embedded/objects")
    images = drawn.extra["images"]
    model = HMAX(n_patches=60, patch_sizes=(4,), side=100, random_state=0)
    features = model.fit_transform(images)
    own = drawn.y == drawn.y[shown]
    # Patches that know this shape: they answer more to it than to the other shapes. Small ones of
    # other images show best.
    known = features[own].mean(axis=0) - features[~own].mean(axis=0)
    known[(model.places_[:, 0] == shown) | (model.places_[:, 1] > 2)] = -1
    pair = np.argsort(-known)[:2]
    stages = model.stages(images[shown])
    figure, axes = figure_grid(2, 4, size=(WIDTH / 4, 1.8))
    axes[0].imshow(_grey(images[shown]), cmap="gray")
    axes[1].imshow(stages.s1[2].max(axis=0), cmap="gray")
    axes[2].imshow(stages.c1[2].values.max(axis=-1), cmap="gray")
    axes[3].imshow(_grey(images[shown]), cmap="gray")
    for feature, colour, left in zip(pair, (BLUE, ORANGE), (4, 6), strict=True):
        source, scale, *centre = model.places_[feature]
        axes[left].imshow(_grey(images[int(source)]), cmap="gray")
        _frame(axes[left], model, images[int(source)], int(scale), centre, colour)
        maps = model.s2(images[shown], feature)
        best = int(np.argmax([found.max(initial=0) for found in maps]))
        axes[left + 1].imshow(maps[best], cmap="gray")
        band = stages.c1[best]
        row, column = np.unravel_index(maps[best].argmax(), maps[best].shape)
        axes[left + 1].plot(column, row, "o", mfc="none", color=colour, ms=9)
        middle = band.first + band.step * (np.array([row, column]) + (model.patch_sizes[0] - 1) / 2)
        _frame(axes[3], model, images[shown], best, middle, colour)
    titles = ("image", "S1, edges", "C1, largest near", "where both answer")
    pairs = ("patch 1, drawn here", "S2 of patch 1", "patch 2, drawn here", "S2 of patch 2")
    for axis, title in zip(axes, (*titles, *pairs), strict=True):
        axis.set_title(title, fontsize=SMALL)
        axis.set(xticks=[], yticks=[])
        axis.spines[:].set_visible(False)
        axis.grid(False)
    return figure


def _grey(image: np.ndarray) -> np.ndarray:
    return image if image.ndim == 2 else image.mean(axis=-1)


def _frame(axis, model: HMAX, image: np.ndarray, scale: int, centre, colour: str) -> None:
    """Frame the pixels that a patch sees, around a centre given as parts of the image."""
    step = model.stages(image).c1[scale].step
    size = np.array(image.shape[:2])
    height, width = (model.patch_sizes[0] + 1) * step * size
    y, x = np.asarray(centre) * size
    corner = (x - width / 2, y - height / 2)
    axis.add_patch(Rectangle(corner, width, height, fill=False, color=colour, lw=2))
