"""Regions for a small and a large C; the ringed points carry the solution."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs
from sklearn.inspection import DecisionBoundaryDisplay

from reprolib import SimplexConeSVC

X, y = make_blobs(120, centers=[[0, 2], [-2, -1], [2, -1]], cluster_std=1.1, random_state=1)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.5), sharey=True, layout="constrained")
for axis, C in zip(axes, [1.0, 100.0], strict=True):
    model = SimplexConeSVC(C=C, gamma=0.3).fit(X, y)
    DecisionBoundaryDisplay.from_estimator(model, X, response_method="predict", alpha=0.3, ax=axis)
    axis.scatter(*X.T, c=y, edgecolors="k", s=15)
    support = np.abs(model.dual_coef_).max(axis=1) > 1e-6
    axis.scatter(*model.X_fit_[support].T, facecolors="none", edgecolors="k", s=60)
    axis.set_title(f"C = {C:g}: {support.sum()} support vectors")
