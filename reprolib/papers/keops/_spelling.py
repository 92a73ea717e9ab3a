"""From scores of single flashes to spelled characters."""

from __future__ import annotations

import numpy as np
import pandas as pd

from data_fetch.p300 import codes_of


def correct_characters(scores, flashes: pd.DataFrame) -> np.ndarray:
    """How many characters are right after 1, 2, ... repetitions.

    The scores of every row and column are added up over the repetitions; the best row and the
    best column give the character.

    Parameters
    ----------
    scores : ndarray of shape (n,)
    flashes : DataFrame
        Columns ``character``, ``letter``, ``repetition``, ``code`` (see `data_fetch.p300`).

    Returns
    -------
    ndarray of shape (repetitions,)
    """
    table = flashes.assign(score=scores)
    correct = np.zeros(int(flashes["repetition"].max()))
    for _, character in table.groupby("character"):
        wide = character.pivot_table(index="repetition", columns="code", values="score")
        total = wide.sort_index().cumsum()
        column = total[range(1, 7)].idxmax(axis=1)
        row = total[range(7, 13)].idxmax(axis=1)
        wanted = codes_of(character["letter"].iloc[0])
        correct += ((column == wanted[0]) & (row == wanted[1])).to_numpy()
    return correct


def ensemble_scores(models, X) -> np.ndarray:
    """Sum of the members' scores (Rakotomamonjy et al. 2005: one SVM for each part of the data)."""
    return np.sum([model.decision_function(X) for model in models], axis=0)
