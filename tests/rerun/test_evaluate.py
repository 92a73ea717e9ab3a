"""One's own estimator in a paper's table, as a stranger runs it."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from data_fetch.raetsch import PUBLISHED_SVM
from reprolib import evaluate
from reprolib.cli.main import main
from reprolib.rerun.records.tables import seal_faults
from reprolib.rerun.tasks.estimators import described, load_estimator, name_of
from reprolib.rerun.tasks.open_table import score
from reprolib.rerun.tasks.store import RecordStore

#: Two of the three sets, so that there is a line on the mean of the rows.
SIMULATED = ["embedded/twonorm", "embedded/waveform"]
QUICK = {"profile": "quick", "embedded": True, "datasets": SIMULATED}


COST, WIDTH = PUBLISHED_SVM["twonorm"]
#: The paper's SVM as a stranger's: the same costs, chosen on the same folds.
SVM = SVC(gamma=1 / WIDTH)
GRID = {"C": [3 * COST * k / 20 for k in range(1, 21)]}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    store = RecordStore(tmp_path_factory.mktemp("store"))
    return evaluate(SVM, "kpm", "table2", grid=GRID, store=store, **QUICK), store


def test_a_method_beside_itself_differs_by_nothing(found):
    evaluation, _ = found
    lines = evaluation.differences.set_index(["row", "against"])
    line = lines.loc[("embedded/twonorm", "svm")]
    assert (line["difference"], line["low"], line["high"]) == (0, 0, 0)
    assert line["yours is"] == "undecided"
    means = evaluation.means.loc["embedded/twonorm"]
    assert means["svm", "ours"] == means["SVC", "yours"]
    assert means.isna()["kpm", "printed"], "embedded data have no printed number"
    assert set(evaluation.run.records["source"]) == {"embedded"}


def test_lines_begin_with_the_row_and_no_number_of_pandas(found):
    evaluation, _ = found
    head, *shown = evaluation.lines()[3].splitlines()
    assert head.split()[:2] == ["row", "against"]
    for line, row in zip(shown, evaluation.differences["row"], strict=True):
        assert line.strip().startswith(row)


def test_a_second_run_is_taken_from_the_store_and_records_lie_apart(found, tmp_path):
    evaluation, store = found
    again = evaluate(SVM, "kpm", "table2", grid=GRID, store=store, **QUICK)
    assert all(why.reason == "reused" for why in again.run.explained.values())
    path = evaluation.write(tmp_path)
    assert path.parent == tmp_path / "SVC" / "kpm"
    assert not seal_faults(path.parent)


class WrongOrder(BaseEstimator, ClassifierMixin):
    """The base class first: its tags hide those of the mixin."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X))


class NoBase:
    """No tags at all, as a class of one's own may have."""

    get_params = set_params = fit = predict = None


@pytest.mark.parametrize(
    ("estimator", "where", "options", "message"),
    [
        (KNeighborsClassifier, ("kpm", "table2"), {}, "is the class KNeighborsClassifier; give an"),
        (PCA(), ("kpm", "table2"), {}, "PCA without 'predict'"),
        (Ridge(), ("kpm", "table2"), {}, r"a Ridge \(regressor\); give a classifier"),
        (make_pipeline(PCA(), Ridge()), ("kpm", "table2"), {}, r"PCA \+ Ridge \(regressor\)"),
        (GridSearchCV(Ridge(), {"alpha": [1.0]}), ("keops", "table1"), {}, r"a Ridge \(reg"),
        (KMeans(2), ("kpm", "table2"), {}, r"a KMeans \(clusterer\)"),
        (
            WrongOrder(),
            ("kpm", "table2"),
            {},
            r"\(no kind in its tags\).*Mine\(ClassifierMixin, Base",
        ),
        (NoBase(), ("kpm", "table2"), {}, r"a NoBase \(no kind"),
        (
            KNeighborsClassifier(),
            ("kpm", "figure1"),
            {},
            "errors against D and against C. Open are",
        ),
        (KNeighborsClassifier(), ("kpm", "tabel2"), {}, "did you mean 'table2'"),
        (KNeighborsClassifier(), ("kpm", "table2"), {"name": "svm"}, "a method of kpm"),
        (
            KNeighborsClassifier(),
            ("kpm", "table2"),
            {"datasets": ["uci/*"]},
            "the table has raetsch",
        ),
        (
            KNeighborsClassifier(),
            ("kpm", "table1"),
            {"grid": {"n_neighbors": [1, 3]}},
            "allows no grid.* medians of what five",
        ),
        (
            GridSearchCV(KNeighborsClassifier(), {"n_neighbors": range(1, 200)}),
            ("kpm", "table2"),
            {},
            "the grid has 199 candidates; kpm/table2 allows at most 100",
        ),
    ],
)
def test_what_cannot_be_run_is_named_with_the_remedy(estimator, where, options, message):
    with pytest.raises(ValueError, match=message):
        evaluate(estimator, *where, **options)


