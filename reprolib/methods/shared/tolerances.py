"""Tolerances that several methods share; docs/tolerances.md says what each of all decides."""

from __future__ import annotations

#: Duality gap, relative to the loss of the zero function, up to which an answer of KPM is accepted.
GAP_TOL = 1e-7
#: Eigenvalues of a Gram matrix up to this part of the largest are zero.
RANK_TOL = 1e-10
#: Round-off of a sum over the examples, relative to the size of its terms.
ROUND_OFF = 1e-14
#: In place of a zero in a division. No size in a problem is so small.
TINY = 1e-300
