"""The study's protocol on a table of one's own: rows, coding, intervals, words and messages."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from reprolib.rerun.tasks.store import RecordStore
from which_method.__main__ import main
from which_method.comparison import Comparison
from which_method.own_data import compare_methods, draw, make_split

FAST = ["lda", "neighbors"]


def table(n=60, seed=0) -> pd.DataFrame:
    """Numbers with gaps, a text that tells the classes apart, groups, and three to one classes."""
    rng = np.random.default_rng(seed)
    ill = np.arange(n) % 4 == 0
    frame = pd.DataFrame(
        {"age": rng.normal(50, 9, n) + 6 * ill, "class": np.where(ill, "ill", "well")}
    )
    frame["colour"] = np.where(rng.random(n) < 0.2, "grey", np.where(ill, "red", "blue"))
    frame.loc[rng.random(n) < 0.2, "age"] = np.nan
    frame.loc[rng.random(n) < 0.1, "colour"] = None
    frame["patient"] = np.arange(n) // 4
    return frame


def nearest_mean(X, y, X_test, columns):
    means = np.array([X[y == k][:, columns].mean(axis=0) for k in (0, 1)])
    distances = ((X_test[:, columns][:, None] - means) ** 2).sum(axis=2)
    return distances.argmin(axis=1)


@pytest.fixture(scope="module")
def simulated():
    """Comparisons on pools from one distribution, two rules of unequal and two of equal worth."""
    rng = np.random.default_rng(1)
    rules = {"a": [0, 1, 2], "b": [0, 1, 3], "c": [0]}
    found = []
    for _ in range(120):
        y = np.arange(100) % 2
        X = rng.normal(size=(100, 4)) + 0.5 * y[:, None]
        rows = []
        for trial in range(20):
            train, test = draw(y, None, int(rng.integers(2**31)))
            for name, columns in rules.items():
                right = nearest_mean(X[train], y[train], X[test], columns) == y[test]
                row = {"trial": trial, "method": name, "metric": "accuracy"}
                rows.append({**row, "value": right.mean()})
        found.append(Comparison.of(pd.DataFrame(rows), "a", {}))
    return found


def test_intervals_cover_at_their_rate(simulated):
    """A 95 % interval holds the mean over pools in 95 % of pools, within the noise of 120."""
    for other in ("b", "c"):
        lines = pd.DataFrame([c.differences().loc[other] for c in simulated])
        truth = lines["difference"].mean()
        covered = ((lines["low"] <= truth) & (truth <= lines["high"])).mean()
        assert covered >= 0.91, "two standard errors below 0.95"
        half = ((lines["high"] - lines["low"]) / 2).mean()
        assert half < 3.2 * lines["difference"].std(), "no interval is wider than it need be"


def test_the_best_is_among_the_candidates_at_their_rate_and_a_worse_one_is_left_out(simulated):
    kept = [set(c.candidates()) for c in simulated]
    means = pd.DataFrame([c.summary["accuracy"] for c in simulated]).mean()
    assert np.mean([means.idxmax() in names for names in kept]) >= 0.91
    assert np.mean(["c" not in names for names in kept]) > 0.2, "a worse rule is seen to be worse"


def test_differences_are_percentage_points_and_the_sentence_says_percent(simulated):
    comparison = simulated[0]
    percent = 100 * comparison.summary["accuracy"]
    found = comparison.differences()["difference"]
    np.testing.assert_allclose(found, percent[found.index] - percent["a"], atol=6e-4)
    assert f"{percent.max():.1f} %" in comparison.sentence


def test_the_method_of_smaller_log_loss_is_the_better_one():
    rows = [
        {"trial": trial, "method": method, "metric": metric, "value": value + 0.001 * (trial % 3)}
        for trial in range(10)
        for method, metric, value in [
            ("sure", "accuracy", 0.8),
            ("vague", "accuracy", 0.8),
            ("sure", "log loss", 0.4 - 0.0005 * trial),
            ("vague", "log loss", 0.6),
        ]
    ]
    found = Comparison.of(pd.DataFrame(rows), "vague", {})
    line = found.differences("log loss").loc["sure"]
    assert line["is"] == "better"
    assert line["high"] < 0, "in nats, below that of the reference"
    assert found.candidates("log loss") == ["sure"]


def test_table_with_texts_gaps_and_groups_by_command_and_by_function(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("REPROLIB_RECORDS", str(tmp_path / "store"))
    data, picture = tmp_path / "patients.csv", tmp_path / "f.svg"
    table().to_csv(data, index=False)
    arguments = ["compare", str(data), "--target", "class", "--groups", "patient"]
    arguments += ["--methods", *FAST, "--trials", "5", "--jobs", "1", "--figure", str(picture)]
    assert main(arguments) == 0
    shown = capsys.readouterr()
    assert "accuracy minus that of lda, 95 % intervals" in shown.out
    assert "highest mean accuracy of 5 trials" in shown.out
    assert "10 of 10 fits" in shown.err
    assert picture.read_text(encoding="utf-8").lstrip().startswith("<?xml")
    frame = table()
    found = compare_methods(
        frame[["age", "colour"]], frame["class"], frame["patient"], FAST, n_trials=5
    )
    assert found.summary.loc["lda", "accuracy"] > 0.8, "the text tells most of the classes"


def test_a_comparison_goes_on_from_the_trials_that_are_stored(tmp_path):
    frame, store = table(), RecordStore(tmp_path)
    data = frame[["age", "colour"]], frame["class"]
    ran = []
    first = compare_methods(*data, estimators=FAST, n_trials=5, store=store)
    more = compare_methods(
        *data, estimators=FAST, n_trials=6, store=store, progress=lambda *n: ran.append(n)
    )
    assert ran == [(11, 12), (12, 12)]
    pd.testing.assert_frame_equal(first.scores, more.scores.iloc[:5])


def test_an_own_estimator_is_compared_and_one_that_fails_is_left_out_with_its_reason(tmp_path):
    frame = table()
    estimators = {
        "lda": "lda",
        "most frequent": DummyClassifier(),
        "wrong": DummyClassifier(strategy="x"),
    }
    found = compare_methods(
        frame[["age", "colour"]],
        frame["class"],
        estimators=estimators,
        reference="most frequent",
        n_trials=5,
        store=RecordStore(tmp_path),
    )
    assert found.differences().loc["lda", "is"] == "better"
    assert found.summary.loc["most frequent", "balanced accuracy"] == pytest.approx(0.5)
    assert "Left out: wrong, it failed: InvalidParameterError" in found.sentence
    assert "Decided: not the best on data of this kind is most frequent." in found.sentence


def test_groups_are_never_on_both_sides_and_classes_keep_their_shares():
    frame = table(200)
    y, groups = frame["class"].to_numpy(), frame["patient"].to_numpy()
    for seed in range(5):
        train, test = draw(y, groups, seed)
        assert not set(groups[train]) & set(groups[test])
        train, test = draw(y, None, seed)
        assert np.mean(y[test] == "ill") == pytest.approx(0.25, abs=0.02)
        assert sorted([*train, *test]) == list(range(200))


def test_coding_knows_the_training_rows_alone():
    """A text that only test rows have changes no column, and medians are of training rows."""
    frame, y = table(100)[["age", "colour"]], table(100)["class"].to_numpy()
    before = make_split(frame.fillna({"colour": "none"}), y, None, 0)
    _, test = draw(y, None, 0)
    changed = frame.fillna({"colour": "none"})
    changed.loc[test, "colour"] = "unseen"
    changed.loc[test, "age"] = 1e6
    after = make_split(changed, y, None, 0)
    np.testing.assert_array_equal(before.X, after.X)
    assert after.X_test.shape[1] == before.X_test.shape[1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": np.linspace(0, 1, 60)}, "no classes; this compares classifiers"),
        ({"y": ["a"] * 60}, "y has one class, 'a'; two are needed"),
        ({"y": ["a"] * 57 + ["b"] * 3}, "class 'b' of y has 3 rows; 5 are needed. Merge it"),
        ({"y": [None] + ["a", "b"] * 29 + ["a"]}, "y is missing in row 1"),
        ({"y": ["a", "b"]}, "y has 2 values and X 60 rows"),
        ({"groups": [1] * 60}, "groups has 1 groups; 5 are needed"),
        ({"X": table()[["age"]].assign(day=pd.Timestamp("2020"))}, "column 'day' holds dates"),
        ({"X": pd.DataFrame({"a": [np.nan] * 60})}, "X has no column with a value"),
        ({"estimators": ["lda", "ldb"]}, "method is 'ldb'; did you mean 'lda'"),
        ({"estimators": ["lda"]}, "name two or more"),
        ({"reference": "svm"}, "reference is 'svm'; .*lda, neighbors"),
        ({"n_trials": 2}, "n_trials is 2; give 5 or more"),
    ],
)
def test_what_cannot_be_compared_is_named_with_the_remedy(changes, message):
    frame = table()
    given = {"X": frame[["age", "colour"]], "y": frame["class"], "estimators": FAST, **changes}
    with pytest.raises(ValueError, match=message):
        compare_methods(given.pop("X"), given.pop("y"), **given)


def test_a_column_that_is_not_there_is_named(tmp_path, capsys):
    table().to_csv(tmp_path / "t.csv", index=False)
    assert main(["compare", str(tmp_path / "t.csv"), "--target", "klass"]) == 2
    assert "has no column 'klass'; it has age, class" in capsys.readouterr().err


def test_too_few_trials_are_named_as_they_were_typed(tmp_path, capsys):
    table().to_csv(tmp_path / "t.csv", index=False)
    typed = ["compare", str(tmp_path / "t.csv"), "--target", "class", "--trials", "2"]
    assert main(typed) == 2
    assert "--trials is 2; give 5 or more" in capsys.readouterr().err
