"""Hinge loss over nested subspaces: a linear program for every number of components.

For D = 1, 2, ... and V_D the first D columns of V::

    minimise over beta in R^D and b   sum_i w_i max(0, 1 - y_i (V_D beta + b)_i)

with the dual::

    maximise over a   sum_i a_i   subject to  0 <= a_i <= w_i,  V_D'(y * a) = 0,  y'a = 0

(Blanchard, Massart, Vert and Zwald, NIPS 2004, eq. (6), (10)-(11), with V the eigenvectors of the
Gram matrix.) Every answer is the optimum of least sum_i w_i f(x_i)^2, f = V_D beta + b, and comes
with its duality gap; see `_canonical.py` for why.
"""

from reprolib.methods.kpm.hinge_lp._solve import solve_hinge_lp_path

__all__ = ["solve_hinge_lp_path"]
