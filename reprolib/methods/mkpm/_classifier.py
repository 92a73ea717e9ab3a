"""MKPM: output-code bits in nested subspaces that share one budget of dimensions."""

from __future__ import annotations

from typing import Self

from reprolib.methods.mkpm._base import _MKPM
from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.kernels import Kernel
from reprolib.methods.shared.tolerances import RANK_TOL
from reprolib.methods.shared.types import Data, RandomState
from reprolib.methods.shared.validation import COUNT
from reprolib.methods.shared.weights import example_weights


class MKPMClassifier(_MKPM):
    """Multiclass kernel projection machine.

    A code word of length L stands for every class. Bit l of the code is predicted by a function
    f_l in the span S_{d_l} of the first d_l functions of a nested family psi_1, psi_2, ..., fitted
    without a penalty; the dimensions d_l share one budget d, the only regularisation::

        minimise    sum_l  min_{f_l in S_{d_l}}  (1/n) sum_i loss(f_l(x_i), y_il)
        subject to  d_1 + ... + d_L = d

    A dynamic programme solves this for all d = 0, ..., ``n_components`` at once, so that a fitted
    model holds the whole regularisation path (`score_path`, `predict_path`, `decision_path`);
    `predict` uses its last point. A new x gets the class of the nearest code word, the first of
    those that rounding cannot tell apart. The kernel is not centred, and the square loss has no
    intercept, as in the paper; with the hinge and the logistic loss every bit is a binary KPM with
    an intercept, which takes none of the budget.

    Parameters
    ----------
    n_components : int, optional
        Total dimension d, the end of the path; more dimensions fit the training data better. None,
        or more than L times the rank of the basis, means L times the rank, where every bit has
        its largest dimension.
    loss : {"square", "hinge", "logistic"}, default="square"
        How a bit's error is measured. The hinge and the logistic loss need a code in {-1, 1}, and
        time that grows quickly with the dimension: set ``rank``.
    basis : {"kernel_pca", "nystrom", "cholesky"}, default="kernel_pca"
        Nested family: exact kernel PCA, kernel PCA of the Nystrom approximation on ``rank``
        random landmarks, or the Gram-Schmidt family of the ``rank`` points that pivoted
        incomplete Cholesky picks. The last two never form the n x n Gram matrix.
    rank : int, optional
        Largest dimension of one bit; all of the numerical rank by default.
    code : {"one-vs-all", "simplex", "random"} or array-like of shape (L, n_classes)
        One column per class, in the order of ``classes_``. "random": a seeded code in {-1, 1} of
        length ceil(10 log2(n_classes)). Repeated or opposite rows are admissible: such bits are
        fitted, and use up dimensions, like the others.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        Similarity k(x, x') of two points. The named ones take sparse X, too. "precomputed":
        ``fit`` takes the Gram matrix of the training data in place of X. A callable takes two
        rows and returns a number; it has to be symmetric.
    gamma : float or "scale", optional
        How fast the similarity falls with the distance d: exp(-gamma d^2) for "rbf". Also a factor
        of the inner product in "poly" and "sigmoid". None means 1 / n_features, "scale"
        1 / (n_features X.var()).
    degree, coef0 : float, default=3 and 1
        "poly" is (gamma <x, x'> + coef0)^degree, "sigmoid" is tanh(gamma <x, x'> + coef0).
    rank_tol : float, default=1e-10
        Eigenvalues at most this fraction of the largest are taken as zero, which caps d_l: at new
        points their functions are mostly round-off. Not used by ``basis="cholesky"``.
    random_state : int, RandomState or None
        For the landmarks and the random code.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    code_ : ndarray of shape (L, n_classes)
        The code: column t is the code word of ``classes_[t]``.
    n_components_ : int
        End of the path.
    allocation_path_ : ndarray of shape (n_components_ + 1, L)
        The best (d_1, ..., d_L) for every d, ties as in `solve_allocation_dp`.
    allocation_ : ndarray of shape (L,)
        Its last row, the dimensions that `predict` uses.
    bit_objective_path_ : ndarray of shape (L, r + 1)
        Empirical risk G_l(d) of every bit alone.
    objective_path_ : ndarray of shape (n_components_ + 1,)
        Empirical risk summed over bits, equation (11).
    support_ : ndarray of shape (m,)
        Rows of the training data in the expansion of the predictors: all of positive weight,
        landmarks, or pivots.
    dual_coef_ : ndarray of shape (m, L)
        f_l(x) = sum_i dual_coef_[i, l] k(x, X_fit_[i]) + intercept_[l].
    intercept_ : ndarray of shape (L,)
        Zero for the square loss.
    coef_ : ndarray of shape (L, p)
        For the linear kernel: f_l(x) = <coef_[l], x> + intercept_[l].
    duality_gap_ : float
        Largest relative duality gap of the single-bit problems.
    X_fit_ : ndarray of shape (m, p)
        The training points of ``support_`` (not with a precomputed kernel).

    See Also
    --------
    MKPMClassifierCV : Chooses the total dimension by cross-validation.
    NystromMKPMClassifier : Square loss on any number of rows.
    reprolib.methods.mkpm.allocation.solve_allocation : How the bits share the dimensions.

    References
    ----------
    S. Takerkart and L. Ralaivola, MKPM: a multiclass extension to the kernel projection machine,
    CVPR 2011: Algorithm 1, equations (10)-(20), (34)-(42). Corrected: the stray 1/L of (16), the
    missing 1/N of (36) and (42), the variable of the minimum in (30). None changes the minimiser.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from reprolib.methods.mkpm import MKPMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MKPMClassifier(n_components=20, gamma=0.5).fit(X, y)
    >>> model.allocation_.sum()
    np.int64(20)
    >>> model.score_path(X, y).shape
    (21,)
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **_MKPM._parameter_constraints,
        "n_components": [COUNT, None],
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        loss: str = "square",
        basis: str = "kernel_pca",
        rank: int | None = None,
        code: Data = "one-vs-all",
        kernel: Kernel = "rbf",
        gamma: float | str | None = None,
        degree: int = 3,
        coef0: float = 1,
        rank_tol: float = RANK_TOL,
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.loss = loss
        self.basis = basis
        self.rank = rank
        self.code = code
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.rank_tol = rank_tol
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Data, y: Data, sample_weight: Data = None) -> Self:
        """Fit all bits in all dimensions, and allocate the dimensions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, p), or (n, n) for kernel="precomputed"
            Training data, one example a row; or their Gram matrix.
        y : array-like of shape (n,)
            Class of every example.
        sample_weight : array-like of shape (n,), optional
            How often every example counts, in the loss and in the nested family.

        Returns
        -------
        self : MKPMClassifier
            The fitted estimator.

        Raises
        ------
        ValueError
            If a hyperparameter, the code or the Gram matrix is not admissible.
        NotOptimalError
            If a single-bit problem was not solved.
        """
        X, y = self._validate(X, y)
        weights = example_weights(y, sample_weight)
        return self._fit_path(X, y, self.n_components, weights)
