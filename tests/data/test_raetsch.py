"""Raetsch's suite: both layouts of the file, realisations, splits of our own, bad files."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.io import savemat

import data_fetch
from data_fetch.raetsch import PUBLISHED_SVM, load_raetsch, resampled_splits

N_TRAIN, N_TEST = 7, 5


@pytest.fixture
def pool():
    """Twelve patterns with labels; the first four are two pairs of equal ones."""
    rng = np.random.default_rng(0)
    x = rng.integers(100, size=(12, 3)).astype(float)
    x[1], x[3] = x[0], x[2]
    t = rng.choice([-1.0, 1.0], 12)
    t[1], t[3] = t[0], -t[2]
    return x, t


def realisations(n: int):
    rng = np.random.default_rng(1)
    drawn = np.array([rng.permutation(N_TRAIN + N_TEST) for _ in range(n)])
    return drawn[:, :N_TRAIN], drawn[:, N_TRAIN:]


def write(path, x, t, train, test, benchmark="banana"):
    fields = {"x": x, "t": t[:, None], "train": train + 1, "test": test + 1}
    savemat(path, {benchmark: {k: np.asarray(v) for k, v in fields.items()}})
    return {"benchmarks.mat": path}


def write_distinct(path, x, t, train, test):
    """The same content in the layout that holds every distinct pattern once."""
    table, codes = np.unique(np.column_stack([t, x]), axis=0, return_inverse=True)
    return write(path, table[:, 1:], table[:, 0], codes.ravel()[train], codes.ravel()[test])


def test_realisations_hold_the_published_points_in_their_order(tmp_path, pool):
    x, t = pool
    train, test = realisations(3)
    data = load_raetsch("raetsch/banana", write(tmp_path / "b.mat", x, t, train, test))
    assert data.source == "partial"
    assert data.source_note == "first 3 of the 100 published realisations"
    assert set(data.y) == {-1, 1}
    for (ours_train, ours_test), published_train, published_test in zip(
        data.splits, train, test, strict=True
    ):
        np.testing.assert_array_equal(data.X[ours_train], x[published_train])
        np.testing.assert_array_equal(data.y[ours_test], t[published_test])
        assert sorted([*ours_train, *ours_test]) == list(range(12))


def test_both_layouts_become_the_same_data_set(tmp_path, pool):
    train, test = realisations(4)
    full = load_raetsch("raetsch/banana", write(tmp_path / "1.mat", *pool, train, test))
    distinct = write_distinct(tmp_path / "2.mat", *pool, train, test)
    assert load_raetsch("raetsch/banana", distinct).digest() == full.digest()


def test_pool_does_not_depend_on_the_order_in_the_file_but_its_digest_on_realisations(
    tmp_path, pool
):
    x, t = pool
    train, test = realisations(4)
    a = load_raetsch("raetsch/banana", write(tmp_path / "1.mat", x, t, train[:1], test[:1]))
    order = np.random.default_rng(2).permutation(12)
    place = np.argsort(order)
    paths = write(tmp_path / "2.mat", x[order], t[order], place[train], place[test])
    b = load_raetsch("raetsch/banana", paths)
    np.testing.assert_array_equal(a.X, b.X)
    np.testing.assert_array_equal(a.y, b.y)
    np.testing.assert_array_equal(np.hstack(a.splits[0]), np.hstack(b.splits[0]))
    assert a.digest() != b.digest()


def test_pattern_that_the_first_realisation_lacks_joins_the_pool(tmp_path, pool):
    x, t = pool
    train, test = np.array([[0, 2], [1, 5]]), np.array([[4], [0]])
    data = load_raetsch("raetsch/banana", write(tmp_path / "b.mat", x, t, train, test))
    assert len(data.X) == 5
    np.testing.assert_array_equal(data.X[data.splits[1][0]], x[[1, 5]])
    assert not set(data.splits[1][0]) & set(data.splits[1][1])


@pytest.mark.parametrize(("benchmark", "n"), [("banana", 100), ("image", 20)])
def test_all_published_realisations_are_original(tmp_path, pool, benchmark, n):
    paths = write(tmp_path / "b.mat", *pool, *realisations(n), benchmark=benchmark)
    data = load_raetsch(f"raetsch/{benchmark}", paths)
    assert (data.source, len(data.splits)) == ("original", n)
    assert data.source_note == f"all {n} published realisations"


def test_missing_realisations_are_drawn_and_said(tmp_path, pool):
    none = np.empty((0, N_TRAIN), int), np.empty((0, N_TEST), int)
    paths = write(tmp_path / "b.mat", *pool, *none, benchmark="heart")
    data = load_raetsch("raetsch/heart", paths)
    assert data.source == "resampled"
    assert "20 seeded splits of the published sizes 7 + 5" in data.source_note
    assert [(len(a), len(b)) for a, b in data.splits] == [(7, 5)] * 20
    assert len({tuple(a) for a, _ in data.splits}) == 20
    assert load_raetsch("raetsch/heart", paths).digest() == data.digest()


def test_resampled_splits_depend_on_the_seed_and_are_disjoint():
    one = resampled_splits(10, 6, 3, seed="a")
    assert all(not set(a) & set(b) for a, b in one)
    assert any((a != b).any() for (a, _), (b, _) in zip(one, resampled_splits(10, 6, 3, seed="b")))  # noqa: B905


def test_makers_parameters_come_with_the_data(tmp_path, pool):
    paths = write(tmp_path / "b.mat", *pool, *realisations(3), benchmark="german")
    assert load_raetsch("raetsch/german", paths).extra == {"C": 3.162, "width": 55.0}


def test_every_benchmark_has_the_makers_parameters():
    names = {n.removeprefix("raetsch/") for n in data_fetch.names() if n.startswith("raetsch/")}
    assert set(PUBLISHED_SVM) == names


REAL = {
    "banana": (5300, 2, 400),
    "breast_cancer": (277, 9, 200),
    "diabetis": (768, 8, 468),
    "flare_solar": (1066, 9, 666),
    "german": (1000, 20, 700),
    "heart": (270, 13, 170),
    "image": (2310, 18, 1300),
    "ringnorm": (7400, 20, 400),
    "splice": (3175, 60, 1000),
    "thyroid": (215, 5, 140),
    "titanic": (2201, 3, 150),
    "twonorm": (7400, 20, 400),
    "waveform": (5000, 21, 400),
}


@pytest.mark.parametrize(
    "benchmark",
    [pytest.param(name, marks=pytest.mark.needs_data(f"raetsch/{name}")) for name in REAL],
)
def test_real_benchmark(benchmark):
    name = f"raetsch/{benchmark}"
    n, p, n_train = REAL[benchmark]
    data = data_fetch.load(name)
    assert data.X.shape == (n, p)
    assert data.source == data_fetch.info(name).source
    assert len(data.splits) >= 9
    distinct = {(train.tobytes(), test.tobytes()) for train, test in data.splits}
    assert len(distinct) == len(data.splits)
    for train, test in data.splits:
        assert len(train) == n_train
        assert sorted([*train, *test]) == list(range(n))
