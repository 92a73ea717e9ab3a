"""From the recording of the speller to features."""

from __future__ import annotations

import mne
import numpy as np
import pandas as pd
import pytest
from scipy.signal import cheby1, sosfilt
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from data_fetch.embedded import p300 as simulation
from data_fetch.p300 import CHANNELS, parse_run, speller_dataset
from reprolib.methods.keops.speller import (
    SpellerFeatures,
    band_pass,
    epochs,
    features,
    runs_of,
)


@pytest.fixture(scope="module")
def embedded():
    return simulation.load_embedded()


@pytest.fixture(scope="module")
def run():
    return simulation.simulate_run(10, 1, "A", np.random.default_rng(0))


@pytest.fixture(scope="module")
def dataset(run):
    return speller_dataset("embedded/one", [run], "embedded", "one character")


def test_features_are_the_filtered_signal_at_every_twelfth_sample(run, dataset):
    signal = run.stored["signal"].T.astype(float)
    sos = cheby1(4, 0.5, [0.1, 10.0], "bandpass", fs=240, output="sos")
    filtered = sosfilt(sos, signal - signal.mean(axis=1, keepdims=True), axis=1)
    expected = filtered[:, run.onsets[5] : run.onsets[5] + 157 : 12]
    X = features(dataset, SpellerFeatures(zero_phase=False))
    np.testing.assert_allclose(X[5].reshape(64, 14), expected, atol=2e-3)


def test_windows_filtered_on_their_own(run, dataset):
    window = run.stored["signal"][run.onsets[5] : run.onsets[5] + 157].T
    sos = cheby1(4, 0.5, [0.1, 10.0], "bandpass", fs=240, output="sos")
    expected = sosfilt(sos, window, axis=1)[:, ::12]
    X = features(dataset, SpellerFeatures(per_window=True))
    np.testing.assert_allclose(X[5].reshape(64, 14), expected, atol=2e-3)


def test_zero_phase_filter_has_no_delay(run):
    pulse = np.exp(-0.5 * ((np.arange(len(run.stored["signal"])) - 300) / 12) ** 2)
    signal = np.tile(np.round(8000 * pulse)[:, None], (1, 64)).astype(np.int16)
    raw = parse_run(10, 1, {**run.stored, "signal": signal}).to_raw()
    peak = [
        np.argmax(band_pass(raw, SpellerFeatures(zero_phase=flag)).get_data()[0])
        for flag in (True, False)
    ]
    assert abs(peak[0] - 300) <= 2
    assert peak[1] > 305


def test_embedded_response_has_the_right_latency_and_place(embedded):
    X, y = features(embedded), embedded.y
    difference = (X[y == 1].mean(axis=0) - X[y == -1].mean(axis=0)).reshape(64, 14)
    cz, fp1 = difference[CHANNELS.index("Cz")], difference[CHANNELS.index("Fp1")]
    assert np.argmax(cz) == 6
    assert cz[6] > 3 * np.abs(fp1).max()
    assert np.argmin(difference[CHANNELS.index("PO7")]) == 4


def test_evokeds_are_made_of_the_same_recordings(embedded):
    cut = epochs(runs_of(embedded)[:1], tmin=-0.1, tmax=0.6)
    assert isinstance(cut, mne.BaseEpochs)
    evoked = cut["target == 1"].average()
    assert evoked.nave == 90
    assert evoked.times[0] == pytest.approx(-0.1)


def test_characters_are_numbered_over_all_runs(embedded):
    character = epochs(runs_of(embedded)[:2]).metadata["character"]
    np.testing.assert_array_equal(np.unique(character), np.arange(6))


def test_features_are_computed_once_for_the_same_recording(run, dataset):
    again = speller_dataset("embedded/again", [run], "embedded", "read again")
    assert features(again) is features(dataset)
    assert features(again, SpellerFeatures(order=8)) is not features(dataset)
    changed = {**run.stored, "signal": run.stored["signal"] + np.int16(1)}
    other = speller_dataset("embedded/one", [parse_run(10, 1, changed)], "embedded", "")
    assert features(other) is not features(dataset)
    with pytest.raises(ValueError, match="read-only"):
        features(dataset)[0, 0] = 0.0


def test_frames_beyond_the_recording_are_refused(dataset):
    message = r"of 180 flashes have no whole window from 0 to 2.95 s \(.*\); .*fewer frames"
    with pytest.raises(ValueError, match=message):
        features(dataset, SpellerFeatures(n_frames=60))


