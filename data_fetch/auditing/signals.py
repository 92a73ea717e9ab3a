"""Channels and volumes that are dead, flat, clipped, or far from all others."""

from __future__ import annotations

import numpy as np

from data_fetch.auditing.finding import Finding, at_places, named
from data_fetch.dataset import Dataset

#: Robust standard deviations (median, median absolute deviation) beyond which a value is far off.
FAR = 6.0
#: Share of the samples of a channel that may lie at its own largest or smallest value.
CLIPPED = 1e-3


def robust_z(values: np.ndarray) -> np.ndarray:
    """Distances from the median in units of 1.4826 median absolute deviations."""
    centred = values - np.median(values)
    scale = 1.4826 * np.median(np.abs(centred))
    return centred / scale if scale > 0 else np.zeros(len(values))


def channels(dataset: Dataset) -> list[Finding]:
    """EEG channels of every run that are flat, clipped, or far louder or quieter than the rest."""
    found: dict[str, list[str]] = {"flat": [], "clipped": [], "far louder or quieter": []}
    for raw in dataset.extra["raws"]:
        run = "/".join(raw.info["description"].split("/")[:2])
        signal = raw.get_data()
        low, high = signal.min(axis=1, keepdims=True), signal.max(axis=1, keepdims=True)
        at_ends = ((signal == low) | (signal == high)).mean(axis=1)
        flat = (low == high).ravel()
        loudness = np.log(np.where(flat, np.nan, signal.std(axis=1)))
        loudness[flat] = np.nanmedian(loudness)
        far = np.abs(robust_z(loudness)) > FAR
        odd = (flat, (at_ends > CLIPPED) & ~flat, far)
        for names, which in zip(found.values(), odd, strict=True):
            names += [f"{raw.ch_names[i]} in {run}" for i in np.flatnonzero(which)]
    return [
        Finding(f"{kind} channels", len(names), f"{kind}: {named(names)}")
        for kind, names in found.items()
        if names
    ]


def volumes(dataset: Dataset) -> list[Finding]:
    """Dead voxels; volumes whose mean, or whose change since the last one, is far off."""
    X, runs = np.asarray(dataset.X, dtype=np.float64), np.asarray(dataset.groups)
    dead, far = np.zeros(X.shape[1], dtype=bool), np.zeros(len(X), dtype=bool)
    for run in np.unique(runs):
        rows = np.flatnonzero(runs == run)
        dead |= np.ptp(X[rows], axis=0) == 0
        change = np.sqrt((np.diff(X[rows], axis=0) ** 2).mean(axis=1))
        far[rows] |= np.abs(robust_z(X[rows].mean(axis=1))) > FAR
        far[rows[1:]] |= robust_z(change) > FAR
    still, odd = np.flatnonzero(dead), np.flatnonzero(far)
    names = [f"volume {i} (run {runs[i]})" for i in odd]
    without = f"voxels without a change in some run: {named(still.tolist())}"
    beyond = f"mean or change far from the run's others: {named(names)}"
    return [*at_places("dead voxels", without, still), *at_places("far volumes", beyond, odd)]
