"""BCI Competition 2003, data set IIb: a P300 speller recorded with BCI2000, read through mne.

A run is one MATLAB file: 64 channels at 240 Hz and the state of the speller at every sample. The
subject spells a word; for every character the rows and columns of a 6 x 6 matrix flash in random
order, 15 times 12 flashes. The set has 19 runs (sessions 010 and 011, labelled, 42 characters, and
the competition's test session 012, whose labels follow from its known words). Any subset of the
runs is accepted, and the data set says which it holds: six short ones ("p300/iib"), the eleven
labelled ones that the paper uses ("p300/iib_11"), or all ("p300/iib_19"; once these are at hand,
"p300/iib" is that, too).

A row of ``X`` is the raw window of one flash, in integers of the A/D converter. Filters belong to
those who use the recording: filtered values differ in their last bits from one processor to the
next.

Source: Blankertz et al. 2004, IEEE Transactions on Biomedical Engineering 51:1044-1051.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import mne
import numpy as np
import pandas as pd
from numpy.lib.stride_tricks import sliding_window_view
from scipy.io import loadmat

from data_fetch.dataset import Dataset, Source

SAMPLING_RATE = 240.0
#: Samples of a window, from the onset of the flash on: 667 ms.
WINDOW = 160
N_RUNS = 19
MATRIX = "ABCDEFGHIJKLMNOPQRSTUVWXYZ123456789_"
#: Words of the competition's test session, published after it (session, run).
_SPELLED_IN_12 = ("FOOD", "MOOT", "HAM", "PIE", "CAKE", "TUNA", "ZYGOT", "4567")
TEST_WORDS = {(12, run): word for run, word in enumerate(_SPELLED_IN_12, start=1)}
#: Words as the EEG says, where a test contradicts a character (session, run): the word of the
#: file, and the one that was spelled. `reprolib.papers.keops.wrong_labels` is the test.
AUDITED_WORDS = {(11, 2): ("HAT", "GAT")}
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
class SpellerRun:
    """One run of the speller.

    Parameters
    ----------
    session, run : int
        Numbers in the name of the file.
    word : str
        What was spelled.
    stored : mapping of str to ndarray of int16
        Variables of the file: "signal" of shape (samples, 64), in units of the A/D converter;
        "Flashing", "StimulusCode" and, where the labels are known, "StimulusType" of shape
        (samples,).
    onsets, codes, targets, places : ndarray of shape (flashes,)
        First sample of every flash, its code (1-6 the columns of the matrix, 7-12 its rows),
        whether it belongs to the character that is being spelled, and the place of that in the
        word.
    """

    session: int
    run: int
    word: str
    stored: Mapping[str, np.ndarray]
    onsets: np.ndarray
    codes: np.ndarray
    targets: np.ndarray
    places: np.ndarray

    def to_raw(self) -> mne.io.RawArray:
        """Continuous recording; see `make_raw`."""
        description = (self.session, self.run, self.word)
        return make_raw(self.stored["signal"], self.onsets, self.codes, self.targets, description)


def load_p300(name: str, paths: dict[str, Path]) -> Dataset:
    """Read the runs among ``paths`` (keys like "AAS010R01.mat"): one row for each flash.

    Returns
    -------
    Dataset
        See `speller_dataset`. Source "original" with all 19 runs, else "partial".

    Raises
    ------
    ValueError
        If there is no run, or one lacks its labels.
    """
    runs = sorted(key for key in paths if _RUN_FILE.search(key))
    if not runs:
        raise ValueError(
            f"{name}: no run among the files {sorted(paths)}; runs are called "
            "AAS<session>R<run>.mat"
        )
    at_hand = ", ".join(key.removesuffix(".mat") for key in runs)
    note = f"{len(runs)} of {N_RUNS} runs: {at_hand}"
    source: Source = "original" if len(runs) == N_RUNS else "partial"
    return speller_dataset(name, [read_run(Path(paths[key])) for key in runs], source, note)


def read_run(path: Path) -> SpellerRun:
    """Read one run.

    Raises
    ------
    ValueError
        If the file is no run, or its labels are not known.
    """
    match = _RUN_FILE.search(path.name)
    if match is None:
        raise ValueError(f"{path.name} is not called AAS<session>R<run>.mat, as runs are")
    try:
        content = loadmat(path, variable_names=[*_VARIABLES, "StimulusType"])
        stored = {}
        for variable in [v for v in content if v[0] != "_"]:
            # The same numbers as int16, whatever type the container gave them.
            with np.errstate(invalid="ignore"):
                integers = content[variable].astype(np.int16)
            if not np.array_equal(integers, content[variable]):
                raise ValueError(f"{variable} holds other values than 16-bit integers")
            stored[variable] = integers
        states = {v: values.ravel() for v, values in stored.items() if v != "signal"}
        return parse_run(int(match[1]), int(match[2]), {"signal": stored["signal"], **states})
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def parse_run(
    session: int, run: int, stored: Mapping[str, np.ndarray], word: str | None = None
) -> SpellerRun:
    """Find the flashes of a run, and which of them are targets.

    Parameters
    ----------
    session, run : int
        Numbers in the name of the file.
    stored : mapping of str to ndarray
        See `SpellerRun`. Without "StimulusType" the labels follow from the known word.
    word : str, optional
        What was spelled, whatever the file says.

    Raises
    ------
    ValueError
        If the labels are not known, or the word does not have as many characters as the run.
    """
    flashing = np.concatenate([[0], stored["Flashing"]])
    onsets = np.flatnonzero(np.diff(flashing) == 1)
    codes = stored["StimulusCode"][onsets].astype(int)
    if not len(codes) or not np.isin(codes, range(1, 13)).all():
        raise ValueError("holds no flashes, or flashes of other codes than 1 to 12")
    gaps = np.diff(onsets)
    # A character begins after a pause.
    places = np.concatenate([[0], np.cumsum(gaps > 2 * np.median(gaps))])[: len(onsets)]
    if word is None and "StimulusType" in stored:
        targets = stored["StimulusType"][onsets] == 1
        spelled = (codes[(places == place) & targets] for place in range(places.max() + 1))
        word = "".join(map(_spelled, spelled))
    else:
        word = word or TEST_WORDS.get((session, run))
        if word is None:
            raise ValueError("has no StimulusType, and the word of the run is not known")
        if len(word) != places.max() + 1:
            raise ValueError(f"has {places.max() + 1} characters, its word {word!r} {len(word)}")
        wanted = np.array([codes_of(character) for character in word])
        targets = (codes[:, None] == wanted[places]).any(axis=1)
    return SpellerRun(session, run, word, stored, onsets, codes, targets, places)


def _spelled(target_codes) -> str:
    if len(target_codes) == 0:
        raise ValueError("holds a character without a target flash")
    column, row = min(target_codes), max(target_codes)
    if not column <= 6 < row:
        raise ValueError(
            f"holds a character with the targets {column} and {row}: no column and row"
        )
    return letter_of(column, row)


def letter_of(column: int, row: int) -> str:
    """Character at the codes of a column (1-6) and a row (7-12); see `codes_of`."""
    return MATRIX[6 * (row - 7) + column - 1]


def codes_of(character: str) -> tuple[int, int]:
    """Codes of the column (1-6) and the row (7-12) of a character."""
    row, column = divmod(MATRIX.index(character), 6)
    return column + 1, row + 7


def make_raw(signal, onsets, codes, target, description: tuple[int, int, str]) -> mne.io.RawArray:
    """Continuous recording with the 10-05 montage and one annotation for each flash.

    Annotations are "target/<code>" or "nontarget/<code>", ``raw.info["description"]`` is
    "<session>/<run>/<word>".

    Parameters
    ----------
    signal : ndarray of shape (samples, 64)
        In units of the A/D converter; mne calls them microvolts.
    onsets, codes, target : ndarray of shape (flashes,)
        First sample of every flash, its code, and whether it is a target.
    description : tuple
        Session, run and spelled word.
    """
    info = mne.create_info(list(CHANNELS), SAMPLING_RATE, "eeg")
    info["description"] = "/".join(map(str, description))
    known = mne.channels.get_builtin_montages()
    montage = "colin27_1005" if "colin27_1005" in known else "standard_1005"
    raw = mne.io.RawArray(signal.T.astype(np.float64) * 1e-6, info, verbose="ERROR")
    raw.set_montage(montage, match_case=False)
    labels = [f"{'target' if t else 'nontarget'}/{c}" for t, c in zip(target, codes, strict=True)]
    raw.set_annotations(mne.Annotations(onsets / SAMPLING_RATE, 0.1, labels))
    return raw


def speller_dataset(name: str, runs: Sequence[SpellerRun], source: Source, note: str) -> Dataset:
    """Raw windows of all flashes that are followed by a whole one.

    Returns
    -------
    Dataset
        ``X`` of shape (flashes, 64 * 160), int16: 667 ms at 240 Hz after the flash, channel by
        channel, as recorded (unfiltered, each channel with its offset; 66 MB for six runs). Take
        ``X.astype(np.float32)`` before differences, which could leave the range of int16. ``y`` is
        1 for target flashes, else -1; ``groups`` is 100 * session + run; ``extra`` has ``raws``
        (mne), ``runs`` (`SpellerRun`), ``channels`` and ``flashes``: for every row ``sample`` (of
        the onset), ``session``, ``run``, ``character`` (number, from 0 on), ``letter``, ``code``,
        ``target`` (0 or 1), ``repetition`` (1-15). ``stored`` has the variables of every run: the
        digest covers them.
    """
    tables, windows, stored = [], [], {"channels": np.array(CHANNELS)}
    for run in runs:
        table = pd.DataFrame(
            {
                "sample": run.onsets,
                "session": run.session,
                "run": run.run,
                "character": run.places,
                "letter": [run.word[place] for place in run.places],
                "code": run.codes,
                "target": run.targets.astype(int),
            }
        )
        signal = run.stored["signal"]
        tables.append(table[table["sample"] + WINDOW <= len(signal)])
        windows.append(sliding_window_view(signal, WINDOW, axis=0)[tables[-1]["sample"]])
        file = f"AAS{run.session:03d}R{run.run:02d}"
        stored |= {f"{file}/{variable}": values for variable, values in run.stored.items()}
    flashes = pd.concat(tables, ignore_index=True)
    flashes["character"] = flashes.groupby(["session", "run", "character"], sort=False).ngroup()
    flashes["repetition"] = flashes.groupby(["character", "code"]).cumcount() + 1
    raws = [run.to_raw() for run in runs]
    milliseconds = 1000 * np.arange(WINDOW) / SAMPLING_RATE
    return Dataset(
        name,
        np.concatenate(windows).reshape(len(flashes), -1),
        np.where(flashes["target"] == 1, 1, -1),
        source,
        note,
        groups=(100 * flashes["session"] + flashes["run"]).to_numpy(),
        feature_names=[f"{channel} {t:.0f} ms" for channel in CHANNELS for t in milliseconds],
        image_shape=(len(CHANNELS), WINDOW),
        extra={"raws": raws, "flashes": flashes, "channels": CHANNELS, "runs": list(runs)},
        stored=stored,
    )


def with_audited_labels(dataset: Dataset) -> Dataset:
    """Return a recording with the characters that the EEG says, where they are not those labelled.

    Parameters
    ----------
    dataset : Dataset
        Of `speller_dataset`; a simulated one is returned as it is.

    Returns
    -------
    Dataset
        Other ``y`` and letters, and a note that says which; ``stored`` is what was read.
    """
    changed = _corrected(dataset)
    if not changed:
        return dataset
    runs = [
        parse_run(run.session, run.run, run.stored, changed.get((run.session, run.run), run.word))
        for run in dataset.extra["runs"]
    ]
    corrections = [f"{s:03d}/{r:02d} spells {word}" for (s, r), word in changed.items()]
    note = f"{dataset.source_note}; labels audited: {', '.join(corrections)}"
    audited = speller_dataset(dataset.name, runs, dataset.source, note)
    return replace(audited, notes=dataset.notes)


def audited_letters(dataset: Dataset) -> np.ndarray:
    """Character of every flash, as the EEG says where it contradicts the label."""
    flashes = dataset.extra["flashes"]
    letters = np.array(flashes["letter"])
    for (session, run), word in _corrected(dataset).items():
        of_run = ((flashes["session"] == session) & (flashes["run"] == run)).to_numpy()
        characters = flashes["character"].to_numpy()[of_run]
        letters[of_run] = [word[i] for i in characters - characters.min()]
    return letters


def contradicted_flashes(dataset: Dataset) -> np.ndarray:
    """Flashes of the characters whose label the EEG contradicts, as a mask of the rows."""
    return audited_letters(dataset) != dataset.extra["flashes"]["letter"].to_numpy()


def _corrected(dataset: Dataset) -> dict[tuple[int, int], str]:
    """Words as the EEG says of the runs that have another label; none of a simulated recording."""
    if dataset.source == "embedded":
        return {}
    words = {(run.session, run.run): run.word for run in dataset.extra["runs"]}
    return {k: right for k, (wrong, right) in AUDITED_WORDS.items() if words.get(k) == wrong}
