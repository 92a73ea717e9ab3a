"""Hostile and ordinary data sets, small enough that no fit takes long."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

#: Entries of a matrix that nobody can fit.
REFUSED = {
    "not finite": st.sampled_from([np.nan, np.inf, -np.inf]),
    "huge": st.sampled_from([1e150, -1e150, 1.7e308]),
}

#: Entries of a matrix that may be fitted.
ENTRIES = {
    "ordinary": st.floats(-4.0, 4.0, width=16),
    "few values": st.sampled_from([0.0, 1.0, -1.0]),
    "one value": st.just(2.0),
    "tiny": st.sampled_from([0.0, 1e-300, -1e-300, 5e-324]),
    "barely normal": st.sampled_from([0.0, 1e-160, -2e-160]),
    "small": st.sampled_from([0.0, 1e-55, -3e-50]),
    "large": st.sampled_from([0.0, 3.0, 1e50, -1e55]),
    "many scales": st.sampled_from([0.0, 1.0, -1.0, 1e-160, 1e-12, 1e8, -1e30]),
}

#: Class names that sort alike.
LABELS = {
    "int": np.array([-1, 3, 7]),
    "float": np.array([-1.0, 3.0, 7.0]),
    "str": np.array(["ant", "bee", "cow"]),
    "object": np.array(["ant", "bee", "cow"], dtype=object),
    "bool": np.array([False, True]),
}


@st.composite
def labels(draw, n_samples: int, n_classes: int):
    """Names of at most ``n_classes`` classes, each present, some perhaps once only."""
    names = LABELS[draw(st.sampled_from(sorted(LABELS)))][:n_classes]
    drawn = draw(arrays(np.intp, n_samples, elements=st.integers(0, len(names) - 1)))
    drawn[: len(names)] = np.arange(len(names))[:n_samples]
    if draw(st.booleans()):
        drawn = np.arange(n_samples) % len(names)
    return names[drawn]


@st.composite
def data_sets(draw, n_classes: int):
    """(X, y, X_new) of any finite entries, with duplicated rows and classes of one example."""
    n, p = draw(st.integers(n_classes, 10)), draw(st.integers(1, 4))
    values = ENTRIES[draw(st.sampled_from([*ENTRIES, *["ordinary", "few values"] * 3]))]
    X = draw(arrays(np.float64, (n, p), elements=values, fill=st.nothing()))
    if draw(st.booleans()):
        X = X[draw(arrays(np.intp, n, elements=st.integers(0, n - 1)))]
    X_new = draw(arrays(np.float64, (3, p), elements=values, fill=st.nothing()))
    return X, draw(labels(n, n_classes)), X_new


@st.composite
def refused_sets(draw, n_classes: int):
    """(X, y) that no classifier can be trained on: entries, shapes or labels are at fault."""
    fault = draw(st.sampled_from([*REFUSED, "no feature", "no sample", "one class", "mismatch"]))
    n, p = draw(st.integers(n_classes, 6)), draw(st.integers(1, 3))
    X = draw(arrays(np.float64, (n, p), elements=ENTRIES["ordinary"]))
    y = draw(labels(n, n_classes))
    if fault in REFUSED:
        X[draw(st.integers(0, n - 1)), draw(st.integers(0, p - 1))] = draw(REFUSED[fault])
    elif fault == "no feature":
        X = X[:, :0]
    elif fault == "no sample":
        X, y = X[:0], y[:0]
    elif fault == "one class":
        y = np.repeat(y[:1], n)
    else:
        y = np.append(y, y[0])
    return X, y


@st.composite
def ordinary_sets(draw, n_classes: int, n_samples: int = 12, n_features: int = 3):
    """(X, class indices, X_new) in general position, every class more than once.

    The entries are multiples of 1/8, which every floating-point type holds exactly.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    y = rng.permutation(np.arange(n_samples) % n_classes)
    X = rng.normal(size=(n_classes, n_features))[y] + rng.normal(size=(n_samples, n_features))
    X_new = rng.normal(size=(4, n_features))
    return np.round(8 * X) / 8, y, np.round(8 * X_new) / 8
