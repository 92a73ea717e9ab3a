"""Multiple kernel maximum margin criterion, sections 2.3 and 2.4 of Gu & Zhou (ICIP 2009)."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.metrics import euclidean_distances
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from reprolib.methods.mkmmc._alternate import (
    GAIN_TOL,
    WEIGHT_STEPS,
    alternate,
    first_run,
)
from reprolib.methods.mkmmc._constraints import (
    CONSTRAINTS,
    get_maximiser,
    idle_to_zero,
    projected_size,
)
from reprolib.methods.mkmmc._graph import Between, Within, margin_laplacian
from reprolib.methods.mkmmc._kernel import largest_rank, uncentered
from reprolib.methods.mkmmc._linear import _SupervisedProjection, check_n_components
from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.kernels import center_gram, check_gram, mean_distance
from reprolib.methods.shared.sklearn_private import Interval, StrOptions
from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.methods.shared.types import Array, Data, RandomState
from reprolib.methods.shared.validation import (
    COUNT,
    NON_NEGATIVE,
    POSITIVE,
    as_numbers,
    require_positive_semidefinite,
    validate_data,
)

#: One kernel is alone where the weights of all others sum to less than this.
ALONE = 1e-8


def bandwidth_grid(X, exponents=range(-5, 6)):
    """Gamma in exp(-gamma d^2) for the paper's widths 2^k sigma_0^2.

    sigma_0 is the mean distance between two different training points; the paper's kernel is
    exp(-d^2 / width).

    Parameters
    ----------
    X : ndarray of shape (n, p)
        One example a row.
    exponents : iterable of int, default=-5, ..., 5
        The k.

    Returns
    -------
    ndarray of shape (n_exponents,)
        One gamma for each exponent: the larger the exponent, the smaller gamma and the wider the
        kernel.

    Raises
    ------
    ValueError
        If all rows of X are the same.

    See Also
    --------
    MultipleKernelMMC : Combines kernels of these widths.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib.methods.mkmmc import bandwidth_grid
    >>> bandwidth_grid(np.array([[0.0], [2.0]]), exponents=[-1, 0, 1]).tolist()
    [0.5, 0.25, 0.125]
    """
    sigma = mean_distance(X)
    if not sigma > 0:
        raise ValueError(
            "all rows of X are the same, so that no bandwidth follows from them; give features "
            "that differ between the points."
        )
    return np.array([2.0 ** -float(k) / sigma**2 for k in exponents])


def _stack(grams, n: int):
    """Check kernels between some points and n training points, of shape (p, m, n)."""
    grams = np.asarray(grams, dtype=np.float64)
    if grams.ndim != 3 or grams.shape[2] != n or 0 in grams.shape:
        raise ValueError(
            f"grams has shape {grams.shape}; give (number of kernels, number of points, {n}), "
            f"as there are {n} training points."
        )
    if not np.all(np.isfinite(grams)):
        raise ValueError("grams has entries that are not finite; look at the kernels.")
    return grams


class MultipleKernelMMC(_SupervisedProjection):
    """Multiple kernel MMC, equation (21): learn a convex combination of Gaussian kernels.

    maximise tr(A' K L K A) over A (constraint as in `KernelMMC`) and over the weights theta of
    K = sum_t theta_t K_t, theta on the simplex. The alternation starts at equal weights.

    Parameters
    ----------
    n_components : int, optional
        Directions, and the dimension in which the weights are learned (the paper does not say
        which it took). None means the number of classes less one.
    gammas : array-like of shape (p,), optional
        Kernels exp(-gamma d^2). None means the paper's eleven, see `bandwidth_grid`.
    constraint : {"coefficient", "function", "whitened"}, default="coefficient"
        What fixes the scale of the coefficients: A' A = I as printed, orthonormal directions
        A' K A = I, or unit total scatter.
    within_weight : float, default=1.0
        mu, the weight of the scatter inside the classes: a larger one draws each class together
        more. The paper has 1.
    within : {"scatter", "covariance"}, default="scatter"
        What S_w sums over the classes: their scatter matrices, or their covariance matrices.
    between : {"mean", "origin"}, default="mean"
        From what S_b measures the class means, see `MMC`.
    ridge : float, default=0.0
        "whitened" only: multiple of the mean eigenvalue of the total scatter that is added to it.
        A larger one regularises more.
    center : bool, default=False
        Centre every Gram matrix. The paper does not.
    weight_step : {"local", "global", "none"}, default="local"
        How the quadratic program (23) is solved: from the current weights to a stationary point
        (a QP routine's answer), to its certified global maximum, or not at all (uniform average).
    normalization : {None, "trace"}
        "trace" scales every kernel to unit centred trace first, so that the objective does not
        prefer a kernel for its size.
    n_restarts : int, default=0
        Further starts at random weights; the best objective wins.
    max_iter : int, default=1000
        Largest number of outer steps from one start.
    tol : float, default=1e-8
        Stop when a step raises the objective by at most ``tol`` times the sum of the sizes of the
        eigenvalues.
    random_state : int, RandomState instance or None
        Of the restarts.

    Attributes
    ----------
    kernel_weights_ : ndarray of shape (p,)
        The theta: how much every kernel counts, from 0 to 1; they sum to one.
    single_kernel_ : bool
        Whether the weights are a vertex, that is, one kernel.
    objective_path_ : ndarray
        Objective after the start and after every outer step; it never decreases.
    components_ : ndarray of shape (n_components, n)
        Coefficients of the directions over the training points.
    eigenvalues_ : ndarray of shape (n_components,)
        Value of the criterion along every direction, largest first.
    gammas_ : ndarray of shape (p,)
        The gamma of every kernel.
    X_fit_ : ndarray of shape (n, n_features)
        Training data (not after `fit_grams`, nor ``gammas_``).
    n_iter_ : int
        Outer steps from the best start.

    See Also
    --------
    KernelMMC : One given kernel.
    bandwidth_grid : The paper's widths.
    reprolib.methods.mkmmc.stqp.solve_stqp_local : The weight step.

    Notes
    -----
    Q. Gu and J. Zhou, Multiple kernel maximum margin criterion, ICIP 2009, sections 2.3 and 2.4.
    The weight step maximises a form that is seldom concave, so that a quadratic programming routine
    ends in a local maximum, mostly at one kernel; ``weight_step="global"`` shows the difference.

    Ties between directions are settled as in `KernelMMC`. Of restarts that end within ``tol`` of
    the best objective the first counts. A combined kernel of numerical rank below
    ``n_components`` gives only so many directions under "function" and "whitened".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from reprolib import MultipleKernelMMC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MultipleKernelMMC(gammas=[0.1, 0.5, 2.0], constraint="function").fit(X, y)
    >>> round(float(model.kernel_weights_.sum()), 6)
    1.0
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **_SupervisedProjection._parameter_constraints,
        "gammas": ["array-like", POSITIVE, None],
        "constraint": [StrOptions(set(CONSTRAINTS))],
        "ridge": [NON_NEGATIVE],
        "center": ["boolean"],
        "weight_step": [StrOptions(set(WEIGHT_STEPS))],
        "normalization": [StrOptions({"trace"}), None],
        "n_restarts": [Interval(Integral, 0, None, closed="left")],
        "max_iter": [COUNT],
        "tol": [NON_NEGATIVE],
        "random_state": ["random_state"],
    }

    if TYPE_CHECKING:
        kernel_weights_: Array
        single_kernel_: bool
        objective_path_: Array
        components_: Array
        eigenvalues_: Array
        gammas_: Array
        X_fit_: Array
        n_iter_: int

    def __init__(
        self,
        n_components: int | None = None,
        *,
        gammas: Data = None,
        constraint: str = "coefficient",
        within_weight: float = 1.0,
        within: Within = "scatter",
        between: Between = "mean",
        ridge: float = 0.0,
        center: bool = False,
        weight_step: str = "local",
        normalization: str | None = None,
        n_restarts: int = 0,
        max_iter: int = 1000,
        tol: float = GAIN_TOL,
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.gammas = gammas
        self.constraint = constraint
        self.within_weight = within_weight
        self.within = within
        self.between = between
        self.ridge = ridge
        self.center = center
        self.weight_step = weight_step
        self.normalization = normalization
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Data, y: Data) -> Self:
        """Learn the weights and the coefficients.

        Parameters
        ----------
        X : array-like of shape (n, p)
            One example a row.
        y : array-like of shape (n,)
            Class labels.

        Returns
        -------
        self
            The fitted transformer.

        Raises
        ------
        ValueError
            If there is one class only, a kernel does not tell the points apart, or an argument is
            out of range.
        """
        self._validate_params()
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(y)
        if self.gammas is None:
            self.gammas_ = bandwidth_grid(X)
        else:
            self.gammas_ = as_numbers(self.gammas, "gammas").ravel()
            if not (len(self.gammas_) and np.all(np.isfinite(self.gammas_) & (self.gammas_ > 0))):
                raise ValueError(f"gammas is {self.gammas!r}; give at least one positive number.")
        self.X_fit_ = X
        return self._learn(self._grams(X), y)

    @all_or_nothing
    def fit_grams(self, grams: Data, y: Data) -> Self:
        """Learn from Gram matrices of the training data, for fits that share them.

        The model then projects by `transform_grams`; ``gammas`` is not used.

        Parameters
        ----------
        grams : array-like of shape (p, n, n)
            One positive semidefinite matrix a kernel.
        y : array-like of shape (n,)
            Class labels.

        Returns
        -------
        self
            The fitted transformer.

        Raises
        ------
        ValueError
            If a matrix is not n times n, symmetric and positive semidefinite, or for what `fit`
            refuses.
        """
        self._validate_params()
        y = column_or_1d(y)
        check_classification_targets(y)
        grams = _stack(grams, len(y))
        for t, K in enumerate(grams):
            require_positive_semidefinite(check_gram(K, name=f"grams[{t}]"), name=f"grams[{t}]")
        return self._learn(grams, y)

    def _learn(self, grams, y) -> Self:
        maximise = get_maximiser(self.constraint, self.ridge)
        L = margin_laplacian(
            y, within_weight=self.within_weight, within=self.within, between=self.between
        )
        n_classes = len(np.unique(y))
        rank = largest_rank(grams, enough=self.n_components or n_classes - 1)
        m = check_n_components(self.n_components, n_classes, rank)
        self._scales = np.ones(len(grams))
        if self.normalization == "trace":
            self._scales = np.array([1.0 / np.trace(center_gram(K)) for K in grams])
        grams = grams * self._scales[:, None, None]
        work = np.array([center_gram(K) for K in grams]) if self.center else grams
        p = len(grams)
        rng = check_random_state(self.random_state)
        starts = [np.full(p, 1.0 / p), *rng.dirichlet(np.ones(p), size=self.n_restarts)]
        weight_step = WEIGHT_STEPS[self.weight_step]
        runs = [
            alternate(work, L, m, maximise, weight_step, start, self.max_iter, self.tol)
            for start in starts
        ]
        best = first_run(runs, self.tol)
        if not best.converged:
            warnings.warn(
                f"the alternation still gains after max_iter = {self.max_iter} steps; the weights "
                "are feasible, but raise max_iter for a stationary point",
                NotOptimalWarning,
                stacklevel=4,
            )
        self.kernel_weights_ = best.weights
        self.single_kernel_ = bool(best.weights.max() > 1 - ALONE)
        self.objective_path_, self.n_iter_ = best.objective_path, best.n_iter
        self.eigenvalues_ = best.eigenvalues
        learned = np.tensordot(best.weights, work, axes=1)
        size = projected_size(learned, self.constraint)
        A = idle_to_zero(best.coefficients, learned, size)
        K = np.tensordot(best.weights, grams, axes=1)
        self.components_, self._offset = uncentered(A, K, self.center)
        self._n_features_out = len(self.components_)
        return self

    def transform(self, X: Data) -> Array:
        """Project onto the directions.

        Parameters
        ----------
        X : array-like of shape (n, p)
            One example a row.

        Returns
        -------
        ndarray of shape (n, n_components)
            Coordinates of the examples along the directions, one example a row.
        """
        check_is_fitted(self)
        if not hasattr(self, "X_fit_"):
            raise ValueError(
                "the model was learned by fit_grams and has no training points; give the kernels "
                "between X and these to transform_grams."
            )
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.transform_grams(self._grams(X))

    def transform_grams(self, grams: Data) -> Array:
        """Project points by their kernels with the training points.

        Parameters
        ----------
        grams : array-like of shape (p, m, n)
            Kernels of m points in the order of the fit.

        Returns
        -------
        ndarray of shape (m, n_components)
            Coordinates of the points along the directions, one point a row.

        Raises
        ------
        ValueError
            If the kernels are not those of the fit in number, or not with n training points.
        """
        check_is_fitted(self)
        grams = _stack(grams, self.components_.shape[1])
        if len(grams) != len(self.kernel_weights_):
            raise ValueError(
                f"grams has {len(grams)} kernels; give the {len(self.kernel_weights_)} of the fit."
            )
        K = np.tensordot(self.kernel_weights_ * self._scales, grams, axes=1)
        return K @ self.components_.T - self._offset

    def _grams(self, X):
        # Distances do not change, and lose no digits to an offset common to all points.
        center = self.X_fit_.mean(axis=0)
        squared = euclidean_distances(X - center, self.X_fit_ - center, squared=True)
        return np.exp(-self.gammas_[:, None, None] * squared)
