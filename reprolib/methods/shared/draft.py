"""A fit that is all or nothing: an interrupted or failed one leaves the old model as it was.

``fit`` runs on a draft, an object beside the estimator, whose attributes the estimator takes over
in one step when all is done. Ctrl-C, an error or a thread that predicts meanwhile therefore never
meets parts of two models.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def all_or_nothing(fit: Method) -> Method:
    """Decorate ``fit``: it starts from the hyperparameters alone and replaces the old model.

    An interrupt inside compiled code, which may arrive as a SystemError, is raised as the
    KeyboardInterrupt that it was.

    Parameters
    ----------
    fit : callable
        The method; what it returns does not matter.

    Returns
    -------
    callable
        A method that returns the estimator itself.

    See Also
    --------
    all_or_nothing_step : For ``partial_fit``, which goes on from the old model.

    Examples
    --------
    >>> from reprolib.methods.shared.draft import all_or_nothing
    >>> class Model:
    ...     @all_or_nothing
    ...     def fit(self, X):
    ...         self.mean_ = sum(X) / len(X)
    ...         return self
    >>> model = Model().fit([1.0, 2.0])
    >>> model.fit([])
    Traceback (most recent call last):
    ZeroDivisionError: division by zero
    >>> model.mean_
    1.5
    """
    return _on_a_draft(fit, from_old_model=False)


def all_or_nothing_step(partial_fit: Method) -> Method:
    """Decorate ``partial_fit``: it starts from the whole old model.

    What it changes in place (and does not assign anew) it has to copy first.

    Parameters
    ----------
    partial_fit : callable
        The method; what it returns does not matter.

    Returns
    -------
    callable
        A method that returns the estimator itself.

    See Also
    --------
    all_or_nothing : For ``fit``.
    """
    return _on_a_draft(partial_fit, from_old_model=True)


def _on_a_draft(method: Method, *, from_old_model: bool) -> Method:
    @functools.wraps(method)
    def method_of_the_draft(self, *args, **kwargs):
        draft = object.__new__(type(self))
        # Hyperparameters and settings stay; results of a fit end in an underscore.
        draft.__dict__ = {
            name: value
            for name, value in vars(self).items()
            if from_old_model or name.startswith("_") or not name.endswith("_")
        }
        try:
            method(draft, *args, **kwargs)
        except SystemError as error:
            cause: BaseException | None = error
            while isinstance(cause, SystemError):  # one for every compiled function on the way
                cause = cause.__cause__
            if isinstance(cause, KeyboardInterrupt):
                raise cause from None
            raise
        self.__dict__ = draft.__dict__
        return self

    return cast("Method", method_of_the_draft)
