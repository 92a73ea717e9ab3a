import math

import pytest

import data_fetch
from reprolib.papers.simplex.summaries import (
    SIZES,
    chance,
    is_fraction,
)
from reprolib.rerun.verdicts.printed import numbers


@pytest.mark.parametrize("n", [7, 1559, 2000, 3498])
def test_every_accuracy_of_one_run_passes(n):
    for k in {0, 1, n // 3, n - 1, n}:
        assert is_fraction(round(100 * k / n, 2), n)


def test_what_is_no_fraction_fails():
    assert not is_fraction(33.34, 3)
    assert is_fraction(33.33, 3)
    assert not is_fraction(95.33, 2000)
    assert is_fraction(95.33, 4435)


def test_an_exact_half_may_be_rounded_either_way():
    assert is_fraction(0.02, 4000)
    assert is_fraction(0.03, 4000)
    assert not is_fraction(0.04, 4000)


def test_fewer_digits_say_less():
    assert is_fraction(33.3, 3, digits=1)
    assert is_fraction(33.0, 3, digits=0)
    assert not is_fraction(33.0, 3, digits=1)


def test_chance_counts_the_fractions():
    assert chance(3) == pytest.approx(3 / 10_000)
    assert chance(2000) == pytest.approx(0.2)
    assert chance(4000) == pytest.approx(0.6)


@pytest.mark.parametrize("name", SIZES)
def test_sizes_are_those_of_the_data(name):
    if not data_fetch.available(name):
        pytest.skip(f"{name} is not at hand")
    train, test = data_fetch.load(name).splits[0]
    assert (len(train), len(test)) == SIZES[name]


def test_how_many_printed_percentages_cannot_be_single_runs():
    """The notebooks say 21 if the paper rounds, and 17 even if it cuts digits off."""
    printed = [(n.value, SIZES[n.select["dataset"]][1]) for n in numbers("simplex") if is_uci(n)]
    assert len(printed) == 40
    no_fraction = [(value, n) for value, n in printed if not is_fraction(value, n)]
    nor_cut = [(value, n) for value, n in no_fraction if not is_cut_off(value, n)]
    assert (len(no_fraction), len(nor_cut)) == (21, 17)


def is_uci(number) -> bool:
    return number.select["dataset"] in SIZES


def is_cut_off(percentage: float, n: int) -> bool:
    """Whether a whole number out of n has these two digits after the point, and others behind."""
    least = math.ceil(percentage * n / 100 - 1e-9)
    return 100 * least / n - percentage < 0.01 - 1e-9
