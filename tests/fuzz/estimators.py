"""What is fuzzed, how an outcome is judged, and what an error has to say."""

from __future__ import annotations

import re
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

import reprolib
from reprolib.methods.shared.solution import NotOptimalError, NotOptimalWarning
from reprolib.methods.shared.validation import ConstantClassifierWarning
from tests.methods import takes_rows
from tests.methods.test_estimators import ESTIMATORS as ALL

#: Those that take one row of numbers an example.
ESTIMATORS = {name: c for name, c in ALL.items() if takes_rows(c)}

#: Settings tried beside the defaults, by class; what is not listed is fuzzed with its defaults.
VARIANTS: dict[str, list[dict]] = {
    "KPMClassifier": [
        {"n_components": 1, "loss": "square", "kernel": "linear", "center": True},
        {"n_components": 1, "loss": "logistic", "kernel": "poly"},
        {"n_components": 1, "kernel": "precomputed"},
    ],
    "KPMClassifierCV": [
        {"cv": 2, "loss": "square", "kernel": "poly", "random_state": 0},
        {"cv": 2, "max_components": 4, "center": True},
    ],
    "MKPMClassifier": [
        {"basis": "nystrom", "rank": 3, "kernel": "linear", "random_state": 0},
        {"basis": "cholesky", "code": "simplex", "kernel": "poly"},
        {"loss": "logistic", "rank": 2},
        {"loss": "hinge", "rank": 2, "basis": "cholesky"},
        {"kernel": "precomputed"},
    ],
    "MKPMClassifierCV": [{"cv": 2, "basis": "nystrom", "rank": 3, "random_state": 0}],
    "MMC": [{"within": "covariance", "within_weight": 0.5}],
    "NystromMKPMClassifier": [{"rank": 3, "code": "simplex", "kernel": "linear"}],
    "KernelMMC": [
        {"kernel": "linear", "constraint": "function"},
        {"kernel": "poly", "constraint": "whitened", "ridge": 0.1, "center": True},
        {"kernel": "precomputed"},
    ],
    "MultipleKernelMMC": [
        {"constraint": "function", "center": True, "normalization": "trace"},
        {"gammas": [0.1, 1.0], "weight_step": "global", "constraint": "whitened", "ridge": 0.1},
    ],
    "SimplexRLSClassifier": [{"kernel": "rbf"}, {"kernel": "poly"}, {"kernel": "precomputed"}],
    "SimplexRLSClassifierCV": [{"kernel": "rbf"}, {"kernel": "poly"}, {"alphas": [0.1, 1.0]}],
    "SimplexConeSVC": [
        {"kernel": "linear"},
        {"kernel": "poly"},
        {"kernel": "precomputed"},
        {"solver": "cvxopt"},
    ],
    "SimplexHalfspaceSVC": [{"kernel": "linear"}, {"convex_hull": False, "kernel": "poly"}],
    "SimplexSGDClassifier": [
        {"loss": "least_squares", "average": True},
        {"loss": "halfspace", "eta0": None, "project": False},
    ],
    "SimplexBoostingClassifier": [{"n_estimators": 3, "max_depth": 2}],
    "KEOPSClassifier": [{"p": 0.5, "init": "random"}, {"kernel": "precomputed"}],
    "MKLClassifier": [{"kernel": "precomputed"}],
    "TreeLassoClassifier": [{"alpha_ratio": 1.0}, {"alpha_ratio": 0.001}],
}

#: Settings that bound the time of one fit, over the defaults.
QUICK = {
    "SimplexBoostingClassifier": {"n_estimators": 5},
    "KEOPSClassifier": {"max_iter": 100},
    "KEOPSClassifierCV": {"max_iter": 100, "Cs": [1.0], "cv": 2},
    "MKLClassifier": {"max_iter": 100},
    "TreeLassoClassifier": {"max_iter": 500},
}


