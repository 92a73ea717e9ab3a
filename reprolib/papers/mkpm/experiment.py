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
- ``printed_choices``: on the official splits, which gamma and d give the printed accuracy.
- ``preparations``: both machines of the fMRI row on values as recorded, and prepared as fMRI people
  do it; on one slice, with the volumes of rest, too.
- ``bases``: Nystrom and pivoted Cholesky against exact kernel PCA, by rank.

What the text leaves open is measured under the readings of ``printed.toml``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pandas as pd

from data_fetch import Dataset
from reprolib.papers.mkpm import methods, preparations
from reprolib.papers.mkpm.methods import (
    CRAMMER_SINGER,
    CROSS_VALIDATED,
    HELD_OUT,
    KERNELS,
    LOG2_GAMMA,
    LOG10_C,
    ONE_D,
    ONE_VS_ONE,
    ONE_VS_REST,
    TRAINING_ERROR,
    TRAINING_SIZE,
    TRAINING_SIZE_VALIDATED,
    first_best,
)
from reprolib.papers.mkpm.splits import (
    CENTRED,
    FMRI,
    N_PARTITIONS,
    ONE_SLICE,
    RAW,
    SCALED,
    Z_SCORED,
    n_folds,
)
from reprolib.rerun.records import (
    HEADLINE,
    Measurement,
    Task,
    derived_row,
    levels,
    path_matrix,
    select,
)
from reprolib.rerun.tasks.experiment import Count, Experiment, Grid, Later, Setting

PAPER_SETS = ("statlog/segment", "statlog/dna", "statlog/satimage", "haxby/subj1")
#: Not in the grids of StatLog.
SCANS = (*FMRI, ONE_SLICE)
#: Folds of the quick profile; on fMRI, held-out runs.
QUICK, QUICK_FMRI = 2, 3


MKPM, SVM = ("mkpm",), ("svm",)
FOLDS = Count(n_folds)
#: Folds of one partition where there is a test file, else of several.
DEALT = Count(lambda data: n_folds(data) * (1 if data.splits else N_PARTITIONS), QUICK)
STATLOG_GRIDS = (
    Grid("table1", (*MKPM, *SVM), DEALT, readings=[HEADLINE], without=SCANS),
    Grid("table1", MKPM, FOLDS, readings=[CROSS_VALIDATED], without=SCANS),
    Grid("table1", MKPM, Count(40), readings=[TRAINING_SIZE], without=SCANS),
    Grid("table1", MKPM, Count(5), ["statlog/satimage"], [TRAINING_SIZE_VALIDATED]),
    Grid("table1", SVM, FOLDS, readings=["C by cross-validation, kernel of MKPM"], without=SCANS),
    Grid("disagreement", MKPM, Count(1), without=SCANS, where=lambda _, data: bool(data.splits)),
    Grid(
        "gamma",
        MKPM,
        Count(lambda data: min(n_folds(data), 3)),
        settings=[Setting(f"v = {v}", v, {"v": v}) for v in (-2, -1, 0, 1, 2)],
        without=SCANS,
    ),
)


RUNS = Count(10, QUICK_FMRI)
OF_KERNELS = [Setting(kernel, params={"kernel": kernel}) for kernel in KERNELS]
#: Conditions under which the multiclass machines are compared on all runs.
IN_ALL, IN_TWO = (RAW, Z_SCORED, SCALED), (RAW, Z_SCORED)
FMRI_GRIDS = (
    Grid("table1", MKPM, RUNS, FMRI),
    Grid("table1", MKPM, Count(10), FMRI, [CROSS_VALIDATED, TRAINING_SIZE]),
    Grid("svm_cost", SVM, RUNS, FMRI),
    Grid("haxby", MKPM, Count(10), FMRI, [RAW], OF_KERNELS),
    *(
        Grid(
            "haxby",
            [method],
            Count(12),
            FMRI,
            [f"{condition}, twelve runs" for condition in conditions],
            [Setting(setting, params={"kernel": setting} if setting in KERNELS else {})],
        )
        for method, setting, conditions in (
            ("mkpm", "linear", (*IN_ALL, CENTRED)),
            *(("mkpm", kernel, IN_TWO) for kernel in KERNELS if kernel != "linear"),
            ("svm", ONE_VS_ONE, IN_ALL),
            ("svm", ONE_VS_REST, IN_TWO),
            ("svm", CRAMMER_SINGER, IN_TWO),
            ("simplex RLS", "", (*IN_TWO, CENTRED)),
        )
    ),
)

