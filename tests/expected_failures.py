"""Checks of scikit-learn that need other settings than an estimator's defaults, with the reason.

Keyed by class name; `test_estimators` fails if an entry is no longer needed. An
estimator with an entry in `SETTINGS` fails none with those; scikit-learn gives such settings to its
own estimators, too (``PER_ESTIMATOR_CHECK_PARAMS``).
"""

from __future__ import annotations

CLASS_WEIGHT = "check_class_weight_classifiers"
NO_INTERCEPT = "without an intercept, far from the training points no class weight has any force"
TOLERANCE = "answers agree to seven digits only if the solver is asked for them"
SVM = {
    CLASS_WEIGHT: NO_INTERCEPT,
    "check_sample_weight_equivalence_on_dense_data": TOLERANCE,
}

EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "MKPMClassifier": {CLASS_WEIGHT: "without a limit every training point is fitted exactly"},
    "MKPMClassifierCV": {CLASS_WEIGHT: NO_INTERCEPT},
    "NystromMKPMClassifier": {CLASS_WEIGHT: NO_INTERCEPT},
    "NystromSimplexRLSClassifier": {CLASS_WEIGHT: NO_INTERCEPT},
    "SimplexBoostingClassifier": {CLASS_WEIGHT: "a leaf of one class alone has that class"},
    "SimplexConeSVC": SVM,
    "SimplexHalfspaceSVC": SVM,
    "SimplexRLSClassifier": {CLASS_WEIGHT: NO_INTERCEPT},
    "SimplexRLSClassifierCV": {CLASS_WEIGHT: NO_INTERCEPT},
    "SimplexSGDClassifier": {CLASS_WEIGHT: NO_INTERCEPT},
}

#: A wide kernel has nearly a constant among its functions. There is no such setting of a linear
#: function, and none of trees, of which the check itself asks ``min_weight_fraction_leaf``.
WIDE = {"gamma": 1e-4}
SETTINGS: dict[str, dict] = {
    "MKPMClassifier": {"n_components": 4, **WIDE},
    "MKPMClassifierCV": {"max_components": 4, **WIDE},
    "NystromMKPMClassifier": {"n_components": 4, **WIDE},
    "NystromSimplexRLSClassifier": WIDE,
    "SimplexConeSVC": {"tol": 1e-13, **WIDE},
    "SimplexHalfspaceSVC": {"tol": 1e-13, **WIDE},
    "SimplexRLSClassifier": {"kernel": "rbf", **WIDE},
    "SimplexRLSClassifierCV": {"kernel": "rbf", **WIDE},
}


def expected_failures(estimator) -> dict[str, str]:
    """Reasons by check, for `parametrize_with_checks`."""
    return EXPECTED_FAILURES.get(type(estimator).__name__, {})
