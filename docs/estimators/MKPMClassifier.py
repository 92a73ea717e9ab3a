"""Two easy blobs and two entangled arcs: their regions, and how they share the dimensions."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs, make_moons
from sklearn.inspection import DecisionBoundaryDisplay

from reprolib import MKPMClassifier

arcs, arc = make_moons(160, noise=0.15, random_state=0)
blobs, blob = make_blobs(160, centers=[[-2, 2], [3, 2]], cluster_std=0.4, random_state=0)
X, y = np.vstack([arcs, blobs]), np.concatenate([arc, blob + 2])
model = MKPMClassifier(60, gamma=2.0).fit(X, y)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
DecisionBoundaryDisplay.from_estimator(model, X, response_method="predict", alpha=0.3, ax=left)
left.scatter(*X.T, c=y, edgecolors="k", s=12)
names = ["upper arc", "lower arc", "left blob", "right blob"]
right.stackplot(range(model.n_components_ + 1), model.allocation_path_.T, labels=names)
right.set(xlabel="total dimension d", ylabel="dimensions of every class")
right.legend(loc="upper left")
