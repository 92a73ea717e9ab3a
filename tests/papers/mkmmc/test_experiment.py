"""The MKMMC protocol on simulated faces: splits, stages, the oracle dimension."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import data_fetch
from data_fetch.embedded.faces import load_embedded
from reprolib.methods.mkmmc import CONSTRAINTS, MMC, KernelMMC, margin_laplacian
from reprolib.methods.shared.ties import last_largest
from reprolib.papers.mkmmc import methods
from reprolib.papers.mkmmc.experiment import EXPERIMENTS, PROTOCOL, READINGS, derive, run
from reprolib.papers.mkmmc.methods import (
    OWN,
    RUN,
    WIDE_EXPONENT,
    minimising_weights,
    scanned_weights,
)
from reprolib.papers.mkmmc.splits import Trial, drawn, published
from reprolib.rerun import records as results
from reprolib.rerun.records.rows import row_of
from reprolib.rerun.records.task import HEADLINE, Measurement, Task
from reprolib.rerun.tasks.remembered import Remembered
from reprolib.rerun.verdicts.printed import numbers

DATA = load_embedded()


def records_of(tasks):
    rows = [row_of(task, m, DATA.source, 0.0) for task in tasks for m in run(task, DATA)]
    return results.to_frame(rows)


@pytest.fixture(scope="module")
def stages():
    tasks = [
        task
        for task in PROTOCOL.stages[0].tasks(
            "quick", {"embedded/faces": DATA}, results.to_frame([])
        )
        if task.method in ("pca", "mmc") and task.params["n_train"] == 3
    ]
    first = records_of(tasks)
    return first, results.to_frame(derive(first))


def test_splits_are_seeded_and_disjoint():
    train, test = drawn(DATA.y, 3, 0)
    np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(len(DATA.y)))
    np.testing.assert_array_equal(np.bincount(DATA.y[train])[1:], 3)
    np.testing.assert_array_equal(train, drawn(DATA.y, 3, 0)[0])
    assert not np.array_equal(train, drawn(DATA.y, 3, 1)[0])


def test_every_printed_number_selects_a_measurement():
    for number in numbers("mkmmc"):
        assert number.select["method"] in RUN
        table, sizes = EXPERIMENTS[number.select["dataset"]]
        assert number.results == table
        assert number.select["setting"] in {f"{n} train" for n in sizes}
    assert len(numbers("mkmmc")) == 90


def test_oracle_dimension_is_the_best_average_on_the_test_set(stages):
    first, second = stages
    for method in ("pca", "mmc"):
        own = first[(first["method"] == method) & (first["reading"] == HEADLINE)]
        paths = np.array([[float(v) for v in text.split()] for text in own["path"]])
        rows = second[(second["method"] == method) & (second["reading"] == HEADLINE)]
        accuracy = rows[rows["metric"] == "accuracy"]["value"]
        assert accuracy.mean() == pytest.approx(paths.mean(axis=0).max(), abs=1e-5)
        assert accuracy.mean() >= own["value"].mean() - 1e-5
        dimensions = rows[rows["metric"] == "dimension"]["value"]
        assert dimensions.between(1, paths.shape[1]).all()


def test_pca_takes_the_last_dimension_that_errs_least_on_the_other_training_images():
    train, test = drawn(DATA.y, 3, 0)
    trial = Trial(DATA.X[train], DATA.y[train], DATA.X[test], DATA.y[test])
    (measured,) = methods.pca(trial, {HEADLINE: {}})
    Z = PCA(len(train) - 1, svd_solver="full").fit_transform(trial.X)
    one_nearest = KNeighborsClassifier(n_neighbors=1)
    alone = [
        cross_val_score(one_nearest, Z[:, :d], trial.y, cv=LeaveOneOut()).mean()
        for d in range(1, Z.shape[1] + 1)
    ]
    assert min(alone) < max(alone)
    assert measured.chosen["n_components"] == last_largest(alone) + 1


def test_mmc_beats_pca_on_simulated_faces(stages):
    rows = stages[1]
    rows = rows[(rows["reading"] == HEADLINE) & (rows["metric"] == "accuracy")]
    means = rows.groupby("method")["value"].mean()
    assert means["mmc"] > means["pca"] + 0.05


def test_all_methods_measure_on_a_small_set():
    keep = DATA.y <= 4
    X, y = DATA.X[keep], DATA.y[keep]
    train, test = drawn(y, 3, 0)
    trial = Trial(X[train], y[train], X[test], y[test])
    tasks = PROTOCOL.stages[0].tasks("full", {"embedded/faces": DATA}, results.to_frame([]))
    for name, reading in sorted({(task.method, task.reading) for task in tasks}):
        for m in RUN[name](trial, READINGS.measured(name, reading)):
            assert 0 <= m.value <= 1, name
            assert len(m.path) > 0
            if m.metric.startswith(OWN):
                assert m.value == m.path[m.chosen["n_components"] - 1]


def test_same_records_twice():
    task = Task("mkmmc", "table1", "embedded/faces", "mmc", params={"n_train": 2})
    assert records_of([task]).equals(records_of([task]))


def test_full_profile_has_more_splits_of_what_is_printed():
    tasks = PROTOCOL.stages[0].tasks("full", {"embedded/faces": DATA}, results.to_frame([]))
    trials = {}
    for task in tasks:
        trials.setdefault((task.method, task.reading), set()).add(task.trial)
    assert trials["pca", HEADLINE] == trials["mmc", HEADLINE] == set(range(100))
    assert trials["mkmmc", HEADLINE] == trials["kmmc_cv", HEADLINE] == set(range(40))
    assert trials["uniform average", HEADLINE] == set(range(20))
    assert PROTOCOL.datasets("full") == ["faces/orl", "faces/yale", "faces/coil20"]


@pytest.fixture(scope="module")
def small_trial():
    keep = DATA.y <= 5
    X, y = DATA.X[keep], DATA.y[keep]
    train, test = drawn(y, 3, 0)
    return Trial(X[train], y[train], X[test], y[test])


def measured(trial, method):
    (found,) = RUN[method](trial, {HEADLINE: {}})
    return found


def left_out_path(trial):
    """Accuracy in 1, ..., c dimensions of every image behind an MMC fitted to the others."""
    hits = np.zeros(trial.n_classes)
    for i in range(len(trial.y)):
        others = np.arange(len(trial.y)) != i
        fitted = MMC(trial.n_classes).fit(trial.X[others], trial.y[others])
        Z, z = fitted.transform(trial.X[others]), fitted.transform(trial.X[i : i + 1])
        for d in range(1, trial.n_classes + 1):
            nearest = np.argmin(np.sum((Z[:, :d] - z[:, :d]) ** 2, axis=1))
            hits[d - 1] += trial.y[others][nearest] == trial.y[i]
    return hits / len(trial.y)


@pytest.mark.parametrize("seed", range(6))
def test_own_dimension_of_mmc_is_the_best_when_every_image_is_left_out(seed):
    rng, y = np.random.default_rng(seed), np.repeat([0, 1, 2], 8)
    X = rng.normal(size=(len(y), 6)) * [1, 3, 3, 3, 3, 3] + np.outer(y, [4, 0, 0, 0, 0, 0])
    trial = Trial(X, y, X, y)
    found = {m.reading: m for m in RUN["mmc"](trial, READINGS.measured("mmc", HEADLINE))}
    expected = last_largest(left_out_path(trial)) + 1
    assert found[HEADLINE].chosen["n_components"] == expected
    assert found["within weight 4"].chosen["n_components"] == 2


@pytest.mark.parametrize("position", [0, 9, 19])
def test_weight_scan_is_the_package_at_every_weight(small_trial, position):
    trial, m = small_trial, small_trial.n_classes - 1
    gamma = trial.gammas[WIDE_EXPONENT + 5]
    for method, make in {
        "linear weight scan": lambda mu: MMC(within_weight=mu),
        "wide kernel weight scan": lambda mu: KernelMMC(
            gamma=gamma, constraint="function", within_weight=mu
        ),
    }.items():
        found = measured(trial, method)
        mu = found.chosen["within_weights"][position]
        fitted = make(mu).fit(trial.X, trial.y)
        expected = trial.test_path(fitted.transform(trial.X), fitted.transform(trial.X_test), m)
        path = np.reshape(found.path, (-1, m))[position]
        np.testing.assert_allclose(path, expected, atol=1.01 / len(trial.y_test))


def test_chosen_weight_leaves_one_image_of_every_class_out(small_trial):
    found = measured(small_trial, "mmc_cv")
    fitted = MMC(within_weight=found.chosen["within_weight"]).fit(small_trial.X, small_trial.y)
    expected = small_trial.accuracy(
        fitted.transform(small_trial.X), fitted.transform(small_trial.X_test)
    )
    assert found.path[-1] == pytest.approx(expected, abs=1.01 / len(small_trial.y_test))
    tasks = PROTOCOL.stages[0].tasks("full", {"embedded/faces": DATA}, results.to_frame([]))
    assert {t.setting for t in tasks if t.method == "mmc_cv"} == {"3 train", "4 train"}


@pytest.mark.parametrize("constraint", ["coefficient", "function"])
def test_minimising_weights_are_stationary_for_the_minimum(small_trial, constraint):
    trial = small_trial
    L = margin_laplacian(trial.y)
    theta, n_iter = minimising_weights(trial.grams, L, trial.n_classes, constraint)
    assert n_iter < 50
    K = np.tensordot(theta, trial.grams, axes=1)
    A, _ = CONSTRAINTS[constraint](K, L, trial.n_classes)
    M = np.array([[np.trace(A.T @ S @ L @ T @ A) for T in trial.grams] for S in trial.grams])
    slope = (M + M.T) / 2 @ theta
    assert slope.min() >= theta @ slope - 1e-6 * np.abs(M).max()


def test_one_step_minimises_the_form_of_the_equal_weights(small_trial):
    trial, n = small_trial, len(small_trial.grams)
    L, c = margin_laplacian(trial.y), trial.n_classes
    equal, n_iter = minimising_weights(trial.grams, L, c, "coefficient", max_iter=0)
    np.testing.assert_allclose(equal, 1 / n)
    assert n_iter == 0
    A, _ = CONSTRAINTS["coefficient"](np.mean(trial.grams, axis=0), L, trial.n_classes)
    M = np.array([[np.trace(A.T @ S @ L @ T @ A) for T in trial.grams] for S in trial.grams])
    theta, n_iter = minimising_weights(trial.grams, L, c, "coefficient", max_iter=1)
    assert n_iter == 1
    slope = (M + M.T) / 2 @ theta
    assert slope.min() >= theta @ slope - 1e-6 * np.abs(M).max()
    assert theta @ M @ theta < equal @ M @ equal - 1e-3 * np.abs(M).max()


def test_scan_has_once_twice_and_three_times_the_images_of_a_class():
    fixed = [float(mu) for mu in range(1, 21)]
    assert scanned_weights(25) == [*fixed, 25.0, 50.0, 75.0]
    assert scanned_weights(15) == [*fixed, 30.0, 45.0]


def test_accuracy_stays_where_there_are_no_more_coordinates():
    train, test = np.array([[0.0, 0.0], [0.0, 9.0]]), np.array([[0.0, 8.0], [0.0, 1.0]])
    trial = Trial(train, np.array([0, 1]), test, np.array([1, 0]))
    assert list(trial.test_path(train, test, 4)) == [0.5, 1.0, 1.0, 1.0]
    assert list(trial.test_path(train, test, 1)) == [0.5]
    assert trial.accuracy(train, test) == 1.0


def test_best_dimension_is_that_of_the_mean_and_counts_from_one():
    """The first dimension is best in one half of the splits, the second in the other."""
    paths = [[1.0, 0.0, 0.5], [0.0, 1.0, 0.75]]
    tasks = [Task("mkmmc", "table1", "embedded/faces", "pca", trial=t) for t in range(2)]
    rows = [
        row_of(task, Measurement(OWN, 0.5, {}, n_test=4, path=path), "embedded", 0.0)
        for task, path in zip(tasks, paths, strict=True)
    ]
    found = derive(results.to_frame([*rows, *({**row, "trial": row["trial"] + 2} for row in rows)]))
    accuracy = [row for row in found if row["metric"] == "accuracy"]
    assert [row["value"] for row in accuracy] == [0.5, 0.75, 0.5, 0.75]
    assert {row["chosen"] for row in accuracy} == {'{"n_components": 3}'}
    drawn = [row["value"] for row in found if row["metric"] == "dimension"]
    assert len(drawn) == 4
    assert set(drawn) <= {1.0, 2.0, 3.0}


@pytest.mark.skipif(not data_fetch.available("faces/yale"), reason="faces/yale is not at hand")
def test_round_off_does_not_choose_the_bandwidth_of_kernel_pca(monkeypatch):
    """At the narrowest width of this split two eigenvalues lie at the edge of a tie."""
    data = data_fetch.load("faces/yale")
    train, test = drawn(data.y, 2, 81)
    exponents = set()
    for seed in range(6):
        trial = Trial(data.X[train], data.y[train], data.X[test], data.y[test])
        noise = 2e-16 * np.random.default_rng(seed).normal(size=trial.grams.shape)
        vars(trial)["grams"] = trial.grams + noise + noise.transpose(0, 2, 1)
        monkeypatch.setattr(methods, "_LEFT_OUT", Remembered("with this noise", size=1))
        exponents |= {m.chosen["exponent"] for m in methods.kpca(trial, {HEADLINE: {}})}
    assert exponents == {-5}, f"round-off chooses between the widths 2^k, k in {exponents}"


@pytest.mark.needs_data("faces/yale")
@pytest.mark.parametrize(
    ("method", "reading", "accuracy", "dimension"),
    [("pca", HEADLINE, 46.04, 29), ("mmc", "S_b about the origin", 51.93, 15)],
)
def test_the_first_published_splits_give_printed_digits(method, reading, accuracy, dimension):
    data = data_fetch.load("faces/yale")
    tasks = [
        Task("mkmmc", "table2", data.name, method, trial=t, params={"n_train": 2})
        for t in range(20)
    ]
    rows = [row_of(task, m, data.source, 0.0) for task in tasks for m in run(task, data)]
    found = results.to_frame(derive(results.to_frame(rows)))
    found = found[found["reading"] == reading]
    assert set(found["source"]) == {"original"}
    ours = found.loc[found["metric"] == "accuracy", "value"]
    assert (len(ours), 100 * ours.mean()) == (20, pytest.approx(accuracy, abs=0.005))
    assert found.loc[found["metric"] == "dimension", "value"].tolist() == [dimension]


@pytest.mark.needs_data("faces/yale")
def test_our_own_splits_say_that_they_are_ours():
    data = data_fetch.load("faces/yale")
    task = Task("mkmmc", "table2", data.name, "pca", "our own splits", params={"n_train": 2})
    (own,) = run(task, data)
    theirs = run(Task("mkmmc", "table2", data.name, "pca", params={"n_train": 2}), data)[0]
    assert (own.source, theirs.source) == ("resampled", None)
    train, test = drawn(data.y, 2, 0)
    trial = Trial(data.X[train], data.y[train], data.X[test], data.y[test])
    (expected,) = methods.pca(trial, {HEADLINE: {}})
    np.testing.assert_array_equal(own.path, expected.path)
    assert not np.array_equal(np.sort(published(data, 2, 0)[0]), train)


def test_a_few_published_splits_are_not_all_of_them():
    """Two of twenty splits have no dimension that print could have."""
    tasks = [Task("mkmmc", "table1", "embedded/faces", "pca", trial=t) for t in range(20)]
    measured = Measurement(OWN, 0.5, {}, n_test=4, path=[0.5, 0.75, 0.75])
    rows = [row_of(task, measured, "original", 0.0) for task in tasks]
    few, whole = (
        [row["value"] for row in derive(results.to_frame(part)) if row["metric"] == "dimension"]
        for part in (rows[:2], rows)
    )
    assert (len(few), whole) == (2, [2.0]), "of equal dimensions the first"
