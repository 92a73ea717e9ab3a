"""Unix .Z files, against a naive compressor and, where there is one, gzip."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import zipfile

import numpy as np
import pytest

from data_fetch import sources
from data_fetch.catalog import Member, Version
from data_fetch.errors import SourceError
from data_fetch.unix_compress import decompress
from tests.naive.unix_compress import compress


def some_text(n_letters: int, n_kinds: int) -> bytes:
    rng = np.random.default_rng(n_letters + n_kinds)
    return rng.integers(n_kinds, size=n_letters).astype(np.uint8).tobytes()


CASES = [
    (b"a", 16, 0),
    (b"aaaaaaaaaaaaaaaaaaaaaaaa", 16, 0),
    (some_text(3000, 256), 16, 0),
    (some_text(20_000, 3), 16, 0),
    (some_text(20_000, 200), 12, 0),
    (some_text(5000, 100), 10, 0),
    (some_text(20_000, 60), 14, 1001),
    (some_text(3000, 200), 16, 8),
]


@pytest.mark.parametrize(("text", "max_bits", "clear_every"), CASES)
def test_round_trip(text, max_bits, clear_every):
    assert decompress(compress(text, max_bits, clear_every)) == text


@pytest.mark.skipif(shutil.which("gzip") is None, reason="gzip is not installed")
@pytest.mark.parametrize(("text", "max_bits", "clear_every"), CASES)
def test_gzip_reads_the_same(text, max_bits, clear_every):
    run = subprocess.run(
        ["gzip", "-dc"], input=compress(text, max_bits, clear_every), capture_output=True
    )
    assert run.stdout == text, run.stderr


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a Unix-compressed"),
        (b"<html>", "not a Unix-compressed"),
        (b"\x1f\x9d\x8c", None),
        (b"\x1f\x9d\x83abc", "codes of 3 bits"),
        (b"\x1f\x9d\x90" + b"\xff" * 6, "a code that was never defined"),
    ],
)
def test_broken_files(data, message):
    if message is None:
        assert decompress(data) == b""
        return
    with pytest.raises(SourceError, match=message):
        decompress(data)


def test_text_that_grows_beyond_the_limit():
    data = compress(bytes(100_000))
    assert decompress(data, 100_000) == bytes(100_000)
    with pytest.raises(SourceError, match="expands to more than 99999 bytes"):
        decompress(data, 99_999)


def test_gzip_copy_of_a_member_is_the_same_every_time(tmp_path):
    text = some_text(3000, 5)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.Z", compress(text))
    version = Version("a.gz", "container", unpack="compress")
    copies = [tmp_path / "1.gz", tmp_path / "2.gz"]
    for copy in copies:
        sources.unpack(tmp_path / "a.zip", version, Member("a.zip", "a.Z"), copy)
    assert copies[0].read_bytes() == copies[1].read_bytes()
    assert gzip.decompress(copies[0].read_bytes()) == text
