"""Ctrl-C in a fit: the old model answers as before, bit for bit, or there is none."""

from __future__ import annotations

import copy
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

import reprolib
from reprolib.cli.main import Terminated
from reprolib.methods.shared.draft import all_or_nothing
from tests.methods import takes_rows
from tests.methods.test_estimators import ESTIMATORS

METHODS = str(Path(reprolib.__file__).parent / "methods")

#: Small problems, so that a fit takes milliseconds; the defaults for the rest.
SMALLER = {
    "KEOPSClassifierCV": {"Cs": [1.0], "cv": 2},
    "KPMClassifier": {"n_components": 3},
    "KPMClassifierCV": {"max_components": 3, "cv": 2},
    "MKPMClassifier": {"n_components": 3},
    "MKPMClassifierCV": {"max_components": 3, "cv": 2},
    "SimplexBoostingClassifier": {"n_estimators": 4},
    "SimplexSGDClassifier": {"max_iter": 2, "random_state": 0},
    "NystromMKPMClassifier": {"rank": 5, "random_state": 0},
}

N_INTERRUPTIONS = 24


def problem(seed: int):
    """Two data sets of different numbers of rows and columns: mixtures of models do not fit."""
    return make_blobs(14 + seed, 2 + seed, centers=2, cluster_std=2.0, random_state=seed)


def answers(model, X):
    """What a user can ask of a model, as one vector."""
    asked = ("predict", "decision_function", "predict_proba", "transform", "decision_path")
    found = [np.ravel(getattr(model, name)(X)) for name in asked if hasattr(model, name)]
    return np.concatenate(found)


def require_near(found, wanted, part=1e-9):
    """The same, up to the last digits: they differ with the places of arrays in memory."""
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=part * np.abs(wanted).max())


class Interrupter:
    """Raise KeyboardInterrupt before line number ``at`` that the methods run."""

    def __init__(self, at: float = np.inf):
        self.lines, self.at = 0, at

    def __call__(self, frame, event, argument):
        if not frame.f_code.co_filename.startswith(METHODS):
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self.at:
                raise KeyboardInterrupt
        return self

    def run(self, fit, *data) -> int:
        """Call; return the number of lines that ran."""
        sys.settrace(self)
        try:
            fit(*data)
        finally:
            sys.settrace(None)
        return self.lines


def places(n_lines: int):
    """Numbers of lines spread over a fit, its first and its last ones among them."""
    inside = np.linspace(1, n_lines, N_INTERRUPTIONS - 3).astype(int)
    return np.unique(np.concatenate([inside, n_lines - np.arange(4)]).clip(1))


def interrupt(model, fit, *data):
    """Interrupt calls at many lines; return the models that are left, which share their arrays."""
    n_lines = Interrupter().run(getattr(copy.deepcopy(model), fit), *data)
    left = []
    for at in places(n_lines):
        left.append(copy.copy(model))
        with pytest.raises(KeyboardInterrupt):
            Interrupter(at).run(getattr(left[-1], fit), *data)
    return left


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(n for n, c in ESTIMATORS.items() if takes_rows(c)))
def test_an_interrupted_fit_leaves_the_old_model_or_none(name):
    unfitted = ESTIMATORS[name](**SMALLER.get(name, {}))
    (X, y), other = problem(0), problem(1)
    old, new = clone(unfitted).fit(X, y), clone(unfitted).fit(*other)
    state, expected = pickle.dumps(vars(old)), answers(old, X)
    for model in interrupt(old, "fit", *other):
        # The last line, that which hands back the model, comes after the exchange.
        if model.n_features_in_ == new.n_features_in_:
            require_near(answers(model, other[0]), answers(new, other[0]), 1e-6)
        else:
            assert pickle.dumps(vars(model)) == state
            require_near(answers(model, X), expected)
    for model in interrupt(unfitted, "fit", X, y):
        if hasattr(model, "n_features_in_"):
            require_near(answers(model, X), expected, 1e-6)
        else:
            with pytest.raises(NotFittedError):
                answers(model, X)


def test_an_interrupted_partial_fit_leaves_the_model_of_the_batch_before():
    X, y = problem(0)
    before = reprolib.SimplexSGDClassifier(average=True, shuffle=False).partial_fit(X, y, [0, 1])
    state, after = pickle.dumps(vars(before)), copy.deepcopy(before).partial_fit(X[::2], y[::2])
    for model in interrupt(before, "partial_fit", X[::2], y[::2]):
        assert model.t_ == after.t_ or pickle.dumps(vars(model)) == state


def test_an_error_in_a_refit_leaves_the_old_model():
    X, y = problem(0)
    model = reprolib.KPMClassifier(2).fit(X, y)
    state = pickle.dumps(vars(model))
    with pytest.raises(ValueError, match="one class"):
        model.fit(problem(1)[0], np.zeros(15))
    assert pickle.dumps(vars(model)) == state


def says_system_error(depth: int, interrupt: type[KeyboardInterrupt]):
    """What CPython makes of an interrupt: a SystemError for every compiled function around it."""
    error: BaseException = interrupt()
    for _ in range(depth):
        around = SystemError("returned a result with an exception set")
        around.__cause__, error = error, around
    raise error


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_an_interrupt_in_compiled_code_is_an_interrupt(depth):
    class Model:
        @all_or_nothing
        def fit(self):
            says_system_error(depth, Terminated)

    with pytest.raises(Terminated):
        Model().fit()


def test_nothing_of_the_old_model_is_left_in_a_new_one():
    X, y = problem(0)
    model = reprolib.SimplexConeSVC(kernel="linear").fit(X, y)
    assert not hasattr(model.set_params(kernel="rbf").fit(X, y), "coef_")
