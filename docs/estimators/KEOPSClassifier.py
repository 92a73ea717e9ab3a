"""True weights of 8 channels by 10 frames, and those of KEOPS and a plain linear SVM."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import SVC

from reprolib import KEOPSClassifier

rng = np.random.default_rng(0)
truth = np.zeros((8, 10))
truth[2, 3:7] = truth[3, 4:6] = 1.0  # two channels, a few frames
y = np.arange(200) % 2
X = rng.normal(size=(200, 80)) + 0.7 * np.outer(y, truth.ravel())
channels = [list(range(10 * channel, 10 * channel + 10)) for channel in range(8)]
keops = KEOPSClassifier(channels, p=1.0, C=1.0).fit(X, y)
svm = SVC(kernel="linear", C=0.01).fit(X, y)

figure, axes = plt.subplots(1, 3, figsize=(9, 2.8), sharey=True, layout="constrained")
weights = {"truth": truth, "KEOPS": keops.coef_, "linear SVM": svm.coef_}
for axis, (name, weight) in zip(axes, weights.items(), strict=True):
    axis.imshow(np.reshape(weight, (8, 10)), cmap="RdBu_r", norm=plt.cm.colors.CenteredNorm())
    axis.set(title=name, xlabel="frame")
axes[0].set_ylabel("channel")