#: Choices that leave nothing to chance on an official split: all rows or the first 1500, gamma, d.
PRINTED_CHOICES = Grid(
    "printed_choices",
    MKPM,
    Count(1),
    ["statlog/dna", "statlog/satimage"],
    [HEADLINE],
    [
        Setting(f"{name}, v = {v}", params={"v": v, "rows": rows})
        for name, rows in (("all rows", None), ("first 1500 rows", 1500))
        for v in (-2, -1, 0, 1, 2)
    ],
)
#: Every preparation of the volumes, as many trials as it has runs.
PREPARED = tuple(
    Grid(
        "preparations",
        machines,
        Count(runs),
        names,
        [reading],
        [Setting(f"{runs} runs", runs, {"runs": runs})],
        where=lambda _, data: "voxels" in data.extra,
    )
    for machines, names, reading in (
        ((*MKPM, *SVM), SCANS, HEADLINE),
        (MKPM, [ONE_SLICE], preparations.ITS_VOXELS),
    )
    for runs in preparations.RUNS
)

CODES, LOSSES = ("simplex", "random"), ("square", "hinge", "logistic")


def _n_beyond(dataset: Dataset) -> int:
    return 10 if dataset.name in FMRI else 5


#: Experiments beyond the paper.
BEYOND_GRIDS = (
    Grid("path", MKPM, Count(1, quick=1), without=[ONE_SLICE]),
    Grid("ablation", ["one-vs-all"], Count(_n_beyond, quick=1), without=[ONE_SLICE]),
    Grid(
        "ablation",
        ["one-vs-all"],
        Count(_n_beyond),
        readings=[TRAINING_ERROR, HELD_OUT],
        without=[ONE_SLICE],
    ),
    Grid("ablation", CODES, Count(_n_beyond), without=[ONE_SLICE]),
    Grid("losses", LOSSES, Count(_n_beyond), without=[ONE_SLICE]),
    Grid(
        "bases",
        ("kernel_pca", "nystrom", "cholesky"),
        Count(3),
        settings=[Setting(f"rank {n}", n, {"rank": n}) for n in (50, 100, 200, 400, 800)],
        without=SCANS,
    ),
)


def pooled(dataset: Dataset, records: pd.DataFrame) -> Iterator[Grid]:
    """Give the SVM the cost that did best over all folds, as the text does; likewise one d."""
    costs = select(records, table="svm_cost", metric="accuracy path")
    for reading, rows in costs.groupby("reading"):
        C = 10.0 ** LOG10_C[first_best(path_matrix(rows).mean(axis=0))]
        yield Grid("table1", SVM, _as_many(rows), readings=[str(reading)], params={"C": C})
    paths = select(records, table="table1", metric="held-out accuracy path", reading=HEADLINE)
    if not paths.empty:
        d = first_best(path_matrix(paths).mean(axis=0))
        yield Grid("table1", MKPM, _as_many(paths), readings=[ONE_D], params={"d": d})


def _as_many(rows: pd.DataFrame) -> Count:
    return Count(len(rows), quick=len(rows))


def run(task: Task, dataset: Dataset) -> list[Measurement]:
    """Run one task on one fold."""
    if task.table in methods.BEYOND:
        return methods.BEYOND[task.table](task, dataset)
    return (methods.fmri if task.dataset in FMRI else methods.statlog)(task, dataset)


TABLES = ("table1", "svm_cost", "haxby", "gamma", "disagreement")
#: Among these functions `run` chooses.
MEASURES: Mapping[Any, Callable[..., list[Measurement]]] = {
    **methods.BEYOND,
    **dict.fromkeys(TABLES, methods.statlog),
    **{(table, name): methods.fmri for table in TABLES for name in FMRI},
}


def derive(records: pd.DataFrame) -> list[dict[str, Any]]:
    """Table 1's kernel: v of the best mean accuracy, under two choices of d."""
    derived = []
    grid = select(records, table="gamma", metric="accuracy")
    for _, rows in grid.groupby(["dataset", "reading"]):
        means = {
            int(str(v)): round(float(group["value"].mean()), 6)
            for v, group in rows.groupby(levels(rows))
        }
        by_size = sorted(means, key=lambda v: (abs(v), v))
        best = by_size[first_best([means[v] for v in by_size])]
        gamma = LOG2_GAMMA[rows["dataset"].iloc[0].split("/")[1]] - best
        of_table1 = {**rows.iloc[0].to_dict(), "table": "table1", "setting": ""}
        chosen = {str(v): means[v] for v in means}
        derived.append(derived_row(of_table1, "log2 gamma", gamma, trial=0, chosen=chosen))
    return derived


PROTOCOL = Experiment(
    "mkpm",
    (*PAPER_SETS, ONE_SLICE),
    (*STATLOG_GRIDS, *FMRI_GRIDS, *PREPARED, PRINTED_CHOICES, *BEYOND_GRIDS),
    run,
    quick=PAPER_SETS,
    later=[Later(pooled, reads=("svm_cost", "table1"))],
    derive=derive,
    measures=MEASURES,
).protocol()
