"""Held-out accuracy and the number of columns that are kept, for nine values of C."""

import matplotlib.pyplot as plt
import numpy as np

from reprolib import KEOPSClassifier, KEOPSClassifierCV

rng = np.random.default_rng(0)
y = np.arange(120) % 2
X = rng.normal(size=(120, 40))
X[:, :4] += 0.8 * y[:, None]  # four columns of the first of eight groups
tree = [list(range(5 * group, 5 * group + 5)) for group in range(8)]
model = KEOPSClassifierCV(tree, p=0.5).fit(X, y)
kept = [KEOPSClassifier(tree, p=0.5, C=C).fit(X, y).selected_.sum() for C in model.Cs_]

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
left.semilogx(model.Cs_, model.cv_score_path_, "o-")
left.set(xlabel="C", ylabel="held-out accuracy", title=f"chosen: C = {model.C_:.2g}")
right.semilogx(model.Cs_, kept, "o-")
right.set(xlabel="C", ylabel="columns kept")
for axis in (left, right):
    axis.axvline(model.C_, color="k", linestyle=":")
