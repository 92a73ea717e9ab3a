import numpy as np

from reprolib.methods.simplex import SimplexRLSClassifier
from reprolib.papers.simplex import example


def test_pictures_of_the_method():
    assert len(example.codes().axes) == 2
    assert len(example.level_sets().axes) == 4
    X, y = np.array([[1.0, 0], [-0.5, 0.9], [-0.5, -0.9]]), np.arange(3)
    figure = example.decision_regions({"S-RLS": SimplexRLSClassifier(0.1).fit(X, y)}, X, y)
    assert figure.axes[0].get_title() == "S-RLS"


def test_only_the_unconstrained_half_space_loss_fails_to_decide():
    cone = example.undecided("cone", convex_hull=False, steps=6)
    free = example.undecided("halfspace", convex_hull=False, steps=6)
    assert not cone[1].any()
    assert free[1].mean() > 0.5
    assert len(example.consistency_map({"cone": cone, "free": free}).axes) == 2
