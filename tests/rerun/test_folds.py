"""Mean scores of a grid over folds."""

import numpy as np

from reprolib.rerun.tasks.folds import mean_over_folds

FOLDS = [(np.array([0, 1]), np.array([2])), (np.array([2]), np.array([0, 1, 3]))]


def test_every_value_has_its_mean_over_the_folds():
    means = mean_over_folds(lambda v, train, test: v * len(train) + test.sum(), [1.0, 10.0], FOLDS)
    np.testing.assert_array_equal(means, [(2 + 2 + 1 + 4) / 2, (20 + 2 + 10 + 4) / 2])


def test_scores_may_be_arrays():
    means = mean_over_folds(lambda v, train, test: [v, len(test)], [1, 2, 3], iter(FOLDS))
    np.testing.assert_array_equal(means, [[1, 2], [2, 2], [3, 2]])
