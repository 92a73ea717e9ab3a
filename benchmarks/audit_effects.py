"""What the findings of the audit do to numbers: one experiment a finding, written as a table.

    python benchmarks/audit_effects.py docs/audit_effects.csv

The classifier is a plain one on purpose (an SVM with a Gaussian kernel on standardised columns, C =
10, scikit-learn's width): the question is what the data do, not which method wins.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import LeaveOneGroupOut, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import data_fetch
from data_fetch.auditing.rows import row_codes
from data_fetch.auditing.signals import volumes

WITH_COPIES = (
    "raetsch/breast_cancer",
    "raetsch/flare_solar",
    "raetsch/image",
    "raetsch/splice",
    "raetsch/titanic",
    "statlog/dna",
    "uci/letter",
)
WITH_DRIFT = ("uci/optdigits", "uci/pendigits", "uci/isolet", "uci/letter")
N_RANDOM = 5
SVM = make_pipeline(StandardScaler(), SVC(C=10))

Line = dict[str, str]


def copies(name: str) -> Line:
    """Error on all test rows, and on those without a copy in the training set."""
    dataset = data_fetch.load(name)
    codes = row_codes(dataset.X)
    of_all, of_new = [], []
    for train, test in dataset.splits:
        wrong = SVM.fit(dataset.X[train], dataset.y[train]).predict(dataset.X[test])
        wrong = wrong != dataset.y[test]
        new = ~np.isin(codes[test], codes[train])
        of_all.append(wrong.mean())
        of_new += [wrong[new].mean()] if new.any() else []
    told = f"error {100 * np.mean(of_all):.1f} % on all test rows, {100 * np.mean(of_new):.1f} %"
    return line(name, "rows in training and test", f"{told} on those without a copy in training")


def drift(name: str) -> Line:
    """Error of the official split beside that of random splits of the same sizes."""
    dataset = data_fetch.load(name)
    ((train, test),) = dataset.splits
    official = 1 - SVM.fit(dataset.X[train], dataset.y[train]).score(
        dataset.X[test], dataset.y[test]
    )
    at_random = []
    for seed in range(N_RANDOM):
        X, X_test, y, y_test = train_test_split(
            dataset.X, dataset.y, train_size=len(train), stratify=dataset.y, random_state=seed
        )
        at_random.append(1 - SVM.fit(X, y).score(X_test, y_test))
    told = f"error {100 * official:.1f} % on the official split, {100 * np.mean(at_random):.1f} %"
    return line(name, "drift", f"{told} on random splits of its sizes ({N_RANDOM} draws)")


def far_volumes(name: str = "haxby/subj1") -> Line:
    """Accuracy with each run left out, with and without the far volumes."""
    dataset = data_fetch.load(name)
    kept = np.ones(len(dataset.y), dtype=bool)
    for finding in volumes(dataset):
        kept[list(finding.places)] = False
    linear = make_pipeline(StandardScaler(), LinearSVC(dual=True, max_iter=5000, random_state=0))
    scores = [
        cross_val_score(
            linear,
            dataset.X[part],
            dataset.y[part],
            groups=dataset.groups[part],
            cv=LeaveOneGroupOut(),
        ).mean()
        for part in (np.ones(len(kept), dtype=bool), kept)
    ]
    told = f"accuracy of a linear SVM, one run left out: {100 * scores[0]:.1f} % with them"
    return line(name, "far volumes", f"{told}, {100 * scores[1]:.1f} % without")


def line(name: str, check: str, effect: str) -> Line:
    """One line of the table."""
    return {"data set": name, "check": check, "effect": effect}


def effects() -> Iterator[Line]:
    """All experiments, in order."""
    yield from map(copies, WITH_COPIES)
    yield from map(drift, WITH_DRIFT)
    yield far_volumes()


def main(argv: list[str] | None = None) -> int:
    """Run all experiments and write the table."""
    parser = argparse.ArgumentParser(prog="python benchmarks/audit_effects.py", description=__doc__)
    parser.add_argument("target", type=Path, help="CSV file to write")
    target = parser.parse_args(argv).target
    pd.DataFrame(list(effects())).to_csv(target, index=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
