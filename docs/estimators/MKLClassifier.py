"""Weights of four kernels on two columns that matter and two that do not, against C."""

import matplotlib.pyplot as plt
import numpy as np

from reprolib import MKLClassifier

rng = np.random.default_rng(0)
y = np.arange(160) % 2
X = rng.normal(size=(160, 4))
X[:, 0] += 1.5 * y
X[:, 1] += 0.8 * y

costs = np.logspace(-2.5, 0.5, 13)
weights = [MKLClassifier(C).fit(X, y).kernel_weights_ for C in costs]
figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
axis.semilogx(costs, weights, "o-", label=["column 0: strong", "column 1: weak", "noise", "noise"])
axis.set(xlabel="C", ylabel="weight of the kernel")
axis.legend()
