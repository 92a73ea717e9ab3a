"""MATLAB files of unknown origin, read without trust in their headers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scipy.io import loadmat, whosmat

#: Most bytes that a variable may take in memory, and most times that the file may grow.
MAX_BYTES = 2_000_000_000
MAX_EXPANSION = 1040
_BYTES_PER_ELEMENT = 8


def read_mat(path: Path, names: Sequence[str]) -> dict[str, Any]:
    """Read variables of a MATLAB file, once its header tells of no more than it can hold.

    Raises
    ------
    ValueError
        If the file is damaged, or a variable would take too much memory.
    """
    size = Path(path).stat().st_size
    for name, shape, _ in whosmat(path):
        claimed = _BYTES_PER_ELEMENT * math.prod(max(int(length), 1) for length in shape)
        if name in names and claimed > min(MAX_BYTES, MAX_EXPANSION * _BYTES_PER_ELEMENT * size):
            raise ValueError(
                f"{path} is damaged: {name} has the shape {shape}, which is more than a file of "
                f"{size} bytes can hold; delete it and fetch it again"
            )
    return loadmat(path, variable_names=list(names))
