"""Types of what users give and get, for their type checkers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: Arrays, lists, data frames, sparse matrices: whatever scikit-learn takes. No type that NumPy or
#: SciPy offer has them all.
Data: TypeAlias = Any
#: A cross-validation splitter, a number of folds, or a list of pairs of indices.
Splitter: TypeAlias = Any
Array: TypeAlias = NDArray[Any]
ClassWeight: TypeAlias = Mapping[Any, float] | str | None
RandomState: TypeAlias = int | np.random.RandomState | None
Scoring: TypeAlias = str | Callable[..., Any] | None
