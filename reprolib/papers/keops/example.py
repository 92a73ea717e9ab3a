"""Pictures for the KEOPS notebook: the response, the pyramid, the weights on their way."""

from __future__ import annotations

import mne
import numpy as np
from matplotlib.figure import Figure

from data_fetch import Dataset
from data_fetch.p300 import CHANNELS
from reprolib.methods.keops.kernel_sets import LinearBlocks
from reprolib.methods.keops.norms import (
    effective_weights,
    norm_exponents,
    pyramid_weights,
    uniform_weights,
)
from reprolib.methods.keops.svm import solve_svm
from reprolib.papers.keops._regions import regions
from reprolib.papers.keops.figures import draw_electrodes, electrode_info, head_positions
from reprolib.report.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    figure_grid,
)
from reprolib.rerun.speller import epochs


def responses(dataset: Dataset) -> dict[str, mne.Evoked]:
    """Grand averages at 240 Hz: target flashes, other flashes, and their difference."""
    cut = epochs(dataset.extra["raws"], tmin=-0.1, tmax=0.65, decimation=1)
    with mne.use_log_level("ERROR"):
        cut.apply_baseline((-0.1, 0.0))
        target, other = cut["target == 1"].average(), cut["target == 0"].average()
        difference = mne.combine_evoked([target, other], weights=[1, -1])
    return {"target": target, "other": other, "difference": difference}


def response_at(evokeds, channels=("Pz", "Cz")) -> Figure:
    """Averages of target and other flashes at some electrodes."""
    figure, axes = figure_grid(1, len(channels), size=(4.0, 3.0), sharey=True)
    for axis, channel in zip(axes, channels, strict=True):
        for kind, colour in (("target", BLUE), ("other", "#888888")):
            evoked = evokeds[kind]
            values = 1e6 * evoked.data[evoked.ch_names.index(channel)]
            axis.plot(1000 * evoked.times, values, color=colour, label=f"{kind} flashes")
        axis.axvspan(300, 400, color=SKY, alpha=0.2, lw=0)
        axis.set(title=channel, xlabel="ms after the flash")
    axes[0].set_ylabel("A/D units")
    axes[0].legend(fontsize=8)
    return figure


def butterfly(evoked: mne.Evoked) -> Figure:
    """All channels at once, coloured by place, with scalp maps at the peaks."""
    with mne.use_log_level("ERROR"):
        return evoked.plot_joint(
            times=[0.2, 0.3, 0.35, 0.45],
            show=False,
            title="target minus other flashes",
            ts_args={"units": {"eeg": "A/D units"}},
            topomap_args={"contours": 4},
        )


def pyramid(opened: str = "PO8") -> Figure:
    """The tree over the head, seen from behind: root, regions, electrodes, frames of one of them.

    Parameters
    ----------
    opened : str
        Electrode whose frames are drawn.
    """
    flat = head_positions(electrode_info())
    xy = np.column_stack([flat[:, 0], 0.75 * flat[:, 1]])
    names = np.array(regions(CHANNELS))
    colours = [BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK]
    root = np.array([0.0, 0.27])
    figure, (axis,) = figure_grid(1, 1, size=(7.0, 7.4))
    turn = np.linspace(0, 2 * np.pi, 100)
    axis.plot(0.1 * np.cos(turn), 0.075 * np.sin(turn), color="#bbbbbb", lw=1)
    for k, name in enumerate(dict.fromkeys(names)):
        members, colour = np.flatnonzero(names == name), colours[k % len(colours)]
        node = xy[members].mean(axis=0) * [1.0, 0.8] + [0.0, 0.13]
        axis.plot(*zip(root, node, strict=True), color="#999999", lw=0.8)
        for place in xy[members]:
            axis.plot(*zip(node, place, strict=True), color=colour, lw=0.8)
        axis.plot(*node, "s", color=colour, ms=9, zorder=6)
    axis.plot(*root, "^", color=BLACK, ms=11)
    leaf = xy[CHANNELS.index(opened)]
    for x in np.linspace(leaf[0] - 0.035, leaf[0] + 0.035, 14):
        axis.plot([leaf[0], x], [leaf[1], leaf[1] - 0.045], color=BLACK, lw=0.7)
    for place, channel in zip(xy, CHANNELS, strict=True):
        axis.plot(*place, "o", ms=13, mfc="white", mec="#999999", zorder=4)
        axis.text(*place, channel, ha="center", va="center", fontsize=5, zorder=5)
    levels = [("root", 0.27), ("17 regions", 0.13), ("64 electrodes", 0.0), ("14 frames", -0.1)]
    for text, height in levels:
        axis.text(-0.16, height, text, va="center", fontsize=9)
    axis.set_aspect("equal")
    axis.axis("off")
    return figure


def weight_path(X, y, tree, p, C, n_steps: int):
    """Algorithm 1 written out: weights of the regions and channels after every step.

    Returns
    -------
    list of ndarray
        One for each level, of shape (n_steps + 1, nodes).
    """
    kernels, gammas = LinearBlocks(X, np.arange(X.shape[1])), norm_exponents(p)
    weights, alpha = uniform_weights(tree), None
    path = [weights]
    for _ in range(n_steps):
        effective = effective_weights(tree, p, weights)
        svm = solve_svm(kernels.gram(effective), y, C, alpha=alpha).require_optimal()
        alpha = svm.variables["alpha"]
        weights = pyramid_weights(tree, gammas, effective * kernels.dual_norms(y * alpha))
        path.append(weights)
    return [np.stack(level) for level in zip(*path, strict=True)]


def weights_on_their_way(path, names) -> Figure:
    """Weights of regions and of channels against outer steps, the largest ones named."""
    figure, axes = figure_grid(1, 2, size=(4.6, 3.8))
    for axis, weights, labels, title in zip(
        axes, path[:2], names, ("regions", "channels"), strict=True
    ):
        largest = np.argsort(-weights[-1])[:6]
        for m in np.argsort(weights[-1]):
            if m not in largest:
                axis.plot(weights[:, m], color="#cccccc", lw=0.7)
        for m, colour in zip(largest, (BLUE, RED, GREEN, ORANGE, PURPLE, SKY), strict=True):
            axis.plot(weights[:, m], color=colour, label=labels[m])
        axis.set(title=title, xlabel="outer step", ylabel="weight")
        axis.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3)
    return figure


def weights_on_the_head(path, steps) -> Figure:
    """Weights of the channels on the scalp after some outer steps; empty ones are zero."""
    info = electrode_info()
    figure, axes = figure_grid(1, len(steps), size=(2.3, 2.5))
    for axis, step in zip(axes, steps, strict=True):
        weights = path[1][step]
        weights = np.where(weights > 1e-6 * weights.max(), weights, 0.0)
        draw_electrodes(axis, info, weights)
        label = "start" if step == 0 else f"step {step}"
        axis.set_title(f"{label}: {np.count_nonzero(weights)}", fontsize=11)
    return figure
