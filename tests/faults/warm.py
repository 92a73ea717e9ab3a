"""What a run of the tiny paper imports and sets up late, done once before runs are forked.

Numba's set-up alone takes longer than all the tasks. The fits are on toy data, so that every run
still loads its data set by itself.
"""

from __future__ import annotations

import importlib

import numpy as np
import sklearn.svm

from reprolib import KPMClassifier
from reprolib.rerun.tasks.runner import code_of_protocol
from tests.faults.tiny_paper import protocol

#: Imported by a run when it first needs them, and `pytest` by every child of `python -m pytest`.
LATE = (
    "data_fetch.access",
    "data_fetch.embedded.breiman",
    "pandas.io.formats.csvs",
    "pytest",
    "reprolib.cli.commands.reproduce",
)

for _name in LATE:
    importlib.import_module(_name)

_X = np.arange(24.0).reshape(12, 2) % 7
_y = np.arange(12) % 2
for _model in (KPMClassifier(2), sklearn.svm.SVC()):
    _model.fit(_X, _y).decision_function(_X)

code_of_protocol(protocol())
