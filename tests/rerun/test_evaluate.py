"""One's own estimator in a paper's table, as a stranger runs it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from data_fetch.raetsch import PUBLISHED_SVM
from reprolib import evaluate
from reprolib.cli.main import main
from reprolib.rerun.records.tables import seal_faults
from reprolib.rerun.tasks.estimators import described, load_estimator, name_of
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
    paths = evaluation.write(tmp_path)
    assert paths[0].parent == tmp_path / "SVC" / "kpm"
    assert not seal_faults(paths[0].parent)


@pytest.mark.parametrize(
    ("estimator", "where", "options", "message"),
    [
        (KNeighborsClassifier, ("kpm", "table2"), {}, "is the class KNeighborsClassifier; give an"),
        (PCA(), ("kpm", "table2"), {}, "PCA without 'predict'"),
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
        (["math:pie", "--on", "kpm/table2"], "math has no 'pie'"),
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
