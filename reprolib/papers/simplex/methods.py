"""The eight methods of Table 2, on one split."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import joblib
import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from reprolib.methods.shared.kernels import (
    distance_percentile,
    gram,
    nystrom_landmarks,
    nystrom_map,
)
from reprolib.methods.shared.solution import NotOptimalWarning
from reprolib.methods.shared.ties import first_largest
from reprolib.methods.simplex import (
    SimplexBoostingClassifier,
    SimplexRLSClassifier,
    SimplexRLSClassifierCV,
    SimplexSGDClassifier,
    spectrum_alphas,
)
from reprolib.methods.simplex.sgd import fit_along
from reprolib.rerun.records import HEADLINE, Measurement, Task
from reprolib.rerun.tasks.remembered import Remembered

#: What the tasks of a run have in common.
_GAMMAS = Remembered("width of the kernel", size=10)
_CHOSEN = Remembered("choices of lambda", size=10)
_HITS = Remembered("hits of S-LS rbf and of boosting", size=10)
#: Readings of one run: the last iterate or the mean.
_ONLINE = Remembered("hits of online methods", size=50)
_REFITS = Remembered("hits of an SVM", size=10)
ONLINE_LOSSES = {
    "sc-svm online": "cone",
    "sh-svm online": "halfspace",
    "s-ls online": "least_squares",
}
#: Beyond this many training examples, kernel matrices are not kept and S-LS rbf uses Nystrom.
LARGEST_EXACT = 8_000
#: Reading that tasks on images measure beside the headline.
MEAN_OVER_CLASSES = "mean over classes"
N_PASSES = 10
N_LANDMARKS = 2000


def accuracy(model, X_test, y_test, chosen, **more) -> Measurement:
    """Accuracy on the test set."""
    return Measurement(
        "accuracy", float(model.score(X_test, y_test)), chosen, n_test=len(y_test), **more
    )


def _share(hits, chosen, **more) -> Measurement:
    """Accuracy on the test set as the share of its hits."""
    return Measurement("accuracy", float(hits.mean()), chosen, len(hits), **more)


def _shares(task, hits, y_test, chosen, **more) -> list[Measurement]:
    """Accuracy and, where a task has it beside, the mean over classes of that within each."""
    found = [_share(hits, chosen, **more)]
    if task.params.get("also_by_class"):
        of_classes = [hits[y_test == label].mean() for label in np.unique(y_test)]
        found.append(replace(found[0], value=float(np.mean(of_classes)), reading=MEAN_OVER_CLASSES))
    return found


def hold_out(make, grid, X, y, seed):
    """Model refitted on all training data with `best_on_hold_out`, and what that returns."""
    best, scores = best_on_hold_out(make, grid, X, y, seed)
    return make(best).fit(X, y), best, scores


def best_on_hold_out(make, grid, X, y, seed, *, kernel=None) -> tuple[float, list[float]]:
    """Best parameter of the grid on 20 % of the training data, the first of equally good ones.

    Returns the parameter and the hold-out accuracies. X is a Gram matrix if ``kernel`` is
    "precomputed". Its parts are stored row by row: of any other order, every fit and every
    prediction of a class would make a copy.
    """
    a, b = train_test_split(np.arange(len(X)), test_size=0.2, random_state=seed)
    A, B = (X[np.ix_(a, a)], X[np.ix_(b, a)]) if kernel == "precomputed" else (X[a], X[b])
    scores = [float(make(value).fit(A, y[a]).score(B, y[b])) for value in grid]
    return float(grid[int(first_largest(scores))]), scores


def mean_square(X) -> float:
    """Mean of ||x||^2."""
    return float(np.mean(np.sum(X**2, axis=1)))


def rounded(value: float) -> float:
    """Six significant digits, for the record."""
    return float(f"{value:.6g}")


def with_loo(model, X_test, y_test) -> Measurement:
    """Test accuracy, with the leave-one-out accuracy of every lambda."""
    scores = model.loo_score_path_
    return accuracy(model, X_test, y_test, chosen_by_loo(model.alpha_, scores), path=scores)


def chosen_by_loo(alpha: float, scores) -> dict[str, float]:
    """Lambda, and the largest of the leave-one-out accuracies."""
    return {"alpha": rounded(alpha), "loo": rounded(float(scores.max()))}


def rbf_gamma(X, factor: float = 1.0) -> float:
    """Kernel parameter 1 / (2 sigma^2) of the 25th percentile of the distances, times a factor."""
    return factor / (2 * distance_percentile(X, 25) ** 2)


def remembered_gamma(X, factor: float = 1.0) -> float:
    """`rbf_gamma` for tables that compare no times."""
    return _GAMMAS.of((X, factor), lambda: rbf_gamma(X, factor))


def _online(task, X, y, X_test, y_test) -> list[Measurement]:
    params, loss = task.params, task.params.get("loss", ONLINE_LOSSES[task.method])
    is_library = bool(params.get("library"))
    scored, make = (_by_pass, _library_model) if is_library else (_last_and_mean, _paper_model)
    model = make(params, loss, X, y)
    grid = np.geomspace(1.0, 1e-7, 8) * mean_square(X)
    a, b = train_test_split(np.arange(len(X)), test_size=0.2, random_state=params["seed"])

    def on_hold_out():
        return scored(model, grid, X[a], y[a], X[b], y[b])

    def on_test():
        return scored(model, [alpha], X, y, X_test, y_test)[0]

    # Of a run's accuracies: after the last pass, or of the last iterate (0) or the mean (1).
    column = params["passes"] - 1 if is_library else int(params.get("average", False))
    run = (joblib.hash((X, y, X_test, y_test)), model.get_params())
    scores = [float(hits[column].mean()) for hits in _ONLINE.of(run, on_hold_out)]
    alpha = float(grid[int(first_largest(scores))])
    hits = _ONLINE.of((*run, alpha), on_test)
    path = [float(h.mean()) for h in hits[: column + 1]] if is_library else scores
    return _shares(task, hits[column], y_test, {"alpha": rounded(alpha)}, path=path)


def _by_pass(model, alphas, X, y, X_test, y_test) -> list[list[np.ndarray]]:
    """Which test points are hit after every pass, at every alpha."""
    classes = np.unique(y)
    found = []
    for alpha in alphas:
        one, hits = clone(model).set_params(alpha=alpha), list[np.ndarray]()
        for _ in range(one.max_iter):
            with config_context(assume_finite=bool(hits)):  # the first pass has looked
                one.partial_fit(X, y, classes=classes)
                hits.append(one.predict(X_test) == y_test)
        found.append(hits)
    return found


def _last_and_mean(model, alphas, X, y, X_test, y_test) -> list[list[np.ndarray]]:
    """Which test points the last iterate hits, and which the mean, at every alpha."""
    found = []
    with warnings.catch_warnings():  # a lambda of the grid may be too small for its steps
        warnings.simplefilter("ignore", NotOptimalWarning)
        for one in fit_along(model, alphas, X, y):
            of_mean = one.predict(X_test) == y_test
            one.coef_ = one.last_coef_
            found.append([one.predict(X_test) == y_test, of_mean])
    return found


def _paper_model(params, loss, X, y) -> SimplexSGDClassifier:
    """Pegasos as the paper describes it.

    The mean, where a reading takes it, is of the second half of the steps. On raw features the
    headline makes it, too: both are measured on the same runs.
    """
    is_raw = not (params.get("intercept") or params.get("standardise"))
    has_mean = is_raw or params.get("average", False)
    return SimplexSGDClassifier(
        loss,
        max_iter=N_PASSES,
        eta0=None,
        average=has_mean and N_PASSES // 2 * len(X),
        random_state=params["seed"],
    )


def _library_model(params, loss, X, y) -> SimplexSGDClassifier:
    """Pegasos as the authors' library has it, with no more passes than the reading counts."""
    return SimplexSGDClassifier(
        loss,
        max_iter=params.get("passes", N_PASSES),
        eta0="first",
        average=True,
        project=float(np.sqrt(len(np.unique(y)))),
        random_state=params["seed"],
    )


