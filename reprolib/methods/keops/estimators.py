"""KEOPS and multiple kernel learning as scikit-learn classifiers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import column_or_1d

from reprolib.methods.keops.alternating import DECREASE_TOL, solve_pyramid_alternating
from reprolib.methods.keops.cvxopt_reference import solve_mkl_cvxopt
from reprolib.methods.keops.kernel_sets import (
    PRUNE_TOL,
    KernelSet,
    KernelStack,
    LinearBlocks,
    check_blocks,
    check_stack,
    kernel_values,
)
from reprolib.methods.keops.mkl_features import solve_mkl_features
from reprolib.methods.keops.norms import check_exponents, pyramid_weights
from reprolib.methods.keops.tree import KernelTree, check_tree
from reprolib.methods.shared.binary import OneVsRestMixin
from reprolib.methods.shared.draft import all_or_nothing
from reprolib.methods.shared.sklearn_private import Interval, StrOptions
from reprolib.methods.shared.types import Array, ClassWeight, Data, RandomState
from reprolib.methods.shared.validation import (
    COUNT,
    NON_NEGATIVE,
    POSITIVE,
    ConstantClassifierWarning,
    validate_array,
    validate_data,
)
from reprolib.methods.shared.weights import CLASS_WEIGHT, example_weights

__all__ = ["ConstantClassifierWarning", "KEOPSClassifier", "KernelTree", "MKLClassifier"]

#: Bound of the scores, in units of the margin, below which they can only tell the classes apart if
#: the intercept is near zero.
SMALLEST_REACH = 0.1


class _PyramidClassifier(OneVsRestMixin, BaseEstimator):
    """Classifier on a weighted sum of kernels; subclasses say which tree and solver."""

    if TYPE_CHECKING:
        classes_: Array
        weights_: list[Array]
        kernel_weights_: Array
        kernel_norms_: Array
        selected_: Array
        n_selected_: tuple[int, ...]
        objective_path_: Array
        objective_: float
        duality_gap_: float
        status_: str
        coef_: Array
        dual_coef_: Array
        intercept_: float | Array
        tree_: KernelTree
        n_iter_: int
        estimators_: list[Any]

    _parameter_constraints: dict = {  # noqa: RUF012
        "C": [POSITIVE],
        "p": [NON_NEGATIVE, "array-like"],
        "kernel": [StrOptions({"linear", "precomputed"}), list],
        "blocks": ["array-like", None],
        "solver": [StrOptions({"auto", "cvxopt"})],
        "gap_tol": [NON_NEGATIVE],
        "decrease_tol": [NON_NEGATIVE],
        "prune_tol": [Interval(Real, 0.0, 1e-2, closed="both")],
        "max_iter": [COUNT],
        "class_weight": CLASS_WEIGHT,
    }

    kernel: str | list[str | Callable[..., Any]]
    blocks: object
    solver: str
    C: float
    class_weight: ClassWeight

    def __sklearn_tags__(self):
        """Mark precomputed kernels as three-dimensional input."""
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = self.kernel == "precomputed"
        return tags

    @all_or_nothing
    def fit(self, X: Data, y: Data, sample_weight: Data = None) -> Self:
        """Learn the weights of the kernels together with the SVM.

        Parameters
        ----------
        X : array-like of shape (n, p), or (n_kernels, n, n) for kernel="precomputed"
            One example a row, or one Gram matrix of the training examples a kernel.
        y : array-like of shape (n,)
            More than two classes are told apart one against the others.
        sample_weight : array-like of shape (n,), optional
            How often every example counts: factors of C.

        Returns
        -------
        self
            The fitted classifier.

        Raises
        ------
        ValueError
            If a hyperparameter is out of range, a kernel or the tree is malformed, a precomputed
            kernel is not positive semidefinite, or y has one class.

        Warns
        -----
        ConstantClassifierWarning
            If all training points get the same class because the kernel values are tiny beside
            1 / C, as with features in volts.
        NotOptimalWarning
            If the answer is not certified; once, with the reasons.
        """
        self._validate_params()
        if several := self._several_classes(y, sample_weight):
            return self._fit_each(X, y, several)
        X, y = self._checked(X, y)
        weights = example_weights(y, sample_weight, self.class_weight)
        kernels, signs = self._kernel_set(X, weights.rows), self._signs(y[weights.rows])
        self._rows, self._n_samples = weights.rows, weights.n_samples
        self._strength = weights.strength(self.C)
        solution = self._solve(kernels, signs, weights.values)
        self._store(solution, kernels, signs)
        self._warn_if_constant(solution.variables["scores"], solution.info["reach"])
        return self

    def _warn_if_constant(self, scores, reach):
        """Say so where the optimum is a constant class for the kernel's scale alone."""
        values, spread = scores + self._intercept_at_origin, float(np.ptp(scores))
        constant = np.all(values > 0) or np.all(values <= 0)
        if constant and spread > 0.0 and reach < SMALLEST_REACH:
            warnings.warn(
                f"All training points get the same class: the scores vary by {spread:.3g}, in "
                f"units of the margin, because the kernel values are tiny beside 1 / C = "
                f"{1 / self.C:.3g}. This is the optimum for these units. Scale the features, for "
                "example with sklearn.preprocessing.StandardScaler, or raise C.",
                ConstantClassifierWarning,
                stacklevel=4,
            )

    def _checked(self, X, y):
        """Validate training data: features, or one Gram matrix a kernel."""
        if self.kernel != "precomputed":
            return validate_data(self, X, y, dtype=np.float64)
        X = validate_array(X, dtype=np.float64, allow_nd=True, ensure_2d=False, input_name="X")
        y = column_or_1d(y)
        # Kernel values of n training points are the features.
        self.n_features_in_ = len(y)
        return check_stack(X, len(y)), y

    def _kernel_set(self, X, rows) -> KernelSet:
        """Kernels between some rows of data that are checked."""
        if self.kernel == "linear":
            return LinearBlocks(X[rows], check_blocks(self.blocks, X.shape[1]))
        if self.blocks is not None:
            raise ValueError(
                "blocks says which features a linear kernel has; leave it out, or set "
                f"kernel='linear' (it is {self.kernel!r})."
            )
        if isinstance(self.kernel, str):
            return KernelStack(X[:, rows][:, :, rows])
        if not self.kernel:
            raise ValueError("kernel is an empty list; give at least one kernel.")
        X = X[rows]
        return KernelStack(check_stack(kernel_values(self.kernel, X, X), len(X), "kernel"), X)

    def _alternate(self, kernels, signs, costs, exponents, start):
        return solve_pyramid_alternating(
            kernels,
            signs,
            self.tree_,
            exponents,
            self._strength,
            costs=costs,
            start=start,
            gap_tol=self.gap_tol,
            decrease_tol=self.decrease_tol,
            prune_tol=self.prune_tol,
            max_iter=self.max_iter,
            solver=self.solver,
        )

    def _store(self, solution, kernels, signs):
        found = solution.variables
        self.weights_ = found["weights"]
        self.kernel_weights_ = found["effective"]
        self.kernel_norms_ = found["kernel_norms"]
        self.selected_ = self.kernel_norms_ > 0
        self.n_selected_ = self.tree_.n_selected(self.selected_)
        self.objective_path_ = found["objective_path"]
        self.objective_ = solution.primal_objective
        certified = np.isfinite(solution.dual_objective)
        self.duality_gap_ = solution.relative_gap if certified else np.inf
        self.status_ = solution.status
        self.n_iter_ = solution.iterations
        self.dual_coef_ = signs * found["alpha"]
        self.intercept_ = self._intercept_at_origin = found["intercept"]
        if isinstance(kernels, LinearBlocks):
            self._origin = kernels.origin
            per_feature = self.kernel_weights_[kernels.blocks]
            self.coef_ = per_feature * (kernels.X.T @ self.dual_coef_)
            self.intercept_ = self._intercept_at_origin - self._origin @ self.coef_
        elif isinstance(kernels, KernelStack) and kernels.X is not None:
            self.X_fit_ = kernels.X

    def _decide(self, X):
        if self.kernel == "linear":
            X = validate_data(self, X, dtype=np.float64, reset=False)
            return (X - self._origin) @ self.coef_ + self._intercept_at_origin
        alive = np.flatnonzero(self.kernel_weights_)
        if self.kernel != "precomputed":
            X = validate_data(self, X, dtype=np.float64, reset=False)
            Ks = kernel_values([self.kernel[m] for m in alive], X, self.X_fit_)
            return self._combine(Ks, alive)
        Ks = validate_array(X, dtype=np.float64, allow_nd=True, ensure_2d=False, input_name="X")
        if Ks.ndim != 3 or Ks.shape[::2] != (len(self.kernel_weights_), self._n_samples):
            raise ValueError(
                f"X has shape {Ks.shape}; the precomputed kernels between m new points and the "
                f"training data have shape ({len(self.kernel_weights_)}, m, {self._n_samples})."
            )
        return self._combine(Ks[alive][:, :, self._rows], alive)

    def _combine(self, Ks, alive):
        scores = np.tensordot(self.kernel_weights_[alive], Ks @ self.dual_coef_, axes=1)
        return scores + self.intercept_


