"""Names that scikit-learn keeps private and that estimators need; imported from here only.

There is no public name for them in scikit-learn 1.7 to 1.9. ``Interval`` and ``StrOptions`` are the
words of ``_parameter_constraints``, by which an estimator's ``_validate_params`` checks its
hyperparameters with scikit-learn's own messages. ``_check_partial_fit_first_call`` keeps the
classes of the first batch that ``partial_fit`` is given. scikit-learn may move them without notice:
then this file changes, and no other.
"""

from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import _check_partial_fit_first_call as check_first_batch

__all__ = ["Interval", "StrOptions", "check_first_batch"]
