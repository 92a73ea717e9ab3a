"""Pictures of simplex coding: codes, decoding regions, losses, consistency."""

from __future__ import annotations

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from reprolib.methods.shared.codes import simplex_code
from reprolib.methods.shared.kernels import gram
from reprolib.methods.simplex import make_loss
from reprolib.methods.simplex.consistency import pointwise_minimizer
from reprolib.report.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    RED,
    SMALL,
    WIDTH,
    figure_grid,
    plane_grid,
)
from reprolib.report.turning import Box, Turning

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


def three_losses() -> Turning:
    """Losses of a point of class 1 where f has a value that can be dragged, for T = 3."""
    words = simplex_code(3).T
    plane = Box((-1.4, 1.4), (-1.4, 1.4), left=10, right=330, top=10, bottom=330)
    bars = Box((0, 6), (3, 0), left=340, right=550, top=60, bottom=300)
    colours = {"S-LS": BLUE, "SC-SVM": RED, "SH-SVM": GREEN}
    still = []
    for q, pale in enumerate(PALE):
        # Between this word and the ones beside it, to the edge of the plane.
        corners = [(0, 0), *(9 * v for v in (-words[q - 1], words[q], -words[q - 2]))]
        points = " ".join(f"{x:.0f},{y:.0f}" for x, y in (plane.at(*c) for c in corners))
        still.append(f'<polygon fill="{pale}" points="{points}"/>')
    still.append(f'<rect x="{plane.right}" width="300" height="400" fill="white"/>')
    still.append(f'<rect y="{plane.bottom}" width="600" height="300" fill="white"/>')
    for q, (x, y) in enumerate(words):
        still += [plane.mark(x, y, BLACK), plane.text(x, y, f"c{q + 1}", shift=(14, -8))]
    loss_of = {name: make_loss(key, 3) for key, name in LOSS_NAMES.items() if name in colours}

    def losses(x: float, y: float) -> dict[str, float]:
        f = np.array([[x, y]])
        return {name: float(loss.value(f, np.array([0]))[0]) for name, loss in loss_of.items()}

    def background() -> str:
        return "".join(still)

    def moving(x: float, y: float) -> str:
        parts = [plane.mark(x, y, ORANGE, size=9)]
        for k, (name, value) in enumerate(losses(x, y).items()):
            parts.append(bars.rectangle((0, min(value, 6)), (k + 0.8, k + 0.4), colours[name]))
            parts.append(bars.text(0, k + 0.3, f"{name} {value:.2f}", anchor="start"))
        return "".join(parts)

    def told(x: float, y: float) -> str:
        scores = words @ [x, y]
        winner = "no class" if np.ptp(scores) < 1e-9 else f"class {int(scores.argmax()) + 1}"
        found = ", ".join(f"{name} {value:.2f}" for name, value in losses(x, y).items())
        return f"f = ({x:g}, {y:g}), decided for {winner}. Loss of a point of class 1: {found}."

    steps = [round(0.2 * k, 1) for k in range(-7, 8)]
    start = {"x": 0.6, "y": 0.4}
    choices = {"x": steps, "y": steps}
    return Turning(choices, [background, moving], told, height=340, start=start, drag=plane)


def refitted(X, y, X_test, y_test, gamma: float, lam: float, told: str = "") -> Figure:
    """S-LS fitted on the plane: its regions, and its errors against the weight of the penalty."""
    lams = np.logspace(-8, 2, 21)
    K, K_test = gram(X, X, "rbf", gamma=gamma), gram(X_test, X, "rbf", gamma=gamma)
    values, V = np.linalg.eigh(K)
    code = simplex_code(y.max() + 1)

    def coefficients(lam: float) -> np.ndarray:
        return (V / (np.maximum(values, 0.0) + len(y) * lam)) @ (V.T @ code.T[y])

    def errors(lam: float) -> list[float]:
        scores = coefficients(lam) @ code
        pairs = ((K, y), (K_test, y_test))
        return [100 * float(np.mean((k @ scores).argmax(axis=1) != own)) for k, own in pairs]

    figure, (plane, curve) = figure_grid(1, 2, size=(WIDTH / 2, 3.2))
    grid_x, grid_y, points = plane_grid(X, 80)
    scores = gram(points, X, "rbf", gamma=gamma) @ coefficients(lam) @ code
    n_classes, colours = code.shape[1], colormaps["tab20"]
    look = {"cmap": colours, "vmin": 0, "vmax": 20}
    shown = scores.argmax(axis=1).reshape(grid_x.shape)
    plane.pcolormesh(grid_x, grid_y, 2 * shown % 20 + 1, **look)
    plane.scatter(*X.T, c=2 * y % 20, s=14, edgecolor=BLACK, lw=0.3, **look)
    plane.set(title=f"γ = {gamma:g}, λ = {lam:g}, T = {n_classes}", xticks=[], yticks=[])
    plane.grid(False)
    found = np.array([errors(each) for each in lams])
    names = zip(("training", "test"), found.T, errors(lam), (BLACK, BLUE), ("--", "-"), strict=True)
    texts = []
    for name, path, here, colour, style in names:
        curve.semilogx(lams, path, style, color=colour, lw=1.4)
        curve.plot(lam, here, "o", color=colour)
        texts.append(f"{name} {here:.1f} %")
    curve.set(title=f"error: {', '.join(texts)}", xlabel="λ", ylim=(0, None))
    figure.supxlabel(told, fontsize=SMALL)
    return figure
