"""Loader of the fMRI series, on files written here."""

from __future__ import annotations

import tracemalloc

import nibabel as nib
import numpy as np
import pytest

from data_fetch import haxby
from data_fetch.catalog import Catalog, Entry
from data_fetch.embedded import haxby as embedded
from data_fetch.errors import AlteredDataError
from data_fetch.haxby import load_haxby, masked_dataset

AFFINE = np.diag([-3.0, 3.5, 3.5, 1.0])
GRID = (5, 6, 4)


def write_session(folder, volumes, mask, labels, *, mask_affine=AFFINE):
    paths = {key: folder / key for key in ("bold.nii.gz", "mask4_vt.nii.gz", "labels.txt")}
    nib.save(nib.Nifti1Image(volumes, AFFINE), paths["bold.nii.gz"])
    nib.save(nib.Nifti1Image(mask.astype(np.int16), mask_affine), paths["mask4_vt.nii.gz"])
    lines = ["labels chunks", *(f"{label} {run}" for label, run in labels)]
    paths["labels.txt"].write_text("\n".join(lines) + "\n")
    return paths


@pytest.fixture
def session(tmp_path):
    rng = np.random.default_rng(0)
    volumes = rng.integers(200, 3000, size=(*GRID, 70)).astype(np.int16)
    mask = np.zeros(GRID, dtype=bool)
    mask[1:4, 2:5, 1:3] = True
    labels = [(["rest", "face", "face", "house", "house"][i % 5], i // 35) for i in range(70)]
    return tmp_path, volumes, mask, labels


def test_masked_task_volumes(session):
    folder, volumes, mask, labels = session
    dataset = load_haxby("haxby/subj1", write_session(folder, volumes, mask, labels))
    task = [i for i, (label, _) in enumerate(labels) if label != "rest"]
    expected = [[volumes[(*voxel, i)] for voxel in np.argwhere(mask)] for i in task]
    np.testing.assert_array_equal(dataset.X, expected)
    np.testing.assert_array_equal(dataset.y, [labels[i][0] for i in task])
    np.testing.assert_array_equal(dataset.groups, [labels[i][1] for i in task])
    np.testing.assert_array_equal(dataset.extra["volume"], task)
    np.testing.assert_array_equal(dataset.extra["onset"], np.tile([0, 1], 28))
    np.testing.assert_allclose(dataset.extra["affine"], AFFINE)
    assert dataset.source == "original"


def test_series_with_nothing_outside_the_mask_is_partial(session):
    folder, volumes, mask, labels = session
    volumes[~mask] = 0
    dataset = load_haxby("haxby/subj1", write_session(folder, volumes, mask, labels))
    assert dataset.source == "partial"
    assert "only task volumes" in dataset.source_note


def test_whole_runs_of_another_archive_are_read_one_after_the_other(session, monkeypatch):
    folder, volumes, mask, labels = session
    paths = write_session(folder, volumes, mask, labels)
    whole = load_haxby("haxby/subj1", paths)
    for run in range(2):
        name = f"sub-1_task-objectviewing_run-{run + 1:02d}_bold.nii.gz"
        paths[name] = folder / name
        part = volumes[..., 35 * run : 35 * (run + 1)]
        nib.save(nib.Nifti1Image(part, AFFINE), paths[name])
    del paths["bold.nii.gz"]

    def known(digest):
        entry = Entry("haxby/subj1", "", "", digest=digest)
        monkeypatch.setattr(haxby, "default_catalog", lambda: Catalog(entries={entry.name: entry}))

    known(whole.digest())
    found = haxby.load_openneuro("haxby/subj1", paths)
    np.testing.assert_array_equal(found.X, whole.X)
    np.testing.assert_array_equal(found.extra["voxels"], volumes[mask].T)
    known("that of other values")
    with pytest.raises(AlteredDataError, match="another grid"):
        haxby.load_openneuro("haxby/subj1", paths)


def test_slice_is_cut_from_the_mask_and_keeps_rest(tmp_path):
    rng = np.random.default_rng(0)
    whole = rng.integers(1, 3000, size=(3, 30, 30, 20)).astype(np.int16)
    mask = rng.random((3, 30, 30)) < 0.3
    labels = [(["rest", "face"][i // 5 % 2], i // 10) for i in range(20)]
    paths = write_session(tmp_path, whole, mask, labels)
    part, inside = whole[haxby.SLICE], mask[haxby.SLICE]
    for run in range(2):
        paths[f"run{run + 1:02d}.nii.gz"] = tmp_path / f"run{run + 1:02d}.nii.gz"
        image = nib.Nifti1Image(part[..., 10 * run : 10 * (run + 1)], AFFINE)
        nib.save(image, paths[f"run{run + 1:02d}.nii.gz"])
    found = haxby.load_slice("haxby/one_slice", paths)
    np.testing.assert_array_equal(found.stored["all volumes"], part[inside].T)
    np.testing.assert_array_equal(found.X, part[inside].T[found.extra["volume"]])
    assert found.source == "partial"
    np.save(tmp_path / "one_slice.npy", part)
    packed = {**paths, "one_slice.npy": tmp_path / "one_slice.npy"}
    assert haxby.load_slice("haxby/one_slice", packed).digest() == found.digest()


def test_series_is_never_held_as_a_whole(tmp_path):
    volumes = np.ones((10, 16, 16, 2048), dtype=np.int16)
    mask = np.zeros((10, 16, 16), dtype=bool)
    mask[:2, :2, :2] = True
    paths = write_session(tmp_path, volumes, mask, [("face", 0)] * 2048)
    tracemalloc.start()
    try:
        load_haxby("haxby/subj1", paths)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < volumes.nbytes / 8


def test_simulated_session_has_the_layout_of_the_real_one():
    dataset = embedded.load_embedded()
    assert dataset.source == "embedded"
    assert dataset.digest() == embedded.load_embedded().digest()
    assert set(dataset.y) == set(embedded.CATEGORIES)
    counts = [np.count_nonzero(dataset.groups == run) for run in range(embedded.N_RUNS)]
    assert counts == [72] * 12
    assert dataset.X.shape == (864, dataset.extra["mask"].sum())


def test_simulated_categories_can_be_told_apart_across_runs():
    dataset = masked_dataset("session", *embedded.simulate_session(seed=1), source="embedded")
    middle = dataset.extra["onset"] >= 2
    X, y, runs = dataset.X[middle], dataset.y[middle], dataset.groups[middle]
    X = X - np.array([X[runs == run].mean(axis=0) for run in runs])
    train = runs < 6
    means = np.array([X[train & (y == c)].mean(axis=0) for c in embedded.CATEGORIES])
    nearest = np.argmin(((X[~train, None] - means) ** 2).sum(axis=2), axis=1)
    accuracy = np.mean(np.array(embedded.CATEGORIES)[nearest] == y[~train])
    assert accuracy > 4 / len(embedded.CATEGORIES)
