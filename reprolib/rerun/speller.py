"""From the recording of the P300 speller to features, for the KEOPS paper and the study.

As Rakotomamonjy et al. 2005 (ICANN, cited as [15] by the KEOPS paper) are quoted: band-pass
0.1-10 Hz with a Chebyshev type I filter of order 8, 0-667 ms after the flash, decimated to 14
frames: 64 x 14 = 896 features. `Preprocessing` names every step that is open.

Filtered values differ in their last bits from one processor to the next. They are rounded, and no
key or fingerprint is made of them.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import mne
import numpy as np
from scipy.signal import cheby1, sosfilt

from data_fetch import Dataset
from data_fetch.p300 import SAMPLING_RATE, flashes_of

#: Feature matrices kept per process; those of the six runs have 23 MB each.
N_KEPT = 4


@dataclass(frozen=True)
class Preprocessing:
    """From continuous signal to features; the defaults are the headline reading.

    Parameters
    ----------
    low, high : float
        Pass band, Hz.
    order : int
        Order of the low-pass prototype: the band-pass filter has twice as many poles, so 4 is "an
        8th-order band-pass filter", and 8 is ``cheby1(8, ...)``.
    ripple : float
        Pass-band ripple, dB (not given in the papers).
    zero_phase : bool
        Filter forwards and backwards (no delay), or forwards only, as online.
    decimation : int
        Every how many samples a frame is taken; 12 gives 20 Hz, twice ``high``.
    n_frames : int
        Frames from the onset of the flash on; 14 at 50 ms span 0-650 ms.
    per_window : bool
        Cut the window out first, and filter each on its own, forwards, from rest.
    """

    low: float = 0.1
    high: float = 10.0
    order: int = 4
    ripple: float = 0.5
    zero_phase: bool = True
    decimation: int = 12
    n_frames: int = 14
    per_window: bool = False


def is_speller(dataset: Dataset) -> bool:
    """Whether a data set is a recording of the speller, real or simulated."""
    return {"raws", "flashes"} <= dataset.extra.keys()


def features(dataset: Dataset, preprocessing: Preprocessing | None = None) -> np.ndarray:
    """Features of all flashes, in the order of the rows of the data set.

    Computed once a process for every recording and preprocessing.

    Parameters
    ----------
    dataset : Dataset
        Made by `data_fetch.p300.speller_dataset`.
    preprocessing : Preprocessing, optional

    Returns
    -------
    ndarray of shape (flashes, 64 * n_frames)
        Channel by channel, in units of the A/D converter, rounded to 1e-3; read-only.

    Raises
    ------
    ValueError
        If the frames span more than the windows of the data set, so that flashes are lost.
    """
    steps = Preprocessing() if preprocessing is None else preprocessing
    return _features(_Recording(dataset.digest(), dataset), steps)


@dataclass(frozen=True)
class _Recording:
    """A data set that is equal to another one when the digests are equal."""

    digest: str
    dataset: Dataset = field(compare=False)


@functools.lru_cache(maxsize=N_KEPT)
def _features(recording: _Recording, steps: Preprocessing) -> np.ndarray:
    dataset = recording.dataset
    cut = epochs(dataset.extra["raws"], steps)
    if len(cut) != len(dataset.y):
        raise ValueError(
            f"{dataset.name}: {len(cut)} of {len(dataset.y)} flashes are followed by "
            f"{steps.n_frames} frames of {steps.decimation} samples; take fewer frames."
        )
    X = np.round(1e6 * cut.get_data(copy=False), 3).reshape(len(cut), -1)
    X.setflags(write=False)
    return X


def epochs(
    raws: Sequence[mne.io.BaseRaw],
    preprocessing: Preprocessing | None = None,
    *,
    tmin: float = 0.0,
    tmax: float | None = None,
    decimation: int | None = None,
) -> mne.Epochs:
    """Filtered epochs of all flashes of all runs; metadata say what each flash was.

    Parameters
    ----------
    raws : sequence of mne Raw
    preprocessing : Preprocessing, optional
    tmin, tmax : float
        Window in seconds; by default that of the features.
    decimation : int, optional
        By default that of the features; 1 for plots at the full rate.

    Returns
    -------
    mne.Epochs
        Metadata as in `data_fetch.p300.flash_table`, with characters numbered over all runs.
    """
    steps = Preprocessing() if preprocessing is None else preprocessing
    span = (steps.n_frames - 1) * steps.decimation / SAMPLING_RATE
    parts = []
    for raw, table in zip(raws, flashes_of(raws), strict=True):
        part = mne.Epochs(
            raw if steps.per_window else band_pass(raw, steps),
            np.column_stack(
                [table["sample"], np.zeros(len(table), int), table["code"] + 100 * table["target"]]
            ),
            tmin=tmin,
            tmax=span if tmax is None else tmax,
            baseline=None,
            preload=True,
            verbose="ERROR",
        )
        if steps.per_window:
            part.apply_function(_causal_filter(steps), channel_wise=False, verbose="ERROR")
        part.decimate(steps.decimation if decimation is None else decimation, verbose="ERROR")
        with mne.use_log_level("ERROR"):
            part.metadata = table.iloc[part.selection]
        parts.append(part)
    with mne.use_log_level("ERROR"):
        return mne.concatenate_epochs(parts)


def band_pass(raw: mne.io.BaseRaw, steps: Preprocessing) -> mne.io.BaseRaw:
    """Filtered copy of a run, its mean taken off first (a causal filter would ring on it)."""
    copy = raw.copy()
    copy.apply_function(lambda x: x - x.mean(), verbose="ERROR")
    return copy.filter(
        steps.low,
        steps.high,
        method="iir",
        iir_params={"order": steps.order, "ftype": "cheby1", "rp": steps.ripple, "output": "sos"},
        phase="zero" if steps.zero_phase else "forward",
        verbose="ERROR",
    )


def _causal_filter(steps: Preprocessing):
    """The band-pass filter as a function of the last axis, forwards from rest."""
    band = [steps.low, steps.high]
    sos = cheby1(steps.order, steps.ripple, band, "bandpass", output="sos", fs=SAMPLING_RATE)
    return partial(sosfilt, sos)
