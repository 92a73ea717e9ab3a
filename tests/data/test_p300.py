import hashlib
from dataclasses import replace

import numpy as np
import pytest
from scipy.io import savemat

import data_fetch
from data_fetch.catalog import default_catalog
from data_fetch.embedded import p300 as simulation
from data_fetch.fetcher import Fetcher
from data_fetch.p300 import (
    CHANNELS,
    TEST_WORDS,
    WINDOW,
    codes_of,
    load_p300,
    read_run,
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


def git_blob(path):
    content = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


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
    raw = read_run(write(tmp_path)).to_raw()
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
    assert dataset.X.shape == (8 * 24, 64 * WINDOW)
    assert set(dataset.groups) == {1001, 1102}
    flashes = dataset.extra["flashes"]
    assert flashes.groupby("character")["letter"].first().str.cat() == "HILONGER"
    assert flashes["repetition"].max() == 2
    np.testing.assert_array_equal(dataset.y == 1, flashes["target"] == 1)
    assert dataset.feature_names[WINDOW * 10 + 72] == "Cz 300 ms"


def test_rows_are_the_raw_windows_after_the_flashes(tmp_path):
    content = run_content()
    dataset = load_p300("x", {"AAS010R01.mat": write(tmp_path)})
    assert dataset.X.dtype == np.int16
    onset = dataset.extra["flashes"]["sample"][5]
    expected = content["signal"][onset : onset + WINDOW].T
    np.testing.assert_array_equal(dataset.X[5].reshape(dataset.image_shape), expected)


def test_last_flashes_without_a_whole_window_are_left_out(tmp_path):
    content = {k: v[: len(v) - 150] for k, v in run_content().items()}
    dataset = load_p300("x", {"AAS010R01.mat": write(tmp_path, **content)})
    assert len(dataset.X) == len(dataset.y) == len(dataset.extra["flashes"]) == 47


def digest(folder, **changes):
    return load_p300("x", {"AAS010R01.mat": write(folder, **changes)}).digest()


def test_digest_covers_the_whole_recording_as_stored(tmp_path):
    content = run_content()
    before = digest(tmp_path)
    for variable in ("signal", "Flashing", "StimulusCode", "StimulusType"):
        changed = content[variable].copy()
        changed[223, 0] ^= 1
        assert digest(tmp_path, **{variable: changed}) != before
    assert digest(tmp_path, signal=content["signal"].astype(float)) == before


def test_signal_that_is_no_recording(tmp_path):
    signal = run_content()["signal"] + 0.5
    with pytest.raises(ValueError, match="signal holds other values than 16-bit integers"):
        read_run(write(tmp_path, signal=signal))


def test_labels_of_the_test_session_follow_from_its_words(tmp_path):
    content = run_content("HAM", labels=False)
    content["StimulusType"] = None
    raw = read_run(write(tmp_path, "AAS012R03.mat", **content)).to_raw()
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


def test_wrong_names_and_no_runs(tmp_path):
    with pytest.raises(ValueError, match="is not called AAS<session>R<run>.mat"):
        read_run(write(tmp_path, "run1.mat"))
    with pytest.raises(ValueError, match=r"no run among the files \['eloc.txt'\]"):
        load_p300("p300/iib", {"eloc.txt": tmp_path})


def test_embedded_session_has_the_shape_of_the_real_one(embedded):
    assert embedded.source == "embedded"
    info = data_fetch.info("embedded/p300")
    assert embedded.X.shape == (info.n_samples, info.n_features) == (3240, 64 * WINDOW)
    assert np.mean(embedded.y == 1) == pytest.approx(1 / 6)
    again = simulation.simulate_run(*simulation.RUNS[0], np.random.default_rng(300))
    np.testing.assert_array_equal(again.stored["signal"], embedded.stored["AAS010R01/signal"])
    assert again.word == "CAT"
    assert set(np.diff(again.onsets)) == {42, 1254}


@pytest.mark.needs_data("p300/iib")
def test_montage_agrees_with_the_electrode_file():
    fetcher = Fetcher()
    electrodes = replace(fetcher.catalog.entry("p300/iib"), files=("p300_iib/eloc64.txt",))
    if fetcher.state(electrodes) == "needs download":
        pytest.skip("the electrode file is not at hand")
    (path,) = (fetcher.cache / version.path for version in fetcher.get(electrodes))
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


#: Runs of every session, and the characters of each in the synthetic set.
SESSIONS = {10: 5, 11: 6, 12: 8}
NAMES = [f"AAS{s:03d}R{r:02d}.mat" for s, n in SESSIONS.items() for r in range(1, n + 1)]


@pytest.fixture(scope="module")
def nineteen(tmp_path_factory):
    """All runs in the upstream form, the test session without labels: folder and catalog of it."""
    folder = tmp_path_factory.mktemp("p300")
    (folder / "p300_iib").mkdir()
    files = dict(default_catalog().files)
    for seed, name in enumerate(NAMES):
        session, run = int(name[3:6]), int(name[7:9])
        word = TEST_WORDS.get((session, run), "HI")
        path = folder / "p300_iib" / name
        savemat(path, run_content(word, 1, seed, labels=session < 12))
        file = files[f"p300_iib/{name}"]
        (version,) = file.versions
        version = replace(version, bytes=0, sha256=None, git_blob=git_blob(path))
        files[file.name] = replace(file, versions=(version,))
    return folder, replace(default_catalog(), files=files)


def test_complete_set_takes_the_place_of_the_six_runs_where_it_is_at_hand(nineteen):
    folder, catalog = nineteen
    fetcher = Fetcher(catalog, folder, None)
    dataset = data_fetch.load("p300/iib", fetcher)
    assert (dataset.name, dataset.source) == ("p300/iib", "original")
    assert dataset.source_note.startswith("19 of 19 runs: AAS010R01, AAS010R02, AAS010R03")
    assert set(dataset.groups) == {
        100 * s + r for s, n in SESSIONS.items() for r in range(1, n + 1)
    }
    n_characters = 2 * 11 + sum(map(len, TEST_WORDS.values()))
    assert dataset.extra["flashes"]["character"].nunique() == n_characters
    assert len(dataset.X) == 12 * n_characters
    np.testing.assert_array_equal(dataset.X, data_fetch.load("p300/iib_19", fetcher).X)
    info = data_fetch.info("p300/iib", fetcher)
    assert (info.name, info.source, info.state) == ("p300/iib", "original", "cached")


def test_sets_with_six_and_eleven_runs(nineteen, tmp_path):
    folder, catalog = nineteen
    labelled = [name for name in NAMES if not name.startswith("AAS012")]
    for name in labelled:
        (tmp_path / "p300_iib").mkdir(exist_ok=True)
        (tmp_path / "p300_iib" / name).write_bytes((folder / "p300_iib" / name).read_bytes())
    fetcher = Fetcher(catalog, tmp_path, None)
    eleven = data_fetch.load("p300/iib_11", fetcher)
    assert eleven.source == data_fetch.info("p300/iib_11", fetcher).source == "partial"
    assert len(set(eleven.groups)) == 11
    assert len(fetcher.entry("p300/iib").files) == 6
    assert not data_fetch.available("p300/iib", fetcher)
    assert data_fetch.info("p300/iib", fetcher).source == "partial"


@pytest.mark.needs_data("p300/iib")
def test_git_blobs_of_the_runs_at_hand():
    for path in data_fetch.fetch("p300/iib"):
        (version,) = default_catalog().files[f"p300_iib/{path.name}"].versions
        assert git_blob(path) == version.git_blob


@pytest.mark.needs_data("p300/iib")
def test_real_recording():
    dataset = data_fetch.load("p300/iib")
    assert dataset.source in ("partial", "original")
    info = data_fetch.info("p300/iib")
    assert dataset.X.shape == (info.n_samples, info.n_features)
    flashes = dataset.extra["flashes"]
    letters = flashes.groupby("character")["letter"].first().str.cat()
    assert letters.startswith("CATDOG")
    assert (flashes.groupby("character").size() == 180).all()
    assert np.mean(dataset.y == 1) == pytest.approx(1 / 6)
