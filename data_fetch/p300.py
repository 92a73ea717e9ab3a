"""BCI Competition 2003, data set IIb: a P300 speller recorded with BCI2000, read through mne.

A run is one MATLAB file: 64 channels at 240 Hz and the state of the speller at every sample. The
subject spells a word; for every character the rows and columns of a 6 x 6 matrix flash in random
order, 15 times 12 flashes. The set has 19 runs (sessions 010 and 011, labelled, 42 characters, and
the competition's test session 012, whose labels follow from its known words). Any subset of the
runs is accepted, and the data set says which it holds. The catalog knows the hashes of six; with
more runs at hand, give their paths to `load_p300`.

From signal to features, as Rakotomamonjy et al. 2005 (ICANN, cited as [15] by the KEOPS paper) are
quoted: band-pass 0.1-10 Hz with a Chebyshev type I filter of order 8, 0-667 ms after the flash,
decimated to 14 frames: 64 x 14 = 896 features. `Preprocessing` names every step that is open.

Source: Blankertz et al. 2004, IEEE Transactions on Biomedical Engineering 51:1044-1051.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import mne
import numpy as np
import pandas as pd
from scipy.io import loadmat
from scipy.signal import cheby1, sosfilt

from data_fetch.dataset import Dataset, Source

SAMPLING_RATE = 240.0
N_RUNS = 19
MATRIX = "ABCDEFGHIJKLMNOPQRSTUVWXYZ123456789_"
#: Words of the competition's test session, published after it (session, run).
TEST_WORDS = {
    (12, 1): "FOOD",
    (12, 2): "MOOT",
    (12, 3): "HAM",
    (12, 4): "PIE",
    (12, 5): "CAKE",
    (12, 6): "TUNA",
    (12, 7): "ZYGOT",
    (12, 8): "4567",
}
#: The 64 columns of ``signal``, in their order.
CHANNELS = (
    *("FC5", "FC3", "FC1", "FCz", "FC2", "FC4", "FC6"),
    *("C5", "C3", "C1", "Cz", "C2", "C4", "C6"),
    *("CP5", "CP3", "CP1", "CPz", "CP2", "CP4", "CP6"),
    *("Fp1", "Fpz", "Fp2", "AF7", "AF3", "AFz", "AF4", "AF8"),
    *("F7", "F5", "F3", "F1", "Fz", "F2", "F4", "F6", "F8"),
    *("FT7", "FT8", "T7", "T8", "T9", "T10", "TP7", "TP8"),
    *("P7", "P5", "P3", "P1", "Pz", "P2", "P4", "P6", "P8"),
    *("PO7", "PO3", "POz", "PO4", "PO8", "O1", "Oz", "O2", "Iz"),
)
_RUN_FILE = re.compile(r"AAS(\d{3})R(\d{2})\.mat$")
_VARIABLES = ("signal", "Flashing", "StimulusCode")


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


def load_p300(name: str, paths: dict[str, Path]) -> Dataset:
    """Read the runs among ``paths`` (keys like "AAS010R01.mat") into features of all flashes.

    Returns
    -------
    Dataset
        See `speller_dataset`. Source "original" with all 19 runs, else "partial".

    Raises
    ------
    ValueError
        If there is no run, or one is damaged or lacks a variable or its labels.
    """
    if "eloc64.txt" in paths:
        _check_channel_order(paths["eloc64.txt"])
    runs = sorted(key for key in paths if _RUN_FILE.search(key))
    if not runs:
        raise ValueError(
            f"{name}: no run among the files {sorted(paths)}; runs are called "
            "AAS<session>R<run>.mat"
        )
    raws = [read_run(Path(paths[key])) for key in runs]
    at_hand = ", ".join(key.removesuffix(".mat") for key in runs)
    note = f"{len(runs)} of {N_RUNS} runs: {at_hand}"
    return speller_dataset(name, raws, "original" if len(runs) == N_RUNS else "partial", note)


def _check_channel_order(path: Path) -> None:
    """The electrode file must list the channels in the order of the columns of ``signal``."""
    listed = [line.split()[3].strip(".") for line in path.read_text().splitlines() if line.strip()]
    if [c.lower() for c in listed] != [c.lower() for c in CHANNELS]:
        raise ValueError(f"{path} does not list the 64 channels in the known order")


def read_run(path: Path) -> mne.io.RawArray:
    """Read one run; flashes become annotations "target/<code>" or "nontarget/<code>".

    Codes 1-6 are the columns of the matrix, 7-12 its rows. The signal is in units of the A/D
    converter; mne calls them microvolts. ``raw.info["description"]`` is "<session>/<run>/<word>".

    Raises
    ------
    ValueError
        If the file is damaged, is no run, or its labels are not known.
    """
    content = _read_mat(path)
    session, run = _session_and_run(path)
    flashing = np.concatenate([[0], content["Flashing"].ravel().astype(int)])
    onsets = np.flatnonzero(np.diff(flashing) == 1)
    codes = content["StimulusCode"].ravel()[onsets].astype(int)
    starts = character_starts(onsets)
    if "StimulusType" in content:
        target = content["StimulusType"].ravel()[onsets] == 1
        word = "".join(
            _spelled(codes[a:b][target[a:b]])
            for a, b in zip(starts, [*starts[1:], len(onsets)], strict=True)
        )
    elif (session, run) in TEST_WORDS:
        word = TEST_WORDS[session, run]
        target = _targets(codes, starts, word, path)
    else:
        raise ValueError(f"{path} has no StimulusType, and the word of the run is not known")
    return make_raw(
        content["signal"].astype(np.float64), onsets, codes, target, (session, run, word)
    )


def _read_mat(path: Path) -> dict[str, np.ndarray]:
    try:
        content = loadmat(path, variable_names=[*_VARIABLES, "StimulusType"])
    except Exception as error:
        raise ValueError(
            f"{path} cannot be read ({error}); delete it and fetch it again"
        ) from error
    missing = [v for v in _VARIABLES if v not in content]
    if missing:
        raise ValueError(f"{path} lacks the variables {missing}; it is no BCI2000 speller run")
    signal = content["signal"]
    if signal.ndim != 2 or signal.shape[1] != len(CHANNELS):
        raise ValueError(f"{path}: signal has shape {signal.shape}, not (samples, {len(CHANNELS)})")
    short = [v for v in content if v[0] != "_" and len(content[v]) != len(signal)]
    if short:
        raise ValueError(f"{path}: {short} are not as long as signal ({len(signal)} samples)")
    _warn_of_bad_channels(signal, path)
    return content


def _warn_of_bad_channels(signal, path: Path) -> None:
    limits = np.iinfo(np.int16)
    clipped = np.mean((signal <= limits.min) | (signal >= limits.max), axis=0) > 1e-3
    flat = np.ptp(signal, axis=0) == 0
    for what, which in (("flat", flat), ("clipped", clipped)):
        if which.any():
            names = [CHANNELS[i] for i in np.flatnonzero(which)]
            warnings.warn(f"{path.name}: {what} channels {names}", stacklevel=4)


def _session_and_run(path: Path) -> tuple[int, int]:
    match = _RUN_FILE.search(path.name)
    if match is None:
        raise ValueError(f"{path.name} is not called AAS<session>R<run>.mat, as runs are")
    return int(match[1]), int(match[2])


def character_starts(onsets) -> list[int]:
    """Index of the first flash of every character: flashes after a pause."""
    gaps = np.diff(onsets)
    return [0, *(np.flatnonzero(gaps > 2 * np.median(gaps)) + 1).tolist()]


def _spelled(target_codes) -> str:
    column, row = min(target_codes), max(target_codes)
    return MATRIX[6 * (row - 7) + column - 1]


def codes_of(character: str) -> tuple[int, int]:
    """Codes of the column (1-6) and the row (7-12) of a character."""
    row, column = divmod(MATRIX.index(character), 6)
    return column + 1, row + 7


def _targets(codes, starts, word, path) -> np.ndarray:
    if len(starts) != len(word):
        raise ValueError(f"{path} has {len(starts)} characters, its word {word!r} {len(word)}")
    place = np.searchsorted(starts, np.arange(len(codes)), side="right") - 1
    return np.array([code in codes_of(word[i]) for code, i in zip(codes, place, strict=True)])


def make_raw(signal, onsets, codes, target, description: tuple[int, int, str]) -> mne.io.RawArray:
    """Continuous recording with the 10-05 montage and one annotation for each flash.

    Parameters
    ----------
    signal : ndarray of shape (samples, 64)
    onsets, codes, target : ndarray of shape (flashes,)
    description : tuple
        Session, run and spelled word.
    """
    info = mne.create_info(list(CHANNELS), SAMPLING_RATE, "eeg")
    info["description"] = "/".join(map(str, description))
    known = mne.channels.get_builtin_montages()
    montage = "colin27_1005" if "colin27_1005" in known else "standard_1005"
    raw = mne.io.RawArray(signal.T * 1e-6, info, verbose="ERROR")
    raw.set_montage(montage, match_case=False)
    labels = [f"{'target' if t else 'nontarget'}/{c}" for t, c in zip(target, codes, strict=True)]
    raw.set_annotations(mne.Annotations(onsets / SAMPLING_RATE, 0.1, labels))
    return raw


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
        Metadata columns ``session``, ``run``, ``character`` (number over all runs), ``letter``,
        ``repetition`` (1-15), ``code``, ``target``.
    """
    steps = Preprocessing() if preprocessing is None else preprocessing
    span = (steps.n_frames - 1) * steps.decimation / SAMPLING_RATE
    parts, n_characters = [], 0
    for raw in raws:
        table = flash_table(raw, n_characters)
        n_characters = int(table["character"].max()) + 1
        events = np.column_stack(
            [table["sample"], np.zeros(len(table), int), table["code"] + 100 * table["target"]]
        )
        part = mne.Epochs(
            raw if steps.per_window else band_pass(raw, steps),
            events,
            tmin=tmin,
            tmax=span if tmax is None else tmax,
            baseline=None,
            preload=True,
            verbose="ERROR",
        )
        if steps.per_window:
            sos = cheby1(
                steps.order,
                steps.ripple,
                [steps.low, steps.high],
                "bandpass",
                output="sos",
                fs=SAMPLING_RATE,
            )
            part.apply_function(partial(sosfilt, sos), channel_wise=False, verbose="ERROR")
        part.decimate(steps.decimation if decimation is None else decimation, verbose="ERROR")
        with mne.use_log_level("ERROR"):
            part.metadata = table.drop(columns="sample").iloc[part.selection]
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