def rls_grid(name: str):
    """Rule for the 100 lambdas of S-LS."""
    if name == "linear":
        return lambda s, n: np.linspace(s[-1], s[0], 100) / n
    if name == "gram":
        return lambda s, n: n * spectrum_alphas(s, n)
    return spectrum_alphas


def _rls(task, X, y, X_test, y_test) -> list[Measurement]:
    order = np.random.default_rng(task.params["seed"]).permutation
    source = None
    if task.params.get("resample"):
        rows, source = order(len(X) + len(X_test)), "resampled"
        pool, labels = np.concatenate([X, X_test])[rows], np.concatenate([y, y_test])[rows]
        X, X_test = pool[: len(X)], pool[len(X) :]
        y, y_test = labels[: len(y)], labels[len(y) :]
    elif "share" in task.params:
        rows = order(len(X))[: round(task.params["share"] * len(X))]
        X, y = X[rows], y[rows]
    model = SimplexRLSClassifierCV(rls_grid(task.params.get("grid", "log"))).fit(X, y)
    scores, predicted = model.loo_score_path_, model.predict(X_test)
    chosen = chosen_by_loo(model.alpha_, scores)
    measured = _shares(task, predicted == y_test, y_test, chosen, path=scores, source=source)
    if task.params.get("mean_over_classes"):
        balanced = balanced_accuracy_score(y_test, predicted)
        measured = [replace(measured[0], value=float(balanced))]
    return measured


