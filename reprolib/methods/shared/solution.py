"""What every solver returns: the variables and the certificate that they are optimal."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning


class NotOptimalError(RuntimeError):
    """A solver stopped without an optimal answer, and the answer must not be used.

    Parameters
    ----------
    message : str
        What went wrong, and what to do.
    n_certified : int
        Of a sequence of nested problems, how many before this one have a certified answer.
    """

    def __init__(self, message: str, n_certified: int = 0):
        super().__init__(message)
        self.n_certified = n_certified


class NotOptimalWarning(ConvergenceWarning):
    """A solver stopped early; the answer is feasible and its duality gap is stated."""


@dataclass(frozen=True)
class Solution:
    """Answer of a solver to a minimisation problem, with its certificate.

    Parameters
    ----------
    variables : dict of str to ndarray
        The primal and dual variables by name, as the solver's docstring lists them.
    primal_objective, dual_objective : float
        Objective values recomputed from ``variables`` in the original problem (never the
        solver's own report), at a primal and a dual point that are feasible. Weak duality then
        makes ``gap`` a certificate.
    status : str
        ``"optimal"``, or what the solver said when it stopped.
    iterations : int
        Iterations of the solver's outer loop.
    info : dict
        What else a solver says about its answer, as its docstring lists it.
    scale : float, optional
        Size of the problem's own objective, which a gap is divided by: for a loss, its value at
        the zero function. By default the larger of the two objectives in size.

    See Also
    --------
    NotOptimalError : Raised by ``require_optimal``.

    Examples
    --------
    >>> from reprolib.methods.shared.solution import Solution
    >>> solution = Solution({"x": 1.0}, primal_objective=2.0, dual_objective=1.5, status="optimal")
    >>> solution.gap, solution.relative_gap
    (0.5, 0.25)
    """

    variables: dict[str, Any]
    primal_objective: float
    dual_objective: float
    status: str
    iterations: int = 0
    info: dict[str, Any] = field(default_factory=dict)
    scale: float | None = None

    @property
    def gap(self) -> float:
        """Duality gap, primal minus dual objective (nonnegative up to round-off)."""
        return self.primal_objective - self.dual_objective

    @property
    def relative_gap(self) -> float:
        """Duality gap divided by the problem's own scale; the same in any units of the data."""
        own = max(abs(self.primal_objective), abs(self.dual_objective))
        scale = own if self.scale is None else self.scale
        if self.gap == 0.0:
            return 0.0
        return self.gap / scale if scale > 0.0 else np.inf

    def require_optimal(self, tol: float = 1e-6) -> Solution:
        """Return the solution itself, or raise if its status or its gap is not good enough.

        Parameters
        ----------
        tol : float
            Largest relative gap that is accepted.

        Returns
        -------
        Solution
            The same solution.

        Raises
        ------
        NotOptimalError
            If ``status`` is not ``"optimal"`` or the relative gap exceeds ``tol`` in size.
        """
        if self.status != "optimal" or not abs(self.relative_gap) <= tol:
            raise NotOptimalError(
                f"solver stopped with status {self.status!r} and relative duality gap "
                f"{self.relative_gap:.3g} (wanted at most {tol:g}) after {self.iterations} "
                "iterations; rescale the data, loosen tol, or use the other solver of the problem"
            )
        return self
