"""A disk that loses power, or fails, at the n-th of the calls that change it.

What was written and never flushed (fsync) is torn after a power cut, whatever name it has by then:
a file system may write a new name to the disk before the bytes behind it.
"""

from __future__ import annotations

import builtins
import errno
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from unittest import mock

CALLS = ("mkdir", "replace", "rename", "unlink", "fsync")


class PowerCut(BaseException):
    """The machine is off: nothing that runs afterwards changes the disk."""


class Disk:
    """Calls that change the disk below a folder, until one of them fails or power is cut.

    Parameters
    ----------
    folder : Path
    at : int
        Number of the call, from 1 on, that does not happen; 0 for none.
    how : {"fails", "power"}
    """

    def __init__(self, folder: Path, at: int = 0, how: str = "power"):
        self.folder, self.at, self.how = folder, at, how
        self.n_calls = 0
        self.is_off = False
        self._unflushed: set[tuple[int, int]] = set()

    def step(self) -> None:
        """Count one call, and fail if it is the one."""
        if self.is_off:
            raise PowerCut
        self.n_calls += 1
        if self.n_calls == self.at:
            if self.how == "power":
                self.is_off = True
                raise PowerCut
            raise OSError(errno.EIO, "Input/output error")

    def wrote(self, file) -> None:
        status = os.fstat(file if isinstance(file, int) else file.fileno())
        self._unflushed.add((status.st_dev, status.st_ino))

    def flushed(self, descriptor: int) -> None:
        status = os.fstat(descriptor)
        self._unflushed.discard((status.st_dev, status.st_ino))

    def tear(self) -> None:
        """Cut what was never flushed, as after a power cut."""
        for path in self.folder.rglob("*"):
            status = path.lstat()
            if path.is_file() and (status.st_dev, status.st_ino) in self._unflushed:
                path.write_bytes(path.read_bytes()[: status.st_size // 2])


class _File:
    """A file whose writes are steps; a write that fails leaves its first half."""

    def __init__(self, file, disk: Disk):
        self._file, self._disk = file, disk
        disk.wrote(file)

    def write(self, content):
        try:
            self._disk.step()
        except BaseException:
            with suppress(OSError):
                self._file.write(content[: len(content) // 2])
            raise
        return self._file.write(content)

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()


@contextmanager
def failing(disk: Disk) -> Iterator[Disk]:
    """Let every change of the disk in this block be a step of it."""
    really: dict[str, Callable] = {name: getattr(os, name) for name in CALLS}
    opened, from_descriptor = builtins.open, os.fdopen

    def call(name):
        def step(*args, **options):
            disk.step()
            done = really[name](*args, **options)
            if name == "fsync":
                disk.flushed(args[0])
            return done

        return step

    def writes(make):
        def wrapped(file, mode="r", *args, **options):
            if not set(mode) & set("wxa+"):
                return make(file, mode, *args, **options)
            disk.step()
            return _File(make(file, mode, *args, **options), disk)

        return wrapped

    with ExitStack() as stack:
        for name in CALLS:
            stack.enter_context(mock.patch.object(os, name, call(name)))
        stack.enter_context(mock.patch.object(builtins, "open", writes(opened)))
        stack.enter_context(mock.patch.object(os, "fdopen", writes(from_descriptor)))
        try:
            yield disk
        finally:
            if disk.is_off:
                stack.close()
                disk.tear()


def interruptions(
    make: Callable[[Path], None], folder: Callable[[str], Path]
) -> Iterator[tuple[Path, str]]:
    """Do something once for each of its calls, each time with another one that does not happen.

    At last all of them happen, and power is cut then.

    Yields
    ------
    folder : Path
        Where it was interrupted.
    how : {"fails", "power"}
    """
    whole = Disk(folder("whole"))
    with failing(whole):
        make(whole.folder)
    assert whole.n_calls > 0
    for at in range(1, whole.n_calls + 1):
        for how in ("fails", "power"):
            disk = Disk(folder(f"{how}-{at}"), at, how)
            with suppress(PowerCut, OSError), failing(disk):
                make(disk.folder)
            yield disk.folder, how
    after = Disk(folder("after"))
    with failing(after):
        make(after.folder)
    after.tear()
    yield after.folder, "power"
