"""Names that scikit-learn keeps private and that estimators need; imported from here only.

There is no public name for them in scikit-learn 1.7 to 1.9. ``Interval`` and ``StrOptions`` are the
words of ``_parameter_constraints``, by which an estimator's ``_validate_params`` checks its
hyperparameters with scikit-learn's own messages. ``_check_partial_fit_first_call`` keeps the
classes of the first batch that ``partial_fit`` is given. ``libsvm`` is the solver of ``SVC``, whose
checks of small data take as long as the solver. scikit-learn may move them without notice:
then this file changes, and no other.
"""

from numbers import Integral

import numpy as np
from sklearn.svm import _libsvm as libsvm
from sklearn.utils import _param_validation
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import _check_partial_fit_first_call as check_first_batch

__all__ = ["Interval", "StrOptions", "check_first_batch", "libsvm"]


class Interval(_param_validation.Interval):
    """scikit-learn's interval, of numbers that compiled code and LAPACK can take.

    True and False, fractions, numbers of half or more than double precision, and whole numbers
    beyond 64 bits are refused with scikit-learn's message, which names the hyperparameter.
    """

    def is_satisfied_by(self, val):
        """Whether a value is such a number and lies in the interval."""
        if isinstance(val, bool):
            return False
        if isinstance(val, Integral):
            fits = isinstance(val, int | np.integer) and abs(int(val)) < 2**63
        else:
            fits = isinstance(val, float | np.float32)
        return fits and super().is_satisfied_by(val)
