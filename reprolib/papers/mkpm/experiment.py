"""MKPM, CVPR 2011, section 4: Table 1 on three StatLog sets and on fMRI, and experiments beyond.

- ``table1``: accuracy and d-hat under every reading of the text, and one-vs-one SVMs.
- ``gamma``: the kernel grid 2^-v gamma_o of the text, v = -2..2.
- ``svm_cost``: the cost grid of the fMRI row's SVM.
- ``path``: accuracy, risk and allocation along the whole path, training sets of 1500.
- ``ablation``: one shared budget against equal and against independent dimensions per bit, for
  three output codes.
- ``losses``: square, hinge and logistic loss on the same few components.
- ``haxby``: MKPM and multiclass SVMs on three conditions of the fMRI data, nothing chosen on the
  run that is held out.
- ``bases``: Nystrom and pivoted Cholesky against exact kernel PCA, by rank.

What the text leaves open is measured under named readings (``reprolib/papers/mkpm/printed.toml``).
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from data_fetch import Dataset
from reprolib.papers.mkpm import _extras, _haxby, _statlog
from reprolib.papers.mkpm._common import PAPER, is_fmri
from reprolib.rerun.records import (
    Measurement,
    Profile,
    Protocol,
    Stage,
    Task,
)

_NAMES = ("statlog/segment", "statlog/dna", "statlog/satimage", "haxby/subj1")


def _datasets(profile: Profile) -> list[str]:
    return list(_NAMES)


def first_stage(
    profile: Profile, datasets: Mapping[str, Dataset], records: pd.DataFrame
) -> list[Task]:
    """Everything that stands on single folds."""
    tasks = []
    for name, dataset in datasets.items():
        own = _haxby if is_fmri(name) else _statlog
        tasks += own.tasks(profile, name, dataset)
        tasks += _extras.tasks(profile, name, dataset)
    return tasks


def second_stage(
    profile: Profile, datasets: Mapping[str, Dataset], records: pd.DataFrame
) -> list[Task]:
    """What is chosen over all folds of the fMRI row: the cost, and one d."""
    return [
        task
        for name in filter(is_fmri, datasets)
        for task in _haxby.pooled_tasks(name, records[records["dataset"] == name])
    ]


def run(task: Task, dataset: Dataset) -> list[Measurement]:
    """Run one task on one fold."""
    if task.table in _extras.RUN:
        return _extras.RUN[task.table](task, dataset)
    return (_haxby if is_fmri(task.dataset) else _statlog).run(task, dataset)


PROTOCOL = Protocol(
    PAPER,
    _datasets,
    (Stage(first_stage), Stage(second_stage, reads=("svm_cost", "table1"))),
    run,
    derive=_statlog.derive,
)
