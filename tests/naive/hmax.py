"""HMAX by definition, unit by unit, from the papers' words; nothing is shared with the package.

The cubic sizes of the image are the one thing that is given: `tests/methods/simplex/test_hmax.py`
compares them with Pillow's.
"""

from __future__ import annotations

from fractions import Fraction
from math import cos, exp, floor, pi, sin, sqrt


def gabor(k, n_orientations, side, wavelength, width):
    """Filter of one orientation as a list of rows: mean 0, length 1, zero outside of a circle."""
    theta, middle = k * pi / n_orientations, (side - 1) / 2
    rows = []
    for i in range(side):
        rows.append([])
        for j in range(side):
            u = (j - middle) * cos(theta) - (i - middle) * sin(theta)
            v = (j - middle) * sin(theta) + (i - middle) * cos(theta)
            inside = sqrt(u * u + v * v) <= side / 2
            bell = exp(-(u * u + 0.3 * 0.3 * v * v) / (2 * width * width))
            rows[-1].append(bell * cos(2 * pi * u / wavelength) if inside else 0.0)
    values = [value for row in rows for value in row]
    mean = sum(values) / len(values)
    length = sqrt(sum((value - mean) ** 2 for value in values))
    return [[(value - mean) / length for value in row] for row in rows]


def s1_unit(image, filter_, y, x):
    """|<filter, pixels>| / |pixels| of the square that begins at (y, x)."""
    product = square = 0.0
    for i, row in enumerate(filter_):
        for j, weight in enumerate(row):
            product += weight * image[y + i][x + j]
            square += image[y + i][x + j] ** 2
    return abs(product) / max(sqrt(square), 1e-3)


def inhibited(answers, h):
    """Zero what is nearer to the weakest orientation than h of the way to the strongest."""
    least, most = min(answers), max(answers)
    return [a if h == 0 or a >= least + h * (most - least) - 1e-6 else 0.0 for a in answers]


def s1_map(image, filters, h):
    """Answers of all orientations at every place, as rows of lists."""
    side = len(filters[0])
    return [
        [
            inhibited([s1_unit(image, f, y, x) for f in filters], h)
            for x in range(len(image[0]) - side + 1)
        ]
        for y in range(len(image) - side + 1)
    ]


def largest(s1, y, x, width):
    """Largest answer of every orientation in a square of units that begins at (y, x)."""
    units = [s1[i][j] for i in range(y, y + width) for j in range(x, x + width)]
    return [max(answers) for answers in zip(*units, strict=True)]


def place_beside(start, n, m):
    """Where 8 units of an image with m begin, whose centre is that of 10 units of one with n."""
    # In pixels: unit u of S1 has its centre at u + 5.5 pixels; there are 10 pixels more than units.
    centre = Fraction(start + 5 + 5) / (n + 10) * (m + 10)
    return min(max(floor(centre - 5 - 4 + Fraction(1, 2)), 0), m - 8)


def c1_mutch_lowe(own, smaller, h):
    """C1 of one scale: 10 x 10 units and, at the next size, 8 x 8; every fifth place."""
    rows = []
    for y in range(0, len(own) - 9, 5):
        rows.append([])
        for x in range(0, len(own[0]) - 9, 5):
            answers = largest(own, y, x, 10)
            if min(len(smaller), len(smaller[0])) >= 8:
                below = place_beside(y, len(own), len(smaller))
                right = place_beside(x, len(own[0]), len(smaller[0]))
                both = zip(answers, largest(smaller, below, right, 8), strict=True)
                answers = [max(pair) for pair in both]
            rows[-1].append(inhibited(answers, h))
    return rows


def c1_serre(small, large, pool, h):
    """C1 of one band: pool x pool units of two filters, the larger two pixels larger."""
    rows = []
    for y in range(0, len(large) - pool + 1, pool // 2):
        rows.append([])
        for x in range(0, (len(large[0]) if large else 0) - pool + 1, pool // 2):
            pair = largest(small, y + 1, x + 1, pool), largest(large, y, x, pool)
            rows[-1].append(inhibited([max(p) for p in zip(*pair, strict=True)], h))
    return rows


def strongest(answers):
    """First orientation that is the strongest up to 1e-4."""
    return next(k for k, a in enumerate(answers) if a >= max(answers) - 1e-4)


def s2_unit(c1, patch, y, x, least_side, sparse):
    """How well a patch fits at one place of C1."""
    distance = 0.0
    for i, row in enumerate(patch):
        for j, wanted in enumerate(row):
            for k, value in enumerate(wanted):
                if not sparse or k == strongest(wanted):
                    distance += (c1[y + i][x + j][k] - value) ** 2
    return exp(-distance / (2 * (len(patch) / least_side) ** 2))


def c2(bands, patch, least_side, sparse, is_near):
    """Largest S2 over all scales and places that are near: `is_near(scale, y, x)`."""
    best = 0.0
    for scale, c1 in enumerate(bands):
        for y in range(len(c1) - len(patch) + 1):
            for x in range(len(c1[0]) - len(patch) + 1):
                if is_near(scale, y, x):
                    best = max(best, s2_unit(c1, patch, y, x, least_side, sparse))
    return best
