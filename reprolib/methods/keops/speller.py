"""From the recording of a P300 speller to features, for pipelines and the KEOPS paper.

As Rakotomamonjy et al. 2005 (ICANN, cited as [15] by the KEOPS paper) are quoted: band-pass
0.1-10 Hz with a Chebyshev type I filter of order 8, 0-667 ms after the flash, decimated to 14
frames: 64 x 14 = 896 features. The parameters of `SpellerFeatures` name every step that is open.

Filtered values differ in their last bits from one processor to the next. They are rounded, and no
key or fingerprint is made of them.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import mne
import numpy as np
import pandas as pd
from scipy.signal import cheby1, sosfilt
from sklearn.preprocessing import FunctionTransformer

#: Feature matrices kept per process; those of the six runs have 23 MB each.
N_KEPT = 4


@dataclass(frozen=True)
class SpellerFeatures:
    """From continuous EEG to features of every flash; the defaults are the headline reading.

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

    See Also
    --------
    reprolib.KEOPSClassifier : Selects among kernels on these features.

    Examples
    --------
    >>> SpellerFeatures(order=8).as_transformer()  # doctest: +SKIP
    FunctionTransformer(func=...)
    """

    low: float = 0.1
    high: float = 10.0
    order: int = 4
    ripple: float = 0.5
    zero_phase: bool = True
    decimation: int = 12
    n_frames: int = 14
    per_window: bool = False

    def as_transformer(self) -> FunctionTransformer:
        """Transformer for a scikit-learn pipeline that takes recordings, see `transform`."""
        return FunctionTransformer(self.transform)

    def transform(self, X: Sequence[tuple[mne.io.BaseRaw, pd.DataFrame]]) -> np.ndarray:
        """Features of all flashes of all runs.

        Parameters
        ----------
        X : sequence of (mne Raw, DataFrame)
            Runs, each with one row a flash: ``sample`` of the onset, ``code``, ``target`` (0 or 1).

        Returns
        -------
        ndarray of shape (flashes, channels * n_frames)
            Channel by channel, in microvolts (in units of the A/D converter where the recording
            has these as microvolts), rounded to 1e-3.
        """
        cut = epochs(X, self)
        return np.round(1e6 * cut.get_data(copy=False), 3).reshape(len(cut), -1)


def is_speller(dataset: Any) -> bool:
    """Whether a data set is a recording of the speller, real or simulated."""
    return {"raws", "flashes"} <= dataset.extra.keys()


def runs_of(dataset: Any) -> list[tuple[mne.io.BaseRaw, pd.DataFrame]]:
    """Recordings of a data set of the speller, each with its flashes."""
    tables = [
        table for _, table in dataset.extra["flashes"].groupby(["session", "run"], sort=False)
    ]
    return list(zip(dataset.extra["raws"], tables, strict=True))


def features(dataset: Any, steps: SpellerFeatures | None = None) -> np.ndarray:
    """Features of all flashes, in the order of the rows of the data set.

    Computed once a process for every recording and preprocessing.

    Parameters
    ----------
    dataset : data_fetch.Dataset
        Made by `data_fetch.p300.speller_dataset`.
    steps : SpellerFeatures, optional

    Returns
    -------
    ndarray of shape (flashes, 64 * n_frames)
        See `SpellerFeatures.transform`; read-only.

    Raises
    ------
    ValueError
        If the frames span more than the windows of the data set, so that flashes are lost.
    """
    steps = SpellerFeatures() if steps is None else steps
    return _features(_Recording(dataset.digest(), dataset), steps)


@dataclass(frozen=True)
class _Recording:
    """A data set that is equal to another one when the digests are equal."""

    digest: str
    dataset: Any = field(compare=False)


@functools.lru_cache(maxsize=N_KEPT)
def _features(recording: _Recording, steps: SpellerFeatures) -> np.ndarray:
    dataset = recording.dataset
    X = steps.transform(runs_of(dataset))
    if len(X) != len(dataset.y):
        raise ValueError(
            f"{dataset.name}: {len(X)} of {len(dataset.y)} flashes are followed by "
            f"{steps.n_frames} frames of {steps.decimation} samples; take fewer frames."
        )
    X.setflags(write=False)
    return X


def epochs(
    runs: Sequence[tuple[mne.io.BaseRaw, pd.DataFrame]],
    steps: SpellerFeatures | None = None,
    *,
    tmin: float = 0.0,
    tmax: float | None = None,
    decimation: int | None = None,
) -> mne.Epochs:
    """Filtered epochs of all flashes of all runs; metadata say what each flash was.

    Parameters
    ----------
    runs : sequence of (mne Raw, DataFrame)
        See `SpellerFeatures.transform`.
    steps : SpellerFeatures, optional
    tmin, tmax : float
        Window in seconds; by default that of the features.
    decimation : int, optional
        By default that of the features; 1 for plots at the full rate.

    Returns
    -------
    mne.Epochs
        Metadata are the rows of the tables.
    """
    steps = SpellerFeatures() if steps is None else steps
    parts = []
    for raw, table in runs:
        span = (steps.n_frames - 1) * steps.decimation / raw.info["sfreq"]
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
            part.apply_function(
                _causal_filter(steps, raw.info["sfreq"]), channel_wise=False, verbose="ERROR"
            )
        part.decimate(steps.decimation if decimation is None else decimation, verbose="ERROR")
        with mne.use_log_level("ERROR"):
            part.metadata = table.iloc[part.selection]
        parts.append(part)
    with mne.use_log_level("ERROR"):
        return mne.concatenate_epochs(parts)


def band_pass(raw: mne.io.BaseRaw, steps: SpellerFeatures) -> mne.io.BaseRaw:
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


def _causal_filter(steps: SpellerFeatures, rate: float):
    """The band-pass filter as a function of the last axis, forwards from rest."""
    band = [steps.low, steps.high]
    sos = cheby1(steps.order, steps.ripple, band, "bandpass", output="sos", fs=rate)
    return partial(sosfilt, sos)
