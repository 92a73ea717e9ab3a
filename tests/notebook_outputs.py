"""What nbval does not compare: pictures, and outputs that its tag leaves out.

`notebooks/conftest.py` calls `check` after every cell that nbval has run, so that nothing is run
twice. Both are compared with tolerance: last digits differ from one processor to the next.
"""

from __future__ import annotations

import base64
import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reprolib.report.notebook import MARK
from reprolib.report.picture import description

PICTURE, TEXT = "image/png", "text/plain"
#: How far apart in thousandths of the axes (ten are a few pixels; contours wander more than marks
#: do) or of the range of colours; and the share of the values that may be farther apart, such as
#: cells along the border of two classes.
TOLERATED = {"points": (10, 0.0), "clouds": (30, 0.0), "grids": (20, 0.03)}
#: Share of a number by which it may differ, where that is more than a unit of its last digit.
NUMBERS = 0.01
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")


class StaleError(AssertionError):
    """An output in the file that is not what its cell shows now."""


def check(cell: Mapping[str, Any], fresh: Sequence[Mapping[str, Any]], ignored: bool) -> None:
    """Compare what a cell shows now with what the file has.

    Parameters
    ----------
    cell : NotebookNode
    fresh : sequence of outputs
        Of the run just made.
    ignored : bool
        Whether nbval left the texts to us.

    Raises
    ------
    StaleError
        It names the picture by its alternative text, and the first differences.
    """
    faults = [*picture_faults(cell["outputs"], fresh)]
    if ignored:
        faults += text_faults(cell["outputs"], fresh)
    if faults:
        faults = [*faults[:5], *(["..."] if len(faults) > 5 else [])]
        remedy = "If the change is meant: python tools/renew_notebooks.py FILE"
        raise StaleError("\n".join([*faults, remedy]))


def picture_faults(stored, fresh) -> Iterator[str]:
    """What differs between the pictures of a file and those drawn now."""
    old, new = _pictures(stored), _pictures(fresh)
    if len(old) != len(new):
        yield f"the file has {len(old)} pictures, the cell draws {len(new)}"
    for before, now in zip(old, new, strict=False):
        if _sliders(before) == _sliders(now):
            alt = now["metadata"].get(PICTURE, {}).get("alt", "")
            for fault in differences(_described(before), _described(now)):
                yield f"picture “{alt[:60]}”: {fault}"


def differences(before: Mapping | None, now: Mapping | None) -> Iterator[str]:
    """What two descriptions of pictures differ in (`reprolib.report.picture.describe`)."""
    if now is None:
        return
    if before is None:
        yield "the file has a picture that does not say what it shows"
        return
    yield from _other_texts(before["texts"], now["texts"])
    if len(before["axes"]) != len(now["axes"]):
        yield f"{len(before['axes'])} axes in the file, {len(now['axes'])} now"
    for place, (old, new) in enumerate(zip(before["axes"], now["axes"], strict=False), start=1):
        yield from (f"axes {place}: {fault}" for fault in _axes_differences(old, new))


def _axes_differences(old: Mapping, new: Mapping) -> Iterator[str]:
    yield from _other_texts(old["texts"], new["texts"])
    if old["colours"] != new["colours"]:
        yield "other colours"
    for ends in (slice(0, 2), slice(2, 4)):
        (a, b), (c, d) = old["limits"][ends], new["limits"][ends]
        if max(abs(a - c), abs(b - d)) > 0.01 * abs(d - c):
            yield f"limits {a:g} to {b:g} in the file, {c:g} to {d:g} now"
    for kind, (tolerance, share) in TOLERATED.items():
        if [len(found) for found in old[kind]] != [len(found) for found in new[kind]]:
            yield f"other numbers of {kind}"
            continue
        for number, pair in enumerate(zip(old[kind], new[kind], strict=True), start=1):
            far = [(a, b) for a, b in zip(*pair, strict=True) if _is_far(a, b, tolerance)]
            if len(far) > share * len(pair[0]):
                yield f"{kind} {number}: {far[0][0]} in the file, {far[0][1]} now"


def _is_far(a, b, tolerance: float) -> bool:
    return a is not b and (a is None or b is None or abs(a - b) > tolerance)


def text_faults(stored, fresh) -> Iterator[str]:
    """What differs between texts, beyond the last digits of their numbers."""
    old, new = (
        [output["data"][TEXT] for output in outputs if TEXT in output.get("data", {})]
        for outputs in (stored, fresh)
    )
    yield from _other_texts(old, new)


def _other_texts(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for before, now in itertools.zip_longest(old, new, fillvalue=""):
        if not same_text(before, now):
            yield f"“{before}” in the file, “{now}” now"


def same_text(before: str, now: str) -> bool:
    """Whether texts are equal but for the width of columns and the last digits of numbers."""
    words = [re.sub(r"\s+", " ", NUMBER.sub("0", text)) for text in (before, now)]
    pairs = zip(NUMBER.findall(before), NUMBER.findall(now), strict=False)
    return words[0] == words[1] and all(_is_same_number(a, b) for a, b in pairs)


def _is_same_number(a: str, b: str) -> bool:
    unit = 10.0 ** -len(a.partition(".")[2]) if "e" not in a else 0.0
    if "." not in a and "." not in b:
        return a == b
    return math.isclose(float(a), float(b), rel_tol=NUMBERS, abs_tol=1.0001 * unit)


def _pictures(outputs) -> list[Mapping[str, Any]]:
    return [output for output in outputs if PICTURE in output.get("data", {})]


def _described(output: Mapping[str, Any]) -> dict[str, Any] | None:
    return description(base64.b64decode(output["data"][PICTURE]))


def _sliders(output: Mapping[str, Any]) -> Any:
    return output["metadata"].get(MARK, {}).get("sliders")
