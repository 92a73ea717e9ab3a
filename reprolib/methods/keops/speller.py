"""From the recording of a P300 speller to features, for pipelines and the KEOPS paper.

As Rakotomamonjy et al. 2005 (ICANN, cited as [15] by the KEOPS paper) are quoted: band-pass
0.1-10 Hz with a Chebyshev type I filter of order 8, 0-667 ms after the flash, decimated to 14
frames: 64 x 14 = 896 features. The parameters of `SpellerFeatures` name every step that is open.

Filtered values differ in their last bits from one processor to the next. They are rounded, and no
key or fingerprint is made of them.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from numbers import Real
from typing import Any, Self

import mne
import numpy as np
import pandas as pd
import scipy.sparse
from scipy.signal import cheby1, sosfilt
from sklearn.base import BaseEstimator, TransformerMixin

from reprolib.methods.keops.electrodes import good_channels
from reprolib.methods.shared.validation import COUNT, POSITIVE

#: Feature matrices kept per process; those of the six runs have 23 MB each.
N_KEPT = 4


class SpellerFeatures(TransformerMixin, BaseEstimator):
    """From continuous EEG to features of every flash; the defaults are the headline reading.

    A transformer for scikit-learn's pipelines whose rows are recordings. It learns nothing, so it
    need not be fitted.

    Parameters
    ----------
    low, high : float, default=0.1 and 10.0
        Ends of the pass band, in Hz: slower drifts and faster waves are filtered out.
    order : int, default=4
        Order of the low-pass prototype; a larger one cuts the band off more sharply. The band-pass
        filter has twice as many poles: order=4 gives 8 ("an 8th-order band-pass filter"), and
        order=8 gives the 16 of ``cheby1(8, ...)``.
    ripple : float, default=0.5
        Pass-band ripple in dB (not given in the papers): how uneven the gain inside the band may
        be. A larger one allows a steeper cut.
    zero_phase : bool, default=True
        Filter forwards and backwards (no delay), or forwards only, as online.
    interval : float, default=0.05
        Time between two frames, in seconds; 0.05 is 20 Hz, twice ``high``. Where no sample lies at
        a frame the nearest one is taken, with a warning.
    n_frames : int, default=14
        Number of frames from the onset of the flash on; 14 at 50 ms span 0-650 ms.
    per_window : bool, default=False
        Cut the window out first, and filter each on its own, forwards, from rest.

    See Also
    --------
    reprolib.KEOPSClassifier : Selects among kernels on these features.
    reprolib.tree_from_info : The tree of regions, channels and frames over them.

    Examples
    --------
    >>> import mne
    >>> import pandas as pd
    >>> from reprolib import SpellerFeatures
    >>> noise = np.random.default_rng(0).normal(scale=1e-5, size=(3, 2400))
    >>> raw = mne.io.RawArray(noise, mne.create_info(3, 240.0, "eeg"), verbose="ERROR")
    >>> flashes = pd.DataFrame({"sample": [240, 300], "code": 1, "target": [0, 1]})
    >>> SpellerFeatures().fit_transform([(raw, flashes)]).shape
    (2, 42)
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        "low": [POSITIVE],
        "high": [POSITIVE],
        "order": [COUNT],
        "ripple": [POSITIVE],
        "zero_phase": ["boolean"],
        "interval": [POSITIVE],
        "n_frames": [COUNT],
        "per_window": ["boolean"],
    }

    def __init__(
        self,
        low: float = 0.1,
        high: float = 10.0,
        order: int = 4,
        ripple: float = 0.5,
        zero_phase: bool = True,
        interval: float = 0.05,
        n_frames: int = 14,
        per_window: bool = False,
    ) -> None:
        self.low = low
        self.high = high
        self.order = order
        self.ripple = ripple
        self.zero_phase = zero_phase
        self.interval = interval
        self.n_frames = n_frames
        self.per_window = per_window

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.requires_fit = False
        return tags

    def fit(self, X: Sequence[tuple[mne.io.BaseRaw, pd.DataFrame]], y: object = None) -> Self:
        """Check that these are recordings; there is nothing to learn.

        Parameters
        ----------
        X : sequence of (mne Raw, DataFrame)
            Runs, as `transform` takes them.
        y : object, default=None
            Not used; pipelines give it.

        Returns
        -------
        SpellerFeatures
            The transformer itself, unchanged.

        Raises
        ------
        ValueError, TypeError
            If these are no recordings.
        """
        self._require(X)
        return self

    def transform(self, X: Sequence[tuple[mne.io.BaseRaw, pd.DataFrame]]) -> np.ndarray:
        """Features of all flashes of all runs: the filtered signal of every channel at the frames.

        Parameters
        ----------
        X : sequence of (mne Raw, DataFrame)
            Runs, each with one row a flash: ``sample`` of the onset (as mne counts, from
            ``raw.first_samp`` on), ``code`` (0 to 99), ``target`` (0 or 1). Of the channels those
            with data (EEG, MEG and the like) are taken that are not marked as bad.

        Returns
        -------
        ndarray of shape (flashes, channels * n_frames)
            One row for each flash, channel by channel, in microvolts (in units of the A/D converter
            where the recording has these as microvolts); a magnetometer's are in microtesla.
            The channels of a kind are rounded to five digits behind the first one of their standard
            deviation (the median over the channels), so that what is rounded off is as small beside
            the signal whatever its unit is.

        Raises
        ------
        ValueError
            If a hyperparameter is out of range, if there is no run, or one has no good data
            channel, or others than the first run, if a table of flashes lacks a column or has
            something else in it, or if a flash has no whole window.

        Warns
        -----
        UserWarning
            If frames lie between two samples.
        """
        self._require(X)
        features, first, times = [], None, self.interval * np.arange(self.n_frames)
        for number, (raw, table) in enumerate(X):
            samples = np.round(times * raw.info["sfreq"]).astype(int)
            off = np.abs(samples / raw.info["sfreq"] - times).max()
            if off > 1e-3 / raw.info["sfreq"]:
                warnings.warn(
                    f"Run {number}: at {raw.info['sfreq']:g} Hz no sample lies at every "
                    f"{1e3 * self.interval:g} ms. The frames are at the nearest samples, at most "
                    f"{1e3 * off:.2g} ms early or late; with another `interval`, or after "
                    "raw.resample, they are where they should be.",
                    stacklevel=2,
                )
            cut = epochs([(raw, table)], self, tmax=samples[-1] / raw.info["sfreq"])
            first = cut.ch_names if first is None else first
            if cut.ch_names != first:
                raise ValueError(
                    f"Run {number} has other good data channels than the first run "
                    f"({sorted(set(first) ^ set(cut.ch_names)) or 'in another order'}); mark a "
                    "channel that is bad in one run as bad in all."
                )
            values = 1e6 * cut.get_data(copy=False)[:, :, samples]
            lost = np.flatnonzero(~np.isfinite(values).all(axis=(0, 2)))
            if len(lost):
                raise ValueError(
                    f"Run {number} has NaN or infinity in {[first[i] for i in lost[:5]]}; mark "
                    "these channels as bad in all runs, or mend the signal before it is filtered."
                )
            picks = good_channels(raw.info)
            kinds = np.array([mne.channel_type(raw.info, pick) for pick in picks])
            deviations = 1e6 * raw.get_data(picks).std(axis=1)
            for kind in np.unique(kinds):
                size = np.median(deviations[kinds == kind])
                if size > 0:
                    digits = 5 - int(np.floor(np.log10(size)))
                    values[:, kinds == kind] = np.round(values[:, kinds == kind], digits)
            features.append(values.reshape(len(cut), -1))
        return np.concatenate(features)

    def _require(self, X: Any) -> None:
        """Raise an error if a step is out of range, or X is no list of runs."""
        self._validate_params()
        if not self.low < self.high:
            raise ValueError(f"low is {self.low} and high {self.high}; low must be the lower end.")
        _require_runs(X)


