"""Pictures for the KEOPS notebook: the response, the pyramid, the weights on their way."""

from __future__ import annotations

from collections.abc import Mapping

import mne
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from data_fetch import Dataset
from data_fetch.embedded.p300 import load_embedded
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
    SMALL,
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
            axis.plot(1000 * evoked.times, values, color=colour, label=f"{kind} flashes")
        axis.axvspan(300, 400, color=SKY, alpha=0.2, lw=0)
        axis.set(title=channel, xlabel="ms after the flash")
    axes[0].set_ylabel("A/D units")
    axes[0].legend()
    return figure


def averages() -> Figure:
    """Averages of a simulated speller session over target and over other flashes, at Pz and Cz."""
    figure = response_at(responses(load_embedded()))
    figure.suptitle("a simulated session")
    return figure


def cap_map() -> Figure:
    """The 17 regions on the flat cap, nose up: joined electrodes, in the colour of their lobe."""
    xy = head_positions(electrode_info())
    names = np.array(regions(CHANNELS))
    rows = list(dict.fromkeys(name.split()[0] for name in names))
    colours = dict(zip(rows, (BLUE, ORANGE, GREEN, RED, PURPLE, SKY), strict=True))
    figure, (axis,) = figure_grid(1, 1, size=(5.0, 5.3))
    draw_head(axis)
    for name in dict.fromkeys(names):
        members = xy[names == name]
        colour = colours[name.split()[0]]
        centre = members.mean(axis=0)
        for place in members:
            axis.plot(*zip(centre, place, strict=True), color=colour, lw=6, alpha=0.35, zorder=2)
    for place, channel, name in zip(xy, CHANNELS, names, strict=True):
        axis.plot(*place, "o", ms=17, mfc="white", mec=colours[name.split()[0]], mew=2, zorder=4)
        axis.text(*place, channel, ha="center", va="center", fontsize=SMALL, zorder=5)
    handles = [Line2D([], [], color=colour, lw=4, label=name) for name, colour in colours.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
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
