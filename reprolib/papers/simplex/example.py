"""Pictures of simplex coding: codes, decoding regions, losses, consistency."""

from __future__ import annotations

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

import data_fetch
from reprolib.methods.shared.codes import simplex_code
from reprolib.methods.simplex import make_loss
from reprolib.methods.simplex.consistency import pointwise_minimizer
from reprolib.methods.simplex.hmax import HMAX
from reprolib.report.style import (
    BLACK,
    BLUE,
    ORANGE,
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
PALE = ("#d3e6f5", "#f9ebc8", "#cfeadf")


def codes() -> Figure:
    """Code words of 3 classes in the plane with their decoding regions, and of 4 in space."""
    figure, (plane, space) = figure_grid(1, 2, size=(WIDTH / 2, 3.0))
    words = simplex_code(3).T
    for q, colour in enumerate(PALE):
        a, b = words[q - 1], words[q - 2]
        plane.fill(*(9 * np.array([0 * a, -a, words[q], -b])).T, color=colour)
    _draw_words(plane, words)
    plane.set_title("T = 3: code words and decoding regions")
    # Seen a little from above, the first word upright; the edge at the back is dashed.
    turn, rise = np.radians([72, 14])
    across = [0, np.cos(turn), -np.sin(turn)]
    up = [np.cos(rise), -np.sin(rise) * np.sin(turn), -np.sin(rise) * np.cos(turn)]
    words = simplex_code(4).T @ np.transpose([across, up])
    for face, colour in (([0, 1, 2], PALE[0]), ([0, 1, 3], "#e6f1fa")):
        space.fill(*words[face].T, color=colour)
    for i, j in combinations(range(4), 2):
        space.plot(*words[[i, j]].T, "--" if i == 2 else "-", color=BLUE, lw=1)
    _draw_words(space, words)
    space.set_title("T = 4: a tetrahedron")
    for axis, middle in ((plane, 0.0), (space, 0.2)):
        axis.set(xlim=(-1.75, 1.75), ylim=(middle - 1.4, middle + 1.4))
    return figure


def _draw_words(axis, words: np.ndarray) -> None:
    for q, word in enumerate(words):
        arrow = {"arrowstyle": "->", "color": BLACK, "lw": 1.5, "shrinkA": 0, "shrinkB": 0}
        axis.annotate("", word, (0, 0), arrowprops=arrow)
        beyond = 11 * word / np.linalg.norm(word)
        place = {"textcoords": "offset points", "ha": "center", "va": "center"}
        axis.annotate(f"$c_{q + 1}$", word, beyond, **place)
    axis.set(aspect="equal", xticks=[], yticks=[])
    axis.spines[:].set_visible(False)


def level_sets() -> Figure:
    """Level sets of the losses of class 1 for T = 3 (the paper's Figure 2, and SC + SH)."""
    axis = np.linspace(-2.2, 2.2, 201)
    x, y = np.meshgrid(axis, axis)
    points, levels = np.column_stack([x.ravel(), y.ravel()]), [0.0, 0.25, 0.5, 1, 2, 3, 4, 6, 8]
    figure, axes = figure_grid(1, 4, size=(WIDTH / 4, 2.4))
    for axis, (name, title) in zip(axes, LOSS_NAMES.items(), strict=True):
        loss = make_loss(name, 3).value(points, np.zeros(len(points), dtype=int)).reshape(x.shape)
        shown = axis.contourf(x, y, loss, levels=levels, cmap="Blues", extend="max")
        axis.contour(x, y, loss, levels=levels[1:], colors=BLACK, linewidths=0.4)
        _draw_words(axis, simplex_code(3).T)
        plt.setp(axis.texts, path_effects=[withStroke(linewidth=3, foreground="white")])
        axis.set_title(title)
    label = "loss of a point of class 1: light is small"
    figure.colorbar(shown, ax=list(axes), location="bottom", aspect=50, format="%g", label=label)
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
    """An image, its S1 and C1, and S2 of a patch of another image, framed where it answers most.

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
    # A patch that knows this shape: it answers more to it than to the other shapes. A small one of
    # another image shows best.
    known = features[own].mean(axis=0) - features[~own].mean(axis=0)
    known[(model.places_[:, 0] == shown) | (model.places_[:, 1] > 2)] = -1
    patch = int(np.argmax(known))
    source, scale, *centre = model.places_[patch]
    image, stages, maps = images[shown], model.stages(images[shown]), model.s2(images[shown], patch)
    best = int(np.argmax([found.max(initial=0) for found in maps]))
    s1, c1, found = stages.s1[2].max(axis=0), stages.c1[2], stages.c1[best]
    pixel, half_patch = 1 / np.array(stages.images[2].shape), (model.patch_sizes[0] - 1) / 2
    # Of each layer its title and values, the place of the first one, and the way to the next.
    size = np.array(image.shape[:2])
    layers = (
        ("image", _grey(image), 0.5 / size, 1 / size),
        ("S1: edges", s1, 0.5 - (np.array(s1.shape) - 1) * pixel / 2, pixel),
        ("C1: local maxima", c1.values.max(axis=-1), c1.first, c1.step),
        ("S2: answer to a patch", maps[best], found.first + half_patch * found.step, found.step),
    )
    figure, axes = figure_grid(1, 4, size=(WIDTH / 4, 2.2))
    for axis, (title, values, first, step) in zip(axes, layers, strict=True):
        top, left = size * (first - step / 2)
        bottom, right = size * (first + step * (np.array(values.shape) - 0.5))
        axis.imshow(values, cmap="gray", extent=(left, right, bottom, top))
        axis.set(title=title, xlim=(0, size[1]), ylim=(size[0], 0), facecolor="black")
    place = np.unravel_index(maps[best].argmax(), maps[best].shape)
    middle = layers[3][2] + found.step * place
    _frame(axes[0], model, image, best, middle)
    axes[3].plot(*(size * middle)[::-1], "o", mfc="none", color=ORANGE, ms=9, mew=2)
    inset = axes[3].inset_axes((0.55, 0.02, 0.43, 0.28))
    inset.set_title("patch", color="white", fontsize=SMALL, pad=2)
    inset.imshow(_grey(images[int(source)]), cmap="gray")
    _frame(inset, model, images[int(source)], int(scale), centre)
    for axis in (*axes, inset):
        axis.set(xticks=[], yticks=[])
        axis.grid(False)
        axis.spines[:].set_visible(False)
    return figure


def _grey(image: np.ndarray) -> np.ndarray:
    return image if image.ndim == 2 else image.mean(axis=-1)


def _frame(axis, model: HMAX, image: np.ndarray, scale: int, centre) -> None:
    """Frame the pixels that a patch sees, around a centre given as parts of the image."""
    step = model.stages(image).c1[scale].step
    size = np.array(image.shape[:2])
    height, width = (model.patch_sizes[0] + 1) * step * size
    y, x = np.asarray(centre) * size
    corner = (x - width / 2, y - height / 2)
    axis.add_patch(Rectangle(corner, width, height, fill=False, color=ORANGE, lw=2))
