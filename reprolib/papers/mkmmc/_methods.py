"""The methods of the paper's tables, and those beyond it, on one split."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.metrics import euclidean_distances

from reprolib.methods.mkmmc import (
    CONSTRAINTS,
    MMC,
    KernelMMC,
    MultipleKernelMMC,
    bandwidth_grid,
    leave_one_out_collapsed_path,
    leave_one_out_path,
    margin_laplacian,
    nearest_neighbor,
    nearest_neighbor_path,
    nearest_other_path,
    total_laplacian,
)
from reprolib.methods.mkmmc.stqp import solve_stqp_local
from reprolib.methods.shared.kernels import gram_eigh
from reprolib.rerun.records import HEADLINE, Measurement, Profile
from reprolib.rerun.tasks.folds import mean_over_folds

OWN = "accuracy at own dimension"

N_SPLITS = {"quick": 2, "full": 20}
#: More splits of what the tables print: forty selections make a 95 % range of one more, and where a
#: split takes less than a second, a hundred decide what forty do not.
N_PRINTED, N_FAST = 40, 100
#: The sets with the most images, on which leave-one-out of kernel MMC is slowest.
ORL = "faces/orl"

#: k in the widths 2^k sigma_0^2.
EXPONENTS = tuple(range(-5, 6))
#: mu in S_b - mu S_w, for the curves against it.
WITHIN_WEIGHTS = (0.0, 0.5, 1.0, 2.0, 4.0, 10.0, 100.0)
#: The scan of mu; beside these, once, twice and three times the images of a class.
SCANNED_WEIGHTS = tuple(range(1, 21))
#: The kernel of its second curve: of width 2^3 sigma_0^2.
WIDE_EXPONENT = 3
#: Weights among which leaving out one image of every class chooses.
CHOSEN_WEIGHTS = (1.0, 2.0, 4.0, 7.0, 10.0, 20.0)
#: Readings whose own dimension is searched by leave-one-out; the others take all (MMC: c - 1).
SEARCHED = (HEADLINE, "whitened")

MMC_READINGS: Mapping[str, Mapping[str, Any]] = {
    HEADLINE: {},
    "sum of covariances": {"within": "covariance"},
    "S_b without n_i": {"within_weight": "n_i"},
    "within weight 4": {"within_weight": 4.0},
    "within weight 10": {"within_weight": 10.0},
}
MKMMC_READINGS: Mapping[str, Mapping[str, Any]] = {
    HEADLINE: {},
    "global step": {"weight_step": "global"},
    "unit trace": {"normalization": "trace"},
    "centred": {"center": True},
    "sum of covariances": {"within": "covariance"},
    "within weight 10": {"within_weight": 10.0},
    "unit trace, within weight 10": {"within_weight": 10.0, "normalization": "trace"},
    "function": {"constraint": "function"},
    "function, global step": {"constraint": "function", "weight_step": "global"},
    "function, unit trace": {"constraint": "function", "normalization": "trace"},
    "function, unit trace, within weight 10": {
        "constraint": "function",
        "normalization": "trace",
        "within_weight": 10.0,
    },
    "whitened": {"constraint": "whitened"},
    "whitened, unit trace": {"constraint": "whitened", "normalization": "trace"},
    "whitened, ridge 0.1": {"constraint": "whitened", "ridge": 0.1},
}
#: The weight step as handed to a routine that minimises: constraint, mu (or "n_i"), unit trace.
SIGNLESS_READINGS: Mapping[str, tuple[str, float | str, bool]] = {
    "sign left out": ("coefficient", 1.0, False),
    "sign left out, within weight 10": ("coefficient", 10.0, False),
    "function, sign left out": ("function", 1.0, False),
    "function, sign left out, S_b without n_i": ("function", "n_i", False),
    "function, sign left out, within weight 10": ("function", 10.0, False),
    "function, unit trace, sign left out, within weight 10": ("function", 10.0, True),
}
UNIFORM_READINGS: Mapping[str, Mapping[str, Any]] = {
    HEADLINE: {"constraint": "coefficient"},
    "function": {"constraint": "function"},
    "whitened": {"constraint": "whitened"},
}


@dataclass(frozen=True)
class Trial:
    """One split, and what its methods share."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray

    @cached_property
    def n_classes(self) -> int:
        """Number of classes, the largest dimension searched."""
        return len(np.unique(self.y))

    @property
    def class_size(self) -> float:
        """Training images a class."""
        return len(self.y) / self.n_classes

    @cached_property
    def gammas(self):
        """The paper's eleven bandwidths, narrowest first."""
        return bandwidth_grid(self.X, EXPONENTS)

    @cached_property
    def grams(self):
        """Gram matrices of the eleven kernels."""
        squared = euclidean_distances(self.X, squared=True)
        return np.exp(-self.gammas[:, None, None] * squared)

    @cached_property
    def test_grams(self):
        """The eleven kernels between test and training images."""
        squared = euclidean_distances(self.X_test, self.X, squared=True)
        return np.exp(-self.gammas[:, None, None] * squared)

    def on_unit_sphere(self) -> Trial:
        """The same split with every image scaled to unit norm."""
        X = self.X / np.linalg.norm(self.X, axis=1, keepdims=True)
        X_test = self.X_test / np.linalg.norm(self.X_test, axis=1, keepdims=True)
        return Trial(X, self.y, X_test, self.y_test)

    def test_path(self, train, test, n_dimensions: int):
        """Test accuracy in 1, ..., n_dimensions coordinates; flat where there are no more."""
        labels = nearest_neighbor_path(train[:, :n_dimensions], self.y, test[:, :n_dimensions])
        accuracy = np.mean(labels == self.y_test, axis=1)
        return np.pad(accuracy, (0, n_dimensions - len(accuracy)), mode="edge")

    def accuracy(self, train, test) -> float:
        """Test accuracy of 1-nearest neighbour in all coordinates."""
        return float(np.mean(nearest_neighbor(train, self.y, test) == self.y_test))

    def transformer_path(self, transformer):
        """Test accuracy behind a fitted transformer in up to c dimensions."""
        return self.test_path(
            transformer.transform(self.X), transformer.transform(self.X_test), self.n_classes
        )