class Answers(ClassifierMixin, BaseEstimator):
    """Answers whatever it is told to, one for each row."""

    def __init__(self, answer=None):
        self.answer = answer

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.answer(len(X))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n: np.zeros(n, int), "Answers.predict gave 0, and the labels of y are -1, 1;"),
        (lambda n: np.full(n, np.nan), "predict gave nan, and the labels of y are -1, 1"),
        (lambda n: np.full(n, "1"), "predict gave '1', and the labels"),
        (lambda n: np.array([None, *[1] * (n - 1)]), "predict gave None, and"),
        (lambda n: np.ma.array(np.ones(n), mask=np.arange(n) < 2), "predict gave None, and"),
        (lambda n: np.arange(n) / n, r"predict gave 0.0, .*, \.\.\. \(6 in all\), and"),
        (lambda n: np.ones((n, 1)), r"an array of shape \(6, 1\) for 6 rows; .* of -1, 1"),
        (lambda n: np.ones(n + 1), r"an array of shape \(7,\) for 6 rows"),
        (lambda n: 1, r"an array of shape \(\) for 6 rows"),
    ],
)
def test_predictions_that_are_no_labels_are_not_scored(answer, message):
    X, y = np.zeros((6, 2)), np.array([-1, 1] * 3)
    model = Answers(answer).fit(X, y)
    for metric in ("accuracy", "test error"):
        with pytest.raises(ValueError, match=message):
            score(metric, model, X, y, y)


@pytest.mark.parametrize("of_type", [int, float, object, np.float32])
def test_labels_of_another_type_are_scored_if_they_are_equal(of_type):
    y = np.array([-1, 1, 1, 1])
    model = Answers(lambda n: y.astype(of_type))
    assert score("accuracy", model, y[:, None], y, y) == 1.0


@pytest.mark.parametrize(
    ("name", "answer", "message"),
    [
        ("decision_function", lambda n: np.zeros((n, 2)), r"of shape \(6, 2\) .* of shape \(6,\)"),
        ("decision_function", lambda n: np.full(n, np.nan), "has to give finite numbers"),
        ("decision_function", lambda n: np.full(n, "a"), "has to give finite numbers"),
        ("predict_proba", lambda n: np.zeros(n), r"of shape \(6,\) .* of shape \(6, 2\)"),
    ],
)
def test_values_that_are_no_numbers_of_rows_have_no_area(name, answer, message):
    X, y = np.zeros((6, 2)), np.array([0, 1] * 3)
    model = Answers().fit(X, y)
    setattr(model, name, lambda X: answer(len(X)))
    with pytest.raises(ValueError, match=message):
        score("auc", model, X, y, y)


def test_probabilities_in_another_order_have_no_area():
    """The second column would be that of the other class: an area of 0.1 for one of 0.9."""
    X, y = np.zeros((6, 2)), np.array([0, 1] * 3)
    model = Answers().fit(X, y)
    model.classes_ = model.classes_[::-1]
    model.predict_proba = lambda X: np.stack([y, 1 - y], axis=1)
    with pytest.raises(ValueError, match=r"classes_ is 1, 0, and the sorted labels of y are 0, 1"):
        score("auc", model, X, y, y)


def test_a_pipeline_is_named_by_its_steps():
    assert name_of(make_pipeline(PCA(), LogisticRegression())) == "PCA + LogisticRegression"


def test_an_estimator_is_another_one_if_its_parameters_or_its_code_change(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = "from sklearn.dummy import DummyClassifier\nclass Mine(DummyClassifier):\n    x = {}\n"
    seen = []
    for version in (1, 2):
        (tmp_path / f"mine_{version}.py").write_text(code.format(version), encoding="utf-8")
        mine = load_estimator(f"mine_{version}:Mine")
        seen.append(described(mine, None)["modules"][f"mine_{version}"])
    assert seen[0] != seen[1]
    one, other = (described(KNeighborsClassifier(k), None) for k in (1, 2))
    assert one["estimator"] != other["estimator"]
    assert one["packages"].keys() == {"scikit-learn"}


def test_command_runs_a_file_of_the_current_folder_in_worker_processes(tmp_path):
    (tmp_path / "helper.py").write_text("K = 3\n", encoding="utf-8")
    (tmp_path / "my_module.py").write_text(
        "from helper import K\nfrom sklearn.neighbors import KNeighborsClassifier\n"
        "class Mine(KNeighborsClassifier):\n    param_grid = {'n_neighbors': [1, K]}\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "reprolib", "run", "--estimator", "my_module:Mine"]
    command += ["--on", "kpm/table2", "--quick", "--embedded", "--output", str(tmp_path / "out")]
    command += ["--trials", "1", "--jobs", "2"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "Mine minus each method, on identical trials" in run.stdout
    assert (
        json.loads((tmp_path / "out/Mine/kpm/run.json").read_text(encoding="utf-8"))["paper"]
        == "kpm"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing:Here", "--on", "kpm/table2"], "there is no module 'nothing'"),
        (["math:pie", "--on", "kpm/table2"], "math has no 'pie'; did you mean 'pi'?"),
        (
            ["sklearn.neighbors:KNeighborsClasifier", "--on", "kpm/table2"],
            "has no 'KNeighborsClasifier'; did you mean 'KNeighborsClassifier'?",
        ),
        (
            ["sklearn.neighbor:KNeighborsClassifier", "--on", "kpm/table2"],
            "did you mean 'neighbors'?",
        ),
        (["sklearn.linear_model:Ridge", "--on", "kpm/table2"], "a Ridge (regressor)"),
        (["no/such.py:Here", "--on", "kpm/table2"], "which does not exist"),
        (["justaname", "--on", "kpm/table2"], "give module:Name"),
        (["sklearn.base:TransformerMixin", "--on", "kpm/table2"], "without 'get_params'"),
        (["sklearn.svm:SVC", "--on", "kpm"], "give PAPER/TABLE"),
        (["sklearn.svm:SVC", "--on", "kpm/table2", "--grid", "C=1"], "--grid is no JSON"),
        (["sklearn.svm:SVC", "--on", "kpm/table2", "--grid", '{"C": 1}'], "give lists by name"),
    ],
)
def test_wrong_arguments_are_named(arguments, message, capsys):
    assert main(["run", "--estimator", *arguments]) == 2
    assert message in capsys.readouterr().err