def test_events_have_the_code_of_the_flash_and_a_hundred_more_for_a_target(dataset):
    cut = epochs(runs_of(dataset))
    flashes = dataset.extra["flashes"]
    expected = [c + 100 * t for c, t in zip(flashes["code"], flashes["target"], strict=True)]
    assert cut.events[:, 2].tolist() == expected
    assert max(expected) > 100


def test_features_have_three_digits(dataset):
    X = features(dataset)
    np.testing.assert_allclose(1e3 * X, np.round(1e3 * X), atol=1e-6)
    assert np.abs(1e2 * X - np.round(1e2 * X)).max() > 0.1


def test_the_steps_stand_at_the_head_of_a_pipeline(embedded):
    """Recordings in, features out: the same as of the whole data set, cloned or not."""
    pipeline = make_pipeline(SpellerFeatures(n_frames=8), StandardScaler())
    runs = runs_of(embedded)[:1]
    X = clone(pipeline).fit_transform(runs)
    own = features(embedded, SpellerFeatures(n_frames=8))[: len(X)]
    np.testing.assert_allclose(X, StandardScaler().fit_transform(own), atol=1e-6)


# ---- recordings of other devices


def recording(rate=240.0, kinds=("eeg",) * 4, scale=1e-5, seed=0):
    """A run of noise of some 20 s with a flash every 175 ms; "stim" shows which are targets."""
    rng = np.random.default_rng(seed)
    onsets = np.arange(int(rate / 2), int(19 * rate), int(0.175 * rate))
    targets = (np.arange(len(onsets)) % 6 == 0).astype(int)
    data = scale * rng.normal(size=(len(kinds), int(20 * rate)))
    for k in np.flatnonzero(np.array(kinds) == "stim"):
        data[k] = 0.0
        for onset, target in zip(onsets, targets, strict=True):
            data[k, onset : onset + int(rate / 10)] = 1 + target
    names = [f"{kind}{k}" for k, kind in enumerate(kinds)]
    raw = mne.io.RawArray(data, mne.create_info(names, rate, list(kinds)), verbose="ERROR")
    return raw, pd.DataFrame({"sample": onsets, "code": 1, "target": targets})


def test_triggers_eyes_and_bad_channels_are_no_features():
    raw, flashes = recording(kinds=("eeg", "eeg", "eog", "ecg", "misc", "eeg", "stim"))
    raw.info["bads"] = ["eeg1"]
    own = raw.copy().pick(["eeg0", "eeg5"])
    X = SpellerFeatures().transform([(raw, flashes)])
    assert X.shape[1] == 2 * 14
    np.testing.assert_array_equal(X, SpellerFeatures().transform([(own, flashes)]))


def test_without_a_good_data_channel_there_is_a_message():
    raw, flashes = recording(kinds=("eeg", "eog", "stim"))
    raw.info["bads"] = ["eeg0"]
    with pytest.raises(ValueError, match=r"no good data channel.*\['eeg', 'eog', 'stim'\]"):
        SpellerFeatures().transform([(raw, flashes)])


@pytest.mark.parametrize(
    ("rate", "off"), [(200.0, None), (1000.0, None), (128.0, "3.1"), (512.0, "0.78")]
)
def test_frames_are_50_ms_apart_at_every_rate(rate, off):
    """A wave of 4 Hz, seen at 0, 50, ..., 650 ms; where no sample is there, a warning says so."""
    raw, _ = recording(rate, ("eeg",))
    onsets = np.arange(4 * int(rate), 16 * int(rate), int(rate))
    times = np.arange(raw.n_times) / rate
    wave = mne.io.RawArray(np.sin(8 * np.pi * times)[None], raw.info, verbose="ERROR")
    run = (wave, pd.DataFrame({"sample": onsets, "code": 1, "target": 0}))
    if off is None:
        X = SpellerFeatures().transform([run])
    else:
        with pytest.warns(UserWarning, match=f"at {rate:g} Hz no sample .* at most {off} ms"):
            X = SpellerFeatures().transform([run])
    expected = np.sin(8 * np.pi * 0.05 * np.arange(14))
    assert all(np.corrcoef(row, expected)[0, 1] > 0.99 for row in X)


@pytest.mark.parametrize("kind", ["mag", "ecog", "hbo"])
def test_as_many_digits_are_kept_in_every_unit(kind):
    """Tesla, and volts and moles far below a millionth."""
    expected = SpellerFeatures().transform([recording()])
    X = SpellerFeatures().transform([recording(kinds=(kind,) * 4, scale=1e-12)])
    np.testing.assert_allclose(1e7 * X, expected, rtol=0, atol=2e-5 * expected.std())


