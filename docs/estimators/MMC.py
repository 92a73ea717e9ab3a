"""Digits 0 to 3 in two dimensions: by the maximum margin criterion, and by principal components."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from reprolib import MMC

X, y = load_digits(n_class=4, return_X_y=True)
figure, axes = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
for axis, model in zip(axes, [MMC(2), PCA(2)], strict=True):
    Z = model.fit_transform(X, y)
    for digit in range(4):
        axis.plot(*Z[y == digit].T, ".", label=digit)
    axis.set_title(type(model).__name__)
figure.legend(*axes[0].get_legend_handles_labels(), title="digit", loc="outside right center")
