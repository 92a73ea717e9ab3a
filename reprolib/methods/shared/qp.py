"""cvxopt, imported where a quadratic programme is first solved by it.

Few estimators need it, and macOS 13 and 14 have no wheel of it for Python 3.13 and newer.
"""

from __future__ import annotations

import importlib
from typing import Any


class _Cvxopt:
    """The module, from its first use on.

    Raises
    ------
    ModuleNotFoundError
        At the first use, if it is not installed.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(importlib.import_module("cvxopt"), name)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "this quadratic programme is solved by cvxopt, which is not installed: pip install "
                "cvxopt (on macOS 13 and 14 there are wheels for Python 3.11 and 3.12 only)",
                name="cvxopt",
            ) from error


cvxopt: Any = _Cvxopt()
