"""How often two classifiers that were tested on the same points differ in being right.

An official test set is shared by the paper and by us. The difference of two accuracies on it has
the variance q / n if both are equally good: q is the share of the n points on which exactly one of
the two is right (McNemar, Psychometrika 1947).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reprolib.rerun.records.task import HEADLINE, Measurement

#: Names of the table of records, and of the metric.
TABLE = METRIC = "disagreement"


def disagreements(hits: Mapping[str, np.ndarray]) -> list[Measurement]:
    """Compare every reading with the headline on the same test points.

    Parameters
    ----------
    hits : mapping of str to array of bool of shape (n_test,)
        Which points a reading classifies correctly, the headline among them.

    Returns
    -------
    list of Measurement
        Share of the points on which exactly one of the two is right, a reading.
    """
    own = np.asarray(hits[HEADLINE])
    return [
        Measurement(METRIC, float(np.mean(own != other)), n_test=len(own), reading=reading)
        for reading, other in hits.items()
        if reading != HEADLINE
    ]
