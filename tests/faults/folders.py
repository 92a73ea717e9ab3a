"""Folders with a fault of their own: file systems in memory, which only root can mount."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def _mount(*arguments: str) -> None:
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"cannot mount a file system in memory here: {done.stderr.strip()}")


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Folder on a disk of its own that holds so much."""
    folder.mkdir()
    _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        # Lazily: it would fail while any other process, such as a `find /tmp`, looks into it.
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """A folder on a small disk, read-only as long as the context lasts."""
    _mount("-o", "remount,ro", str(folder))
    try:
        yield folder
    finally:
        _mount("-o", "remount,rw", str(folder))
