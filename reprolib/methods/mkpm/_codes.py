"""The output code of a classifier, from its name or from a matrix."""

from __future__ import annotations

import numpy as np

from reprolib.methods.shared.codes import one_vs_all_code, random_code, simplex_code
from reprolib.methods.shared.validation import as_numbers

CODES = ("one-vs-all", "simplex", "random")


def make_code(code, n_classes: int, random_state=None):
    """Code matrix (L, n_classes) by a name of `CODES`, or as it is given.

    Raises
    ------
    ValueError
        If `check_code` refuses the matrix.
    """
    if not isinstance(code, str):
        return check_code(code, n_classes)
    if code == "one-vs-all":
        return one_vs_all_code(n_classes)
    if code == "simplex":
        return simplex_code(n_classes)
    length = int(np.ceil(10 * np.log2(n_classes)))
    return random_code(n_classes, length, random_state=random_state)


def check_code(code, n_classes: int):
    """Check a code matrix: finite, a column per class, no two classes alike, no constant row.

    Raises
    ------
    ValueError
        If it is not so.
    """
    code = as_numbers(code, "code")
    if code.ndim != 2 or code.shape[1] != n_classes:
        raise ValueError(
            f"code has shape {code.shape}, but y holds {n_classes} classes; it needs one column "
            "per class. A class may be missing from this part of the data."
        )
    if not np.all(np.isfinite(code)):
        raise ValueError("code has entries that are not finite.")
    if len(np.unique(code, axis=1).T) < n_classes:
        raise ValueError("code gives two classes the same column, so they cannot be told apart.")
    constant = np.flatnonzero(np.all(code == code[:, :1], axis=1))
    if len(constant):
        raise ValueError(
            f"code is constant in row {constant[0]}: that bit tells no class from another; "
            "remove the row."
        )
    return code
