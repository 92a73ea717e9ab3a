"""Two answers beside each other: alike, not converged, or different."""

from __future__ import annotations

import numpy as np
import pytest

from reprolib.report.agree import agree


def words(capsys) -> list[str]:
    """Last column of what is printed."""
    return [line.split("%")[-1].strip() for line in capsys.readouterr().out.splitlines()[1:]]


@pytest.mark.parametrize(
    ("by_hand", "package", "gap", "word"),
    [
        (12.5, 12.5, 0.0, "equal"),
        (0.0, 0.0, 0.0, "equal"),
        (3e-9, -1e-9, 0.0, "equal"),  # zero against zero, up to rounding
        (461.477, 461.481, 0.0, "equal"),
        ([0.707, 0.293], [0.705, 0.295], 1e-5, "not converged"),
        (7.842, 7.791, 0.02, "not converged"),
        (np.zeros((2, 3)), np.zeros((2, 3)), 0.0, "equal"),
        (np.empty(0), np.empty(0), 0.0, "equal"),
    ],
)
def test_what_solvers_may_differ_by_is_no_error(by_hand, package, gap, word, capsys):
    agree(by_hand, package, gap)
    assert words(capsys) == [word]


@pytest.mark.parametrize(("by_hand", "package"), [(1.0, 1.2), ([0.7, 0.3], [0.5, 0.5])])
def test_what_differs_by_more_fails_with_both_values(by_hand, package, capsys):
    with pytest.raises(ValueError, match=r"The two answers differ \((1|0.3) by hand, (1.2|0.5) in"):
        agree(by_hand, package, gap=1e-5)
    assert words(capsys) == ["different"]


def test_several_answers_are_compared_by_name_each_with_its_own_gap(capsys):
    agree({"loss": 7.842, "D": 3}, {"loss": 7.791, "D": 3}, gap={"loss": 0.02})
    assert words(capsys) == ["not converged", "equal"]


def test_last_bits_do_not_show(capsys):
    """A notebook is compared with what another processor printed."""
    agree([0.5, 0.5, 0.0], [0.5 - 1e-12, 0.5 + 1e-12, -1e-13])
    first = capsys.readouterr().out
    agree([0.5 + 1e-11, 0.5, 1e-13], [0.5, 0.5 - 1e-12, 0.0])
    assert capsys.readouterr().out == first


@pytest.mark.parametrize(
    ("by_hand", "package", "message"),
    [
        ({"a": 1}, {"b": 1}, "by_hand has \\['a'\\], package has \\['b'\\]"),
        ([1, 2], [1], "shapes \\(2,\\) and \\(1,\\)"),
        (np.nan, 1.0, "not finite: nan by hand"),
    ],
)
def test_what_cannot_be_compared_is_said(by_hand, package, message):
    with pytest.raises(ValueError, match=message):
        agree(by_hand, package)