@dataclass(frozen=True)
class Method:
    """How a method runs on one split.

    Parameters
    ----------
    run : callable
        Split -> measurements.
    table : str
        If its records have a table of their own.
    slow : bool
        The quick profile leaves it out.
    n_full : int
        Splits of the full profile.
    max_splits : mapping of str to int
        Where it is very slow: by data set, only the first so many splits.
    min_images : int
        Fewest training images a class with which it can run.
    """

    run: Callable[[Trial], list[Measurement]]
    table: str = ""
    slow: bool = False
    n_full: int = N_SPLITS["full"]
    max_splits: Mapping[str, int] = field(default_factory=dict)
    min_images: int = 1

    def n_splits(self, profile: Profile, dataset: str) -> int:
        """How many splits of a data set it is run on."""
        n = self.n_full if profile == "full" else N_SPLITS[profile]
        return min(n, self.max_splits.get(dataset, n))


def largest_argmax(values) -> int:
    """Last index at which the maximum is reached; accuracies closer than 1e-12 are equal."""
    return int(np.flatnonzero(values >= np.max(values) - 1e-12)[-1])


def _measure(trial: Trial, path, own: int, reading=HEADLINE, **chosen) -> Measurement:
    """Accuracy in the method's own dimension, and in all dimensions."""
    own = min(own, len(path))
    chosen = {**chosen, "n_components": own}
    return Measurement(
        OWN, path[own - 1], chosen, n_test=len(trial.y_test), path=path, reading=reading
    )


def _pca_coefficients(trial: Trial, K, n_dimensions: int):
    """(Kernel) PCA, and the accuracy of each training image among the others."""
    A, _ = CONSTRAINTS["function"](K, total_laplacian(len(K)), n_dimensions)
    return A, np.mean(nearest_other_path(K @ A, trial.y) == trial.y, axis=1)


