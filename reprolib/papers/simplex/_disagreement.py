"""How often our own runs disagree on an official test set, under what the text leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from reprolib.methods.simplex import SimplexBoostingClassifier, SimplexRLSClassifierCV
from reprolib.papers.simplex._common import EMBEDDED_SET, PAPER, rbf_gamma
from reprolib.papers.simplex._table2 import (
    N_ROUNDS,
    RLS_RBF_READINGS,
    RLS_READINGS,
    features,
    rbf_models,
    rls_grid,
)
from reprolib.rerun.records import HEADLINE, Measurement, Task, disagreements

TABLE = "disagreement"
#: Readings of linear S-LS that keep the official split and its accuracy.
_OF_SPLIT = (HEADLINE, "linear grid", "lambda on the spectrum of K", "intercept", "standardised")
#: The paper prints no number of rounds.
FEWER_ROUNDS = "half the rounds"
_Hits = Iterator[tuple[str, np.ndarray]]


def tasks(name: str) -> list[Task]:
    """Every method without seeds, on one data set."""
    if name == EMBEDDED_SET:
        return []
    return [Task(PAPER, TABLE, name, method) for method in _HITS]


def run(task: Task, X, y, X_test, y_test) -> list[Measurement]:
    """Share of the test points on which exactly one of a reading and the headline is right."""
    return disagreements(dict(_HITS[task.method](X, y, X_test, y_test)))


def _rls(X, y, X_test, y_test) -> _Hits:
    for reading in _OF_SPLIT:
        params = RLS_READINGS[reading]
        Z, Z_test = features(params, X, X_test)
        model = SimplexRLSClassifierCV(rls_grid(str(params.get("grid", "log")))).fit(Z, y)
        yield reading, model.predict(Z_test) == y_test


def _rls_rbf(X, y, X_test, y_test) -> _Hits:
    for reading, params in RLS_RBF_READINGS.items():
        gamma = rbf_gamma(X, float(str(params.get("gamma_factor", 1.0))))
        grids = {reading: "log", **dict(params["also"])}  # type: ignore[call-overload]
        for grid, model in rbf_models(0, gamma, grids, X, y):
            yield grid, model.predict(X_test) == y_test


def _boosting(X, y, X_test, y_test) -> _Hits:
    model = SimplexBoostingClassifier(random_state=0, n_estimators=N_ROUNDS).fit(X, y)
    labels = list(model.staged_predict(X_test))
    yield HEADLINE, labels[-1] == y_test
    yield FEWER_ROUNDS, labels[len(labels) // 2 - 1] == y_test


_HITS: Mapping[str, Callable[..., _Hits]] = {
    "s-ls": _rls,
    "s-ls rbf": _rls_rbf,
    "boosting": _boosting,
}
