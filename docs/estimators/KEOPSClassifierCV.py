"""Held-out accuracy of KEOPS at every C of the grid, with the chosen one and the default."""

import matplotlib.pyplot as plt
import numpy as np

from reprolib import KEOPSClassifierCV

rng = np.random.default_rng(0)
truth = np.zeros((8, 10))
truth[2, 3:7] = truth[3, 4:6] = 1.0  # two channels, a few frames
y = np.arange(200) % 2
X = rng.normal(size=(200, 80)) + 0.4 * np.outer(y, truth.ravel())
channels = [list(range(10 * channel, 10 * channel + 10)) for channel in range(8)]
keops = KEOPSClassifierCV(channels, p=0.5).fit(X, y)

figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
axis.semilogx(keops.Cs_, keops.cv_score_path_, "o-")
axis.axvline(keops.C_, color="C1", label="chosen")
axis.axvline(1.0, color="0.5", linestyle=":", label="C = 1")
axis.set(xlabel="C", ylabel="held-out accuracy")
axis.legend()
