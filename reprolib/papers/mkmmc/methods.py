"""The methods of the paper's tables, and those beyond it, on one split.

Each is called with the split and with what every reading that it measures changes, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from reprolib.methods.mkmmc import (
    CONSTRAINTS,
    MMC,
    KernelMMC,
    MultipleKernelMMC,
    last_best_left_out,
    leave_one_out_collapsed_hits,
    leave_one_out_hits,
    margin_laplacian,
    nearest_other_path,
    total_laplacian,
)
from reprolib.methods.mkmmc.stqp import solve_stqp_local
from reprolib.methods.shared.kernels import gram_eigh
from reprolib.methods.shared.ties import ARITHMETIC, first_largest, last_largest
from reprolib.papers.mkmmc.splits import EXPONENTS, Trial
from reprolib.rerun.records import HEADLINE, Measurement
from reprolib.rerun.tasks.remembered import Remembered

OWN = "accuracy at own dimension"
#: Accuracies of kernel PCA among the training images, by bandwidth: the same for all readings.
_LEFT_OUT = Remembered("accuracies of kernel PCA", size=100)

#: mu in S_b - mu S_w, for the curves against it.
WITHIN_WEIGHTS = (0.0, 0.5, 1.0, 2.0, 4.0, 10.0, 100.0)
#: The scan of mu; beside these, once, twice and three times the images of a class.
SCANNED_WEIGHTS = tuple(range(1, 21))
#: The kernel of its second curve: of width 2^3 sigma_0^2.
WIDE_EXPONENT = 3
#: Weights among which leaving out one image of every class chooses.
CHOSEN_WEIGHTS = (1.0, 2.0, 4.0, 7.0, 10.0, 20.0)
#: What may change where the own dimension is searched by leave-one-out; else it takes all (MMC:
#: c - 1).
SEARCHED: tuple[Mapping[str, Any], ...] = ({}, {"constraint": "whitened"})
#: Distances in leading directions of (kernel) PCA are equal up to this part of the largest. Two
#: eigenvalues of a narrow kernel may lie so close that round-off turns their directions by 1e-7. At
#: `DIVIDED`, 1e-5, images of ORL tie that differ.
TIE_IN_LEADING = 1e-6
#: The weight step as handed to a routine that minimises.
MINIMISING = "minimising"
#: Nearest procedures of a search, by method (see `nearest_found`): exponent of the kernel, powers r
#: and q, weight of S_w, and whether directions have length one.
NEAREST: Mapping[str, tuple[int, float, float, str | float, bool]] = {
    "kmmc_cv": (5, 1.0, 0.5, "n_i", False),
    "mkmmc": (4, 0.5, 1.0, 1.0, True),
}
#: What the readings that a task measures change, by name.
Readings = Mapping[str, Mapping[str, Any]]


def _measure(trial: Trial, path, own: int, reading=HEADLINE, **chosen) -> Measurement:
    """Accuracy in the method's own dimension, and in all dimensions."""
    own = min(int(own), len(path))
    chosen = {**chosen, "n_components": own}
    return Measurement(
        OWN, path[own - 1], chosen, n_test=len(trial.y_test), path=path, reading=reading
    )


def _pca_coefficients(trial: Trial, K, n_dimensions: int):
    """(Kernel) PCA, and the accuracy of each training image among the others."""
    A, _ = CONSTRAINTS["function"](K, total_laplacian(len(K)), n_dimensions)
    # Leading directions carry the round-off of their eigenvalues' gaps. All together do not: they
    # are the images themselves up to a rotation, and with one direction fewer so they are, too.
    tolerance = np.full(A.shape[1], TIE_IN_LEADING)
    tolerance[-2:] = ARITHMETIC
    return A, np.mean(nearest_other_path(K @ A, trial.y, tolerance) == trial.y, axis=1)


def pca(trial: Trial, readings: Readings) -> list[Measurement]:
    """PCA."""
    measured = []
    for name, changes in readings.items():
        images = _images(trial, changes)
        mean = images.X.mean(axis=0)
        Z, Z_test = images.X - mean, images.X_test - mean
        K, n = Z @ Z.T, len(Z) - 1
        A, others = _pca_coefficients(images, K, n)
        path = images.test_path(K @ A, Z_test @ Z.T @ A, n)
        measured.append(_measure(images, path, last_largest(others) + 1, name))
    return measured


def _images(trial: Trial, changes: Mapping[str, Any]) -> Trial:
    """The split with the images as a reading has them."""
    return trial.on_unit_sphere() if changes.get("unit_norm") else trial


