import numpy as np

from reprolib.papers.simplex import example


def test_pictures_of_the_method():
    assert len(example.codes().axes) == 2
    *panels, key = example.level_sets().axes
    assert [axis.get_title() for axis in panels] == list(example.LOSS_NAMES.values())
    assert "light is small" in key.get_xlabel()


def test_layers_lie_over_the_image_and_the_largest_answer_to_the_patch_is_marked():
    first, *_, s2 = axes = example.hmax().axes
    assert [axis.get_title().split(":")[0] for axis in axes] == ["image", "S1", "C1", "S2"]
    assert len({(axis.get_xlim(), axis.get_ylim()) for axis in axes}) == 1
    (mark,), (image,), (frame,) = s2.lines, s2.images, first.patches
    left, right, bottom, top = image.get_extent()
    values = image.get_array()
    row = int((mark.get_ydata()[0] - top) / (bottom - top) * values.shape[0])
    column = int((mark.get_xdata()[0] - left) / (right - left) * values.shape[1])
    assert values[row, column] == values.max()
    np.testing.assert_allclose(frame.get_center(), mark.get_xydata()[0])


def test_distributions_without_one_likeliest_class_are_left_out():
    points, _ = example.undecided("cone", convex_hull=False, steps=6)
    # Of 21, (7, 7, 4), (7, 4, 7) and (4, 7, 7) of 18 have two likeliest classes.
    assert len(points) == 18
    assert np.ptp(np.sort(points)[:, 1:], axis=1).min() > 0.01
    np.testing.assert_allclose(points.sum(axis=1), 1.0)
