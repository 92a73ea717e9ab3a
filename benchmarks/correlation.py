"""How much random splits of one pool correlate, on real pools, and which intervals hold that.

A large real data set stands for all data of its kind. Small pools are drawn from it, each is split
at random some times with several shares for the test, and classifiers are compared on every split.
The mean difference over all pools is the truth that the interval of one pool must hold.

    python benchmarks/correlation.py measure errors.npz
    python benchmarks/correlation.py tell errors.npz
    python benchmarks/correlation.py measure-sets sets.npz
    python benchmarks/correlation.py tell-sets sets.npz

Each of the two measures takes some five minutes. What they said: `correlation.md`.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import linalg
from scipy.spatial.distance import cdist
from scipy.stats import norm, t
from sklearn.svm import SVC

import data_fetch

#: Rows of a pool.
ROWS = 240
#: Share of the pool that is tested.
SHARES = (0.4, 0.6, 0.7, 0.8)
#: Of these, those for which sets are compared.
MAIN_SHARES = (0.4, 0.8)
#: Random splits of a pool.
SPLITS = 20
METHODS = ("rls", "svm", "linear", "neighbours", "projection")


def pools(two: bool = True) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Real data with two classes of several kinds each: name, standardised rows, labels."""
    for name, classes in (("uci/letter", 26), ("uci/pendigits", 10), ("uci/landsat", 6)):
        dataset = data_fetch.load(name)
        y = np.unique(dataset.y, return_inverse=True)[1]
        assert len(np.unique(y)) == classes
        X = dataset.X.astype(float)
        yield name, (X - X.mean(axis=0)) / X.std(axis=0), (np.where(y % 2, 1.0, -1.0) if two else y)


def errors_on(kernel, distances, gram, y, train, test) -> list[float]:
    """Test error of every method on one split, from what is computed once a pool."""
    inner, across = kernel[np.ix_(train, train)], kernel[np.ix_(test, train)]
    ours, eye = y[train], np.eye(len(train))
    scores = [across @ linalg.solve(inner + 0.1 * eye, ours, assume_a="pos")]
    if abs(ours.sum()) == len(ours):  # one class alone
        return [float(np.mean(y[test] != ours[0]))] * len(METHODS)
    scores += [SVC(kernel="precomputed").fit(inner, ours).decision_function(across)]
    linear = gram[np.ix_(train, train)] + 1.0
    scores += [(gram[np.ix_(test, train)] + 1) @ linalg.solve(linear + eye, ours, assume_a="pos")]
    nearest = np.argpartition(distances[np.ix_(test, train)], 5, axis=1)[:, :5]
    scores += [ours[nearest].sum(axis=1)]
    n = len(train)
    last = linalg.eigh(inner, subset_by_index=[n - 10, n - 1])
    coordinates = inner @ last[1]
    weights = np.linalg.lstsq(np.c_[coordinates, np.ones(n)], ours, rcond=None)[0]
    scores += [np.c_[across @ last[1], np.ones(len(test))] @ weights]
    return [float(np.mean(np.where(s > 0, 1.0, -1.0) != y[test])) for s in scores]


def split_errors(rng, X, y, rows, share, n_splits) -> np.ndarray:
    """Errors of shape (n_splits, n_methods) on random splits of some rows."""
    X, y = X[rows], y[rows]
    distances = cdist(X, X, "sqeuclidean")
    kernel, gram = np.exp(-distances / X.shape[1]), X @ X.T / X.shape[1]
    n_train = round((1 - share) * len(rows))
    found = []
    for _ in range(n_splits):
        train, test = np.split(rng.permutation(len(rows)), [n_train])
        found.append(errors_on(kernel, distances, gram, y, train, test))
    return np.array(found)


def measure(path: str, n_pools: int) -> None:
    """Errors on all splits of all pools, every share on the same pools."""
    rng, found = np.random.default_rng(0), {}
    for name, X, y in pools():
        errors = []
        for _ in range(n_pools):
            rows = rng.choice(len(y), ROWS, replace=False)
            errors.append([split_errors(rng, X, y, rows, share, SPLITS) for share in SHARES])
        found[name] = np.array(errors)
        print(name, "done", flush=True)
        np.savez_compressed(path, **found)


