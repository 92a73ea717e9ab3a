"""A sentence about several data sets: the data set is the unit.

    d_i = mu + u_i + e_i        for the data sets i = 1 ... K

``d_i`` is our mean difference of two methods on set i, ``u_i`` how far the methods differ there
from what they do in the mean of all sets (of any variance), and ``e_i`` the noise of our trials,
which are correlated, as they are splits of one pool. The sentence speaks of ``mu``. It is the
hierarchical model of Benavoli, Corani, Demsar and Zaffalon (JMLR 18, 2017), without priors.

The spread of the K differences holds both kinds of variance, so that the mean and Student's t with
K - 1 degrees of freedom need neither of them, and no correlation of splits. If the sets are
unequally noisy, the interval is never too short for normal differences: at 95 % for every K, at
90 % for K up to 14 (Bakirov and Szekely 2005; Ibragimov and Mueller, Journal of Business and
Economic Statistics 2010).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from reprolib.rerun.verdicts.errors import UNKNOWN, Error


def over_sets(differences: Sequence[float]) -> Error:
    """Error of the mean difference over data sets, as a statement on other sets of this kind.

    Parameters
    ----------
    differences : sequence of float
        One a data set.
    """
    k = len(differences)
    if k < 2:
        return UNKNOWN
    return Error(float(np.std(differences, ddof=1)) / math.sqrt(k), k - 1)


def between_sets(differences: Sequence[float], errors: Sequence[Error]) -> float:
    """Standard deviation of the true difference from set to set, what trials add taken off.

    Parameters
    ----------
    differences : sequence of float
        One a data set.
    errors : sequence of Error
        Of each.
    """
    noise = float(np.mean([error.standard**2 for error in errors]))
    return math.sqrt(max(float(np.var(differences, ddof=1)) - noise, 0.0))
