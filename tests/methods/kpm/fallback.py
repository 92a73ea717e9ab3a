"""The hinge LP by what the path falls back on, from scratch for every number of components."""

from unittest import mock

import numpy as np

from reprolib.methods.kpm.hinge_lp import _solve


def solve_by_highs(V, y, max_components=None, weights=None):
    """As `solve_hinge_lp_path`, by HiGHS."""
    with mock.patch.object(_solve, "simplex_path", side_effect=np.linalg.LinAlgError):
        return _solve.solve_hinge_lp_path(V, y, max_components, weights)
