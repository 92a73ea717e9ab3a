"""What the user guides of scikit-learn, mne and nilearn do with a classifier, done with ours."""

from __future__ import annotations

import pickle

import joblib
import mne
import numpy as np
import pandas as pd
import pytest
from mne.decoding import (
    LinearModel,
    Scaler,
    SlidingEstimator,
    Vectorizer,
    cross_val_multiscore,
    get_coef,
)
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, SequentialFeatureSelector
from sklearn.inspection import DecisionBoundaryDisplay, permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import ConfusionMatrixDisplay, RocCurveDisplay, classification_report
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    GroupKFold,
    LeaveOneGroupOut,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    validation_curve,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, LabelEncoder, StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.utils.class_weight import compute_sample_weight

import reprolib

X, Y = make_blobs(48, 4, centers=2, cluster_std=2.5, random_state=0)
X3, Y3 = make_blobs(60, 4, centers=3, cluster_std=2.5, random_state=1)
RUNS = np.arange(len(Y)) % 4
#: Good enough on these data to be no guess.
BETTER_THAN_CHANCE = 0.7


def kpm(**settings):
    return reprolib.KPMClassifier(**{"n_components": 4, "gamma": 0.05, **settings})


def mkpm(**settings):
    return reprolib.MKPMClassifier(**{"n_components": 8, "gamma": 0.05, **settings})


def rls(**settings):
    return reprolib.SimplexRLSClassifier(1e-2, kernel="rbf", gamma=0.05, **settings)


def good(model, rows=X, labels=Y, **fitting):
    """Fit, and see that it has learned."""
    assert model.fit(rows, labels, **fitting).score(rows, labels) > BETTER_THAN_CHANCE
    return model


WRAPPED = {
    "pipeline": lambda: make_pipeline(StandardScaler(), kpm()),
    "PCA first": lambda: make_pipeline(PCA(2), mkpm()),
    "features chosen": lambda: make_pipeline(SelectKBest(k=3), kpm()),
    "union of features": lambda: make_pipeline(
        FeatureUnion([("same", FunctionTransformer()), ("pca", PCA(2))]), rls()
    ),
    "columns": lambda: make_pipeline(
        make_column_transformer((StandardScaler(), [0, 1]), remainder="passthrough"), kpm()
    ),
    "calibrated, sigmoid": lambda: CalibratedClassifierCV(kpm(), cv=3),
    "calibrated, isotonic": lambda: CalibratedClassifierCV(rls(), method="isotonic", cv=3),
    "bagging": lambda: BaggingClassifier(mkpm(), 3, random_state=0),
    "boosting, by weights": lambda: AdaBoostClassifier(rls(), n_estimators=3, random_state=0),
    "voting": lambda: VotingClassifier([("kpm", kpm()), ("rls", rls())]),
    "stacking": lambda: StackingClassifier([("kpm", kpm()), ("mkpm", mkpm())], cv=3),
    "one vs rest": lambda: OneVsRestClassifier(kpm()),
    "one vs one": lambda: OneVsOneClassifier(kpm()),
    "output code": lambda: OutputCodeClassifier(mkpm(), random_state=0),
    "grid": lambda: GridSearchCV(kpm(), {"n_components": [2, 4]}, cv=3),
    "grid in a pipeline": lambda: GridSearchCV(
        make_pipeline(StandardScaler(), rls()), {"simplexrlsclassifier__gamma": [0.1, 1.0]}, cv=3
    ),
    "random search": lambda: RandomizedSearchCV(
        rls(), {"alpha": [1e-3, 1e-2, 1e-1]}, n_iter=2, cv=3, random_state=0
    ),
    "threshold": lambda: FixedThresholdClassifier(kpm(), threshold=0.0),
    "threshold, tuned": lambda: TunedThresholdClassifierCV(kpm(), cv=3),
    "self-training": lambda: SelfTrainingClassifier(CalibratedClassifierCV(kpm(), cv=2)),
    "recursive elimination": lambda: RFE(kpm(kernel="linear", n_components=2, center=True)),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_it_can_be_wrapped(name):
    good(WRAPPED[name]())


def test_calibrated_probabilities_sum_to_one():
    model = good(CalibratedClassifierCV(mkpm(), cv=3), X3, Y3)
    np.testing.assert_allclose(model.predict_proba(X3).sum(axis=1), 1.0)


@pytest.mark.parametrize("make", [kpm, mkpm, rls])
@pytest.mark.parametrize("store", [pickle, joblib], ids=["pickle", "joblib"])
def test_it_can_be_stored(make, store, tmp_path):
    model = good(make())
    with open(tmp_path / "model", "wb") as file:
        store.dump(model, file)
    with open(tmp_path / "model", "rb") as file:
        again = store.load(file)
    expected = model.decision_function(X)
    np.testing.assert_allclose(again.decision_function(X), expected, rtol=1e-9, atol=1e-9)


def test_clones_know_nothing():
    assert not hasattr(clone(good(kpm())), "dual_coef_")


def test_labels_may_be_words():
    words = np.array(["no", "yes"])[Y]
    assert set(good(kpm(), X, words).predict(X)) == {"no", "yes"}
    encoded = LabelEncoder().fit_transform(words)
    good(mkpm(), X, encoded)


def test_frames_keep_their_names():
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = good(kpm(), frame, pd.Series(Y))
    assert model.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("dcba")])


