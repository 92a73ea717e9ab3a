"""Decision regions for 2, 10 and 40 components: too smooth, right, and wound round points."""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons
from sklearn.inspection import DecisionBoundaryDisplay

from reprolib import KPMClassifier

X, y = make_moons(120, noise=0.25, random_state=0)
figure, axes = plt.subplots(1, 3, figsize=(9, 3), sharey=True, layout="constrained")
for axis, D in zip(axes, [2, 10, 40], strict=True):
    model = KPMClassifier(D, gamma=2.0).fit(X, y)
    DecisionBoundaryDisplay.from_estimator(
        model, X, response_method="predict", cmap="coolwarm", alpha=0.4, ax=axis
    )
    axis.scatter(*X.T, c=y, cmap="coolwarm", edgecolors="k", s=15)
    axis.set_title(f"D = {D}, training accuracy {model.score(X, y):.2f}")
