"""Results of another tool: scikit-learn's classifiers on Wine, left-one-out, as a CSV file."""

from __future__ import annotations

import csv

from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

CLASSIFIERS = {
    "qda": QuadraticDiscriminantAnalysis(),
    "lda": LinearDiscriminantAnalysis(),
    "1nn": make_pipeline(StandardScaler(), KNeighborsClassifier(1)),
}


def main() -> None:
    """Write results.csv: one line a classifier, with the number of points that it was tested on."""
    X, y = load_wine(return_X_y=True)
    with open("results.csv", "w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["classifier", "correct", "points"])
        for name, classifier in CLASSIFIERS.items():
            scores = cross_val_score(classifier, X, y, cv=LeaveOneOut())
            lines.writerow([name, 100 * scores.mean(), len(y)])


if __name__ == "__main__":
    main()
