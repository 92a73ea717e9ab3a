"""Pictures for the KEOPS notebook: the response, the pyramid, the weights on their way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mne
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from data_fetch import Dataset
from data_fetch.p300 import CHANNELS
from reprolib.methods.keops.speller import epochs, features, runs_of
from reprolib.papers.keops.figures import (
    N_FRAMES,
    draw_head,
    electrode_info,
    head_positions,
)
from reprolib.papers.keops.methods import METHODS, feature_tree, regions
from reprolib.papers.keops.splits import draw_split
from reprolib.report.style import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    WIDTH,
    figure_grid,
)


def responses(dataset: Dataset) -> dict[str, mne.Evoked]:
    """Averages at 240 Hz: target flashes, other flashes, and their difference."""
    cut = epochs(runs_of(dataset), tmin=-0.1, tmax=0.65)
    with mne.use_log_level("ERROR"):
        cut.apply_baseline((-0.1, 0.0))
        target, other = cut["target == 1"].average(), cut["target == 0"].average()
        difference = mne.combine_evoked([target, other], weights=[1, -1])
    return {"target": target, "other": other, "difference": difference}


def response_at(evokeds, channels=("Pz", "Cz")) -> Figure:
    """Averages of target and other flashes at some electrodes."""
    figure, axes = figure_grid(1, len(channels), size=(WIDTH / 2, 2.8), sharey=True)
    for axis, channel in zip(axes, channels, strict=True):
        for kind, colour in (("target", BLUE), ("other", "#888888")):
            evoked = evokeds[kind]
            values = 1e6 * evoked.data[evoked.ch_names.index(channel)]
            axis.plot(1000 * evoked.times, values, color=colour)
        axis.axvspan(300, 400, color=SKY, alpha=0.2, lw=0)
        axis.set(title=channel, xlabel="ms after the flash")
    axes[0].set_ylabel("A/D units")
    for line, kind, way in zip(axes[0].lines, ("target", "other"), (1, -1), strict=True):
        end = 420, np.interp(420, line.get_xdata(), line.get_ydata())
        beside = {"textcoords": "offset points", "color": line.get_color()}
        axes[0].annotate(f"{kind} flashes", end, (4, 12 * way), va="center", **beside)
    return figure


def cap_map() -> Figure:
    """The 17 regions on the flat cap, nose up, and the pyramid: regions, channels, frames."""
    xy = head_positions(electrode_info())
    names = np.array(regions(CHANNELS))
    rows = np.array([name.split()[0] for name in names])
    front_first = sorted(set(rows), key=lambda row: -xy[rows == row, 1].mean())
    colours = dict(zip(front_first, (ORANGE, GREEN, RED, BLUE, PURPLE, SKY), strict=True))
    figure, (cap, tree) = figure_grid(
        1, 2, size=(WIDTH / 2, 4.2), gridspec_kw={"width_ratios": (1.4, 1)}
    )
    draw_head(cap)
    for place, channel in zip(xy, CHANNELS, strict=True):
        cap.text(*place, channel, ha="center", va="center", zorder=5)
    n_drawn, root = 0, (len(CHANNELS) - 1) / 2
    tree.text(0, root, "head ", ha="right", va="center")
    for row in front_first:
        colour, pale = colours[row], 0.65 + 0.35 * np.array(to_rgb(colours[row]))
        middle = n_drawn + np.mean(np.arange(np.sum(rows == row)))
        tree.text(3.6, middle, row, va="center", color=colour)
        for name in dict.fromkeys(names[rows == row]):
            members = xy[names == name]
            leaves = n_drawn + np.arange(len(members))
            n_drawn += len(members)
            tree.plot([0, 1], [root, leaves.mean()], color="#999999", lw=0.8)
            tree.plot(1, leaves.mean(), "o", color=colour, ms=5)
            for place, leaf in zip(members, leaves, strict=True):
                way = np.array([members.mean(axis=0), place])
                cap.plot(*way.T, "o-", color=pale, lw=16, ms=16, mew=0, solid_capstyle="round")
                tree.plot([1, 2], [leaves.mean(), leaf], color=colour, lw=0.8)
                frames = np.linspace(2.15, 3.4, N_FRAMES)
                tree.plot(frames, np.full(N_FRAMES, leaf), ".", color=colour, ms=1.5)
    for x, text in ((0.8, "17\nregions"), (1.95, "64\nchannels"), (3.2, "14\nframes")):
        tree.text(x, -2, text, ha="center")
    tree.set(xlim=(-0.5, 4.6), ylim=(64, -6))
    tree.set_axis_off()
    return figure


def weights_of_tree(keops: Sequence, mkl: Sequence, tree: Sequence, title: str) -> Figure:
    """Weights of kernels in a pyramid: branches that live or died; those of MKL below.

    Parameters
    ----------
    keops, mkl : array_like of shape (n_kernels,)
        Weights; those of KEOPS are multiplied along the branch, and add up to less than one.
    tree : nested sequence of int
        Regions, channels in them, and kernels in those.
    title : str
        What is said above.
    """
    shares = np.asarray(keops) / np.sum(keops)
    figure, (branches, bars) = figure_grid(
        2, 1, size=(WIDTH, 1.8), gridspec_kw={"height_ratios": (1.2, 1)}, sharex=True
    )

    root = (len(shares) - 1) / 2
    for region in tree:
        inside = np.concatenate(region)
        ways = [(1, root, inside)]
        for channel in region:
            ways.append((2, inside.mean(), np.array(channel)))
            ways += [(3, float(np.mean(channel)), np.array([leaf])) for leaf in channel]
        for level, parent, leaves in ways:
            weight = shares[leaves].sum()
            look: dict = {"color": BLUE, "lw": 0.8 + 9 * weight}
            if weight < 1e-6:
                look = {"color": "#bbbbbb", "lw": 0.8, "ls": ":"}
            branches.plot([parent, leaves.mean()], [1 - level, -level], marker="o", ms=3, **look)
    branches.set(yticks=[0, -1, -2, -3], title=title)
    branches.set_yticklabels(["head", "regions", "channels", "frames"])
    branches.grid(False)
    places = np.arange(len(shares))
    bars.bar(places - 0.2, shares, 0.4, color=BLUE, label="KEOPS")
    bars.bar(places + 0.2, mkl, 0.4, color=GREEN, label="MKL")
    bars.set(xticks=places, xlabel="column", ylabel="share of weight")
    bars.legend()
    return figure


def patterns(dataset: Dataset, values: Mapping[str, float], draw: int = 0) -> dict[str, np.ndarray]:
    """Forward patterns Cov(X) w of classifiers trained on one draw, shape (channels, frames).

    Weights say what a classifier reads, with the noise that it cancels; patterns say what the
    signal that it finds looks like (Haufe et al. 2014).

    Parameters
    ----------
    dataset : Dataset
        The speller's recordings.
    values : mapping of str to float
        Grid value by method, such as a relative cost.
    draw : int
        Number of the draw of training flashes.
    """
    X, y = features(dataset), dataset.y
    tree = feature_tree(dataset, X)
    train, _ = draw_split(dataset, draw, by_character=False)
    centred, maps = X[train] - X[train].mean(axis=0), {}
    for method, value in values.items():
        model = METHODS[method].make(X[train], tree, value).fit(X[train], y[train])
        score = centred @ np.ravel(model.coef_)
        pattern = centred.T @ score / np.sum(score**2)
        maps[method] = pattern.reshape(len(CHANNELS), N_FRAMES)
    return maps
