import pytest

from reprolib.methods.shared.weights import power_of_two


@pytest.mark.parametrize(
    ("size", "expected"),
    [(1.0, 1.0), (1.99, 1.0), (2.0, 2.0), (0.3, 0.25), (5e-324, 5e-324), (1.7e308, 2.0**1023)],
)
def test_largest_power_of_two_up_to_a_number(size, expected):
    assert power_of_two(size) == expected


def test_zero_has_the_unit_one():
    assert power_of_two(0.0) == 1.0
