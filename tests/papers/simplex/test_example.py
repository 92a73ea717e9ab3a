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


def test_only_the_unconstrained_half_space_loss_fails_to_decide():
    cone = example.undecided("cone", convex_hull=False, steps=6)
    both = example.undecided("cone_halfspace", convex_hull=False, steps=6)
    assert not both[1].any()
    free = example.undecided("halfspace", convex_hull=False, steps=6)
    assert not cone[1].any()
    assert free[1].mean() > 0.5
    assert len(example.consistency_map({"cone": cone, "free": free}).axes) == 2


def test_distributions_without_one_likeliest_class_are_left_out():
    points, _ = example.undecided("cone", convex_hull=False, steps=6)
    # Of 21, (7, 7, 4), (7, 4, 7) and (4, 7, 7) of 18 have two likeliest classes.
    assert len(points) == 18
    assert np.ptp(np.sort(points)[:, 1:], axis=1).min() > 0.01
    np.testing.assert_allclose(points.sum(axis=1), 1.0)


def test_consistency_is_drawn_in_the_triangle_of_distributions():
    points = np.array([[0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.5, 0.4, 0.1]])
    failed = np.array([False, False, False, True])
    (axis,) = example.consistency_map({"name": (points, failed)}).axes
    assert axis.get_title() == "name\nundecided on 25 %"
    drawn = [marks.get_offsets().tolist() for marks in axis.collections]
    height = np.sqrt(3) / 2
    places = [[[p[1] + p[2] / 2, height * p[2]]] for p in points]
    np.testing.assert_allclose(drawn, places)


def test_clouds_lie_around_the_code_words_in_unequal_shares():
    X, y = example.three_clouds(20_000, 3)
    np.testing.assert_allclose(np.bincount(y) / len(y), [0.5, 0.3, 0.2], atol=0.02)
    words = [[1, 0], [-0.5, np.sqrt(0.75)], [-0.5, -np.sqrt(0.75)]]
    for q, word in enumerate(words):
        np.testing.assert_allclose(X[y == q].mean(axis=0), word, atol=0.05)
        np.testing.assert_allclose(X[y == q].std(axis=0), 0.6, atol=0.02)
    np.testing.assert_array_equal(X, example.three_clouds(20_000, 3)[0])