class KEOPSClassifier(_PyramidClassifier):
    """SVM on kernels organised into a pyramid, with a weight on every node of the tree.

    Minimises 1/2 N_0(||f_1||, ..., ||f_M||)^2 + C sum_i [1 - y_i (sum_m f_m(x_i) + b)]_+ over one
    function f_m for each kernel and b; N_0 is the mixed norm of `reprolib.methods.keops.norms`,
    with exponents gamma_h = 2 / (1 + p_h + ... + p_H). The tree may have any height.
    p_1 + ... + p_H <= 1 is convex; the paper's p_h = 1 with three levels is not, and sparser.
    Szafranski and Grandvalet, "KEOPS: Kernels organized into pyramids", ICASSP 2014, problem (3)
    and algorithm 1.

    More than two classes are told apart one against the others: the problem of the paper, with its
    certificate, for each of them, so that every class selects kernels of its own. ``estimators_``
    holds the models.

    A kernel is dropped for good once its norm is at most ``prune_tol`` times the largest. Where the
    penalty is not convex a weight may fall low and rise again: on the P300 data 1e-10 ends in
    objectives up to 3 % lower than 1e-6, with a similar number of kernels, in twice the time.
    Kernels that are constant on the training data (a flat channel) are dropped by the first step.

    Parameters
    ----------
    tree : KernelTree or nested lists of kernel indices, optional
        None means a flat tree, height 1.
    p : float or sequence of float, default=1.0
        Exponents of the levels, coarsest first; one number means the same for all. 0 leaves all
        kernels of a level in, larger exponents make the level sparser.
    C : float, default=1.0
        Weight of the hinge loss: a small C prefers small functions and few kernels, a large one
        fits the training data. With uniform weights the effective kernel is divided by the product
        of M_h^p_h over the levels h, with M_h nodes each; to keep the balance, C must grow like
        this product.
    kernel : {"linear", "precomputed"} or list, default="linear"
        "linear": one linear kernel for each block of features. "precomputed": ``X`` holds Gram
        matrices, shape (n_kernels, n, n). A list has one kernel an entry: a name of
        `sklearn.metrics.pairwise.pairwise_kernels` ("rbf", "laplacian", ...) with its default
        parameters, or a function of two arrays of rows, (n, p) and (m, p), that returns their
        kernel values, (n, m).
    blocks : array-like of int of shape (p,), optional
        Kernel of every feature, 0..n_kernels-1; one kernel for each feature by default.
    solver : {"auto", "cvxopt"}, default="auto"
        "auto" is the fast warm-started solver of the SVMs. "cvxopt" solves the quadratic programme
        of every outer step from scratch, as a check on small problems. See
        `reprolib.methods.keops.cvxopt_reference`.
    init : {"uniform", "random"}, default="uniform"
        Weights at the start; matters where the penalty is not convex.
    gap_tol : float, default=1e-3
        Where the penalty is convex: duality gap, relative to the penalty, at which to stop.
    decrease_tol : float, default=1e-6
        Where the penalty is not convex: stop when a step lowers the objective by at most this part.
    prune_tol : float, default=1e-6
        Kernels whose norm is at most this part of the largest are dropped; see above.
    max_iter : int, default=3000
        Largest number of outer steps, each of which trains an SVM and then renews the weights, as
        Algorithm 1 does. If this limit ends the steps (status "max_iter"), `kernel_weights_` and
        `coef_` are therefore one renewal newer than the SVM that gave `intercept_`, `objective_`
        and `duality_gap_`.
    random_state : int, RandomState or None
        For init="random".
    class_weight : dict, "balanced" or None, default=None
        Factor of C for the examples of a class; "balanced" gives all classes the same total
        weight.

    Attributes
    ----------
    weights_ : list of ndarray
        sigma of every level, coarsest first; each sums to one.
    kernel_weights_ : ndarray of shape (n_kernels,)
        Weights of the effective kernel.
    kernel_norms_ : ndarray of shape (n_kernels,)
        ||f_m||, the size of every kernel's part of the function; zero if it is dropped.
    selected_ : ndarray of bool of shape (n_kernels,)
        Whether a kernel takes part in the decision.
    n_selected_ : tuple of int
        Selected nodes of every level.
    objective_path_ : ndarray of shape (n_iter_,)
        Objective after every outer step; non-increasing. `MKLClassifier`'s quadratic programme
        gives the last one only, shape (1,).
    objective_ : float
        Objective of the solution.
    duality_gap_ : float
        Relative duality gap; infinite where the penalty is not convex.
    status_ : str
        "optimal" (by the gap), "stationary" (by the decrease) or "max_iter".
    coef_ : ndarray of shape (p,)
        Weight of every feature, for kernel="linear".
    X_fit_ : ndarray of shape (n, p)
        Training data whose weight is not zero, where ``kernel`` is a list.
    dual_coef_ : ndarray of shape (n,)
        y_i alpha_i; n does not count rows of weight zero.
    intercept_ : float
        The b, which is added to the sum of the functions.
    tree_ : KernelTree
        The tree, as it was given or flat.
    classes_ : ndarray of shape (n_classes,)
        The class labels, in increasing order.
    n_iter_ : int
        Outer steps that were made.
    estimators_ : list of KEOPSClassifier
        For more than two classes, one model for each class against the others. This object then has
        ``coef_``, ``intercept_`` (first axis: the classes), ``classes_`` and ``n_iter_`` (the
        largest); the models have the rest.

    See Also
    --------
    MKLClassifier : No groups, or groups on one level.
    TreeLassoClassifier : Logistic loss with a norm over the same tree.
    reprolib.methods.keops.alternating.solve_pyramid_alternating : The algorithm.

    Notes
    -----
    The printed formulas are for three levels and p_h = 1; any height and exponents are derived in
    `reprolib.methods.keops.norms`.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib import KEOPSClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(80, 6)), np.arange(80) % 2
    >>> X[:, :2] += 2.0 * y[:, None]
    >>> tree = [[[0, 1], [2]], [[3, 4], [5]]]
    >>> model = KEOPSClassifier(tree, C=1.0).fit(X, y)
    >>> model.selected_[:2].all()
    np.True_
    >>> model.n_selected_[0]
    1
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **_PyramidClassifier._parameter_constraints,
        "tree": [KernelTree, "array-like", None],
        "init": [StrOptions({"uniform", "random"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        tree: Data = None,
        p: Data = 1.0,
        C: float = 1.0,
        *,
        kernel: str | list[str | Callable[..., Any]] = "linear",
        blocks: Data = None,
        solver: str = "auto",
        init: str = "uniform",
        gap_tol: float = 1e-3,
        decrease_tol: float = DECREASE_TOL,
        prune_tol: float = PRUNE_TOL,
        max_iter: int = 3000,
        random_state: RandomState = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.tree = tree
        self.p = p
        self.C = C
        self.kernel = kernel
        self.blocks = blocks
        self.solver = solver
        self.init = init
        self.gap_tol = gap_tol
        self.decrease_tol = decrease_tol
        self.prune_tol = prune_tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.class_weight = class_weight

    def _solve(self, kernels, signs, costs):
        self.tree_ = check_tree(self.tree, kernels.n_kernels)
        exponents = check_exponents(self.p, self.tree_.height)
        return self._alternate(kernels, signs, costs, exponents, self._start())

    def _start(self):
        if self.init == "uniform":
            return None
        rng = check_random_state(self.random_state)
        norms = rng.exponential(size=self.tree_.n_nodes[-1])
        return pyramid_weights(self.tree_, np.ones(self.tree_.height), norms)


class MKLClassifier(_PyramidClassifier):
    """SVM on a learned sum of kernels: multiple kernel learning, and its composite form.

    Without groups, minimises 1/2 (sum_m ||f_m||)^2 + C sum_i [1 - y_i (f(x_i) + b)]_+
    (Rakotomamonjy et al., JMLR 2008; problem (1) of the KEOPS paper). With groups, the norm is the
    l_gamma1 norm over groups of l_gamma2 norms inside (composite kernel learning, Szafranski,
    Grandvalet and Rakotomamonjy, Machine Learning 2010), the two-level case of `KEOPSClassifier`.

    Without groups and with one feature for each linear kernel the problem is one quadratic
    programme and is solved as such to a relative duality gap of at most 1e-5, so that its support
    is settled; otherwise, and where that gap is not reached (large C, or features of very different
    size), by the alternation of `KEOPSClassifier` to ``gap_tol``.

    More than two classes are told apart one against the others: the problem of the paper, with its
    certificate, for each of them, so that every class selects kernels of its own. ``estimators_``
    holds the models.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the hinge loss, as in `KEOPSClassifier`.
    groups : array-like of shape (n_kernels,), optional
        Group of every kernel.
    p : tuple of two floats, default=(0.5, 0.5)
        Exponents of groups and kernels, used only with groups; convex if they sum to at most 1.
        (0, 1) ignores the groups, (1, 0) is the group lasso over groups.
    kernel : {"linear", "precomputed"} or list, default="linear"
        "linear": one linear kernel for each block of features. "precomputed": ``X`` holds Gram
        matrices, shape (n_kernels, n, n). A list has one kernel an entry: a name of
        `sklearn.metrics.pairwise.pairwise_kernels` ("rbf", "laplacian", ...) with its default
        parameters, or a function of two arrays of rows, (n, p) and (m, p), that returns their
        kernel values, (n, m).
    blocks : array-like of int of shape (p,), optional
        Kernel of every feature, 0..n_kernels-1; one kernel for each feature by default.
    solver : {"auto", "cvxopt"}, default="auto"
        "auto" is the fast way described above. "cvxopt" solves the paper's problem (1) as one
        programme over second-order cones, or with ``groups`` the quadratic programme of every SVM,
        as a check on small problems. See `reprolib.methods.keops.cvxopt_reference`.
    gap_tol : float, default=1e-3
        Where the penalty is convex: duality gap, relative to the penalty, at which to stop.
    decrease_tol : float, default=1e-6
        Where the penalty is not convex: stop when a step lowers the objective by at most this part.
    prune_tol : float, default=1e-6
        Kernels whose norm is at most this part of the largest are dropped for good.
    max_iter : int, default=3000
        Largest number of outer steps, each of which trains an SVM and then renews the weights.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for the examples of a class; "balanced" gives all classes the same total
        weight.

    Attributes
    ----------
    weights_ : list of ndarray
        sigma of every level of the tree, coarsest first; each sums to one.
    kernel_weights_ : ndarray of shape (n_kernels,)
        Weights of the effective kernel, which is the sum of the kernels under them.
    kernel_norms_ : ndarray of shape (n_kernels,)
        ||f_m||, the size of every kernel's part of the function; zero if it is dropped.
    selected_ : ndarray of bool of shape (n_kernels,)
        Whether a kernel takes part in the decision.
    n_selected_ : tuple of int
        Selected nodes of every level, coarsest first.
    objective_path_ : ndarray of shape (n_iter_,)
        Objective after every outer step; non-increasing. The quadratic
        programme gives the last one only, shape (1,).
    objective_ : float
        Objective of the solution.
    duality_gap_ : float
        Relative duality gap; infinite where the penalty is not convex.
    status_ : str
        "optimal" (by the gap), "stationary" (by the decrease) or "max_iter".
    coef_ : ndarray of shape (p,)
        Weight of every feature, for kernel="linear".
    X_fit_ : ndarray of shape (n, p)
        Training data whose weight is not zero, where ``kernel`` is a list.
    dual_coef_ : ndarray of shape (n,)
        y_i alpha_i; n does not count rows of weight zero.
    intercept_ : float
        The b, which is added to the sum of the functions.
    tree_ : KernelTree
        The flat tree, or that of two levels with ``groups``.
    classes_ : ndarray of shape (n_classes,)
        The class labels, in increasing order.
    n_iter_ : int
        Outer steps that were made.
    estimators_ : list of MKLClassifier
        For more than two classes, one model for each class against the others. This object then has
        ``coef_``, ``intercept_`` (first axis: the classes), ``classes_`` and ``n_iter_`` (the
        largest); the models have the rest.

    See Also
    --------
    KEOPSClassifier : Trees of any height.
    reprolib.methods.keops.mkl_features.solve_mkl_features : One feature for each kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from reprolib import MKLClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(80, 6)), np.arange(80) % 2
    >>> X[:, 0] += 4.0 * y
    >>> model = MKLClassifier(C=0.1).fit(X, y)
    >>> model.selected_[0], model.status_
    (np.True_, 'optimal')
    """

    _parameter_constraints: dict = {  # noqa: RUF012
        **_PyramidClassifier._parameter_constraints,
        "groups": ["array-like", None],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        groups: Data = None,
        p: Data = (0.5, 0.5),
        kernel: str | list[str | Callable[..., Any]] = "linear",
        blocks: Data = None,
        solver: str = "auto",
        gap_tol: float = 1e-3,
        decrease_tol: float = DECREASE_TOL,
        prune_tol: float = PRUNE_TOL,
        max_iter: int = 3000,
        class_weight: ClassWeight = None,
    ) -> None:
        self.C = C
        self.groups = groups
        self.p = p
        self.kernel = kernel
        self.blocks = blocks
        self.solver = solver
        self.gap_tol = gap_tol
        self.decrease_tol = decrease_tol
        self.prune_tol = prune_tol
        self.max_iter = max_iter
        self.class_weight = class_weight

    def _solve(self, kernels, signs, costs):
        if self.groups is None:
            self.tree_, exponents = KernelTree.flat(kernels.n_kernels), np.ones(1)
        else:
            if np.shape(self.groups) != (kernels.n_kernels,):
                raise ValueError(
                    f"groups has shape {np.shape(self.groups)}; give the group of each of the "
                    f"{kernels.n_kernels} kernels."
                )
            self.tree_ = KernelTree.from_labels([self.groups])
            exponents = check_exponents(self.p, 2)
        if self.groups is None and self.solver == "cvxopt":
            return solve_mkl_cvxopt(
                kernels, signs, self._strength, costs=costs, prune_tol=self.prune_tol
            )
        if self.groups is None and getattr(kernels, "single_features", False):
            solution = solve_mkl_features(
                kernels, signs, self._strength, costs=costs, prune_tol=self.prune_tol
            )
            if solution.status == "optimal":
                return solution
        return self._alternate(kernels, signs, costs, exponents, None)
