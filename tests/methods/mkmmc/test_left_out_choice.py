"""A kernel chosen by leave-one-out without all points is the one chosen with all."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from reprolib.methods.mkmmc import (
    bandwidth_grid,
    last_best_left_out,
    leave_one_out_collapsed_hits,
    leave_one_out_collapsed_path,
    leave_one_out_hits,
    leave_one_out_path,
)
from reprolib.methods.shared.kernels import gram


def chosen_on_all_points(paths):
    """Index of the last path of largest accuracy, and the path."""
    best = np.max(paths, axis=1)
    t = np.flatnonzero(best == best.max())[-1]
    return t, paths[t]


@given(st.integers(1, 5), st.integers(1, 9), st.integers(1, 3), st.data())
def test_the_last_of_the_best_wins_whatever_the_hits(n_grams, n, m, data):
    """The Gram matrices stand for tables of hits, so that ties and whole failures occur often."""
    bits = st.lists(st.booleans(), min_size=n_grams * n * m, max_size=n_grams * n * m)
    tables = np.array(data.draw(bits)).reshape(n_grams, n, m)
    t, path = last_best_left_out(tables, lambda table, order: (table[i] for i in order))
    expected, accuracies = chosen_on_all_points(tables.mean(axis=1))
    assert t == expected
    np.testing.assert_allclose(path, accuracies)


def test_losers_are_given_up_before_all_points_are_left_out():
    tables = np.array([np.zeros((50, 1)), np.arange(50)[:, None] > 3, np.zeros((50, 1))], bool)
    left_out = []

    def hits(table, order):
        for i in order:
            left_out.append(i)
            yield table[i]

    t, path = last_best_left_out(tables, hits)
    assert (t, path.tolist()) == (1, [46 / 50])
    assert len(left_out) < 50 + 2 * 10


def test_the_bandwidth_is_that_of_complete_leave_one_out():
    X, y = make_blobs([5, 3, 4, 6], n_features=7, cluster_std=3.0, random_state=3)
    grams = [gram(X, gamma=gamma) for gamma in bandwidth_grid(X)]
    for constraint in ("coefficient", "function"):

        def hits(K, order, constraint=constraint):
            return leave_one_out_hits(K, y, 3, order, constraint=constraint)

        paths = [leave_one_out_path(K, y, 3, constraint=constraint) for K in grams]
        expected, path = chosen_on_all_points(paths)
        t, found = last_best_left_out(grams, hits)
        assert t == expected
        np.testing.assert_allclose(found, path)
    paths = [leave_one_out_collapsed_path(K, y) for K in grams]
    expected, path = chosen_on_all_points(paths)
    t, found = last_best_left_out(grams, lambda K, order: leave_one_out_collapsed_hits(K, y, order))
    assert t == expected
    np.testing.assert_allclose(found, path)