def _require_runs(X: Any) -> None:
    """Raise ValueError, or TypeError for a sparse matrix, if X is no list of runs."""
    remedy = "give a list of (mne Raw, DataFrame of flashes), one a run"
    if scipy.sparse.issparse(X):
        raise TypeError(f"X is a sparse matrix; {remedy}.")
    if not len(X):
        raise ValueError(f"X has no run; {remedy}.")
    for number, run in enumerate(X):
        is_run = isinstance(run, tuple | list) and len(run) == 2
        if not (is_run and isinstance(run[0], mne.io.BaseRaw) and isinstance(run[1], pd.DataFrame)):
            raise ValueError(f"X[{number}] is {type(run).__name__!r}, which is no run; {remedy}.")
        _require_flashes(number, run[1])


#: Columns of a table of flashes: which numbers they hold, and what to do if they do not.
COLUMNS = {
    "sample": (0, np.inf, "sample numbers as mne counts: round(seconds * sfreq) + raw.first_samp"),
    "code": (0, 99, "the number of the row or column that flashed, from 0 to 99"),
    "target": (0, 1, "1 for a flash of the target, 0 for another one"),
}


def _require_flashes(run: int, table: pd.DataFrame) -> None:
    """Raise a ValueError that names run, column, row and remedy if this is no table of flashes."""
    lacking = [name for name in COLUMNS if name not in table]
    if lacking or table.columns.duplicated().any() or table.empty:
        raise ValueError(
            f"The flashes of run {run} have {len(table)} rows of {list(table.columns)}; give one "
            f"row for each flash, with {', '.join(COLUMNS)}."
        )
    for name, (low, high, remedy) in COLUMNS.items():
        values = table[name].tolist()
        numbers = np.array([v if isinstance(v, Real | np.bool_) else np.nan for v in values], float)
        wrong = np.flatnonzero(~((numbers >= low) & (numbers <= high) & (numbers % 1 == 0)))
        if name == "sample" and not len(wrong):
            wrong, remedy = np.flatnonzero(table[name].duplicated()), "every flash once"
        if len(wrong):
            raise ValueError(
                f"Row {wrong[0]} of the flashes of run {run} has {values[wrong[0]]!r} "
                f"under {name!r}; give {remedy}."
            )