def flash_table(raw: mne.io.BaseRaw, first_character: int = 0) -> pd.DataFrame:
    """One row for each flash of a run, from its annotations."""
    session, run, word = raw.info["description"].split("/")
    samples = np.round(raw.annotations.onset * SAMPLING_RATE).astype(int)
    labels = [label.split("/") for label in raw.annotations.description]
    codes = np.array([int(code) for _, code in labels])
    starts = character_starts(samples)
    place = np.searchsorted(starts, np.arange(len(samples)), side="right") - 1
    table = pd.DataFrame(
        {
            "sample": samples,
            "session": int(session),
            "run": int(run),
            "character": first_character + place,
            "letter": [word[i] for i in place],
            "code": codes,
            "target": np.array([int(kind == "target") for kind, _ in labels]),
        }
    )
    table["repetition"] = table.groupby(["character", "code"]).cumcount() + 1
    return table


def speller_dataset(
    name: str,
    raws: Sequence[mne.io.BaseRaw],
    source: Source,
    note: str,
    preprocessing: Preprocessing | None = None,
) -> Dataset:
    """Features of all flashes.

    Returns
    -------
    Dataset
        ``X`` of shape (flashes, 64 * 14), channel by channel, in A/D units, rounded to 1e-3 so that
        machines agree; ``y`` is 1 for target flashes, else -1; ``groups`` is 100 * session + run;
        ``extra`` has ``raws``, ``flashes`` (metadata table), ``channels``, ``frame_times`` (s) and
        ``preprocessing``.
    """
    steps = Preprocessing() if preprocessing is None else preprocessing
    cut = epochs(raws, steps)
    X = np.round(1e6 * cut.get_data(copy=False), 3)
    flashes = cut.metadata.reset_index(drop=True)
    times = cut.times
    return Dataset(
        name,
        X.reshape(len(X), -1),
        np.where(flashes["target"] == 1, 1, -1),
        source,
        note,
        groups=(100 * flashes["session"] + flashes["run"]).to_numpy(),
        feature_names=[f"{c} {1000 * t:.0f} ms" for c in CHANNELS for t in times],
        image_shape=(len(CHANNELS), len(times)),
        extra={
            "raws": list(raws),
            "flashes": flashes,
            "channels": CHANNELS,
            "frame_times": times,
            "preprocessing": asdict(steps),
        },
    )


def with_preprocessing(dataset: Dataset, preprocessing: Preprocessing) -> Dataset:
    """Return the same runs with other features."""
    return speller_dataset(
        dataset.name, dataset.extra["raws"], dataset.source, dataset.source_note, preprocessing
    )