def rbf_hits(
    seed: int, gamma: float, grids: Mapping[str, str], X, y, X_test, y_test
) -> Iterator[tuple[str, Any]]:
    """Hits of exact models with the lambda of every grid; beyond `LARGEST_EXACT` by Nystrom."""
    if len(X) > LARGEST_EXACT:
        found = _best_alphas(grids, _nystrom(X, gamma, seed)(X), y)
    else:
        found = _best_alphas(grids, X, y, kernel="rbf", gamma=gamma)
    for reading, alpha, _ in found:
        yield reading, _exact_hits(alpha, gamma, X, y, X_test, y_test)


def _exact_hits(alpha: float, gamma: float, X, y, X_test, y_test):
    """Which test points the exact model classifies correctly, for both tables."""

    def make():
        model = SimplexRLSClassifier(alpha, kernel="rbf", gamma=gamma)
        return model.fit(X, y).predict(X_test) == y_test

    return _HITS.of((X, y, X_test, y_test, alpha, gamma), make)


def _nystrom(X, gamma: float, seed: int) -> Callable[[np.ndarray], np.ndarray]:
    """Map to the Nystrom features of random rows of X."""
    landmarks = X[nystrom_landmarks(len(X), N_LANDMARKS, seed)]
    M = nystrom_map(gram(landmarks, gamma=gamma))
    return lambda Z: gram(Z, landmarks, gamma=gamma) @ M


def _rls_rbf(task, X, y, X_test, y_test) -> list[Measurement]:
    gamma = remembered_gamma(X, task.params.get("gamma_factor", 1.0))
    grids = {task.reading: "log", **task.params.get("also", {})}
    measured = []
    if len(X) > LARGEST_EXACT:  # lambda by leave-one-out on Nystrom features, the model exact
        to_features = _nystrom(X, gamma, task.params["seed"])
        features = to_features(X)
        for reading, alpha, scores in _best_alphas(grids, features, y):
            chosen: dict[str, Any] = {"alpha": rounded(alpha), "landmarks": N_LANDMARKS}
            of_grid = _share(_exact_hits(alpha, gamma, X, y, X_test, y_test), chosen)
            measured.append(replace(of_grid, reading=reading))
            if reading == HEADLINE:
                low_rank = SimplexRLSClassifier(alpha).fit(features, y)
                of_features = chosen | chosen_by_loo(alpha, scores)
                nystrom = accuracy(low_rank, to_features(X_test), y_test, of_features, path=scores)
                measured.append(replace(nystrom, reading="Nystrom only"))
        return measured
    for reading, alpha, scores in _best_alphas(grids, X, y, kernel="rbf", gamma=gamma):
        hits = _exact_hits(alpha, gamma, X, y, X_test, y_test)
        chosen = chosen_by_loo(alpha, scores)
        of_grid, *by_class = _shares(task, hits, y_test, chosen, path=scores)
        measured += [replace(of_grid, reading=reading), *by_class]
    return measured


def _best_alphas(grids: Mapping[str, str], X, y, **kernel) -> list[tuple[str, float, Any]]:
    """Best lambda of every grid, and the leave-one-out accuracies, by one eigendecomposition.

    Gives the reading, its lambda, and the accuracies at its grid in decreasing order of lambda.
    Tables "table2" and "disagreement" need the same.
    """

    def all_alphas(s, n):
        return np.unique(np.concatenate([rls_grid(grid)(s, n) for grid in grids.values()]))

    def best():
        path = SimplexRLSClassifierCV(all_alphas, **kernel).fit(X, y)
        found = []
        for reading, grid in grids.items():
            own = np.isin(path.alphas_, rls_grid(grid)(path.eigenvalues_, len(X)))
            alphas, scores = path.alphas_[own], path.loo_score_path_[own]
            found.append((reading, float(alphas[first_largest(scores)]), scores))
        return found

    return _CHOSEN.of((X, y, sorted(grids.items()), kernel), best)


