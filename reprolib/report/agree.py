"""Two answers to one problem beside each other: one by hand, one of the package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

#: Part of a value by which two exact solvers may differ, and what counts as zero.
TOLERANCE = 1e-4
ZERO = 1e-5
EQUAL, NOT_CONVERGED, DIFFERENT = "equal", "not converged", "different"


def agree(by_hand: Any, package: Any, gap: float | Mapping[str, float] = 0.0) -> None:
    """Print two answers to one problem, and their difference; fail only if they differ.

    Parameters
    ----------
    by_hand, package : float, array_like, or mapping of names to them
        The answers. Of an array the entry that differs most is printed.
    gap : float or mapping of names to float, default=0.0
        How far the two may be from their optimum, as a part of it (of one, if it is less than
        one): the gap that a solver reports. A number is the value of an objective, which may differ
        by the gap. An array is where the optimum lies, which may differ by its root, as an
        objective is flat near its optimum. What differs by no more is not converged, and no error.

    Raises
    ------
    ValueError
        If the answers differ by more, have other shapes or names, or are no finite numbers.

    Examples
    --------
    >>> from reprolib.report.agree import agree
    >>> agree({"loss": 12.5, "weights": [0.707, 0.293]}, {"loss": 12.5, "weights": [0.705, 0.295]},
    ...       gap=1e-5)
            by hand package differ   in %  answer
    loss    12.5000 12.5000 0.0000 0.00 %  equal
    weights  0.7070  0.7050 0.0020 0.28 %  not converged
    """
    pairs = _pairs(by_hand, package)
    lines = [("", "by hand", "package", "differ", "in %", " answer")]
    different = []
    for name, (a, b) in pairs.items():
        open_still = gap.get(name, 0.0) if isinstance(gap, Mapping) else gap
        word, x, y = _compared(a, b, float(open_still))
        # Less than half a unit of the last digit shown is the noise of a processor.
        difference = abs(x - y) if abs(x - y) > ZERO else 0.0
        relative = difference / max(abs(x), abs(y)) if difference else 0.0
        numbers = (_shown(x), _shown(y), _shown(difference), f"{100 * relative:.2f} %")
        lines.append((name, *numbers, f" {word}"))
        if word == DIFFERENT:
            different.append(f"{name}: {x:.6g} by hand, {y:.6g} in the package".lstrip(": "))
    # So narrow that a phone breaks no line.
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for name, *shown, word in lines:
        told = (text.rjust(width) for text, width in zip(shown, widths[1:-1], strict=True))
        print(" ".join([name.ljust(widths[0]), *told, word]))
    if different:
        raise ValueError(
            f"The two answers differ ({'; '.join(different)}). Do both solve the same problem, "
            "with the same parameters?"
        )


def _pairs(by_hand: Any, package: Any) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    if not isinstance(by_hand, Mapping) or not isinstance(package, Mapping):
        by_hand, package = {"": by_hand}, {"": package}
    if by_hand.keys() != package.keys():
        raise ValueError(f"by_hand has {[*by_hand]}, package has {[*package]}; name both alike.")
    pairs = {
        str(name): (np.asarray(a, dtype=float), np.asarray(package[name], dtype=float))
        for name, a in by_hand.items()
    }
    for name, (a, b) in pairs.items():
        told = f"of {name!r} " if name else ""
        if a.shape != b.shape:
            raise ValueError(f"The answers {told}have the shapes {a.shape} and {b.shape}.")
        if not (np.isfinite(a).all() and np.isfinite(b).all()):
            raise ValueError(f"An answer {told}is not finite: {a} by hand, {b} in the package.")
    return pairs


def _compared(a: np.ndarray, b: np.ndarray, gap: float) -> tuple[str, float, float]:
    """Word for two answers, and the two entries that differ most."""
    scale = float(max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0)))
    allowed = TOLERANCE * scale + ZERO
    open_still = max(scale, 1.0) * (np.sqrt(gap) if a.ndim else gap)
    k = int(np.abs(a - b).argmax()) if a.size else 0
    # Where all are equal, the entry shown must not hang on the last bits.
    if a.size and np.abs(a - b).max() <= ZERO:
        k = int(np.argmax(np.abs(b) >= scale - ZERO))
    x, y = (float(side.ravel()[k]) if side.size else 0.0 for side in (a, b))
    if abs(x - y) <= allowed:
        return EQUAL, x, y
    return (NOT_CONVERGED if abs(x - y) <= allowed + open_still else DIFFERENT), x, y


def _shown(value: float) -> str:
    return f"{value:.4f}".replace("-0.0000", "0.0000")
