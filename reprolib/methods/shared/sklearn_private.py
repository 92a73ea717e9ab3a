"""Names that scikit-learn keeps private and that estimators need; imported from here only.

``Interval`` and ``StrOptions`` are the words of ``_parameter_constraints``, by which an estimator's
``_validate_params`` checks its hyperparameters. scikit-learn may move them without notice: then
this file changes, and no other.
"""

from sklearn.utils._param_validation import Interval, StrOptions

__all__ = ["Interval", "StrOptions"]
