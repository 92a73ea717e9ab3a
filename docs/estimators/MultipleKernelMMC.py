"""Learned weights of five Gaussian kernels under the three rules for the weight step."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from reprolib import MultipleKernelMMC

X, y = load_digits(n_class=4, return_X_y=True)
X, y = X[:150] / 16, y[:150]
gammas = np.array([0.01, 0.03, 0.1, 0.3, 1.0])

figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
for place, step in enumerate(["local", "global", "none"]):
    model = MultipleKernelMMC(gammas=gammas, constraint="function", weight_step=step).fit(X, y)
    height = model.kernel_weights_
    axis.bar(np.arange(5) + 0.25 * (place - 1), height, 0.25, label=f'weight_step="{step}"')
axis.set(xlabel="gamma", ylabel="weight of the kernel")
axis.set_xticks(range(5), gammas)
axis.legend()
