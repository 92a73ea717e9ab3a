"""Norm of the weights of four groups of five columns against the penalty; two groups matter."""

import matplotlib.pyplot as plt
import numpy as np

from reprolib import TreeLassoClassifier

rng = np.random.default_rng(0)
y = np.arange(200) % 2
X = rng.normal(size=(200, 20))
X[:, :5] += 0.5 * y[:, None]  # the first group: every column a little
X[:, 5] += 1.2 * y  # the second group: one column
groups = np.arange(20).reshape(4, 5)

ratios = np.linspace(1.0, 0.05, 20)
models = [TreeLassoClassifier(groups.tolist(), ratio).fit(X, y) for ratio in ratios]
norms = [np.linalg.norm(model.coef_[groups], axis=1) for model in models]
figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
labels = ["group 0: all columns", "group 1: one column", "noise", "noise"]
axis.plot(ratios, norms, "o-", label=labels)
axis.set(xlabel="alpha_ratio", ylabel="norm of the group's weights", xlim=(1, 0))
axis.legend()