def _options(trial: Trial, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Options of an estimator that a reading sets; the weight "n_i" is the images of a class."""
    options = {name: value for name, value in changes.items() if name != "unit_norm"}
    if options.get("within_weight") == "n_i":
        options["within_weight"] = trial.class_size
    return options


def kpca(trial: Trial, readings: Readings) -> list[Measurement]:
    """Kernel PCA. In all dimensions distances rank as between images: all bandwidths tie there."""
    n = len(trial.y)
    measured = []
    for name, changes in readings.items():
        by_bandwidth = _LEFT_OUT.of(
            (trial.X, trial.y), lambda: [_pca_coefficients(trial, K, n)[1] for K in trial.grams]
        )
        t = len(by_bandwidth) - 1 if changes else last_largest(np.max(by_bandwidth, axis=1))
        A, others = _pca_coefficients(trial, trial.grams[t], n)
        path = trial.test_path(trial.grams[t] @ A, trial.test_gram(t) @ A, n)
        own = last_largest(others) + 1
        measured.append(_measure(trial, path, own, name, exponent=EXPONENTS[t]))
    return measured


def mmc(trial: Trial, readings: Readings) -> list[Measurement]:
    """Linear MMC."""
    measured = []
    for name, changes in readings.items():
        images = _images(trial, changes)
        options = _options(images, changes)
        fitted = MMC(images.n_classes, **options).fit(images.X, images.y)
        own = images.n_classes - 1
        if not changes:
            Z = images.X - images.X.mean(axis=0)
            own = _own_dimension(Z @ Z.T, images, "function")
        measured.append(_measure(images, images.transformer_path(fitted), own, name))
    return measured


def kmmc(trial: Trial, readings: Readings) -> list[Measurement]:
    """Kernel MMC. With S_b lacking the factor n_i, S_w weighs as much as n_i."""
    measured = []
    for name, changes in readings.items():
        if "nearest" in changes:
            measured.append(nearest_found(trial, "kmmc_cv", name))
            continue
        images = _images(trial, changes)
        options = {
            "constraint": "coefficient",
            "within_weight": 1.0,
            **_options(trial, changes),
        }

        def hits(K, order, images=images, options=options):
            return _hits(K, images, order, **options)

        t, loo = last_best_left_out(images.grams, hits)
        fitted = KernelMMC(images.n_classes, gamma=images.gammas[t], **options)
        path = images.transformer_path(fitted.fit(images.X, images.y))
        own = last_largest(loo) + 1
        measured.append(_measure(images, path, own, name, exponent=EXPONENTS[t]))
    return measured


def _hits(
    K,
    trial: Trial,
    order,
    constraint: str,
    within_weight: float = 1.0,
    between: Literal["mean", "origin"] = "mean",
):
    """Of every training image, learned without it, in up to c - 1 (whitened) or c dimensions."""
    if constraint == "whitened":
        return leave_one_out_collapsed_hits(K, trial.y, order)
    return leave_one_out_hits(
        K,
        trial.y,
        trial.n_classes,
        order,
        constraint=constraint,
        within_weight=within_weight,
        between=between,
    )


def _own_dimension(K, trial: Trial, constraint: str):
    """The last of those in which most training images are hit."""
    hits = _hits(K, trial, range(len(trial.y)), constraint)
    return last_largest(np.sum(list(hits), axis=0)) + 1


def _multiple(trial: Trial, reading: str, changes: Mapping[str, Any], **more: Any) -> Measurement:
    options = _options(trial, changes)
    model = MultipleKernelMMC(trial.n_classes, **options, **more)
    fitted = model.fit_grams(trial.grams, trial.y)  # all readings share the Gram matrices
    train, test = fitted.transform_grams(trial.grams), fitted.transform_grams(trial.test_grams)
    own = trial.n_classes - 1
    if changes in SEARCHED:
        K = np.tensordot(fitted.kernel_weights_, trial.grams, axes=1)
        own = _own_dimension(K, trial, options.get("constraint", "coefficient"))
    return _measure(
        trial,
        trial.test_path(train, test, trial.n_classes),
        own,
        reading,
        weights=[round(float(w), 4) for w in fitted.kernel_weights_],
        single_kernel=fitted.single_kernel_,
        steps=fitted.n_iter_,
    )


def mkmmc(trial: Trial, readings: Readings) -> list[Measurement]:
    """Multiple kernel MMC."""
    measured = []
    for name, changes in readings.items():
        if "nearest" in changes:
            measured.append(nearest_found(trial, "mkmmc", name))
        else:
            step = _signless if changes.get("weight_step") == MINIMISING else _multiple
            measured.append(step(trial, name, changes))
    return measured


def nearest_found(trial: Trial, method: str, reading: str) -> Measurement:
    """One kernel, scaled as in the procedure that came nearest to the printed row of a method.

    With K = U diag(w) U', V are the leading eigenvectors of diag(w^r) U' L U diag(w^r), and the
    coefficients are U diag(w^-q) V. r = 1, q = 0 makes orthonormal coefficients, r = q = 1/2
    orthonormal directions; the two procedures lie between these and a whitened kernel.
    """
    exponent, r, q, within_weight, is_unit = NEAREST[method]
    t = EXPONENTS.index(exponent)
    K = trial.grams[t]
    w, U = gram_eigh(K, rank_tol=1e-9)
    F = U * w**r
    L = margin_laplacian(trial.y, **_options(trial, {"within_weight": within_weight}))
    V = np.linalg.eigh(F.T @ L @ F)[1][:, ::-1]
    A = (U * w**-q) @ V[:, : trial.n_classes]
    if is_unit:
        A = A / np.sqrt(np.einsum("ij,ij->j", A, K @ A))
    path = trial.test_path(K @ A, trial.test_gram(t) @ A, trial.n_classes)
    return _measure(trial, path, trial.n_classes - 1, reading, exponent=exponent)


def _signless(trial: Trial, reading: str, changes: Mapping[str, Any]) -> Measurement:
    """Multiple kernel MMC whose weight step minimises (23), in c - 1 dimensions."""
    options = _options(trial, changes)
    constraint = options.get("constraint", "coefficient")
    criterion = {name: options[name] for name in ("within_weight", "between") if name in options}
    scales = np.ones(len(trial.grams))
    if options.get("normalization"):
        scales = 1 / np.trace(total_laplacian(len(trial.y)) @ trial.grams, axis1=1, axis2=2)
    grams = scales[:, None, None] * trial.grams
    L = margin_laplacian(trial.y, **criterion)
    theta, steps = minimising_weights(grams, L, trial.n_classes, constraint)
    K, K_test = (np.tensordot(theta * scales, G, axes=1) for G in (trial.grams, trial.test_grams))
    fitted = KernelMMC(
        trial.n_classes, kernel="precomputed", constraint=constraint, **criterion
    ).fit(K, trial.y)
    path = trial.test_path(fitted.transform(K), fitted.transform(K_test), trial.n_classes)
    weights = [round(float(w), 4) for w in theta]
    single = bool(theta.max() > 1 - 1e-8)
    own = trial.n_classes - 1
    return _measure(trial, path, own, reading, weights=weights, single_kernel=single, steps=steps)


def minimising_weights(grams, L, n_dimensions: int, constraint: str, max_iter: int = 50):
    """Alternate (22), maximised, with (23), minimised, from equal weights.

    Returns
    -------
    weights : ndarray of shape (p,)
        One a kernel.
    n_iter : int
        Steps until the weights repeat, or ``max_iter``.
    """
    theta = np.full(len(grams), 1 / len(grams))
    for n_iter in range(1, max_iter + 1):
        A, _ = CONSTRAINTS[constraint](np.tensordot(theta, grams, axes=1), L, n_dimensions)
        P = grams @ A
        M = P.reshape(len(P), -1) @ (L @ P).reshape(len(P), -1).T
        target = solve_stqp_local(-(M + M.T) / 2, theta).variables["weights"]
        if np.allclose(target, theta, rtol=0, atol=1e-9):
            return theta, n_iter
        theta = target
    return theta, max_iter


def uniform(trial: Trial, readings: Readings) -> list[Measurement]:
    """Kernel MMC behind the mean of the kernels."""
    return [
        _multiple(trial, name, changes, weight_step="none") for name, changes in readings.items()
    ]


def regularised_lda(trial: Trial, readings: Readings) -> list[Measurement]:
    """Discriminant analysis with a tenth of the mean eigenvalue as ridge, in c - 1 dimensions."""
    fitted = KernelMMC(kernel="linear", constraint="whitened", ridge=0.1, center=True)
    path = trial.transformer_path(fitted.fit(trial.X, trial.y))
    return [_measure(trial, path, trial.n_classes - 1)]


def regularised_kernel_lda(trial: Trial, readings: Readings) -> list[Measurement]:
    """The same behind the Gaussian kernel of width sigma_0^2."""
    gamma = trial.gammas[EXPONENTS.index(0)]
    fitted = KernelMMC(gamma=gamma, constraint="whitened", ridge=0.1).fit(trial.X, trial.y)
    path = trial.transformer_path(fitted)
    return [_measure(trial, path, trial.n_classes - 1, exponent=0)]


def mmc_by_weight(trial: Trial, readings: Readings) -> list[Measurement]:
    """Accuracy of MMC in c - 1 dimensions against mu."""
    path = [
        trial.transformer_path(MMC(within_weight=mu).fit(trial.X, trial.y))[-1]
        for mu in WITHIN_WEIGHTS
    ]
    chosen = {"within_weights": list(WITHIN_WEIGHTS)}
    return [Measurement("accuracy by within weight", max(path), chosen, path=path)]


def kmmc_by_bandwidth(trial: Trial, readings: Readings) -> list[Measurement]:
    """Accuracy of kernel MMC in c - 1 dimensions against the bandwidth, by constraint and mu."""
    measurements = []
    for reading, changes in readings.items():
        if reading == HEADLINE:
            continue
        L = margin_laplacian(trial.y, within_weight=changes["within_weight"])
        path = []
        for K, K_test in zip(trial.grams, trial.test_grams, strict=True):
            A, _ = CONSTRAINTS[changes["constraint"]](K, L, trial.n_classes - 1)
            path.append(trial.accuracy(K @ A, K_test @ A))
        name = "accuracy by bandwidth"
        measurements.append(Measurement(name, max(path), changes, path=path, reading=reading))
    return measurements


def scanned_weights(n_train: int) -> list[float]:
    """Weights of the scan for so many training images a class, smallest first."""
    multiples = {n_train, 2 * n_train, 3 * n_train}
    return [float(mu) for mu in sorted({*SCANNED_WEIGHTS, *multiples})]


def linear_scan(trial: Trial, readings: Readings) -> list[Measurement]:
    """Linear MMC by weight and dimension."""
    train, test = _linear_features(trial.X, trial.X_test)
    return [_weight_scan(trial, train, test)]


def wide_kernel_scan(trial: Trial, readings: Readings) -> list[Measurement]:
    """MMC under the "function" constraint behind one wide kernel, by weight and dimension."""
    t = EXPONENTS.index(WIDE_EXPONENT)
    eigenvalues, U = gram_eigh(trial.grams[t], rank_tol=1e-10)
    train, test = U * np.sqrt(eigenvalues), trial.test_gram(t) @ U / np.sqrt(eigenvalues)
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


def mmc_chosen_weight(trial: Trial, readings: Readings) -> list[Measurement]:
    """Linear MMC, its weight and dimension chosen by leaving out an image of every class."""
    train, test = _linear_features(trial.X, trial.X_test)
    y, m = trial.y, trial.n_classes - 1
    by_class = [np.flatnonzero(y == label) for label in np.unique(y)]
    # One fold holds the first image of every class, the next one the second, and so on.
    held_out = [np.array(rows) for rows in zip(*by_class, strict=False)]
    folds = [(np.setdiff1d(np.arange(len(y)), rows), rows) for rows in held_out]

    def fold_path(mu, kept, rows):
        X, X_test = train[kept], train[rows]
        return _weight_path(Trial(X, y[kept], X_test, y[rows]), X, X_test, mu, m)

    by_fold = [[fold_path(mu, *fold) for mu in CHOSEN_WEIGHTS] for fold in folds]
    scores = np.mean(by_fold, axis=0)
    t = first_largest(scores.max(axis=1))
    path = _weight_path(trial, train, test, CHOSEN_WEIGHTS[t], m)
    own = last_largest(scores[t]) + 1
    return [_measure(trial, path, own, within_weight=CHOSEN_WEIGHTS[t])]


#: How every method is measured.
RUN: Mapping[str, Callable[[Trial, Readings], list[Measurement]]] = {
    "pca": pca,
    "kpca_cv": kpca,
    "mmc": mmc,
    "kmmc_cv": kmmc,
    "mkmmc": mkmmc,
    "uniform average": uniform,
    "regularised lda": regularised_lda,
    "regularised kernel lda": regularised_kernel_lda,
    "mmc by within weight": mmc_by_weight,
    "kmmc by bandwidth": kmmc_by_bandwidth,
    "linear weight scan": linear_scan,
    "wide kernel weight scan": wide_kernel_scan,
    "mmc_cv": mmc_chosen_weight,
}