def _pca(trial: Trial) -> list[Measurement]:
    measurements = []
    for reading, data in [(HEADLINE, trial), ("unit norm", trial.on_unit_sphere())]:
        mean = data.X.mean(axis=0)
        Z, Z_test = data.X - mean, data.X_test - mean
        K, n = Z @ Z.T, len(Z) - 1
        A, others = _pca_coefficients(data, K, n)
        path = data.test_path(K @ A, Z_test @ Z.T @ A, n)
        measurements.append(_measure(data, path, largest_argmax(others) + 1, reading))
    return measurements


def _kpca(trial: Trial) -> list[Measurement]:
    return [_kpca_reading(trial, HEADLINE, np.max)]


def _kpca_all_dimensions(trial: Trial) -> list[Measurement]:
    """All bandwidths tie in all dimensions, where distances rank as between the images."""
    name = "bandwidth in all dimensions"
    return [_kpca_reading(trial, name, lambda path: path[-1])]


def _kpca_reading(trial: Trial, reading: str, criterion) -> Measurement:
    n = len(trial.y)
    fits = [_pca_coefficients(trial, K, n) for K in trial.grams]
    t = largest_argmax([criterion(others) for _, others in fits])
    A, others = fits[t]
    path = trial.test_path(trial.grams[t] @ A, trial.test_grams[t] @ A, n)
    own = largest_argmax(others) + 1
    return _measure(trial, path, own, reading, exponent=EXPONENTS[t])


def _mmc(trial: Trial) -> list[Measurement]:
    measurements = []
    for reading, options in MMC_READINGS.items():
        if options.get("within_weight") == "n_i":
            options = {"within_weight": trial.class_size}
        measurements.append(_mmc_reading(trial, reading, options))
    measurements.append(_mmc_reading(trial.on_unit_sphere(), "unit norm", {}))
    return measurements


def _mmc_reading(trial: Trial, reading: str, options) -> Measurement:
    fitted = MMC(**options).fit(trial.X, trial.y)
    own = trial.n_classes - 1
    if reading in SEARCHED:
        Z = trial.X - trial.X.mean(axis=0)
        own = largest_argmax(_loo_path(Z @ Z.T, trial, "function")) + 1
    return _measure(trial, trial.transformer_path(fitted), own, reading)


def _kmmc(trial: Trial) -> list[Measurement]:
    return [
        _kmmc_reading(trial, HEADLINE, "coefficient"),
        _kmmc_reading(trial, "whitened", "whitened"),
        _kmmc_reading(trial.on_unit_sphere(), "whitened, unit norm", "whitened"),
    ]


def _kmmc_function(trial: Trial) -> list[Measurement]:
    return [_kmmc_reading(trial, "function", "function")]


def _kmmc_without_sizes(trial: Trial) -> list[Measurement]:
    """The "function" constraint with S_b lacking the factor n_i: S_w weighs as much as n_i."""
    name = "function, S_b without n_i"
    return [_kmmc_reading(trial, name, "function", within_weight=trial.class_size)]


def _kmmc_reading(
    trial: Trial, reading: str, constraint: str, within_weight: float = 1.0
) -> Measurement:
    loo = [_loo_path(K, trial, constraint, within_weight) for K in trial.grams]
    t = largest_argmax(np.max(loo, axis=1))
    fitted = KernelMMC(
        trial.n_classes,
        gamma=trial.gammas[t],
        constraint=constraint,
        within_weight=within_weight,
    )
    path = trial.transformer_path(fitted.fit(trial.X, trial.y))
    own = largest_argmax(loo[t]) + 1
    return _measure(trial, path, own, reading, exponent=EXPONENTS[t])