def _svm_ova(task, X, y, X_test, y_test) -> list[Measurement]:
    scale = mean_square(X)
    fixed = task.params.get("C")
    grid = 10.0 ** np.arange(-2, 3) / scale if fixed is None else [fixed]
    if X.shape[1] > len(X):  # libsvm itself is quick on the Gram matrix, and no worse for its size
        return _libsvm_ova(task, {"kernel": "linear"}, grid, X, y, X_test, y_test)

    def make(C):
        return LinearSVC(
            C=C,
            loss="hinge",
            fit_intercept=task.params.get("svm_intercept", True),
            intercept_scaling=np.sqrt(scale),
            max_iter=5000,
            random_state=task.params["seed"],
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, C, scores = hold_out(make, grid, X, y, task.params["seed"])
    chosen = {"C": rounded(C), "converged": bool(np.max(model.n_iter_) < 5000)}
    return [accuracy(model, X_test, y_test, chosen, path=scores)]


def _svm_rbf_ova(task, X, y, X_test, y_test) -> list[Measurement]:
    gamma = remembered_gamma(X, task.params.get("gamma_factor", 1.0))
    kernel = {"kernel": "rbf", "gamma": gamma}
    return _libsvm_ova(task, kernel, 10.0 ** np.arange(-1, 4), X, y, X_test, y_test)


def _libsvm_ova(task, kernel, grid, X, y, X_test, y_test) -> list[Measurement]:
    """One-vs-all by libsvm, C by hold-out, on one Gram matrix of all classes where it fits."""
    is_exact = len(X) <= LARGEST_EXACT
    taken, K = ({"kernel": "precomputed"}, gram(X, **kernel)) if is_exact else (kernel, X)

    def make(C):
        return OneVsRestClassifier(SVC(C=C, cache_size=500, **taken))

    def hits_of_refit():
        cross = gram(X_test, X, **kernel) if is_exact else X_test
        return make(C).fit(K, y).predict(cross) == y_test

    with config_context(assume_finite=True):  # else every class looks through the whole matrix
        C, scores = best_on_hold_out(make, grid, K, y, task.params["seed"], kernel=taken["kernel"])
        # The seed is of the hold-out alone.
        hits = _REFITS.of((X, y, X_test, y_test, kernel, C), hits_of_refit)
    return _shares(task, hits, y_test, {"C": rounded(C)}, path=scores)


def boosting_hits(X, y, X_test, y_test, *, seed: int, **settings):
    """Which test points boosting classifies correctly after every round: (rounds, n_test).

    Tables "table2" and "disagreement" need the same.
    """

    def make():
        model = SimplexBoostingClassifier(random_state=seed, **settings).fit(X, y)
        return np.array([labels == y_test for labels in model.staged_predict(X_test)])

    return _HITS.of((X, y, X_test, y_test, seed, settings), make)


def _boosting(task, X, y, X_test, y_test) -> list[Measurement]:
    settings = {
        name: task.params[name] for name in ("n_estimators", "update") if name in task.params
    }
    hits = boosting_hits(X, y, X_test, y_test, seed=task.params["seed"], **settings)
    path = hits.mean(axis=1).tolist()
    return [Measurement("accuracy", path[-1], {"rounds": len(hits)}, len(y_test), path=path)]


_METHODS: Mapping[str, Callable[..., list[Measurement]]] = {
    **dict.fromkeys(ONLINE_LOSSES, _online),
    "s-ls": _rls,
    "s-ls rbf": _rls_rbf,
    "svm ova": _svm_ova,
    "svm rbf ova": _svm_rbf_ova,
    "boosting": _boosting,
}


def table2(task: Task, X, y, X_test, y_test) -> list[Measurement]:
    """Run one task of the table."""
    if sizes := task.params.get("sizes"):  # of random parts of the training sets, by data set
        part = np.random.default_rng(task.params["seed"]).permutation(len(X))[: sizes[task.dataset]]
        X, y = X[part], y[part]
    X, X_test = features(task.params, X, X_test)
    return _METHODS[task.method](task, X, y, X_test, y_test)


def features(params: Mapping[str, object], X, X_test):
    """Features of the training and of the test set, changed as a reading says."""
    if params.get("standardise"):
        scaler = StandardScaler().fit(X)
        X, X_test = scaler.transform(X), scaler.transform(X_test)
    if params.get("intercept"):
        X, X_test = (np.column_stack([part, np.ones(len(part))]) for part in (X, X_test))
    return X, X_test
