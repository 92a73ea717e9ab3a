import numpy as np

from reprolib.papers.simplex import example


def test_pictures_of_the_method():
    assert len(example.codes().axes) == 2
    assert len(example.level_sets().axes) == len(example.LOSS_NAMES)


def test_a_patch_answers_where_the_picture_frames_it():
    figure = example.hmax()
    titles = [axis.get_title() for axis in figure.axes]
    assert titles[:4] == ["image", "S1, edges", "C1, largest near", "where both answer"]
    for place in (5, 7):  # the marked unit is the largest of its map
        axis = figure.axes[place]
        (mark,) = axis.lines
        values = axis.images[0].get_array()
        assert values[int(mark.get_ydata()[0]), int(mark.get_xdata()[0])] == values.max()


def test_distributions_without_one_likeliest_class_are_left_out():
    points, _ = example.undecided("cone", convex_hull=False, steps=6)
    # Of 21, (7, 7, 4), (7, 4, 7) and (4, 7, 7) of 18 have two likeliest classes.
    assert len(points) == 18
    assert np.ptp(np.sort(points)[:, 1:], axis=1).min() > 0.01
    np.testing.assert_allclose(points.sum(axis=1), 1.0)
