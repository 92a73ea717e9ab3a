"""Numbers and names in the errors of the methods: what is wrong, where, and what to do."""

from __future__ import annotations

import inspect
import warnings
from decimal import Decimal
from fractions import Fraction

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
from reprolib.methods.shared.validation import ConstantClassifierWarning
from reprolib.methods.simplex import SimplexConeSVC, SimplexSGDClassifier
from reprolib.methods.simplex.rls_solver import gram_spectrum
from tests.methods import takes_rows

RNG = np.random.default_rng(0)
X, THREE = RNG.normal(size=(12, 3)), np.repeat([10, 20, 30], 4)
TWO = np.repeat([10, 20], 6)
ESTIMATORS = [
    name
    for name in reprolib.__all__
    if hasattr(found := getattr(reprolib, name), "fit") and takes_rows(found)
]
INDEFINITE = np.diag([-0.25, 1.0, 2.0, 4.0])


CASES = {
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


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_only_class_is_named(name):
    with pytest.raises(ValueError, match=r"y has (one class only, 7|1 class, \[7\]);"):
        getattr(reprolib, name)().fit(X, np.full(12, 7))


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
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_missing_label_is_named_by_its_row(name, y):
    with pytest.raises(ValueError, match=r"Input y contains NaN: the label of row 5 is missing"):
        getattr(reprolib, name)().fit(X, y)


MIXED = {
    "number and text": np.array([1] * 6 + ["a"] * 6, dtype=object),
    "list of number and text": [1] * 6 + ["a"] * 6,
    "category of number and text": pd.Series([1] * 6 + ["a"] * 6).astype("category"),
    "truth and text": np.array([True] * 6 + ["a"] * 6, dtype=object),
    "text and bytes": np.array(["b"] * 6 + [b"a"] * 6, dtype=object),
    "bytes": np.array([b"a"] * 6 + [b"b"] * 6),
    "decimals": np.array([Decimal(int(v)) for v in THREE], dtype=object),
    "objects": np.array(THREE.tolist(), dtype=object),
}


@pytest.mark.parametrize("y", MIXED.values(), ids=MIXED.keys())
@pytest.mark.parametrize("name", ESTIMATORS)
def test_labels_of_no_one_kind_are_refused_with_the_remedy(name, y):
    with pytest.raises(ValueError, match=r"\by (mixes|holds|is an array of objects)") as error:
        getattr(reprolib, name)().fit(X, y)
    assert "astype(str)" in str(error.value)


def test_whole_numbers_of_any_container_stay_labels():
    for y in (THREE.tolist(), pd.Series(THREE, dtype="Int64"), THREE.astype(np.float64)):
        assert SimplexConeSVC().fit(X, y).classes_.tolist() == [10, 20, 30]


RECORDS = np.zeros(12, dtype=[("height", float), ("width", float)])


@pytest.mark.parametrize("name", ESTIMATORS)
def test_numbers_that_are_no_floats_are_converted_or_refused_by_name(name):
    make = getattr(reprolib, name)
    with pytest.raises(ValueError, match=r"X has a number that is too large for a float"):
        make().fit(np.full((12, 3), 10**400, dtype=object), TWO)
    with pytest.raises(ValueError, match=r"X is an array of records .*height"):
        make().fit(RECORDS, TWO)
    for parameter, value in make().get_params().items():
        if isinstance(value, bool) or not isinstance(value, int | float) or parameter == "cv":
            continue
        for odd in (Fraction(1, 3), Decimal("0.5"), np.longdouble(0.5), 10**400):
            with pytest.raises(ValueError, match=rf"'{parameter}' parameter of {name} must be"):
                make().set_params(**{parameter: odd}).fit(X, TWO)
    if "sample_weight" in inspect.signature(make.fit).parameters:
        for weights in ([10**400] * 12, np.ones(12) * 1j, ["much"] * 12):
            with pytest.raises(ValueError, match="sample_weight"):
                make().fit(X, TWO, sample_weight=weights)
    for parameter in {"Cs", "alphas", "gammas"} & set(make().get_params()):
        with pytest.raises(ValueError, match=f"{parameter} has a number that is too large"):
            make().set_params(**{parameter: [10**400]}).fit(X, TWO)


WITH_SCORING = [name for name in ESTIMATORS if "scoring" in getattr(reprolib, name)().get_params()]


@pytest.mark.parametrize("name", WITH_SCORING)
@pytest.mark.parametrize("scoring", ["neg_log_loss", "neg_brier_score", "d2_log_loss_score"])
def test_a_scoring_of_probabilities_is_refused_with_those_there_are(name, scoring):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    with pytest.raises(
        ValueError, match=r"scoring=.* cannot be computed: .*predict_proba"
    ) as error:
        getattr(reprolib, name)(scoring=scoring).fit(X, y)
    assert "'balanced_accuracy'" in str(error.value)


@pytest.mark.parametrize("name", [n for n in ESTIMATORS if n.endswith("CV") and "RLS" not in n])
def test_too_few_rows_of_a_class_are_said_with_the_class(name):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(9, 3)), ["common"] * 5 + ["rare"] * 4
    with pytest.raises(ValueError, match=r"cv gives no folds.*smallest class is rare, with 4 of"):
        getattr(reprolib, name)(cv=6).fit(X, y)


def test_one_warning_names_all_classes_that_are_constant():
    """Of a fit of several classes, though each is a model of its own."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(72, 2)), np.repeat([f"c{k}" for k in range(24)], 3)
    with pytest.warns(ConstantClassifierWarning) as caught:
        reprolib.KPMClassifier(2, gamma=1e-3).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    message = str(caught[0].message)
    assert "For 24 of the 24 classes (c0, c1, c10, c11, c12, …)" in message
    assert "Scale the features" in message


def test_folds_do_not_warn_of_constant_models():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 3)), np.arange(30) % 3
    with pytest.warns(ConstantClassifierWarning) as caught:
        MKPMClassifierCV(3, cv=4).fit(X, y)
    assert len(caught) == 1


@pytest.mark.parametrize("name", ESTIMATORS)
def test_missing_names_of_features_are_said_once(name):
    frame = pd.DataFrame(np.random.default_rng(2).normal(size=(24, 3)), columns=list("abc"))
    model = getattr(reprolib, name)()
    small = {"n_components": 2, "max_components": 2, "rank": 3}
    model.set_params(**{k: v for k, v in small.items() if k in model.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(frame, np.arange(24) % 3)
    for method in ("predict", "decision_function", "decision_path", "error_path", "transform"):
        if hasattr(model, method):
            arguments = [np.arange(24) % 3] if method == "error_path" else []
            with pytest.warns(UserWarning, match="does not have valid feature names") as caught:
                getattr(model, method)(frame.to_numpy(), *arguments)
            assert len(caught) == 1, method
    with pytest.raises(ValueError, match="feature names should match"):
        (model.predict if hasattr(model, "predict") else model.transform)(frame[["b", "a", "c"]])
