"""Preparations of the fMRI volumes are those of a slow loop over runs and voxels."""

from __future__ import annotations

from dataclasses import replace

import nibabel as nib
import numpy as np
import pytest
from sklearn.svm import SVC

from data_fetch.haxby import masked_dataset
from reprolib.papers.mkpm import methods, preparations
from reprolib.papers.mkpm.preparations import CLOCKS, DRIFTS, SCALES, Preparation, family, prepared
from reprolib.rerun.records import Task

LABELS = np.tile(["rest", *4 * ["face"], "rest", *4 * ["shoe"]], 3)
RUNS = np.repeat([0, 1, 2], 10)
GRID = (2, 2, 2)


@pytest.fixture(scope="module")
def scan():
    """Three runs of ten volumes with rest before, between and none after the blocks."""
    rng = np.random.default_rng(0)
    drift = rng.normal(size=(8, 3))[:, RUNS] * np.arange(30) + rng.normal(size=(8, 3))[:, RUNS]
    values = np.rint(1000 + 20 * drift + 5 * rng.normal(size=(8, 30))).astype(np.int16)
    series = nib.Nifti1Image(values.reshape(*GRID, 30), np.eye(4))
    mask = nib.Nifti1Image(np.ones(GRID, dtype=np.int16), np.eye(4))
    return masked_dataset("embedded/haxby", series, mask, LABELS, RUNS, source="embedded")


def naive(scan, p: Preparation):
    """One voxel of one run after the other, lines by numpy.polyfit."""
    values = np.asarray(scan.extra["series"].dataobj).reshape(8, 30).astype(float)
    used = [i for i in range(30) if p.with_rest or LABELS[i] != "rest"]
    order = {i: place for place, i in enumerate(used)}
    made = {i: np.empty(8) for i in used}
    for voxel in range(8):
        for run in range(3):
            own = [i for i in used if RUNS[i] == run]
            at = [i if p.clock == CLOCKS[0] else order[i] for i in own]
            y = values[voxel, own]
            slope, level = np.polyfit(at, y, 1)
            line = {
                DRIFTS[0]: 0.0 * y,
                DRIFTS[1]: slope * np.array(at) + level,
                DRIFTS[2]: slope * np.array(at) + level - values[voxel, used].mean(),
                DRIFTS[3]: slope * (np.array(at) - np.mean(at)),
            }[p.drift]
            y = y - line
            if p.scale == SCALES[1]:
                y = (y - y.mean()) / y.std()
            for i, value in zip(own, y, strict=True):
                made[i][voxel] = value
        if p.scale == SCALES[2]:
            column = np.array([made[i][voxel] for i in used])
            for i in used:
                made[i][voxel] = (made[i][voxel] - column.mean()) / column.std()
    rows, labels = [], []
    for i in used:
        before = i - p.lag
        if before in made and RUNS[before] == RUNS[i] and LABELS[before] != "rest":
            rows.append(made[i])
            labels.append((LABELS[before], RUNS[i]))
    return np.array(rows), labels


@pytest.mark.parametrize("with_rest", [False, True])
def test_every_preparation_is_that_of_the_loop(scan, with_rest):
    members = [p for p in family(with_rest=with_rest) if p.runs == 10]
    for p in members:
        X, y, groups = prepared(scan, p)
        rows, labels = naive(scan, p)
        np.testing.assert_allclose(X, rows, atol=1e-8, err_msg=p.name)
        assert list(zip(y, groups, strict=True)) == labels, p.name


def test_lag_takes_the_volumes_after_a_block_only_where_rest_is_at_hand(scan):
    n = [len(prepared(scan, Preparation(lag=2, with_rest=rest))[1]) for rest in (False, True)]
    # Pictures at 1 to 4 and 6 to 9 are seen two later: at 5, which is rest, and at 10 and 11, which
    # are of the next run.
    assert n == [3 * 5, 3 * 6]


def test_whole_images_bring_the_preparations_with_rest(scan):
    """One command runs all 192 on full images; the copy at hand has zeros where rest would be."""
    assert len([p for runs in (10, 12) for p in preparations.members(scan, runs)]) == 192
    voxels = np.where(LABELS[:, None] == "rest", 0, scan.extra["voxels"])
    partial = replace(scan, extra={**scan.extra, "voxels": voxels})
    assert len([p for runs in (10, 12) for p in preparations.members(partial, runs)]) == 120


def test_family_is_declared_once_and_has_no_two_of_one_kind():
    members = family() + family(with_rest=True)
    assert (len(family()), len(members)) == (120, 192)
    assert len({p.name for p in members}) == len(members)
    assert preparations.RECORDED in members


@pytest.mark.filterwarnings("ignore:MKPMClassifier gives all")
@pytest.mark.parametrize("method", ["mkpm", "svm"])
def test_machine_is_tested_on_the_run_that_is_held_out(scan, method):
    task = Task("mkpm", "preparations", scan.name, method, trial=2, params={"runs": 10})
    found = {m.setting: m for m in methods.BEYOND["preparations"](task, scan)}
    assert set(found) == {p.name for p in preparations.members(scan, 10)}
    name = Preparation(lag=1, drift=DRIFTS[1]).name
    X, y, groups = prepared(scan, Preparation(lag=1, drift=DRIFTS[1]))
    train, test = groups != 2, groups == 2
    assert found[name].n_test == test.sum()
    if method == "svm":
        expected = SVC(kernel="linear", C=100.0).fit(X[train], y[train]).score(X[test], y[test])
        assert found[name].value == expected
