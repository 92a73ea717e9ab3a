"""scikit-learn's own checks on every public estimator of reprolib, discovered by import."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil

import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator

import reprolib
from reprolib import methods


def public_estimators():
    """Concrete estimator classes of the library, by name; what protocols make is not offered."""
    found = {}
    for module_info in pkgutil.walk_packages(methods.__path__, f"{methods.__name__}."):
        module = importlib.import_module(module_info.name)
        for name, value in vars(module).items():
            if (
                inspect.isclass(value)
                and issubclass(value, BaseEstimator)
                and value.__module__ == module.__name__
                and not name.startswith("_")
            ):
                found[name] = value
    return found


ESTIMATORS = public_estimators()


#: Settings for scikit-learn's checks, some fifty fits each, where the defaults take long.
QUICK = {
    "KEOPSClassifierCV": {"Cs": [1.0], "cv": 2},
    "KPMClassifierCV": {"max_components": 4, "cv": 2},
    "MKPMClassifierCV": {"max_components": 6, "cv": 2},
    "SimplexBoostingClassifier": {"n_estimators": 10},
}
#: Settings that take another way through the code than the defaults. What is particular to
#: solver="cvxopt" is in `test_cvxopt_reference`.
VARIANTS = [
    ("KEOPSClassifier", {"p": 0.5}),
    ("MKPMClassifier", {"basis": "nystrom"}),
    ("MKPMClassifier", {"basis": "cholesky", "code": "simplex"}),
    ("SimplexBoostingClassifier", {"n_estimators": 10, "update": "coordinate"}),
    ("SimplexHalfspaceSVC", {"convex_hull": False}),
    ("SimplexSGDClassifier", {"loss": "least_squares", "average": True}),
]


def test_the_estimators_are_found():
    assert {"KPMClassifier", "KPMClassifierCV"} <= set(ESTIMATORS)


def test_every_estimator_can_be_imported_from_the_package():
    offered = {name: getattr(reprolib, name) for name in reprolib.__all__}
    fitted = {name for name, value in offered.items() if hasattr(value, "fit")}
    assert fitted == set(ESTIMATORS)
    assert all(offered[name] is value for name, value in ESTIMATORS.items())


@pytest.mark.filterwarnings(f"ignore::{SkipTestWarning.__module__}.{SkipTestWarning.__name__}")
@pytest.mark.filterwarnings("ignore::reprolib.methods.shared.solution.NotOptimalWarning")
@pytest.mark.parametrize(
    ("name", "settings"),
    [*((name, QUICK.get(name, {})) for name in sorted(ESTIMATORS)), *VARIANTS],
)
def test_estimator_conforms_to_scikit_learn(name, settings):
    results = check_estimator(ESTIMATORS[name](**settings), on_fail=None)
    failed = {
        result["check_name"]: f"{type(result['exception']).__name__}: {result['exception']}"
        for result in results
        if result["status"] == "failed"
    }
    assert not failed
