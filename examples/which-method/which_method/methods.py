"""The methods, and the nine configurations that each may choose from.

One rule for all ranges. A method with two hyperparameters has three values of each, a method with
one has nine, in equal steps on a log scale wherever the scale allows. Where they lie was settled by
the inner cross-validation of two pilot trials, which are no trials of the study, without a look at
test rows: the range moves until neither end is chosen much more often than the middle. Of equally
good configurations the one nearest to the middle of its ranges is taken (the grids are in that
order), so that a choice at an end is never a tie.

Kernel widths, costs and penalties are on the scale of the data: gamma is a multiple of one over
the sum of the variances of the columns, and the penalty of a least squares machine is the one
that belongs to the cost of the support vector machines, n alpha = 1 / (2 C). Forests, and gradient
boosting a second time, have scikit-learn's defaults: they are there as what costs no thought.
Beyond the budget, to see what nine configurations cost: boosting with scikit-learn's trees, 45
configurations and up to 500 rounds, and the SVM with 25.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from reprolib.methods.mkmmc import MMC, KernelMMC, MultipleKernelMMC
from reprolib.methods.mkpm import MKPMClassifier
from reprolib.methods.shared.ties import DIVIDED
from reprolib.methods.simplex import (
    SimplexConeSVC,
    SimplexRLSClassifier,
    SimplexSGDClassifier,
)
from which_method.estimators import (
    ConstantRLS,
    KernelBank,
    NearestVote,
    OneVsRestKPM,
)

N_CONFIGURATIONS = 9
#: Widths of the Gaussian kernels, as multiples of 1 / (sum of the variances of the columns).
GAMMA_FACTORS = (1 / 64, 1 / 8, 1.0)
COSTS = (1.0, 10.0, 100.0)
#: Of the SVM beyond the budget.
WIDE_FACTORS = (1 / 512, *GAMMA_FACTORS, 8.0)
WIDE_COSTS = (0.1, *COSTS, 1000.0)
#: Of one binary problem, and a class of MKPM's.
DIMENSIONS, DIMENSIONS_A_CLASS = (3, 10, 30), (8, 32, 128)
CONSTRAINTS = ("whitened", "function", "coefficient")
NEIGHBORS = (1, 7, 49)
#: Trees of the two forests.
N_EXTRA_TREES, N_FOREST_TREES = 300, 100
RIDGE = 0.1
#: Relative duality gap of the simplex SVMs, and the steps after which they give up. The decision
#: values are off by the root of the gap: at 1e-5 two processors still differ in a decision.
SVM_TOL, SVM_STEPS = 1e-9, 300
#: Relative duality gap of MKL.
MKL_TOL = 1e-2
#: Alternations after which MKMMC gives up.
MMC_STEPS = 100
#: Features that gradient boosting looks at for one split.
BOOSTING_FEATURES = 64
#: Long boosting: learning rates, rounds, and the fall of the training loss in ten rounds below
#: which it ends, as predictions move no more.
LONG_RATES = (0.01, 0.03, 0.1, 0.3, 1.0)
LONG_ROUNDS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
LONG_TOL = 1e-4


@dataclass(frozen=True)
class Setting:
    """What the grids are relative to.

    Parameters
    ----------
    n_rows, n_classes, n_features : int
    variance : float
        Sum of the variances of the columns of the training part.
    """

    n_rows: int
    n_classes: int
    n_features: int
    variance: float

    @classmethod
    def of(cls, X, y) -> Setting:
        """Measure a training part."""
        return cls(len(X), len(np.unique(y)), X.shape[1], float(np.var(X, axis=0).sum()))


@dataclass(frozen=True)
class Path:
    """A hyperparameter of which one fit, at the largest value, gives the models of all values.

    Parameters
    ----------
    name : str
    predict : callable
        (fitted model, X, values) -> predictions, one array a value.
    """

    name: str
    predict: Callable[[Any, np.ndarray, Sequence[Any]], list[np.ndarray]]


@dataclass(frozen=True)
class Method:
    """A method, its configurations, and how to make one of them.

    Parameters
    ----------
    label : str
    make : callable
        (setting, configuration as keywords) -> unfitted estimator.
    grid : sequence of dict
        `N_CONFIGURATIONS` configurations, the middle of the ranges first; a single one if the
        method is not tuned, more beyond the budget.
    path : Path, optional
    ours : bool
        Whether it is from one of the papers.
    binary_only, multiclass_only : bool
        Left out on more than two classes, or on two, where it would be another method again.
    balanced : bool
        Tuned by balanced accuracy, where all classes count the same.
    """

    label: str
    make: Callable[..., Any]
    grid: Sequence[Mapping[str, Any]]
    path: Path | None = None
    ours: bool = True
    binary_only: bool = False
    multiclass_only: bool = False
    balanced: bool = False

    def goes_on(self, n_classes: int) -> bool:
        """Whether it is run on sets of so many classes."""
        return not (self.binary_only if n_classes > 2 else self.multiclass_only)


def _grid(**axes) -> list[dict[str, Any]]:
    """Every combination of the values, those nearest to the middle of the axes first."""
    places = list(itertools.product(*(range(len(values)) for values in axes.values())))
    middle = [(len(values) - 1) / 2 for values in axes.values()]
    places.sort(key=lambda at: sum(abs(i - m) for i, m in zip(at, middle, strict=True)))
    return [
        {name: values[i] for i, (name, values) in zip(at, axes.items(), strict=True)}
        for at in places
    ]


def _powers(first: float, last: float) -> list[float]:
    """Nine powers of ten whose exponents are in equal steps, to three digits."""
    return [float(f"{10**k:.3g}") for k in np.linspace(first, last, N_CONFIGURATIONS)]


def _gamma(setting: Setting, factor: float) -> float:
    return factor / setting.variance


def _kpm(setting, *, gamma, D):
    return OneVsRestKPM(D, gamma=_gamma(setting, gamma))


def _kpm_square(setting, *, gamma, D):
    return OneVsRestKPM(D, loss="square", gamma=_gamma(setting, gamma))


def _mkpm(setting, *, gamma, D):
    return MKPMClassifier(D * setting.n_classes, gamma=_gamma(setting, gamma))


def _mkpm_path(model, X, values):
    path = model.predict_path(X)
    bits = len(model.code_)
    return [path[:, min(D * bits, model.n_components_)] for D in values]


def _rls_linear(setting, *, alpha):
    return SimplexRLSClassifier(alpha * setting.variance)


def _rls_rbf(setting, *, gamma, C):
    alpha = 1.0 / (2.0 * C * setting.n_rows)
    return SimplexRLSClassifier(alpha, kernel="rbf", gamma=_gamma(setting, gamma))


def _rls_constant(setting, *, gamma, C):
    return ConstantRLS(1.0 / (2.0 * C * setting.n_rows), gamma=_gamma(setting, gamma))


def _cone_svm(setting, *, gamma, C):
    return SimplexConeSVC(C, gamma=_gamma(setting, gamma), tol=SVM_TOL, max_iter=SVM_STEPS)


def _sgd(loss: str):
    def make(setting, *, alpha):
        return SimplexSGDClassifier(
            loss, alpha=alpha * setting.variance, max_iter=20, average=True, random_state=0
        )

    return make


def _mkl(setting, *, C):
    gammas = [_gamma(setting, factor) for factor in GAMMA_FACTORS]
    return KernelBank(C, gammas=gammas, tol=MKL_TOL)


def _mmc(setting, *, within_weight, k):
    return make_pipeline(MMC(within_weight=within_weight), NearestVote(k))


def _kernel_mmc(setting, *, gamma, k):
    projection = KernelMMC(gamma=_gamma(setting, gamma), **_constraint(CONSTRAINTS[0]))
    return _behind_kernels(projection, k)


def _constraint(name):
    """Constraint of a kernel MMC; only "whitened" has a scatter to regularise."""
    return {"constraint": name, "ridge": RIDGE if name == "whitened" else 0.0}


def _multiple_kernel_mmc(setting, *, constraint, k):
    gammas = np.array([_gamma(setting, factor) for factor in GAMMA_FACTORS])
    projection = MultipleKernelMMC(
        gammas=gammas,
        normalization="trace",
        tol=1e-3,
        max_iter=MMC_STEPS,
        **_constraint(constraint),
    )
    return _behind_kernels(projection, k)


def _behind_kernels(projection, k):
    """Neighbours behind a kernel projection.

    Where classes overlap, its best direction is one of a small eigenvalue: coordinates are divided
    by it, and points that coincide there differ by 1e-6 of the largest distance.
    """
    return make_pipeline(projection, NearestVote(k, tie_tol=DIVIDED))


def _svc(setting, *, gamma, C):
    return SVC(C=C, gamma=_gamma(setting, gamma))


def _svc_balanced(setting, *, gamma, C):
    return _svc(setting, gamma=gamma, C=C).set_params(class_weight="balanced")


def _svc_one_vs_rest(setting, *, gamma, C):
    return OneVsRestClassifier(_svc(setting, gamma=gamma, C=C))


def _gaussian_process(setting, *, gamma, amplitude):
    length = np.sqrt(0.5 / _gamma(setting, gamma))
    return GaussianProcessClassifier(ConstantKernel(amplitude) * RBF(length), optimizer=None)


def _neighbors(setting, *, k):
    return KNeighborsClassifier(k)


def _logistic(setting, *, C):
    return LogisticRegression(C=C, max_iter=2000)


def _lda(setting, *, shrinkage):
    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage)


def _lda_equal_priors(setting, *, shrinkage):
    priors = np.full(setting.n_classes, 1 / setting.n_classes)
    return _lda(setting, shrinkage=shrinkage).set_params(priors=priors)


def _gradient_boosting(setting, *, learning_rate, rounds):
    return HistGradientBoostingClassifier(
        learning_rate=learning_rate,
        max_iter=rounds,
        max_leaf_nodes=8,
        min_samples_leaf=5,
        max_bins=32,
        max_features=min(1.0, BOOSTING_FEATURES / setting.n_features),
        early_stopping=False,
        random_state=0,
    )


def _long_boosting(setting, *, learning_rate, rounds):
    return HistGradientBoostingClassifier(
        learning_rate=learning_rate,
        max_iter=rounds,
        early_stopping=True,
        validation_fraction=None,
        n_iter_no_change=10,
        tol=LONG_TOL,
        random_state=0,
    )


def _boosting_defaults(setting):
    return HistGradientBoostingClassifier(random_state=0)


def _extra_trees(setting):
    return ExtraTreesClassifier(N_EXTRA_TREES, random_state=0)


def _random_forest(setting):
    return RandomForestClassifier(N_FOREST_TREES, random_state=0)


def _staged_path(model, X, values):
    """Predictions after so many rounds; after the last one where boosting ended early."""
    stages = list(model.staged_predict(X))
    return [stages[min(rounds, len(stages)) - 1] for rounds in values]


def _neighbors_path(model, X, values):
    """Predictions of several numbers of neighbours behind one projection."""
    *_, (_, last) = model.steps
    projected = model[:-1].transform(X)
    return [last.set_params(n_neighbors=k).predict(projected) for k in values]


_NEIGHBORS = Path("k", _neighbors_path)
_ROUNDS = Path("rounds", _staged_path)
_DIMENSION = Path("D", lambda model, X, values: model.predict_at(X, values))
_KERNEL_AND_COST = _grid(gamma=GAMMA_FACTORS, C=COSTS)
_KERNEL_AND_DIMENSION = _grid(gamma=GAMMA_FACTORS, D=DIMENSIONS)
_KERNEL_AND_SHARED_DIMENSION = _grid(gamma=GAMMA_FACTORS, D=DIMENSIONS_A_CLASS)
_RIDGES = _grid(alpha=_powers(-4, 0))
_SHRINKAGES = _grid(shrinkage=(0.003, 0.01, 0.03, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0))
_BANK_COSTS = _grid(C=_powers(-2, 2))

METHODS: Mapping[str, Method] = {
    "kpm": Method("KPM, hinge loss", _kpm, _KERNEL_AND_DIMENSION, _DIMENSION, binary_only=True),
    "kpm square": Method(
        "KPM, square loss", _kpm_square, _KERNEL_AND_DIMENSION, _DIMENSION, binary_only=True
    ),
    "mkpm": Method("MKPM", _mkpm, _KERNEL_AND_SHARED_DIMENSION, Path("D", _mkpm_path)),
    "simplex rls": Method("simplex RLS", _rls_rbf, _KERNEL_AND_COST),
    "simplex rls constant": Method("simplex RLS + constant", _rls_constant, _KERNEL_AND_COST),
    "simplex rls linear": Method("simplex RLS, linear", _rls_linear, _RIDGES),
    "sc-svm": Method("SC-SVM", _cone_svm, _KERNEL_AND_COST),
    "simplex sgd": Method("SC, linear (SGD)", _sgd("cone"), _RIDGES),
    "simplex sgd sc+sh": Method("SC + SH, linear (SGD)", _sgd("cone_halfspace"), _RIDGES),
    "mkl": Method("MKL", _mkl, _BANK_COSTS, binary_only=True),
    "mmc": Method(
        "MMC + neighbours", _mmc, _grid(within_weight=(0.02, 0.4, 8.0), k=NEIGHBORS), _NEIGHBORS
    ),
    "kmmc": Method(
        "kernel MMC + neighbours", _kernel_mmc, _grid(gamma=GAMMA_FACTORS, k=NEIGHBORS), _NEIGHBORS
    ),
    "mkmmc": Method(
        "MKMMC + neighbours",
        _multiple_kernel_mmc,
        _grid(constraint=CONSTRAINTS, k=NEIGHBORS),
        _NEIGHBORS,
    ),
    "svc": Method("SVM (SVC)", _svc, _KERNEL_AND_COST, ours=False),
    "svc balanced": Method(
        "SVM, balanced", _svc_balanced, _KERNEL_AND_COST, ours=False, balanced=True
    ),
    "svc one-vs-rest": Method(
        "SVM, one-vs-rest", _svc_one_vs_rest, _KERNEL_AND_COST, ours=False, multiclass_only=True
    ),
    "svc wide": Method(
        "SVM, 25 configurations", _svc, _grid(gamma=WIDE_FACTORS, C=WIDE_COSTS), ours=False
    ),
    "gp": Method(
        "Gaussian process",
        _gaussian_process,
        _grid(gamma=GAMMA_FACTORS, amplitude=(1.0, 10.0, 100.0)),
        ours=False,
        binary_only=True,
    ),
    "gradient boosting": Method(
        "gradient boosting",
        _gradient_boosting,
        _grid(learning_rate=(0.03, 0.1, 0.3), rounds=(5, 15, 45)),
        _ROUNDS,
        ours=False,
    ),
    "gradient boosting 500": Method(
        "gradient boosting, 500 rounds",
        _long_boosting,
        _grid(learning_rate=LONG_RATES, rounds=LONG_ROUNDS),
        _ROUNDS,
        ours=False,
    ),
    "gradient boosting untuned": Method(
        "gradient boosting, untuned", _boosting_defaults, [{}], ours=False
    ),
    "extra trees": Method("extra trees", _extra_trees, [{}], ours=False),
    "random forest": Method("random forest", _random_forest, [{}], ours=False),
    "neighbors": Method(
        "nearest neighbours", _neighbors, _grid(k=(1, 2, 3, 5, 8, 12, 18, 27, 40)), ours=False
    ),
    "logistic": Method("logistic regression", _logistic, _grid(C=_powers(-4, 4)), ours=False),
    "lda": Method("LDA with shrinkage", _lda, _SHRINKAGES, ours=False),
    "lda equal priors": Method(
        "LDA, equal priors", _lda_equal_priors, _SHRINKAGES, ours=False, balanced=True
    ),
}
