"""Simplex coding by definition: slow and obvious."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.model_selection import train_test_split

from reprolib.methods.shared.codes import simplex_code
from reprolib.methods.simplex import SimplexSGDClassifier


def loss_value(name, f, y, n_classes):
    """One loss value, term by term as the paper writes it."""
    c = simplex_code(n_classes).T
    others = [q for q in range(n_classes) if q != y]
    if name == "least_squares":
        return sum((c[y][k] - f[k]) ** 2 for k in range(n_classes - 1))
    if name == "cone":
        return sum(max(0.0, 1.0 / (n_classes - 1) + c[q] @ f) for q in others)
    if name == "halfspace":
        return max(0.0, 1.0 - c[y] @ f)
    if name == "cone_halfspace":
        own = max(0.0, 1.0 - c[y] @ f)
        return own + sum(max(0.0, 1.0 / (n_classes - 1) + c[q] @ f) for q in others)
    return sum(np.exp(-(c[y] - c[q]) @ f) for q in others)


def srls_dual(K, Y, alpha):
    return np.linalg.solve(K + len(K) * alpha * np.eye(len(K)), Y)


def srls_leave_one_out(K, Y, alpha):
    """Retrain without each example, at the same value of n alpha."""
    n = len(K)
    predictions = np.empty_like(Y)
    for i in range(n):
        rest = np.delete(np.arange(n), i)
        A = np.linalg.solve(K[np.ix_(rest, rest)] + n * alpha * np.eye(n - 1), Y[rest])
        predictions[i] = K[i, rest] @ A
    return predictions


def simplex_svm_objective(kind, K, y, C, hull=False):
    """Optimal dual objective of a simplex SVM from the dense QP with one row per variable.

    The variables are the multipliers of the constraints xi_i >= ..., written out from the
    Lagrangian; nothing is shared with the package but the code words.
    """
    T, n = int(y.max()) + 1, len(y)
    c = simplex_code(T).T
    words, examples, linear, upper = [], [], [], []
    for i in range(n):
        for q in range(T):
            if kind == "cone" and q != y[i]:
                words.append(-c[q]), examples.append(i), linear.append(1 / (T - 1)), upper.append(C)
            if kind == "halfspace" and q == y[i]:
                words.append(c[q]), examples.append(i), linear.append(1.0), upper.append(C)
            if hull:
                words.append(c[q]), examples.append(i), linear.append(-1 / (T - 1))
                upper.append(None)
    P = (np.array(words) @ np.array(words).T) * K[np.ix_(examples, examples)]
    return -_box_qp(P, -np.array(linear), upper)


def _box_qp(P, q, upper):
    import cvxopt

    n = len(q)
    bounded = [v for v in range(n) if upper[v] is not None]
    G = np.vstack([-np.eye(n), np.eye(n)[bounded]])
    h = np.concatenate([np.zeros(n), [upper[v] for v in bounded]])
    options = {"show_progress": False, "abstol": 1e-11, "reltol": 1e-10, "feastol": 1e-10}
    answer = cvxopt.solvers.qp(*map(cvxopt.matrix, (P, q, G, h)), options=options)
    x = np.array(answer["x"]).ravel()
    return 0.5 * x @ P @ x + q @ x


def simplex_svm_primal(loss, K, A, y, C):
    """1/2 ||f||^2 + C sum of losses for f = sum_i k(x_i, .) a_i."""
    total = 0.5 * np.trace(A.T @ K @ A)
    F = K @ A
    return total + C * sum(loss.value(F[i : i + 1], y[i : i + 1])[0] for i in range(len(y)))


def sgd(loss, X, y, lam, order, t0=0.0, project=True, radius=None):
    """The paper's steps on W itself; returns all iterates."""
    radius = 1.0 / np.sqrt(lam) if radius is None else radius
    W = np.zeros((loss.n_classes - 1, X.shape[1]))
    iterates = []
    for t, i in enumerate(order, start=1):
        eta = 1.0 / (lam * (t + t0))
        gradient = loss.gradient((W @ X[i])[None], y[i : i + 1])[0]
        W = (1 - eta * lam) * W - eta * np.outer(gradient, X[i])
        if project:
            W = W * min(1.0, radius / max(np.linalg.norm(W), 1e-300))
        iterates.append(W)
    return iterates


def online(loss, params, X, y, X_test, y_test):
    """Accuracy, lambda and path of one reading of an online method, by models of its own."""
    schedule = {"max_iter": params.get("passes", 10), "eta0": None, "average": False}
    if params.get("average"):
        schedule["average"] = 5 * len(X)
    if params.get("library"):
        schedule |= {"eta0": "first", "average": True, "project": np.sqrt(len(set(y)))}

    def made(alpha):
        loss_of = params.get("loss", loss)
        return SimplexSGDClassifier(loss_of, alpha=alpha, random_state=params["seed"], **schedule)

    A, B, a, b = train_test_split(X, y, test_size=0.2, random_state=params["seed"])
    grid = np.geomspace(1.0, 1e-7, 8) * np.mean(np.sum(X**2, axis=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = [made(alpha).fit(A, a).score(B, b) for alpha in grid]
        alpha = grid[np.argmax(scores)]
        if not params.get("library"):
            return made(alpha).fit(X, y).score(X_test, y_test), alpha, scores
    model, path = made(alpha), []
    for _ in range(params["passes"]):
        path.append(model.partial_fit(X, y, classes=np.unique(y)).score(X_test, y_test))
    return path[-1], alpha, path
