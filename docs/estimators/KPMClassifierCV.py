"""Cross-validated error against the number of components, and the regions at the chosen one."""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons
from sklearn.inspection import DecisionBoundaryDisplay

from reprolib import KPMClassifierCV

X, y = make_moons(120, noise=0.25, random_state=0)
model = KPMClassifierCV(40, gamma=2.0, random_state=0).fit(X, y)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
left.plot(range(1, model.max_components_ + 1), model.cv_error_path_)
left.axvline(model.n_components_, color="k", linestyle=":")
left.set(xlabel="components D", ylabel="cross-validated error")
left.set_title(f"chosen: D = {model.n_components_}")
DecisionBoundaryDisplay.from_estimator(
    model, X, response_method="predict", cmap="coolwarm", alpha=0.4, ax=right
)
right.scatter(*X.T, c=y, cmap="coolwarm", edgecolors="k", s=15)
