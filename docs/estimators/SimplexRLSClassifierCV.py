"""Leave-one-out accuracy at a hundred values of alpha, from one eigendecomposition."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from reprolib import SimplexRLSClassifierCV

X, y = load_digits(return_X_y=True)
X, y = X[:500] / 16, y[:500]
model = SimplexRLSClassifierCV(kernel="rbf", gamma=0.1).fit(X, y)

figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
axis.semilogx(model.alphas_, model.loo_score_path_)
axis.axvline(model.alpha_, color="k", linestyle=":")
axis.set(xlabel="alpha", ylabel="leave-one-out accuracy")
axis.set_title(f"chosen: alpha = {model.alpha_:.1e}")
