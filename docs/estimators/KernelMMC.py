"""Two rings that no line separates, and their coordinate along the first kernel direction."""

import matplotlib.pyplot as plt
from sklearn.datasets import make_circles

from reprolib import KernelMMC

X, y = make_circles(300, noise=0.1, factor=0.4, random_state=0)
z = KernelMMC(1, gamma=1.0, constraint="function").fit_transform(X, y)

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
for ring, name in enumerate(["outer ring", "inner ring"]):
    left.plot(*X[y == ring].T, ".", label=name)
    right.hist(z[y == ring, 0], bins=20, alpha=0.6, label=name)
left.set(aspect="equal")
right.set(xlabel="first direction", ylabel="points")
right.legend(loc="upper center")
