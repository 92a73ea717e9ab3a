"""Accuracy on held-out rows against the number of landmarks: 20,000 rows of four classes."""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from reprolib import NystromSimplexRLSClassifier

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, size=(20_000, 2))
y = 2 * (np.sin(3 * X[:, 0]) > X[:, 1]) + (np.sin(3 * X[:, 1]) > X[:, 0])
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

ranks = [5, 10, 20, 40, 80, 160]
scores = [
    NystromSimplexRLSClassifier(1e-6, rank=rank, gamma=2.0, random_state=0)
    .fit(X_train, y_train)
    .score(X_test, y_test)
    for rank in ranks
]
figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
axis.semilogx(ranks, scores, "o-")
axis.set(xlabel="landmarks (rank)", ylabel="held-out accuracy")
axis.set_xticks(ranks, ranks)
