import mne
import numpy as np
import pytest
from scipy.io import savemat
from scipy.signal import cheby1, sosfilt

import data_fetch
from data_fetch.embedded import p300 as simulation
from data_fetch.p300 import (
    CHANNELS,
    Preprocessing,
    codes_of,
    epochs,
    load_p300,
    read_run,
    with_preprocessing,
)


def run_content(word="HI", repetitions=2, seed=0, labels=True):
    """Variables of a small BCI2000 run: flashes of 24 samples every 42, a pause between letters."""
    rng = np.random.default_rng(seed)
    codes = np.concatenate([rng.permutation(12) + 1 for _ in range(len(word) * repetitions)])
    letter = np.repeat(np.arange(len(word)), 12 * repetitions)
    onsets = 200 + 42 * np.arange(len(codes)) + 500 * letter
    n = onsets[-1] + 300
    state = {
        name: np.zeros((n, 1), np.uint8) for name in ("Flashing", "StimulusCode", "StimulusType")
    }
    for onset, code, i in zip(onsets, codes, letter, strict=True):
        flash = slice(onset, onset + 24)
        state["Flashing"][flash] = 1
        state["StimulusCode"][flash] = code
        state["StimulusType"][flash] = code in codes_of(word[i])
    if not labels:
        del state["StimulusType"]
    state["signal"] = (300 * rng.standard_normal((n, 64))).astype(np.int16)
    return state


def write(folder, name="AAS010R01.mat", **changes):
    content = run_content()
    content.update({k: v for k, v in changes.items() if v is not None})
    for key in [k for k, v in changes.items() if v is None]:
        del content[key]
    savemat(folder / name, content)
    return folder / name


@pytest.fixture(scope="module")
def embedded():
    return simulation.load_embedded()


def test_codes_of_the_matrix():
    assert codes_of("A") == (1, 7)
    assert codes_of("C") == (3, 7)
    assert codes_of("T") == (2, 10)
    assert codes_of("_") == (6, 12)


def test_a_run_becomes_a_recording_with_montage_and_annotated_flashes(tmp_path):
    raw = read_run(write(tmp_path))
    assert raw.ch_names == list(CHANNELS)
    assert raw.info["sfreq"] == 240
    assert raw.info["description"] == "10/1/HI"
    assert len(raw.annotations) == 48
    assert sum(d.startswith("target/") for d in raw.annotations.description) == 8
    positions = raw.get_montage().get_positions()["ch_pos"]
    assert positions["Fpz"][1] > positions["Cz"][1] > positions["Oz"][1]
    assert positions["T7"][0] < 0 < positions["T8"][0]


def test_any_subset_of_runs_of_any_length(tmp_path):
    long = run_content("LONGER", seed=1)
    paths = {
        "AAS010R01.mat": write(tmp_path),
        "AAS011R02.mat": write(tmp_path, "AAS011R02.mat", **long),
    }
    dataset = load_p300("p300/iib", paths)
    assert dataset.source == "partial"
    assert dataset.source_note == "2 of 19 runs: AAS010R01, AAS011R02"
    assert dataset.X.shape == (8 * 24, 896)
    assert set(dataset.groups) == {1001, 1102}
    flashes = dataset.extra["flashes"]
    assert flashes.groupby("character")["letter"].first().str.cat() == "HILONGER"
    assert flashes["repetition"].max() == 2
    np.testing.assert_array_equal(dataset.y == 1, flashes["target"] == 1)
    assert dataset.feature_names[14 * 10 + 6] == "Cz 300 ms"


def test_features_are_the_filtered_signal_at_every_twelfth_sample(tmp_path):
    raw = read_run(write(tmp_path))
    steps = Preprocessing(zero_phase=False)
    dataset = with_preprocessing(load_p300("x", {"AAS010R01.mat": write(tmp_path)}), steps)
    signal = 1e6 * raw.get_data()
    sos = cheby1(4, 0.5, [0.1, 10.0], "bandpass", fs=240, output="sos")
    filtered = sosfilt(sos, signal - signal.mean(axis=1, keepdims=True), axis=1)
    onset = round(raw.annotations.onset[5] * 240)
    expected = filtered[:, onset : onset + 157 : 12]
    np.testing.assert_allclose(dataset.X[5].reshape(64, 14), expected, atol=2e-3)


def test_windows_filtered_on_their_own(tmp_path):
    raw = read_run(write(tmp_path))
    steps = Preprocessing(per_window=True)
    dataset = with_preprocessing(load_p300("x", {"AAS010R01.mat": write(tmp_path)}), steps)
    onset = round(raw.annotations.onset[5] * 240)
    window = 1e6 * raw.get_data()[:, onset : onset + 157]
    sos = cheby1(4, 0.5, [0.1, 10.0], "bandpass", fs=240, output="sos")
    expected = sosfilt(sos, window, axis=1)[:, ::12]
    np.testing.assert_allclose(dataset.X[5].reshape(64, 14), expected, atol=2e-3)


def test_zero_phase_filter_has_no_delay(tmp_path):
    content = run_content()
    pulse = np.exp(-0.5 * ((np.arange(len(content["signal"])) - 300) / 12) ** 2)
    content["signal"] = np.tile(np.round(8000 * pulse)[:, None], (1, 64)).astype(np.int16)
    raw = read_run(write(tmp_path, **content))
    from data_fetch.p300 import band_pass

    peak = [
        np.argmax(band_pass(raw, Preprocessing(zero_phase=flag)).get_data()[0])
        for flag in (True, False)
    ]
    assert abs(peak[0] - 300) <= 2
    assert peak[1] > 305