def measure_sets(path: str, n_sets: int) -> None:
    """Errors on one pool each of many data sets: the classes of a real set, put together at random.

    Which classes are told apart differs from set to set, and so does which method is the better.
    """
    rng, found = np.random.default_rng(1), {}
    for (name, X, classes), share in itertools.product(pools(two=False), MAIN_SHARES):
        errors = []
        for _ in range(n_sets):
            kinds = rng.permutation(classes.max() + 1)
            kinds = kinds[: rng.integers(2, len(kinds) + 1)]
            y = np.where(np.isin(classes, kinds[::2]), 1.0, -1.0)
            rows = rng.choice(np.flatnonzero(np.isin(classes, kinds)), ROWS, replace=False)
            errors.append(split_errors(rng, X, y, rows, share, SPLITS))
        found[f"{name} {share}"] = np.array(errors)
        print(name, share, "done", flush=True)
        np.savez_compressed(path, **found)


def contrasts(errors: np.ndarray) -> Iterator[np.ndarray]:
    """Differences in percentage points between any two methods, the last axis left out."""
    for a, b in itertools.combinations(range(len(METHODS)), 2):
        yield 100 * (errors[..., a] - errors[..., b])


def within(means: np.ndarray, standard: np.ndarray) -> float:
    """Share of pools whose 95 % interval holds the mean difference of all pools."""
    return float(np.mean(abs(means - means.mean()) <= t.ppf(0.975, SPLITS - 1) * standard))


def tell(path: str) -> None:
    """Correlations, and coverage of the interval of one pool, and of the mean of three shares."""
    lines, means = [], []
    stored = np.load(path)
    for name in stored:
        for d in contrasts(stored[name]):
            for share, own in zip(SHARES, np.moveaxis(d, 1, 0), strict=True):
                variances = own.var(axis=1, ddof=1)
                between = max(own.mean(axis=1).var(ddof=1) - variances.mean() / SPLITS, 0.0)
                line = {"pool": name, "share": share}
                line["rho"] = between / (between + variances.mean())
                rules = {"0": 0.0, "0.1": 0.1, "0.2": 0.2, "ours": min((1 - share) / 2, 0.25)}
                rules["Nadeau-Bengio"] = share
                for rule, rho in rules.items():
                    standard = np.sqrt(variances * (1 / SPLITS + rho / (1 - rho)))
                    line[rule] = within(own.mean(axis=1), standard)
                lines.append(line)
            three = [SHARES.index(share) for share in (0.6, 0.7, 0.8)]
            rho = (1 - np.array(SHARES)[three]) / 2
            own = d[:, three]
            each = np.sqrt(own.var(axis=2, ddof=1) * (1 / SPLITS + rho / (1 - rho)))
            found, of_pools = own.mean(axis=(1, 2)), np.corrcoef(own.mean(axis=2).T)
            line = {"pool": name, "between shares": of_pools[np.triu_indices(3, 1)].mean()}
            line["as if nothing is shared"] = within(found, np.sqrt((each**2).sum(axis=1)) / 3)
            line["as if all is shared"] = within(found, each.mean(axis=1))
            means.append(line)
    table, of_means = pd.DataFrame(lines), pd.DataFrame(means)
    of_share = table.drop(columns="pool").groupby("share")
    with pd.option_context("display.width", 160):
        print(table.groupby(["pool", "share"]).mean().round(3).to_string())
        for statistic in ("mean", "min", "max"):
            print(f"{statistic} over pools and pairs of methods")
            print(of_share.agg(statistic).round(3).to_string())
        print(of_means.groupby("pool").mean().round(3).to_string())
        print(of_means.drop(columns="pool").agg(["mean", "min", "max"]).round(3).to_string())