def _loo_path(K, trial: Trial, constraint: str, within_weight: float = 1.0):
    if constraint == "whitened":
        return leave_one_out_collapsed_path(K, trial.y)
    return leave_one_out_path(
        K,
        trial.y,
        lambda y: margin_laplacian(y, within_weight=within_weight),
        trial.n_classes,
        constraint=constraint,
    )


def _multiple(trial: Trial, reading: str, options) -> Measurement:
    fitted = MultipleKernelMMC(trial.n_classes, **options).fit(trial.X, trial.y)
    own = trial.n_classes - 1
    if reading in SEARCHED:
        K = np.tensordot(fitted.kernel_weights_, trial.grams, axes=1)
        own = largest_argmax(_loo_path(K, trial, options.get("constraint", "coefficient"))) + 1
    return _measure(
        trial,
        trial.transformer_path(fitted),
        own,
        reading,
        weights=[round(float(w), 4) for w in fitted.kernel_weights_],
        single_kernel=fitted.single_kernel_,
        steps=fitted.n_iter_,
    )


def _mkmmc(trial: Trial) -> list[Measurement]:
    return [_multiple(trial, name, options) for name, options in MKMMC_READINGS.items()]


def _mkmmc_without_sizes(trial: Trial) -> list[Measurement]:
    options = {"constraint": "function", "within_weight": trial.class_size}
    readings: dict[str, dict[str, Any]] = {
        "function, S_b without n_i": {},
        "function, unit trace, S_b without n_i": {"normalization": "trace"},
    }
    return [_multiple(trial, name, options | more) for name, more in readings.items()]


def _mkmmc_signless(trial: Trial) -> list[Measurement]:
    return [
        _signless_reading(
            trial, name, constraint, trial.class_size if isinstance(mu, str) else mu, unit
        )
        for name, (constraint, mu, unit) in SIGNLESS_READINGS.items()
    ]


def _signless_reading(
    trial: Trial, reading: str, constraint: str, mu: float, unit_trace: bool
) -> Measurement:
    """Multiple kernel MMC whose weight step minimises (23), in c - 1 dimensions."""
    scales = np.ones(len(trial.grams))
    if unit_trace:
        scales = 1 / np.trace(total_laplacian(len(trial.y)) @ trial.grams, axis1=1, axis2=2)
    grams = scales[:, None, None] * trial.grams
    theta, steps = minimising_weights(grams, trial.y, constraint, mu)
    K, K_test = (np.tensordot(theta * scales, G, axes=1) for G in (trial.grams, trial.test_grams))
    fitted = KernelMMC(
        trial.n_classes, kernel="precomputed", constraint=constraint, within_weight=mu
    ).fit(K, trial.y)
    path = trial.test_path(fitted.transform(K), fitted.transform(K_test), trial.n_classes)
    weights = [round(float(w), 4) for w in theta]
    single = bool(theta.max() > 1 - 1e-8)
    own = trial.n_classes - 1
    return _measure(trial, path, own, reading, weights=weights, single_kernel=single, steps=steps)


def minimising_weights(grams, y, constraint: str, within_weight: float, max_iter: int = 50):
    """Alternate (22), maximised, with (23), minimised, from equal weights, in c dimensions.

    Returns
    -------
    weights : ndarray of shape (p,)
    n_iter : int
        Steps until the weights repeat, or ``max_iter``.
    """
    L = margin_laplacian(y, within_weight=within_weight)
    theta = np.full(len(grams), 1 / len(grams))
    for n_iter in range(1, max_iter + 1):
        A, _ = CONSTRAINTS[constraint](np.tensordot(theta, grams, axes=1), L, len(np.unique(y)))
        P = grams @ A
        M = P.reshape(len(P), -1) @ (L @ P).reshape(len(P), -1).T
        target = solve_stqp_local(-(M + M.T) / 2, theta).variables["weights"]
        if np.allclose(target, theta, rtol=0, atol=1e-9):
            return theta, n_iter
        theta = target
    return theta, max_iter


def _uniform(trial: Trial) -> list[Measurement]:
    return [
        _multiple(trial, reading, {**options, "weight_step": "none"})
        for reading, options in UNIFORM_READINGS.items()
    ]


