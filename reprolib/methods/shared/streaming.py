"""Training data larger than memory: rows of a raw binary file, in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np


def open_rows(path, n_columns: int, dtype=np.float64) -> np.memmap:
    """Memory-map a raw binary file of rows, read-only, shape (n, n_columns).

    Raises
    ------
    ValueError
        If the file is empty, or ends in the middle of a row.
    """
    path, dtype = Path(path), np.dtype(dtype)
    size, row = path.stat().st_size, n_columns * dtype.itemsize
    if size == 0:
        raise ValueError(f"{path} is empty; it must hold rows of {n_columns} {dtype} values.")
    if size % row:
        raise ValueError(
            f"{path} ends in the middle of row {size // row}: {size} bytes are not a multiple of "
            f"{row} ({n_columns} {dtype} values a row). Write the file anew, or give its true "
            "n_columns and dtype."
        )
    return np.memmap(path, dtype=dtype, mode="r", shape=(size // row, n_columns))


def iterate_blocks(n_rows: int, block_rows: int, *, random_state=None) -> Iterator[slice]:
    """Slices that cover ``n_rows`` rows once, in random order of blocks.

    Raises
    ------
    ValueError
        If ``block_rows`` is below 1.

    See Also
    --------
    open_rows : Rows of a file larger than memory.

    Examples
    --------
    >>> from reprolib.methods.shared.streaming import iterate_blocks
    >>> sorted((block.start, block.stop) for block in iterate_blocks(5, 2, random_state=0))
    [(0, 2), (2, 4), (4, 5)]
    """
    if block_rows < 1:
        raise ValueError(f"block_rows is {block_rows}; it must be at least 1.")
    starts = np.arange(0, n_rows, block_rows)
    for start in np.random.default_rng(random_state).permutation(starts):
        yield slice(int(start), int(min(start + block_rows, n_rows)))