def test_transformers_give_frames():
    frame = pd.DataFrame(X, columns=list("abcd"))
    pipeline = make_pipeline(StandardScaler(), rls()).set_output(transform="pandas")
    assert good(pipeline, frame).named_steps["simplexrlsclassifier"].n_features_in_ == 4


def test_scores_of_cross_validation():
    assert cross_val_score(kpm(), X, Y, cv=3).mean() > BETTER_THAN_CHANCE
    both = cross_validate(mkpm(), X, Y, cv=3, scoring=["roc_auc", "f1"])
    assert both["test_roc_auc"].mean() > BETTER_THAN_CHANCE
    assert cross_val_predict(rls(), X, Y, cv=3, method="decision_function").shape == (48,)


def test_groups_in_cross_validation():
    assert len(cross_val_score(kpm(), X, Y, groups=RUNS, cv=LeaveOneGroupOut())) == 4
    good(reprolib.KPMClassifierCV(6, gamma=0.05, cv=GroupKFold(2)), groups=RUNS)
    good(reprolib.MKPMClassifierCV(6, gamma=0.05, cv=GroupKFold(2)), groups=RUNS)


def test_groups_are_routed_into_a_nested_choice():
    with config_context(enable_metadata_routing=True):
        inner = reprolib.KPMClassifierCV(4, gamma=0.05, cv=LeaveOneGroupOut())
        inner.set_fit_request(groups=True)
        found = cross_validate(inner, X, Y, params={"groups": RUNS}, cv=LeaveOneGroupOut())
    assert len(found["test_score"]) == 4


def test_curves():
    assert learning_curve(kpm(), X, Y, cv=3, train_sizes=[16, 32])[1].shape == (2, 3)
    _, test = validation_curve(kpm(), X, Y, param_name="n_components", param_range=[1, 4], cv=3)
    assert test[1].mean() > BETTER_THAN_CHANCE


def test_significance_by_permutations():
    score, _, p = permutation_test_score(rls(), X, Y, cv=3, n_permutations=9, random_state=0)
    assert score > BETTER_THAN_CHANCE
    assert p == pytest.approx(0.1)


def test_importance_of_features():
    found = permutation_importance(good(kpm()), X, Y, n_repeats=3, random_state=0)
    assert found.importances_mean.shape == (4,)


def test_features_are_chosen_by_weight_and_by_score():
    linear = reprolib.SimplexRLSClassifier(1e-2)
    assert SelectFromModel(linear, max_features=2).fit_transform(X, Y).shape == (48, 2)
    forward = SequentialFeatureSelector(kpm(), n_features_to_select=1, cv=2)
    assert forward.fit_transform(X, Y).shape == (48, 1)


def test_displays():
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    with mpl.rc_context({"backend": "agg"}):
        model = good(kpm())
        assert RocCurveDisplay.from_estimator(model, X, Y).roc_auc > BETTER_THAN_CHANCE
        ConfusionMatrixDisplay.from_estimator(model, X, Y)
        plane = kpm().fit(X[:, :2], Y)
        DecisionBoundaryDisplay.from_estimator(plane, X[:, :2], grid_resolution=5)
        plt.close("all")


def test_report_by_class():
    assert "accuracy" in classification_report(Y3, good(mkpm(), X3, Y3).predict(X3))


def test_several_outputs():
    pairs = np.stack([Y, (X[:, 0] > np.median(X[:, 0])).astype(int)], axis=1)
    assert MultiOutputClassifier(kpm()).fit(X, pairs).predict(X).shape == (48, 2)
    assert ClassifierChain(rls()).fit(X, pairs).predict(X).shape == (48, 2)


RARE = np.concatenate([np.flatnonzero(Y == 0), np.flatnonzero(Y == 1)[:5]])


