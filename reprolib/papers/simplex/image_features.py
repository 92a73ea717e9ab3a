"""HMAX features of a set of images, computed once and kept as a file.

The file lies in ``features`` of the data folder (``REPROLIB_DATA``). Its name is a fingerprint of
the code of HMAX, its parameters and the images, so that a change of any is another file. It is made
in blocks, each a file of its own until all are there: what was interrupted goes on where it was.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from data_fetch import Dataset
from data_fetch.fetcher import cache_directory
from reprolib.methods.simplex.hmax import HMAX
from reprolib.rerun.records.fingerprint import fingerprint_of, module_fingerprint

#: The class of images that show no object of the other classes.
BACKGROUND = "BACKGROUND_Google"
#: Images of a block: about ten seconds of work.
BLOCK = 256
#: How features are kept: eleven bits, so that an answer near 1 is kept to 0.0005.
KEPT = np.dtype("<f2")


def hmax_features(
    dataset: Dataset,
    settings: Mapping[str, Any],
    patches_of: str = BACKGROUND,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> np.ndarray:
    """C2 of all images of a data set, read from the file that has it or computed into it.

    Parameters
    ----------
    dataset : Dataset
        With ``extra["images"]``.
    settings : mapping of str to object
        Parameters of `HMAX`; its seed is 0 if they have none.
    patches_of : str
        Class whose images the patches are drawn from; all images are, if there is none such.
    n_jobs : int, default=None
        Images at a time.
    verbose : int, default=0
        10 says how many images are done.

    Returns
    -------
    ndarray of shape (images, patches), of float16
        In the order of the data set.
    """
    hmax = HMAX(**{"random_state": 0, **settings}, n_jobs=n_jobs, verbose=verbose)
    code = module_fingerprint(HMAX.__module__)
    told = repr((code, sorted(settings.items()), patches_of, dataset.digest()))
    short = dataset.name.replace("/", "-")
    name = f"hmax-{short}-{fingerprint_of(told)}.npy"
    path = cache_directory() / "features" / name
    if path.is_file():
        return np.load(path, mmap_mode="r")
    try:
        _make(path, hmax, dataset, patches_of)
    except FileNotFoundError:
        if not path.is_file():  # else another process has made it, and removed the blocks
            raise
    return np.load(path, mmap_mode="r")


def _make(path: Path, hmax: HMAX, dataset: Dataset, patches_of: str) -> None:
    """Compute the features in blocks, shared with processes that want the same, and join them.

    Each process takes the blocks in an order of its own, so that two seldom compute the same one.
    """
    images = dataset.extra["images"]
    sources = np.flatnonzero(dataset.y == patches_of)
    blocks = path.with_suffix("")
    blocks.mkdir(parents=True, exist_ok=True)
    starts = range(0, len(images), BLOCK)
    for first in np.random.default_rng(os.getpid()).permutation(starts):
        block = blocks / f"{first}.npy"
        if not block.is_file():
            if not hasattr(hmax, "places_"):
                hmax.fit(images[sources] if len(sources) else images)
            features = hmax.transform(images[first : first + BLOCK]).astype(KEPT)
            with _written_whole(block) as file:
                np.save(file, features)
    with _written_whole(path) as file:  # block by block: all of them need not fit into memory
        about = {"descr": KEPT.str, "fortran_order": False, "shape": (len(images), hmax.n_patches)}
        np.lib.format.write_array_header_1_0(file, about)
        for first in starts:
            file.write(np.load(blocks / f"{first}.npy").tobytes())
    shutil.rmtree(blocks, ignore_errors=True)


@contextmanager
def _written_whole(path: Path) -> Iterator[BinaryIO]:
    """File that is there whole or not at all."""
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    with open(unfinished, "wb") as file:
        yield file
    os.replace(unfinished, path)
