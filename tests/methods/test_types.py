"""What a user's `mypy --strict` sees of the estimators: parameters, methods, fitted attributes."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path

import pytest
from mypy import api

import reprolib
from tests.methods.test_estimators import ESTIMATORS

SCRIPT = """
import numpy as np
import reprolib
from reprolib import KEOPSClassifierCV, KPMClassifier, MultipleKernelMMC, SimplexRLSClassifier

X: np.ndarray[tuple[int, int], np.dtype[np.float64]] = np.eye(4)
y = ["a", "b", "a", "b"]


def accuracy(model: SimplexRLSClassifier) -> float:
    return float(np.mean(model.predict(X) == np.array(y)))


model = SimplexRLSClassifier(alpha=0.1, kernel="rbf", gamma="scale").fit(X, y)
accuracy(model)
probabilities = model.predict_proba(X)
print(probabilities.shape, model.classes_.tolist(), model.dual_coef_.sum())
kpm = KPMClassifier(2, class_weight={"a": 2}, degree=2.5).fit(X, y, sample_weight=[1, 1, 1, 1])
print(kpm.objective_path_[-1], 2.0 * kpm.duality_gap_, kpm.decision_path(X).shape)
print(KEOPSClassifierCV([[0, 1], [2, 3]], Cs=[1.0], cv=2).fit(X, y, groups=[0, 1, 0, 1]).C_ + 1.0)
print(MultipleKernelMMC(gammas=[1.0], random_state=np.random.RandomState(0)).fit(X, y).n_iter_ + 1)
print(reprolib.MKPMClassifier().fit(X, y).allocation_.sum())
"""

WRONG = {
    'SimplexRLSClassifier(alpha="x")': 'incompatible type "str"; expected "float"',
    "SimplexRLSClassifier(alhpa=1.0)": 'Unexpected keyword argument "alhpa"',
    "KPMClassifier(n_components=2.5)": 'incompatible type "float"; expected "int"',
    "KEOPSClassifierCV(scoring=3)": 'incompatible type "int"',
    "model.predict()": "Missing positional argument",
    "model.alpha.upper()": '"float" has no attribute "upper"',
    "model.classes_.no_such": "has no attribute",
    "kpm.duality_gap_.no_such": '"float" has no attribute "no_such"',
}


#: Whose types no name of the script has: they would take most of the time.
SKIPPED = ("scipy.*", "pandas.*", "matplotlib.*", "sklearn.*", "reprolib.rerun.*")


@pytest.mark.slow
def test_a_users_script_is_clean_and_its_mistakes_are_found(tmp_path, monkeypatch):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + "\n".join(WRONG) + "\n", encoding="utf-8")
    config = tmp_path / "mypy.ini"
    config.write_text(
        f"[mypy]\n[mypy-{','.join(SKIPPED)}]\nfollow_imports=skip\nfollow_imports_for_stubs=True\n"
    )
    monkeypatch.setenv("MYPYPATH", str(Path(reprolib.__file__).parents[1]))
    options = ["--strict", "--follow-imports=silent", f"--config-file={config}"]
    version = f"--python-version={sys.version_info.major}.{sys.version_info.minor}"
    report = api.run([*options, version, f"--cache-dir={tmp_path}", str(script)])[0]
    first = SCRIPT.count("\n") + 1
    lines = [line for line in report.splitlines() if ": error: " in line]
    assert len(lines) == len(WRONG), report
    for number, (mistake, says) in enumerate(WRONG.items(), start=first):
        assert any(f"script.py:{number}:" in line and says in line for line in lines), mistake


@pytest.mark.parametrize("name", sorted(ESTIMATORS))
def test_public_methods_are_annotated(name):
    """All parameters and what is returned, also in the bases of ours."""
    for base in ESTIMATORS[name].__mro__:
        if not base.__module__.startswith("reprolib"):
            continue
        tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(base)))
        for method in tree.body[0].body:
            if not isinstance(method, ast.FunctionDef) or _is_private(method):
                continue
            arguments = [*method.args.args[1:], *method.args.kwonlyargs]
            bare = [argument.arg for argument in arguments if argument.annotation is None]
            assert not bare, f"{base.__name__}.{method.name}: {bare}"
            assert method.returns is not None, f"{base.__name__}.{method.name}"


def _is_private(method: ast.FunctionDef) -> bool:
    return method.name.startswith("_") and method.name != "__init__"
