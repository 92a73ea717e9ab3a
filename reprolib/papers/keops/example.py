"""Pictures for the KEOPS notebook: the response, the pyramid, the weights on their way."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import mne
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from sklearn.metrics import roc_auc_score

from data_fetch import Dataset
from data_fetch.embedded.p300 import load_embedded
from data_fetch.p300 import CHANNELS
from reprolib.methods.keops.kernel_sets import LinearBlocks
from reprolib.methods.keops.norms import (
    effective_weights,
    norm_exponents,
    pyramid_weights,
    uniform_weights,
)
from reprolib.methods.keops.speller import epochs, features, runs_of
from reprolib.methods.keops.svm import solve_svm
from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.papers.keops.figures import (
    N_FRAMES,
    draw_electrodes,
    draw_head,
    electrode_info,
    head_positions,
)
from reprolib.papers.keops.methods import METHODS, by_alternation, feature_tree, regions
from reprolib.papers.keops.splits import draw_split
from reprolib.report.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    SKY,
    SMALL,
    WIDTH,
    figure_grid,
    small_multiples,
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
    figure, axes = figure_grid(1, len(channels), size=(3.0, 2.8), sharey=True)
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
    return response_at(responses(load_embedded()))


def cap_map() -> Figure:
    """The 17 regions on the flat cap, nose up: joined electrodes, in the colour of their lobe."""
    xy = head_positions(electrode_info())
    names = np.array(regions(CHANNELS))
    rows = list(dict.fromkeys(name.split()[0] for name in names))
    colours = dict(zip(rows, (BLUE, ORANGE, GREEN, RED, PURPLE, SKY), strict=True))
    figure, (axis,) = figure_grid(1, 1, size=(WIDTH, 6.4))
    draw_head(axis)
    for name in dict.fromkeys(names):
        members = xy[names == name]
        colour = colours[name.split()[0]]
        centre = members.mean(axis=0)
        for place in members:
            axis.plot(*zip(centre, place, strict=True), color=colour, lw=6, alpha=0.35, zorder=2)
    for place, channel, name in zip(xy, CHANNELS, names, strict=True):
        axis.plot(*place, "o", ms=19, mfc="white", mec=colours[name.split()[0]], mew=2, zorder=4)
        axis.text(*place, channel, ha="center", va="center", fontsize=SMALL, zorder=5)
    handles = [Line2D([], [], color=colour, lw=4, label=name) for name, colour in colours.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def scan_costs(dataset: Dataset, draws: Sequence[int], costs: Sequence[float]) -> pd.DataFrame:
    """AUC and counts of KEOPS at every relative cost, on draws of Table 1.

    Parameters
    ----------
    dataset : Dataset
    draws : sequence of int
    costs : sequence of float
        Relative, as in the grid of the protocol.
    """
    X, y, lines = features(dataset), dataset.y, []
    tree = feature_tree(dataset, X)
    for draw in draws:
        train, tests = draw_split(dataset, draw, by_character=False)
        for cost in costs:
            model = METHODS["keops"].make(X[train], tree, cost).fit(X[train], y[train])
            auc = 100 * roc_auc_score(y[tests[None]], model.decision_function(X[tests[None]]))
            counts = dict(
                zip(("# Regions", "# Channels", "# Frames"), model.n_selected_, strict=True)
            )
            lines.append({"draw": draw, "cost": cost, "AUC": auc, **counts})
    return pd.DataFrame(lines)


def excess_of_mkl(dataset: Dataset, costs: pd.Series, steps: int) -> list[float]:
    """How far MKL's objective is above its minimum when its alternation is stopped, in per cent.

    Parameters
    ----------
    dataset : Dataset
    costs : Series
        Relative cost by draw of Table 1.
    steps : int
        Outer steps.
    """
    X, y, excess = features(dataset), dataset.y, []
    tree = feature_tree(dataset, X)
    for draw, cost in costs.items():
        train, _ = draw_split(dataset, int(str(draw)), by_character=False)
        exact, cut = (METHODS["mkl"].make(X[train], tree, cost) for _ in range(2))
        cut = by_alternation(cut, tree).set_params(max_iter=steps)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotOptimalWarning)
            ends = [m.fit(X[train], y[train]).objective_path_[-1] for m in (exact, cut)]
        excess.append(100 * (ends[1] / ends[0] - 1))
    return excess


def patterns(dataset: Dataset, values: Mapping[str, float], draw: int = 0) -> dict[str, np.ndarray]:
    """Forward patterns Cov(X) w of classifiers trained on one draw, shape (channels, frames).

    Weights say what a classifier reads, with the noise that it cancels; patterns say what the
    signal that it finds looks like (Haufe et al. 2014).

    Parameters
    ----------
    dataset : Dataset
    values : mapping of str to float
        Grid value by method, such as a relative cost.
    draw : int
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


def at_step(path, names, step: int) -> Figure:
    """Weights of regions and channels against outer steps, and those of the channels at one step.

    Parameters
    ----------
    path : list of ndarray
        As from `weight_path`; channels in the order of the tree.
    names : sequence of sequence of str
        Of the regions and of the channels, in the order of the tree.
    step : int
    """
    figure, axes = small_multiples(3, size=(3.0, 3.6))
    for axis, weights, labels, title in zip(
        axes, path[:2], names, ("regions", "channels"), strict=False
    ):
        largest = np.argsort(-weights[-1])[:6]
        axis.plot(np.delete(weights, largest, axis=1), color="#cccccc", lw=0.7)
        for m, colour in zip(largest, (BLUE, RED, GREEN, ORANGE, PURPLE, SKY), strict=True):
            axis.plot(weights[:, m], color=colour, label=labels[m])
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
        axis.axvline(step, color=BLACK, ls=":", lw=1.2)
        axis.set(title=title, xlabel="outer step", ylabel="weight")
    by_cap = np.argsort([CHANNELS.index(name) for name in names[1]])
    weights = path[1][step][by_cap]
    weights = np.where(weights > 1e-6 * weights.max(), weights, 0.0)
    points = draw_electrodes(axes[2], electrode_info(), weights)
    figure.colorbar(points, ax=axes[2], shrink=0.5)
    axes[2].set_title(f"step {step}: {np.count_nonzero(weights)} channels")
    return figure
