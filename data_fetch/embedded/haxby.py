"""A simulated fMRI session with the layout of Haxby et al. 2001."""

from __future__ import annotations

import nibabel as nib
import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.signal import lfilter
from scipy.stats import gamma

from data_fetch.dataset import Dataset
from data_fetch.haxby import masked_dataset

CATEGORIES = ("face", "house", "cat", "bottle", "scissors", "shoe", "chair", "scrambledpix")
N_RUNS = 12
TR = 2.5
GRID = (20, 24, 10)

_NOTE = "simulated fMRI series: category patterns, haemodynamics, run effects and noise; no brain"


def load_embedded(name: str = "embedded/haxby") -> Dataset:
    """Simulate the session and read it through its mask; same values every time."""
    series, mask, labels, runs = simulate_session(seed=0)
    return masked_dataset(name, series, mask, labels, runs, source="embedded", note=_NOTE)


def simulate_session(seed: int):
    """Simulate a NIfTI series of 12 runs with 8 blocks each, in random order.

    A block is nine volumes of one category, followed by rest. A voxel's signal is its baseline,
    times one plus the sum of: the category patterns convolved with the haemodynamic response,
    a drift and a gain of the run, and spatially smooth noise with memory.

    Returns
    -------
    series, mask : nibabel images of shape (20, 24, 10, t) and (20, 24, 10)
        Volumes over time, and the voxels that count.
    labels, runs : ndarray of shape (t,)
        Class and number of the run of every volume.
    """
    rng = np.random.default_rng(seed)
    design: list[str] = []
    for _ in range(N_RUNS):
        design += ["rest"] * 5
        for category in rng.permutation(CATEGORIES):
            design += [str(category)] * 9 + ["rest"] * 5
    labels, runs = np.array(design), np.repeat(np.arange(N_RUNS), len(design) // N_RUNS)
    # Two ellipsoids, one in each hemisphere.
    x, y, z = np.indices(GRID)
    left, right = (((x - centre) / 3.0) ** 2 for centre in (5, 14))
    mask = np.minimum(left, right) + (((y - 11.5) / 6.0) ** 2 + ((z - 4.5) / 3.0) ** 2) <= 1.0
    n_voxels = int(mask.sum())
    patterns = _smooth_maps(rng, len(CATEGORIES), mask)
    # Difference of two gamma densities (peak at 5 s, undershoot at 15 s), sampled at TR.
    seconds = np.arange(0.0, 30.0, TR)
    response = gamma.pdf(seconds, 6.0) - gamma.pdf(seconds, 16.0) / 6.0
    response /= response.sum()
    boxcars = np.array([labels == category for category in CATEGORIES], dtype=float).T
    signal = lfilter(response, [1.0], boxcars, axis=0) @ patterns
    noise = lfilter([1.0], [1.0, -0.4], _smooth_maps(rng, len(labels), mask), axis=0)
    white = rng.normal(size=(len(labels), n_voxels))
    time = np.linspace(-1.0, 1.0, len(design) // N_RUNS)
    offsets = 0.02 * rng.normal(size=(N_RUNS, n_voxels))
    drifts = 0.01 * rng.normal(size=(N_RUNS, n_voxels))
    of_runs = [o + np.outer(time, d) for o, d in zip(offsets, drifts, strict=True)]
    change = 0.010 * signal + 0.012 * noise + 0.006 * white + np.concatenate(of_runs)
    baseline = rng.normal(1600.0, 300.0, size=n_voxels).clip(600.0)
    volumes = np.zeros((*GRID, len(labels)), dtype=np.int16)
    volumes[mask] = np.rint(baseline * (1.0 + change)).T
    affine = np.diag([-3.1, 3.75, 3.75, 1.0])
    mask_image = nib.Nifti1Image(mask.astype(np.int16), affine)
    return nib.Nifti1Image(volumes, affine), mask_image, labels, runs


def _smooth_maps(rng, n_maps: int, mask):
    """Random maps in the mask, smooth over about two voxels, unit variance, shape (n, voxels)."""
    fields = rng.normal(size=(n_maps, *GRID))
    maps = gaussian_filter(fields, sigma=(0, 1.0, 1.0, 1.0), mode="wrap")[:, mask]
    return maps / maps.std()
