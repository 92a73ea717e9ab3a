"""Held-out accuracy on noisy digits for all total dimensions at once: flat from 200 on."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from reprolib import MKPMClassifierCV

X, y = load_digits(return_X_y=True)
noise = np.random.default_rng(0).normal(scale=0.5, size=(500, 64))
X, y = X[:500] / 16 + noise, y[:500]
model = MKPMClassifierCV(2000, gamma=0.02).fit(X, y)

figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
axis.plot(model.cv_score_path_)
axis.axvline(model.n_components_, color="k", linestyle=":")
axis.set(xlabel="total dimension d", ylabel="held-out accuracy")
axis.set_title(f"chosen: d = {model.n_components_} for ten classes")
