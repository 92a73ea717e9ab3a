"""The methods, each with the same number of configurations.

Kernel widths, costs and penalties are on the scale of the data: gamma is a multiple of one over
the sum of the variances of the columns, and the penalty of a least squares machine is the one
that belongs to the cost of the support vector machines, n alpha = 1 / (2 C).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from reprolib.methods.mkmmc import MMC, KernelMMC, MultipleKernelMMC
from reprolib.methods.mkpm import MKPMClassifier
from reprolib.methods.simplex import (
    SimplexBoostingClassifier,
    SimplexConeSVC,
    SimplexHalfspaceSVC,
    SimplexRLSClassifier,
    SimplexSGDClassifier,
)
from reprolib.papers.across._estimators import (
    GAMMA_FACTORS,
    KernelBank,
    NearestVote,
    OneVsRestKPM,
)

N_CONFIGURATIONS = 9
COSTS = (1.0, 10.0, 100.0)
DIMENSIONS = (5, 15, 45)
CONSTRAINTS = ("coefficient", "function", "whitened")
NEIGHBORS = (1, 5, 15)
RIDGE = 0.1
#: Relative duality gap of the package's machines, and working sets after which a simplex SVM
#: gives up.
SVM_TOL, SVM_STEPS = 1e-2, 60
#: Features that gradient boosting looks at for one split.
BOOSTING_FEATURES = 64


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
    family : str
        Methods of one family are variants of one idea.
    make : callable
        (setting, configuration as keywords) -> unfitted estimator.
    grid : sequence of dict
        `N_CONFIGURATIONS` configurations, the simplest first.
    path : Path, optional
    ours : bool
        Whether it is from one of the papers.
    binary_only : bool
        Left out on more than two classes.
    """

    label: str
    family: str
    make: Callable[..., Any]
    grid: Sequence[Mapping[str, Any]]
    path: Path | None = None
    ours: bool = True
    binary_only: bool = False


def _grid(**axes) -> list[dict[str, Any]]:
    return [dict(zip(axes, v, strict=True)) for v in itertools.product(*axes.values())]


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


def _cone_svm(setting, *, gamma, C):
    return SimplexConeSVC(C, gamma=_gamma(setting, gamma), tol=SVM_TOL, max_iter=SVM_STEPS)


def _halfspace_svm(setting, *, gamma, C):
    return SimplexHalfspaceSVC(
        C, convex_hull=False, gamma=_gamma(setting, gamma), tol=SVM_TOL, max_iter=SVM_STEPS
    )


def _sgd(setting, *, loss, alpha):
    return SimplexSGDClassifier(
        loss, alpha=alpha * setting.variance, max_iter=20, average=True, random_state=0
    )


def _simplex_boosting(setting, *, max_depth, rounds):
    return SimplexBoostingClassifier(rounds, max_depth=max_depth, random_state=0)


def _kernel_bank(pyramid: bool):
    def make(setting, *, C):
        gammas = [_gamma(setting, factor) for factor in GAMMA_FACTORS]
        return KernelBank(C, pyramid=pyramid, gammas=gammas, tol=SVM_TOL)

    return make


def _mmc(setting, *, within_weight, k):
    return make_pipeline(MMC(within_weight=within_weight), NearestVote(k))


def _kernel_mmc(setting, *, gamma, constraint):
    projection = KernelMMC(gamma=_gamma(setting, gamma), **_constraint(constraint))
    return make_pipeline(projection, NearestVote(1))


def _constraint(name):
    """Constraint of a kernel MMC; only "whitened" has a scatter to regularise."""
    return {"constraint": name, "ridge": RIDGE if name == "whitened" else 0.0}


def _multiple_kernel_mmc(setting, *, constraint, k):
    gammas = np.array([_gamma(setting, factor) for factor in GAMMA_FACTORS])
    projection = MultipleKernelMMC(
        gammas=gammas, normalization="trace", tol=1e-5, **_constraint(constraint)
    )
    return make_pipeline(projection, NearestVote(k))


def _svc(setting, *, gamma, C):
    return SVC(C=C, gamma=_gamma(setting, gamma))


def _gaussian_process(setting, *, gamma, amplitude):
    length = np.sqrt(0.5 / _gamma(setting, gamma))
    return GaussianProcessClassifier(ConstantKernel(amplitude) * RBF(length), optimizer=None)