def configurations() -> list:
    """Every estimator with its defaults and its variants, as parameters of a test."""
    found = []
    for name, estimator_class in sorted(ESTIMATORS.items()):
        for settings in [{}, *VARIANTS.get(name, [])]:
            estimator = estimator_class(**{**QUICK.get(name, {}), **settings})
            if "random_state" in estimator.get_params() and estimator.random_state is None:
                estimator.set_params(random_state=0)
            label = ",".join(f"{key}={value}" for key, value in settings.items())
            found.append(pytest.param(estimator, id=f"{name}({label})"))
    return found


def n_classes_of(estimator: BaseEstimator) -> int:
    """Three, or two for a binary classifier."""
    tags = get_tags(estimator).classifier_tags
    return 2 if tags is not None and not tags.multi_class else 3


def adapt(estimator: BaseEstimator, X, X_new):
    """Training and new data as the estimator takes them: features, or linear Gram matrices."""
    if estimator.get_params().get("kernel") != "precomputed":
        return X, X_new
    with np.errstate(all="ignore"):
        if not get_tags(estimator).input_tags.three_d_array:
            return X @ X.T, X_new @ X.T
        columns = [slice(j, j + 1) for j in range(X.shape[1])]
        return (
            np.array([X[:, c] @ X[:, c].T for c in columns]),
            np.array([X_new[:, c] @ X[:, c].T for c in columns]),
        )


@dataclass(frozen=True)
class Outcome:
    """A fitted estimator with its answers for new data, or the error that refused the data."""

    estimator: BaseEstimator
    values: np.ndarray | None = None
    labels: np.ndarray | None = None
    error: Exception | None = None


def outcome(estimator: BaseEstimator, X, y, X_new, **fit_params) -> Outcome:
    """Fit a clone, and predict; numpy's warnings, and errors without a remedy, are failures."""
    model = clone(estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", NotOptimalWarning)
        warnings.simplefilter("ignore", ConstantClassifierWarning)
        warnings.filterwarnings("ignore", "MMC leaves out", UserWarning)
        # Of stratified folds, when a class has fewer examples than there are folds.
        warnings.filterwarnings("ignore", "The least populated class in y", UserWarning)
        try:
            model.fit(X, y, **fit_params)
            if hasattr(model, "transform"):
                return Outcome(model, np.asarray(model.transform(X_new)))
            return Outcome(model, model.decision_function(X_new), model.predict(X_new))
        except (ValueError, TypeError, NotOptimalError) as error:
            assert_helpful(error, estimator)
            return Outcome(model, error=error)


def assert_helpful(error: Exception, estimator: BaseEstimator) -> None:
    """Errors of our own name an argument and say what to do about it; others are scikit-learn's."""
    assert not isinstance(error, np.linalg.LinAlgError), f"LinAlgError reached the user: {error}"
    message, last = str(error), Path(traceback.extract_tb(error.__traceback__)[-1].filename)
    if not last.is_relative_to(Path(reprolib.__file__).parent):
        assert "sklearn" in last.parts, f"{type(error).__name__} of {last}: {message}"
        return
    names = ["X", "y", "samples?", "features?", "class(es)?", "kernel", "Gram", "data"]
    names += ["sample_weight"]
    names += list(estimator.get_params())
    assert re.search(rf"\b({'|'.join(names)})\b", message), message
    remedies = "give|use|pass|must|need|needs|needed|scale|rescale|clip|increase|raise|lower"
    remedies += "|ask|clean|check|look|supported|leave|square|choose"
    assert re.search(rf"\b({remedies})\b", message, re.IGNORECASE), message


def assert_sound(found: Outcome, y, n_new: int) -> None:
    """Predictions are training labels; all values are finite and of the promised shape."""
    assert np.isfinite(found.values).all()
    check_is_fitted(found.estimator)
    if found.labels is None:
        assert found.values.shape == (n_new, len(found.estimator.get_feature_names_out()))
        return
    classes = found.estimator.classes_
    np.testing.assert_array_equal(classes, np.unique(y))
    assert found.labels.shape == (n_new,)
    assert np.isin(found.labels, classes).all()
    shape = (n_new,) if len(classes) == 2 else (n_new, len(classes))
    assert found.values.shape == shape
