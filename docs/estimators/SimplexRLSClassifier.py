"""Three classes in the plane, and where f sends their points: around the corners of a triangle."""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs
from sklearn.inspection import DecisionBoundaryDisplay

from reprolib import SimplexRLSClassifier

X, y = make_blobs(150, centers=[[0, 2], [-2, -1], [2, -1]], cluster_std=1.1, random_state=1)
model = SimplexRLSClassifier(1e-2, kernel="rbf", gamma=0.3).fit(X, y)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
DecisionBoundaryDisplay.from_estimator(model, X, response_method="predict", alpha=0.3, ax=left)
left.scatter(*X.T, c=y, edgecolors="k", s=15)
# The scores are <c_q, f>; the code words of T classes give f back as (T - 1) / T of their sum.
f = 2 / 3 * model.decision_function(X) @ model.code_.T
right.scatter(*f.T, c=y, edgecolors="k", s=15)
right.scatter(*model.code_, c=model.classes_, marker="*", edgecolors="k", s=250)
right.set(title="f(x); stars are the code words", aspect="equal")
