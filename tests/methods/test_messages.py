"""Numbers and names in the errors of the methods: what is wrong, where, and what to do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import PredefinedSplit

import reprolib
from reprolib.methods.keops import KEOPSClassifier, KernelTree, MKLClassifier
from reprolib.methods.kpm.hinge_lp import solve_hinge_lp_path
from reprolib.methods.mkmmc import margin_weights
from reprolib.methods.mkpm import MKPMClassifier, MKPMClassifierCV
from reprolib.methods.mkpm.allocation import solve_allocation
from reprolib.methods.simplex import SimplexConeSVC, SimplexSGDClassifier
from reprolib.methods.simplex.rls_solver import gram_spectrum
from tests.methods import takes_rows

RNG = np.random.default_rng(0)
X, THREE = RNG.normal(size=(12, 3)), np.repeat([10, 20, 30], 4)
TWO = np.repeat([10, 20], 6)
INDEFINITE = np.diag([-0.25, 1.0, 2.0, 4.0])


CASES = {
    "class without others": (
        lambda: SimplexConeSVC().fit(X, np.full(12, 7)),
        "y has one class only, 7; SimplexConeSVC needs at least 2 classes.",
    ),
    "margin of one class": (
        lambda: margin_weights([7, 7]),
        "y has 1 class, [7]; the margin between classes needs two.",
    ),
    "margin of nothing": (lambda: margin_weights([]), "y has 0 class, []; the margin"),
    "code that tells nothing": (
        lambda: MKPMClassifier(4, code=[[1, -1, -1], [-1, -1, 1], [1, 1, 1]]).fit(X, THREE),
        "code is constant in row 2: that bit",
    ),
    "fold without a class": (
        lambda: MKPMClassifierCV(cv=PredefinedSplit([0] * 4 + [1] * 8)).fit(X, THREE),
        "fold 0 of cv trains without class 10; use fewer folds",
    ),
    "objective that is not finite": (
        lambda: solve_allocation([[3.0, 1.0, 0.5], [2.0, np.nan, 0.1]]),
        "objectives[1, 1] is nan; every G_l(d) has to be finite.",
    ),
    "more dimensions than there are": (
        lambda: solve_allocation([[3.0, 1.0, 0.5], [2.0, 1.0, 0.1]], 5),
        "max_total is 5, but 2 bits of at most 2 dimensions hold between 0 and 4; lower",
    ),
    "labels of the LP": (
        lambda: solve_hinge_lp_path(X, np.arange(12.0)),
        "y holds the values [0. 1. 2. 3. 4.]; labels must be -1 and 1.",
    ),
    "new labels": (
        lambda: SimplexSGDClassifier().partial_fit(X, np.arange(12), classes=np.arange(4, 24)),
        "y has labels [0, 1, 2, 3] that are not in classes [4, 5, 6, 7, 8, 9, 10, 11, 12, 13];",
    ),
    "first of many new labels": (
        lambda: SimplexSGDClassifier().partial_fit(X, np.arange(12), classes=[40, 41]),
        "y has labels [0, 1, 2, 3, 4] that are not in classes [40, 41]; name all",
    ),
    "group in two groups": (
        lambda: KernelTree.from_labels([["front", "back", "back"], ["left", "left", "right"]]),
        "Group 'left' lies in two groups of the level above, 'front' and 'back'; the groups",
    ),
    "names of class_weight": (
        lambda: MKLClassifier(class_weight=dict.fromkeys(np.arange(8), 1.0)).fit(X, TWO),
        "class_weight names 0, 1, 2, 3, 4, but the classes are [10, 20]; name labels",
    ),
    "indefinite kernel of S-RLS": (
        lambda: gram_spectrum(INDEFINITE),
        "its smallest eigenvalue is -0.25, its largest 4. Use a positive semidefinite kernel",
    ),
    "indefinite kernel of an SVM": (
        lambda: SimplexConeSVC(kernel="precomputed").fit(INDEFINITE, [0, 0, 1, 1]),
        "its smallest eigenvalue is -0.25, its largest 4. Use a positive semidefinite kernel, "
        "computed in double precision, or add 0.25 to the diagonal of",
    ),
    "numbers of blocks": (
        lambda: KEOPSClassifier(blocks=[0, 2, 5]).fit(X, TWO),
        "it uses 3 values between 0 and 5.",
    ),
    "kernels of a tree": (
        lambda: KEOPSClassifier(tree=KernelTree.flat(2), blocks=[0, 1, 2]).fit(X, TWO),
        "The tree has 2 kernels, the data 3; give every kernel a place",
    ),
    "kernel in two groups": (
        lambda: KernelTree.from_nested([[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5, 6]]),
        "Kernels [0, 1, 2, 3, 4] occur in two groups;",
    ),
    "kernel without features": (
        lambda: MKLClassifier(blocks=[2, 5, 9]).fit(X, TWO),
        "blocks must use every number 0..M-1; it uses 3 values between 2 and 9. Renumber",
    ),
    "kernels that a tree lacks": (
        lambda: KernelTree.from_nested([[7, 8, 9], [10, 11, 12]], 6),
        "The tree must hold each kernel 0..5 once: missing [0, 1, 2, 3, 4], "
        "unknown [7, 8, 9, 10, 11].",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_message_names_what_is_wrong(name):
    call, expected = CASES[name]
    with pytest.raises(ValueError, match=".") as error:
        call()
    assert expected in str(error.value)


TEXT = pd.Series(np.repeat(["ill", "so", "well"], 4))
MISSING = {
    "None": np.array([*TEXT[:5], None, *TEXT[6:]], dtype=object),
    "NaN among texts": TEXT.astype(object).mask(TEXT.index == 5),
    "NaN in a list": [*TEXT[:5], float("nan"), *TEXT[6:]],
    "NaN of a column of texts": TEXT.mask(TEXT.index == 5),
    "no category": TEXT.astype("category").mask(TEXT.index == 5),
    "NA among counts": pd.Series(THREE, dtype="Int64").mask(TEXT.index == 5),
}


@pytest.mark.parametrize("y", MISSING.values(), ids=MISSING.keys())
@pytest.mark.parametrize(
    "name",
    [
        n
        for n in reprolib.__all__
        if hasattr(getattr(reprolib, n), "fit") and takes_rows(getattr(reprolib, n))
    ],
)
def test_a_missing_label_is_named_by_its_row(name, y):
    with pytest.raises(ValueError, match=r"Input y contains NaN: the label of row 5 is missing"):
        getattr(reprolib, name)().fit(X, y)
