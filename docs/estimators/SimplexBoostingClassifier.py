"""Regions after 1, 10 and 200 rounds with stumps: boxes whose borders follow the axes."""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs
from sklearn.inspection import DecisionBoundaryDisplay

from reprolib import SimplexBoostingClassifier

X, y = make_blobs(150, centers=[[0, 2], [-2, -1], [2, -1]], cluster_std=1.1, random_state=1)
figure, axes = plt.subplots(1, 3, figsize=(9, 3), sharey=True, layout="constrained")
for axis, rounds in zip(axes, [1, 10, 200], strict=True):
    model = SimplexBoostingClassifier(rounds, random_state=0).fit(X, y)
    DecisionBoundaryDisplay.from_estimator(model, X, response_method="predict", alpha=0.3, ax=axis)
    axis.scatter(*X.T, c=y, edgecolors="k", s=12)
    axis.set_title(f"{rounds} rounds, loss {model.train_loss_path_[-1]:.2f}")
