import numpy as np

from reprolib.methods.shared.codes import simplex_code
from reprolib.papers.simplex import example


def test_pictures_of_the_method():
    assert len(example.codes().axes) == 2
    *panels, key = example.level_sets().axes
    assert [axis.get_title() for axis in panels] == list(example.LOSS_NAMES.values())
    assert "light is small" in key.get_xlabel()


def test_losses_are_those_of_the_formulas_wherever_f_is_dragged():
    picture = example.three_losses()
    x, y = -0.4, 0.8
    f, words = np.array([x, y]), simplex_code(3).T
    inner = words @ f
    squared, halfspace = np.sum((words[0] - f) ** 2), max(1 - inner[0], 0)
    cone = sum(max(0.5 + value, 0) for value in inner[1:])
    told = f"S-LS {squared:.2f}, SC-SVM {cone:.2f}, SH-SVM {halfspace:.2f}."
    assert repr(picture.at(x=x, y=y)).endswith(told)
    assert "decided for class 2" in repr(picture.at(x=x, y=y))


def test_distributions_without_one_likeliest_class_are_left_out():
    points, _ = example.undecided("cone", convex_hull=False, steps=6)
    # Of 21, (7, 7, 4), (7, 4, 7) and (4, 7, 7) of 18 have two likeliest classes.
    assert len(points) == 18
    assert np.ptp(np.sort(points)[:, 1:], axis=1).min() > 0.01
    np.testing.assert_allclose(points.sum(axis=1), 1.0)