def test_labels_of_the_test_session_follow_from_its_words(tmp_path):
    content = run_content("HAM", labels=False)
    content["StimulusType"] = None
    raw = read_run(write(tmp_path, "AAS012R03.mat", **content))
    assert raw.info["description"] == "12/3/HAM"
    assert sum(d.startswith("target/") for d in raw.annotations.description) == 3 * 4


def test_unlabelled_run_whose_word_is_not_known(tmp_path):
    path = write(tmp_path, "AAS010R07.mat", StimulusType=None)
    with pytest.raises(ValueError, match="no StimulusType, and the word of the run is not known"):
        read_run(path)


def test_test_run_with_another_number_of_characters(tmp_path):
    path = write(tmp_path, "AAS012R03.mat", StimulusType=None)
    with pytest.raises(ValueError, match="has 2 characters, its word 'HAM' 3"):
        read_run(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Flashing": None}, r"lacks the variables \['Flashing'\]"),
        ({"signal": np.zeros((50, 3))}, r"signal has shape \(50, 3\), not \(samples, 64\)"),
        ({"StimulusCode": np.zeros((9, 1))}, r"\['StimulusCode'\] are not as long as signal"),
    ],
)
def test_damaged_runs(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        read_run(write(tmp_path, **change))


def test_truncated_file(tmp_path):
    path = write(tmp_path)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ValueError, match="cannot be read .*delete it and fetch it again"):
        read_run(path)


def test_wrong_names_and_no_runs(tmp_path):
    with pytest.raises(ValueError, match="is not called AAS<session>R<run>.mat"):
        read_run(write(tmp_path, "run1.mat"))
    with pytest.raises(ValueError, match=r"no run among the files \['eloc.txt'\]"):
        load_p300("p300/iib", {"eloc.txt": tmp_path})


def test_flat_and_clipped_channels_are_named(tmp_path):
    signal = run_content()["signal"].copy()
    signal[:, CHANNELS.index("Pz")] = 7
    signal[::2, CHANNELS.index("Cz")] = np.iinfo(np.int16).max
    with pytest.warns(UserWarning, match="channels") as caught:
        read_run(write(tmp_path, signal=signal))
    messages = [str(w.message) for w in caught]
    assert any("flat channels ['Pz']" in m for m in messages)
    assert any("clipped channels ['Cz']" in m for m in messages)


def test_electrode_file_in_another_order(tmp_path):
    eloc = tmp_path / "eloc64.txt"
    eloc.write_text("\n".join(f"1 0 0 {c}." for c in reversed(CHANNELS)))
    with pytest.raises(ValueError, match="does not list the 64 channels in the known order"):
        load_p300("p300/iib", {"AAS010R01.mat": write(tmp_path), "eloc64.txt": eloc})


def test_embedded_session_has_the_shape_of_the_real_one(embedded):
    assert embedded.source == "embedded"
    assert embedded.X.shape == (3240, 896)
    assert np.mean(embedded.y == 1) == pytest.approx(1 / 6)
    again = simulation._simulate_run(*simulation.RUNS[0], np.random.default_rng(300))
    np.testing.assert_array_equal(again.get_data(), embedded.extra["raws"][0].get_data())
    gaps = np.diff(np.round(embedded.extra["raws"][0].annotations.onset * 240))
    assert set(gaps) == {42.0, 1254.0}


def test_embedded_response_has_the_right_latency_and_place(embedded):
    difference = embedded.X[embedded.y == 1].mean(axis=0) - embedded.X[embedded.y == -1].mean(
        axis=0
    )
    difference = difference.reshape(64, 14)
    cz, oz = difference[CHANNELS.index("Cz")], difference[CHANNELS.index("Fp1")]
    assert np.argmax(cz) == 6
    assert cz[6] > 3 * np.abs(oz).max()
    assert np.argmin(difference[CHANNELS.index("PO7")]) == 4


def test_evokeds_come_from_the_same_recordings(embedded):
    cut = epochs(embedded.extra["raws"][:1], tmin=-0.1, tmax=0.6, decimation=1)
    assert isinstance(cut, mne.BaseEpochs)
    evoked = cut["target == 1"].average()
    assert evoked.nave == 90
    assert evoked.times[0] == pytest.approx(-0.1)


@pytest.mark.needs_data("p300/iib")
def test_montage_agrees_with_the_electrode_file():
    path = next(p for p in data_fetch.fetch("p300/iib") if p.name == "eloc64.txt")
    rows = [line.split() for line in path.read_text().splitlines() if line.strip()]
    angle = np.deg2rad([float(row[1]) for row in rows])
    radius = np.array([float(row[2]) for row in rows])
    listed = np.column_stack([radius * np.sin(angle), radius * np.cos(angle)])
    raw = data_fetch.load("p300/iib").extra["raws"][0]
    x, y, z = np.array(list(raw.get_montage().get_positions()["ch_pos"].values())).T
    polar = np.arctan2(np.hypot(x, y), z - z.min() / 2) / np.pi
    ours = np.column_stack([polar * x, polar * y]) / np.hypot(x, y).clip(1e-9)[:, None]
    for axis in (0, 1):
        assert np.corrcoef(ours[:, axis], listed[:, axis])[0, 1] > 0.98


@pytest.mark.needs_data("p300/iib")
def test_real_recording():
    dataset = data_fetch.load("p300/iib")
    assert dataset.source in ("partial", "original")
    flashes = dataset.extra["flashes"]
    letters = flashes.groupby("character")["letter"].first().str.cat()
    assert letters.startswith("CATDOG")
    assert (flashes.groupby("character").size() == 180).all()
    assert np.mean(dataset.y == 1) == pytest.approx(1 / 6)