def runs_of(dataset: Any) -> list[tuple[mne.io.BaseRaw, pd.DataFrame]]:
    """Recordings of a data set of the speller, each with its flashes.

    Parameters
    ----------
    dataset : data_fetch.Dataset
        Made by `data_fetch.p300.speller_dataset`.

    Returns
    -------
    list of (mne Raw, DataFrame)
        One for each run, as `SpellerFeatures.transform` takes them.
    """
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
        How the recordings are filtered and cut; the defaults if not given.

    Returns
    -------
    ndarray of shape (flashes, 64 * n_frames)
        See `SpellerFeatures.transform`; read-only.
    """
    steps = SpellerFeatures() if steps is None else steps
    options = tuple(sorted(steps.get_params().items()))
    return _features(_Recording(dataset.digest(), dataset), options)


@dataclass(frozen=True)
class _Recording:
    """A data set that is equal to another one when the digests are equal."""

    digest: str
    dataset: Any = field(compare=False)


@functools.lru_cache(maxsize=N_KEPT)
def _features(recording: _Recording, options: tuple[tuple[str, Any], ...]) -> np.ndarray:
    X = SpellerFeatures(**dict(options)).transform(runs_of(recording.dataset))
    X.setflags(write=False)
    return X


def epochs(
    runs: Sequence[tuple[mne.io.BaseRaw, pd.DataFrame]],
    steps: SpellerFeatures | None = None,
    *,
    tmin: float = 0.0,
    tmax: float | None = None,
) -> mne.Epochs:
    """Filtered epochs of all flashes of all runs; metadata say what each flash was.

    Parameters
    ----------
    runs : sequence of (mne Raw, DataFrame)
        Recordings and their flashes, see `SpellerFeatures.transform`.
    steps : SpellerFeatures, optional
        How the recordings are filtered; the defaults if not given.
    tmin, tmax : float
        Ends of the window around the flash, in seconds; by default that of the features.

    Returns
    -------
    mne.Epochs
        The good data channels at the full rate. Metadata are the rows of the tables.

    Raises
    ------
    ValueError
        If the recording ends inside the window of a flash, or is annotated as bad there.
    """
    steps = SpellerFeatures() if steps is None else steps
    tmax = (steps.n_frames - 1) * steps.interval if tmax is None else tmax
    parts = []
    for raw, table in runs:
        samples, codes, targets = table[["sample", "code", "target"]].astype(int).to_numpy().T
        signal = raw.copy().pick(good_channels(raw.info)).load_data(verbose="ERROR")
        part = mne.Epochs(
            signal if steps.per_window else band_pass(signal, steps),
            np.column_stack([samples, np.zeros_like(samples), codes + 100 * targets]),
            tmin=tmin,
            tmax=tmax,
            baseline=None,
            preload=True,
            verbose="ERROR",
        )
        if len(part) < len(table):
            why = sorted({reason for reasons in part.drop_log for reason in reasons})
            raise ValueError(
                f"{len(table) - len(part)} of {len(table)} flashes have no whole window from "
                f"{tmin:g} to {tmax:g} s ({', '.join(why)}); take a shorter window (fewer frames), "
                "or leave these flashes out of the table and of the labels."
            )
        if steps.per_window:
            band = [steps.low, steps.high]
            rate = raw.info["sfreq"]
            sos = cheby1(steps.order, steps.ripple, band, "bandpass", output="sos", fs=rate)
            part.apply_function(partial(sosfilt, sos), channel_wise=False, verbose="ERROR")
        with mne.use_log_level("ERROR"):
            part.metadata = table
        parts.append(part)
    with mne.use_log_level("ERROR"):
        return mne.concatenate_epochs(parts)


def band_pass(raw: mne.io.BaseRaw, steps: SpellerFeatures) -> mne.io.BaseRaw:
    """Filtered copy of a run, its mean taken off first (a causal filter would ring on it).

    Parameters
    ----------
    raw : mne Raw
        Recording; it stays as it is.
    steps : SpellerFeatures
        Pass band, order, ripple, and whether to filter backwards, too.

    Returns
    -------
    mne Raw
        All its data channels are filtered.
    """
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