def _regularised_lda(trial: Trial) -> list[Measurement]:
    """Discriminant analysis with a tenth of the mean eigenvalue as ridge, in c - 1 dimensions."""
    fitted = KernelMMC(kernel="linear", constraint="whitened", ridge=0.1, center=True)
    path = trial.transformer_path(fitted.fit(trial.X, trial.y))
    return [_measure(trial, path, trial.n_classes - 1)]


def _regularised_kernel_lda(trial: Trial) -> list[Measurement]:
    """The same behind the Gaussian kernel of width sigma_0^2."""
    gamma = trial.gammas[EXPONENTS.index(0)]
    fitted = KernelMMC(gamma=gamma, constraint="whitened", ridge=0.1).fit(trial.X, trial.y)
    path = trial.transformer_path(fitted)
    return [_measure(trial, path, trial.n_classes - 1, exponent=0)]


def _mmc_by_weight(trial: Trial) -> list[Measurement]:
    """Accuracy of MMC in c - 1 dimensions against mu."""
    path = [
        trial.transformer_path(MMC(within_weight=mu).fit(trial.X, trial.y))[-1]
        for mu in WITHIN_WEIGHTS
    ]
    chosen = {"within_weights": list(WITHIN_WEIGHTS)}
    return [Measurement("accuracy by within weight", max(path), chosen, path=path)]


def _kmmc_by_bandwidth(trial: Trial) -> list[Measurement]:
    """Accuracy of kernel MMC in c - 1 dimensions against the bandwidth, by constraint and mu."""
    variants = [
        (constraint, mu) for constraint in ("coefficient", "function") for mu in WITHIN_WEIGHTS
    ]
    measurements = []
    for constraint, mu in [*variants, ("whitened", 1.0)]:
        L = margin_laplacian(trial.y, within_weight=mu)
        path = []
        for K, K_test in zip(trial.grams, trial.test_grams, strict=True):
            A, _ = CONSTRAINTS[constraint](K, L, trial.n_classes - 1)
            path.append(trial.accuracy(K @ A, K_test @ A))
        chosen = {"constraint": constraint, "within_weight": mu}
        name = "accuracy by bandwidth"
        reading = f"{constraint}, mu = {mu:g}"
        measurements.append(Measurement(name, max(path), chosen, path=path, reading=reading))
    return measurements


def scanned_weights(n_train: int) -> list[float]:
    """Weights of the scan for so many training images a class, smallest first."""
    multiples = {n_train, 2 * n_train, 3 * n_train}
    return [float(mu) for mu in sorted({*SCANNED_WEIGHTS, *multiples})]


def _linear_scan(trial: Trial) -> list[Measurement]:
    """Linear MMC by weight and dimension."""
    train, test = _linear_features(trial.X, trial.X_test)
    return [_weight_scan(trial, train, test)]


def _wide_kernel_scan(trial: Trial) -> list[Measurement]:
    """MMC under the "function" constraint behind one wide kernel, by weight and dimension."""
    t = EXPONENTS.index(WIDE_EXPONENT)
    eigenvalues, U = gram_eigh(trial.grams[t], rank_tol=1e-10)
    train, test = U * np.sqrt(eigenvalues), trial.test_grams[t] @ U / np.sqrt(eigenvalues)
    return [_weight_scan(trial, train, test, exponent=WIDE_EXPONENT)]


def _linear_features(X, X_test):
    """Coordinates in the span of the centred training images, in which MMC is the same."""
    mean = X.mean(axis=0)
    _, singular, Vt = np.linalg.svd(X - mean, full_matrices=False)
    V = Vt[singular > 1e-10 * singular[0]].T
    return (X - mean) @ V, (X_test - mean) @ V


