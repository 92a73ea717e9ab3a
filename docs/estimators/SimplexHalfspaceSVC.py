"""Where f sends the training points: inside the triangle with the constraint, beyond it without."""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

from reprolib import SimplexHalfspaceSVC

X, y = make_blobs(120, centers=[[0, 2], [-2, -1], [2, -1]], cluster_std=1.1, random_state=1)
figure, axes = plt.subplots(1, 2, figsize=(7, 4), sharex=True, sharey=True, layout="constrained")
for axis, hull in zip(axes, [True, False], strict=True):
    model = SimplexHalfspaceSVC(C=10.0, convex_hull=hull, gamma=0.3).fit(X, y)
    # The scores are <c_q, f>; the code words of T classes give f back as (T - 1) / T of their sum.
    f = 2 / 3 * model.decision_function(X) @ model.code_.T
    axis.fill(*model.code_, facecolor="none", edgecolor="k")
    axis.scatter(*f.T, c=y, s=15)
    axis.set(title=f"convex_hull={hull}", aspect="equal")
