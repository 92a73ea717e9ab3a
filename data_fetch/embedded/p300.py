"""A simulated P300 speller session: real montage and timing, coloured noise, a known response.

Six three-character runs, timed as in the recorded set (`data_fetch.p300`): four to train on
(sessions 10 and 11) and two to test (session 12). The background is noise with a spectrum falling
as 1 / f and a spatial correlation falling with distance on the head. A target flash adds a positive
wave over Cz and Pz that peaks at 310 ms, and a negative one over PO7 and PO8 at 210 ms; every flash
adds a small occipital wave at 120 ms. Flashes follow each other every 175 ms, so that responses
overlap. The response varies from flash to flash in size and by 15 ms in latency.
"""

from __future__ import annotations

import functools

import numpy as np

from data_fetch.dataset import Dataset
from data_fetch.p300 import (
    CHANNELS,
    SAMPLING_RATE,
    SpellerRun,
    codes_of,
    make_raw,
    parse_run,
    speller_dataset,
)

RUNS = (
    (10, 1, "CAT"),
    (10, 2, "DOG"),
    (11, 1, "SUN"),
    (11, 2, "OWL"),
    (12, 3, "HAM"),
    (12, 4, "PIE"),
)
N_REPETITIONS = 15
INTERVAL = 42
FLASH = 24
PAUSE = 1254
FIRST_FLASH = 624
TAIL = 642
NOISE_SIZE = 300.0
#: Centre channels, latency and width in seconds, size in A/D units.
TARGET_WAVES = ((("Cz", "Pz"), 0.31, 0.06, 220.0), (("PO7", "PO8"), 0.21, 0.03, -180.0))
FLASH_WAVES = ((("Oz",), 0.12, 0.03, 40.0),)


def load_embedded(name: str = "embedded/p300") -> Dataset:
    """Simulate the session; the same values in every call."""
    rng = np.random.default_rng(300)
    runs = [simulate_run(*run, rng) for run in RUNS]
    note = "simulated speller session of six three-character runs, 64 channels"
    return speller_dataset(name, runs, "embedded", note)


def simulate_run(session: int, run: int, word: str, rng: np.random.Generator) -> SpellerRun:
    """Simulate the variables of one run, and read them like a recorded one."""
    codes = np.concatenate([rng.permutation(12) + 1 for _ in range(len(word) * N_REPETITIONS)])
    character = np.repeat(np.arange(len(word)), 12 * N_REPETITIONS)
    onsets = FIRST_FLASH + INTERVAL * np.arange(len(codes)) + (PAUSE - INTERVAL) * character
    target = np.array([code in codes_of(word[i]) for code, i in zip(codes, character, strict=True)])
    n_samples = int(onsets[-1]) + TAIL
    # Noise with 1 / f spectrum (flat below 0.5 Hz) and spatial correlation.
    spectrum = np.fft.rfft(rng.standard_normal((n_samples, len(CHANNELS))), axis=0)
    frequency = np.fft.rfftfreq(n_samples, 1 / SAMPLING_RATE)
    noise = np.fft.irfft(spectrum / np.maximum(frequency, 0.5)[:, None], n_samples, axis=0)
    positions = _positions()
    distance = np.linalg.norm(positions[:, None] - positions, axis=2)
    noise = noise @ np.linalg.cholesky(np.exp(-distance / 0.06) + 1e-9 * np.eye(len(CHANNELS))).T
    signal = NOISE_SIZE * noise / noise.std()
    _add_waves(signal, onsets, FLASH_WAVES, rng)
    _add_waves(signal, onsets[target], TARGET_WAVES, rng)
    states = np.zeros((3, n_samples), dtype=np.int16)
    for sample in range(FLASH):
        states[:, onsets + sample] = np.ones(len(codes)), codes, target
    stored = dict(zip(("Flashing", "StimulusCode", "StimulusType"), states, strict=True))
    return parse_run(session, run, {"signal": np.round(signal).astype(np.int16), **stored})


@functools.cache
def _positions():
    """Positions of the channels on the head, in metres."""
    blank = make_raw(
        np.zeros((int(SAMPLING_RATE), len(CHANNELS))), np.array([0]), [1], [False], (0, 0, "A")
    )
    return np.array(list(blank.get_montage().get_positions()["ch_pos"].values()))


def _add_waves(signal, onsets, waves, rng):
    positions = _positions()
    window = np.arange(int(0.8 * SAMPLING_RATE))
    for centres, latency, width, size in waves:
        # Bump around the centre channels, half as high at some 4 cm.
        where = positions[[CHANNELS.index(c) for c in centres]]
        squared = ((positions[:, None] - where) ** 2).sum(axis=2)
        topography = np.exp(-squared / (2 * 0.035**2)).max(axis=1)
        for onset in onsets:
            delay = latency + 0.015 * rng.standard_normal()
            height = size * (1 + 0.3 * rng.standard_normal())
            wave = np.exp(-0.5 * ((window / SAMPLING_RATE - delay) / width) ** 2)
            inside = window[onset + window < len(signal)]
            signal[onset + inside] += height * wave[inside, None] * topography