def _weight_scan(trial: Trial, train, test, **chosen) -> Measurement:
    """Accuracies of MMC in 1 to c - 1 dimensions, one weight after the other."""
    weights, m = scanned_weights(round(trial.class_size)), trial.n_classes - 1
    path = np.concatenate([_weight_path(trial, train, test, mu, m) for mu in weights])
    chosen = {"within_weights": weights, "n_dimensions": m, **chosen}
    name, n = "accuracy by weight and dimension", len(trial.y_test)
    return Measurement(name, path.max(), chosen, n_test=n, path=path.tolist())


def _weight_path(trial: Trial, train, test, mu: float, m: int):
    fitted = MMC(m, within_weight=mu).fit(train, trial.y)
    return trial.test_path(fitted.transform(train), fitted.transform(test), m)


def _mmc_chosen_weight(trial: Trial) -> list[Measurement]:
    """Linear MMC, its weight and dimension chosen by leaving out an image of every class."""
    train, test = _linear_features(trial.X, trial.X_test)
    m = trial.n_classes - 1
    scores = mean_over_folds(
        lambda mu, kept, rows: _fold_path(train, trial.y, kept, rows, mu, m),
        CHOSEN_WEIGHTS,
        _left_out(trial.y),
    )
    t = int(np.argmax(scores.max(axis=1) >= scores.max() - 1e-12))
    path = _weight_path(trial, train, test, CHOSEN_WEIGHTS[t], m)
    own = largest_argmax(scores[t]) + 1
    return [_measure(trial, path, own, within_weight=CHOSEN_WEIGHTS[t])]


def _left_out(y):
    """Yield all other rows, and those of the first, second, ... image of every class."""
    by_class = [np.flatnonzero(y == label) for label in np.unique(y)]
    for k in range(min(len(rows) for rows in by_class)):
        left_out = np.array([rows[k] for rows in by_class])
        yield np.setdiff1d(np.arange(len(y)), left_out), left_out


def _fold_path(features, y, kept, rows, mu: float, m: int):
    """Accuracies on some rows in 1 to m dimensions, learned from those that are kept."""
    X, X_test = features[kept], features[rows]
    return _weight_path(Trial(X, y[kept], X_test, y[rows]), X, X_test, mu, m)


#: By (method, reading of the task); a task may measure further readings at little cost.
METHODS: Mapping[tuple[str, str], Method] = {
    ("pca", HEADLINE): Method(_pca, n_full=N_FAST),
    ("kpca_cv", HEADLINE): Method(_kpca, n_full=N_FAST),
    ("kpca_cv", "bandwidth in all dimensions"): Method(_kpca_all_dimensions, n_full=N_FAST),
    ("mmc", HEADLINE): Method(_mmc, n_full=N_FAST),
    ("kmmc_cv", HEADLINE): Method(_kmmc, n_full=N_PRINTED),
    ("kmmc_cv", "function"): Method(_kmmc_function, slow=True, max_splits={ORL: 10}),
    ("kmmc_cv", "function, S_b without n_i"): Method(
        _kmmc_without_sizes, slow=True, n_full=N_PRINTED
    ),
    ("mkmmc", HEADLINE): Method(_mkmmc, n_full=N_PRINTED),
    ("mkmmc", "function, S_b without n_i"): Method(_mkmmc_without_sizes),
    ("mkmmc", "sign left out"): Method(_mkmmc_signless, n_full=N_PRINTED),
    ("uniform average", HEADLINE): Method(_uniform),
    ("regularised lda", HEADLINE): Method(_regularised_lda),
    ("regularised kernel lda", HEADLINE): Method(_regularised_kernel_lda),
    ("mmc by within weight", HEADLINE): Method(_mmc_by_weight, "bandwidths"),
    ("kmmc by bandwidth", HEADLINE): Method(_kmmc_by_bandwidth, "bandwidths"),
    ("linear weight scan", HEADLINE): Method(_linear_scan, "weights"),
    ("wide kernel weight scan", HEADLINE): Method(_wide_kernel_scan, "weights"),
    ("mmc_cv", HEADLINE): Method(_mmc_chosen_weight, "weights", min_images=3),
}
