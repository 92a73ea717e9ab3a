"""Regions learned from 20,000 rows through 40 landmarks, which are the crosses."""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons
from sklearn.inspection import DecisionBoundaryDisplay

from reprolib import NystromKPMClassifier

X, y = make_moons(20_000, noise=0.2, random_state=0)
model = NystromKPMClassifier(20, rank=40, gamma=2.0, random_state=0).fit(X, y)

figure, axis = plt.subplots(figsize=(6, 3.6), layout="constrained")
DecisionBoundaryDisplay.from_estimator(
    model, X, response_method="predict", cmap="coolwarm", alpha=0.3, ax=axis
)
axis.scatter(*X[:2000].T, c=y[:2000], cmap="coolwarm", s=2)
axis.scatter(*model.X_fit_.T, marker="x", c="k")
axis.set_title(f"20 components: training accuracy {model.score(X, y):.3f}")