def tell_sets(path: str) -> None:
    """Coverage of the mean over few sets by several rules, and how wide they are."""
    rng, lines, stored = np.random.default_rng(0), [], np.load(path)
    for key in stored:
        name, share = key.split()
        rho = 0.25 if share == "0.4" else 0.11
        for d in contrasts(stored[key]):
            noise = d.var(axis=1, ddof=1).clip(1e-4) * (1 / SPLITS + rho / (1 - rho))
            means = d.mean(axis=1)
            for k in (3, 6, 9):
                picked = rng.integers(len(means), size=(2000, k))
                line = {"pool": name, "share": share, "sets": k}
                for rule, interval in RULES.items():
                    own = picked[:40] if interval is bayes else picked  # it is slow
                    low, high = interval(means[own], noise[own])
                    line[rule] = np.mean((low <= means.mean()) & (means.mean() <= high))
                    line[f"{rule}, width"] = np.median(high - low)
                lines.append(line)
    table = pd.DataFrame(lines)
    with pd.option_context("display.width", 200):
        print(table.groupby(["pool", "share", "sets"]).mean().round(3).to_string())
        print(table.drop(columns=["pool", "share"]).groupby("sets").mean().round(3).to_string())


def spread_of_sets(d, noise) -> tuple[np.ndarray, np.ndarray]:
    """Student's t of the differences alone, as the package has it."""
    k = d.shape[1]
    half = t.ppf(0.975, k - 1) * d.std(axis=1, ddof=1) / np.sqrt(k)
    return d.mean(axis=1) - half, d.mean(axis=1) + half


def these_sets(d, noise) -> tuple[np.ndarray, np.ndarray]:
    """The noise of trials alone: another sample of these sets, not other sets."""
    half = norm.ppf(0.975) * np.sqrt(noise.sum(axis=1)) / d.shape[1]
    return d.mean(axis=1) - half, d.mean(axis=1) + half


def weighted(d, noise) -> tuple[np.ndarray, np.ndarray]:
    """Weights of DerSimonian and Laird, error of Hartung, Knapp, Sidik and Jonkman."""
    k, w = d.shape[1], 1 / noise
    total = w.sum(axis=1)
    around = d - ((w * d).sum(axis=1) / total)[:, None]
    scale = total - (w**2).sum(axis=1) / total
    between = np.maximum(0, ((w * around**2).sum(axis=1) - (k - 1)) / scale)
    w = 1 / (noise + between[:, None])
    total = w.sum(axis=1)
    mean = (w * d).sum(axis=1) / total
    error = np.sqrt((w * (d - mean[:, None]) ** 2).sum(axis=1) / (k - 1) / total)
    half = t.ppf(0.975, k - 1) * error
    return mean - half, mean + half


def bayes(d, noise) -> np.ndarray:
    """Normal sets with a uniform prior on their mean and deviation, integrated on a grid."""
    return np.array([_bayes(*sample) for sample in zip(d, noise, strict=True)]).T


def _bayes(d, noise) -> np.ndarray:
    w = 1 / (noise + SPREADS[:, None] ** 2)
    total = w.sum(axis=1)
    means = (w * d).sum(axis=1) / total
    squares = (w * (d - means[:, None]) ** 2).sum(axis=1)
    log = 0.5 * (np.log(w).sum(axis=1) - np.log(total) - squares)
    weight = np.exp(log - log.max()) * np.gradient(SPREADS)
    deviations = 1 / np.sqrt(total)
    is_seen = weight > 1e-9 * weight.sum()
    first = (means - 8 * deviations)[is_seen].min()
    last = (means + 8 * deviations)[is_seen].max()
    grid = np.linspace(first, last, 500)
    below = norm.cdf((grid - means[:, None]) / deviations[:, None])
    return np.interp([0.025, 0.975], weight @ below / weight.sum(), grid)


#: Standard deviations from set to set that `bayes` weighs.
SPREADS = np.concatenate([[0.0], np.geomspace(0.01, 60, 120)])
RULES = {"t": spread_of_sets, "these sets": these_sets, "weighted": weighted, "bayes": bayes}
#: What each command does.
COMMANDS = {"measure": measure, "measure-sets": measure_sets}
COMMANDS |= {"tell": lambda path, _: tell(path), "tell-sets": lambda path, _: tell_sets(path)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=COMMANDS)
    parser.add_argument("path")
    parser.add_argument("--pools", type=int, default=120, help="pools of a kind, or sets")
    options = parser.parse_args()
    COMMANDS[options.what](options.path, options.pools)