def test_rare_classes_by_name():
    by_name = kpm(class_weight="balanced").fit(X[RARE], Y[RARE])
    weights = compute_sample_weight("balanced", Y[RARE])
    by_row = kpm().fit(X[RARE], Y[RARE], sample_weight=weights)
    np.testing.assert_allclose(by_name.decision_function(X), by_row.decision_function(X), atol=1e-7)


@pytest.mark.parametrize("make", [mkpm, rls])
def test_rare_classes_by_weight(make):
    weights = compute_sample_weight("balanced", Y[RARE])
    weighted = make().fit(X[RARE], Y[RARE], sample_weight=weights).decision_function(X)
    assert weighted.mean() > make().fit(X[RARE], Y[RARE]).decision_function(X).mean()


def test_parameters_by_name():
    pipeline = make_pipeline(StandardScaler(), kpm()).set_params(kpmclassifier__n_components=3)
    assert pipeline.get_params()["kpmclassifier__n_components"] == 3
    assert "n_components=3" in repr(pipeline[-1])
    assert "KPMClassifier" in pipeline._repr_html_()


def test_online_learning():
    model = reprolib.SimplexSGDClassifier(average=True, random_state=0)
    for part in np.array_split(np.arange(60), 4):
        model.partial_fit(X3[part], Y3[part], classes=[0, 1, 2])
    assert model.score(X3, Y3) > 0.5


def test_a_linear_reference_is_matched():
    reference = LogisticRegression().fit(X, Y).score(X, Y)
    assert good(kpm(loss="logistic", kernel="linear", n_components=4)).score(X, Y) > reference - 0.1


@pytest.fixture(scope="module")
def epochs():
    """Two conditions that differ in one channel and some samples, in volts."""
    rng = np.random.default_rng(0)
    info = mne.create_info(["Fz", "Cz", "Pz"], 50.0, "eeg")
    events = np.column_stack([np.arange(40), np.zeros(40, int), np.arange(40) % 2])
    values = rng.normal(size=(40, 3, 6))
    values[1::2, 2, 3:] += 2.0
    kinds = {"other": 0, "target": 1}
    return mne.EpochsArray(1e-6 * values, info, events, event_id=kinds, verbose="error")


def test_epochs_are_vectorised(epochs):
    data, labels = epochs.get_data(copy=False), epochs.events[:, 2]
    model = make_pipeline(Vectorizer(), StandardScaler(), kpm(gamma=None))
    assert cross_val_score(model, data, labels, cv=4).mean() > BETTER_THAN_CHANCE


def test_epochs_are_scaled_by_channel(epochs):
    data, labels = epochs.get_data(copy=False), epochs.events[:, 2]
    scaler = Scaler(epochs.info, scalings={"eeg": 1e6})
    good(make_pipeline(scaler, Vectorizer(), rls()), data, labels)


def test_decoding_over_time(epochs):
    data, labels = epochs.get_data(copy=False), epochs.events[:, 2]
    each = SlidingEstimator(
        make_pipeline(StandardScaler(), kpm(gamma=None, n_components=3)), verbose="error"
    )
    scores = cross_val_multiscore(each, data, labels, cv=4, verbose="error").mean(axis=0)
    assert scores[3:].mean() > scores[:3].mean() + 0.1


@pytest.mark.parametrize(
    "linear",
    [
        reprolib.KEOPSClassifier(C=0.1),
        reprolib.MKLClassifier(C=0.1),
        reprolib.TreeLassoClassifier(),
        reprolib.KPMClassifier(5, kernel="linear", center=True),
        reprolib.SimplexRLSClassifier(1e-2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_patterns_of_a_linear_model(epochs, linear):
    data, labels = epochs.get_data(copy=False), epochs.events[:, 2]
    model = make_pipeline(Vectorizer(), StandardScaler(), LinearModel(linear)).fit(data, labels)
    patterns = np.abs(np.reshape(get_coef(model, "patterns_"), (3, 6)))
    assert patterns[2, 3:].mean() > 2 * patterns[:2].mean()


def test_rows_of_a_masker_by_run():
    """`X[mask].T` is what nilearn's NiftiMasker gives."""
    rng = np.random.default_rng(0)
    labels, runs = np.arange(24) // 2 % 2, np.repeat([1, 2, 3], 8)
    volumes, mask = rng.normal(size=(4, 4, 3, 24)), np.ones((4, 4, 3), dtype=bool)
    volumes[:2, :2, :2, labels == 1] += 1.5
    model = mkpm(kernel="linear")
    scores = cross_val_score(model, volumes[mask].T, labels, groups=runs, cv=LeaveOneGroupOut())
    assert scores.mean() > BETTER_THAN_CHANCE
    assert model.fit(volumes[mask].T, labels).coef_.shape == (2, mask.sum())
