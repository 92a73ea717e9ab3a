"""What the page of the study says follows from its tables of accuracies."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "which_method.md"
SVM = "SVM (SVC)"
BOOSTERS = ("CatBoost", "LightGBM", "XGBoost")
#: Of two or chosen by a rule, and on other columns: none of the twelve single methods.
NO_SINGLE_METHOD = ("the better of", "chosen by", "extra trees, on all", "SVM, trials", *BOOSTERS)


@pytest.fixture(scope="module")
def accuracy() -> pd.DataFrame:
    return pd.read_csv(PAGE.with_suffix("") / "accuracy.csv", index_col="dataset")


@pytest.fixture(scope="module")
def balanced() -> pd.DataFrame:
    return pd.read_csv(PAGE.with_suffix("") / "balanced_accuracy.csv", index_col="dataset")


def test_every_line_of_the_table_follows_from_the_accuracies(accuracy):
    lines = [line.strip("| ").split(" | ") for line in PAGE.read_text("utf-8").splitlines()]
    table = [line for line in lines if line[0] in accuracy.columns]
    assert len(table) == 32
    for name, points, _, sets, worse, loss in table:
        kind = "tuned boosters" if name.endswith(", tuned") else "boosters"
        reference = f"SVM, trials of the {kind}" if name.startswith(BOOSTERS) else SVM
        gain = (accuracy[name] - accuracy[reference]).dropna()
        shown = f"{gain.mean():+.1f}".replace("-", "−")
        counted = len(gain), int((gain < -1 - 1e-9).sum())
        assert (points.split()[0], int(sets), int(worse)) == (shown, *counted), name
        assert float(loss) == pytest.approx(-gain.min(), abs=0.051), name


def test_how_often_one_method_is_within_a_point_of_the_best(accuracy):
    methods = accuracy.loc[:, "KPM, hinge loss":].dropna(axis=1)
    weighted = ["SVM, balanced", "LDA, equal priors"]
    single = [name for name in methods if not name.startswith(NO_SINGLE_METHOD)]
    best = methods[[name for name in single if name not in weighted]]
    assert best.shape == (68, 12)
    behind = methods.rsub(best.max(axis=1), axis=0)
    right = (behind <= 1 + 1e-9).sum()
    assert (right["simplex RLS + constant"], right[SVM]) == (45, 37)
    assert right["chosen by size and shape"] == 40


def test_what_weights_of_the_classes_gain_and_cost(accuracy, balanced):
    unequal = accuracy["largest"] >= 0.7
    gain = (balanced["SVM, balanced"] - balanced[SVM])[unequal]
    price = (accuracy["SVM, balanced"] - accuracy[SVM])[unequal]
    assert (len(gain), (gain < -1).sum(), (price < -1).sum()) == (17, 0, 14)
    assert (round(gain.mean(), 1), round(price.mean(), 1), round(price.min())) == (7.6, -7.3, -40)
