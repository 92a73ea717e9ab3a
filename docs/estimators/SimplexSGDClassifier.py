"""Accuracy on held-out digits after every pass over the data, for the four losses."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from reprolib import SimplexSGDClassifier

X, y = load_digits(return_X_y=True)
X = StandardScaler().fit_transform(X)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
for loss in ["least_squares", "cone", "halfspace", "cone_halfspace"]:
    model = SimplexSGDClassifier(loss, alpha=1e-3, average=True, random_state=0)
    scores = [
        model.partial_fit(X_train, y_train, classes=range(10)).score(X_test, y_test)
        for _ in range(10)
    ]
    axis.plot(range(1, 11), scores, "o-", label=loss)
axis.set(xlabel="passes over the data", ylabel="held-out accuracy")
axis.legend()