def _neighbors(setting, *, k):
    return KNeighborsClassifier(k)


def _logistic(setting, *, C):
    return LogisticRegression(C=C, max_iter=2000)


def _lda(setting, *, shrinkage):
    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage)


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
_HALF_DECADES = [{"C": float(f"{10**k:.3g}")} for k in np.arange(-2, 2.5, 0.5)]

METHODS: Mapping[str, Method] = {
    "kpm": Method("KPM, hinge loss", "KPM", _kpm, _KERNEL_AND_DIMENSION, _DIMENSION),
    "kpm square": Method("KPM, square loss", "KPM", _kpm_square, _KERNEL_AND_DIMENSION, _DIMENSION),
    "mkpm": Method("MKPM", "MKPM", _mkpm, _KERNEL_AND_DIMENSION, Path("D", _mkpm_path)),
    "simplex rls": Method("simplex RLS", "simplex RLS", _rls_rbf, _KERNEL_AND_COST),
    "simplex rls linear": Method(
        "simplex RLS, linear",
        "simplex RLS",
        _rls_linear,
        [{"alpha": float(f"{10**k:.3g}")} for k in np.arange(0, -4.5, -0.5)],
    ),
    "sc-svm": Method("SC-SVM", "simplex SVM", _cone_svm, _KERNEL_AND_COST),
    "sh-svm": Method("SH-SVM", "simplex SVM", _halfspace_svm, _KERNEL_AND_COST),
    "simplex sgd": Method(
        "simplex SGD, linear",
        "simplex SGD",
        _sgd,
        _grid(alpha=(1e-1, 1e-2, 1e-3), loss=("cone", "halfspace", "least_squares")),
    ),
    "simplex boosting": Method(
        "simplex boosting",
        "simplex boosting",
        _simplex_boosting,
        _grid(max_depth=(1, 2, 3), rounds=(10, 20, 40)),
        _ROUNDS,
    ),
    "mkl": Method("MKL", "MKL", _kernel_bank(pyramid=False), _HALF_DECADES, binary_only=True),
    "keops": Method("KEOPS", "MKL", _kernel_bank(pyramid=True), _HALF_DECADES, binary_only=True),
    "mmc": Method(
        "MMC + neighbours",
        "MMC",
        _mmc,
        _grid(within_weight=(1.0, 0.1, 10.0), k=NEIGHBORS),
        _NEIGHBORS,
    ),
    "kmmc": Method(
        "kernel MMC + neighbour",
        "MMC",
        _kernel_mmc,
        _grid(gamma=GAMMA_FACTORS, constraint=CONSTRAINTS),
    ),
    "mkmmc": Method(
        "MKMMC + neighbours",
        "MMC",
        _multiple_kernel_mmc,
        _grid(constraint=CONSTRAINTS, k=NEIGHBORS),
        _NEIGHBORS,
    ),
    "svc": Method("SVM (SVC)", "SVM", _svc, _KERNEL_AND_COST, ours=False),
    "gp": Method(
        "Gaussian process",
        "Gaussian process",
        _gaussian_process,
        _grid(gamma=GAMMA_FACTORS, amplitude=(1.0, 10.0, 100.0)),
        ours=False,
    ),
    "gradient boosting": Method(
        "gradient boosting",
        "gradient boosting",
        _gradient_boosting,
        _grid(learning_rate=(0.05, 0.1, 0.3), rounds=(10, 20, 40)),
        _ROUNDS,
        ours=False,
    ),
    "neighbors": Method(
        "nearest neighbours",
        "nearest neighbours",
        _neighbors,
        [{"k": k} for k in (1, 3, 5, 7, 9, 13, 19, 27, 39)],
        ours=False,
    ),
    "logistic": Method(
        "logistic regression",
        "logistic regression",
        _logistic,
        [{"C": 10.0**k} for k in range(-4, 5)],
        ours=False,
    ),
    "lda": Method(
        "LDA with shrinkage",
        "LDA",
        _lda,
        [{"shrinkage": s} for s in (1.0, 0.9, 0.7, 0.5, 0.3, 0.2, 0.1, 0.03, 0.01)],
        ours=False,
    ),
}