def test_every_kind_of_channel_has_digits_of_its_own():
    raw, flashes = recording(kinds=("eeg", "mag"))
    raw.apply_function(lambda x: 1e-7 * x, picks="mag", verbose="ERROR")
    X = SpellerFeatures().transform([(raw, flashes)]).reshape(-1, 2, 14)
    assert 1e-8 < X[:, 1].std() < 1e-6
    assert len(np.unique(X[:, 1])) > 700  # no value stands for many, as with rounding to 1e-9


def test_runs_with_other_channels_are_refused():
    first, second = recording(), recording(seed=1)
    second[0].info["bads"] = ["eeg2"]
    with pytest.raises(ValueError, match=r"Run 1 has other good data channels .*\['eeg2'\]"):
        SpellerFeatures().transform([first, second])


def test_flashes_in_bad_parts_are_not_dropped_without_a_word():
    raw, flashes = recording()
    raw.set_annotations(mne.Annotations([5.0], [1.0], ["BAD_blink"]))
    with pytest.raises(ValueError, match=r"of 106 flashes have no whole window .*BAD_blink"):
        SpellerFeatures().transform([(raw, flashes)])


def test_onsets_are_counted_as_mne_counts_them():
    """Also after `crop`, which does not begin at sample 0 again."""
    raw, flashes = recording()
    steps, late = SpellerFeatures(per_window=True), flashes.iloc[60:]
    whole = steps.transform([(raw, late)])
    np.testing.assert_array_equal(steps.transform([(raw.copy().crop(5.0), late)]), whole)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("sample", 1.25, "Row 3 .* of run 1 has 1.25 under 'sample'.*raw.first_samp"),
        ("sample", "480", "Row 3 .* of run 1 has '480' under 'sample'"),
        ("sample", None, "Row 3 .* under 'sample'"),
        ("sample", 120, "Row 3 .* has 120 under 'sample'; give every flash once"),
        ("target", -1, "Row 3 .* has -1 under 'target'; give 1 for a flash of the target"),
        ("target", np.nan, "Row 3 .* has nan under 'target'"),
        ("target", "yes", "Row 3 .* has 'yes' under 'target'"),
        ("code", 101, "Row 3 .* has 101 under 'code'; give .* from 0 to 99"),
        ("code", "A", "Row 3 .* has 'A' under 'code'"),
    ],
)
def test_what_is_no_flash_is_named_with_its_row(column, value, message):
    (raw, flashes), other = recording(), recording()[1].astype(object)
    other.loc[3, column] = value
    with pytest.raises(ValueError, match=message):
        SpellerFeatures().transform([(raw, flashes), (raw, other)])


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.drop(columns="target"),
        lambda table: table.rename(columns={"sample": "onset"}),
        lambda table: table.iloc[:0],
        lambda table: table[["sample", "sample", "code", "target"]],
    ],
)
def test_a_table_without_flashes_or_a_column_is_named(change):
    raw, flashes = recording()
    with pytest.raises(ValueError, match=r"flashes of run 0 have .* with sample, code, target"):
        SpellerFeatures().fit([(raw, change(flashes))])


def test_flashes_may_be_of_any_type_that_holds_the_numbers():
    raw, flashes = recording()
    expected = SpellerFeatures().transform([(raw, flashes)])
    for other in (float, object, "Int64", "category", {"target": bool}):
        found = SpellerFeatures().transform([(raw, flashes.astype(other))])
        np.testing.assert_array_equal(found, expected)


def test_times_are_no_sample_numbers():
    raw, flashes = recording()
    flashes["sample"] = pd.date_range("2020", periods=len(flashes), freq="175ms")
    with pytest.raises(ValueError, match="Row 0 .* under 'sample'; give sample numbers"):
        SpellerFeatures().transform([(raw, flashes)])


@pytest.mark.parametrize("steps", [SpellerFeatures(), SpellerFeatures(per_window=True)])
def test_a_hole_in_the_signal_is_named(steps):
    raw, flashes = recording()
    raw._data[2, 2000:2010] = np.nan
    with pytest.raises(ValueError, match=r"Run 0 has NaN or infinity in \['eeg2'\]"):
        steps.transform([(raw, flashes)])


def test_no_run_and_steps_out_of_range_are_named():
    with pytest.raises(ValueError, match="X has no run"):
        SpellerFeatures().transform([])
    with pytest.raises(ValueError, match="'n_frames' parameter"):
        SpellerFeatures(n_frames=0).transform([recording()])
    with pytest.raises(ValueError, match="low is 10.0 and high 5.0"):
        SpellerFeatures(low=10.0, high=5.0).transform([recording()])
