"""Simplex coding, NIPS 2012, section 6: Table 2 on the five UCI columns.

Raw features, official splits. Regularisation on the scale of the data: with m the mean of ||x||^2
over the training set, grids of lambda are multiples of m, and grids of C of 1/m.

- ``s-ls``, ``s-ls rbf``: all 100 lambdas by exact leave-one-out, n lambda on a logarithmic grid
  over the spectrum of K; rbf with exp(-d^2 / (2 sigma^2)), sigma the 25th percentile of the
  distances. Letter (n = 16,000): lambda by leave-one-out on 2,000 Nystrom features, the model
  itself exact.
- online methods: lambda by hold-out (80/20), ten passes, steps 1/(lambda t) and projection as in
  Pegasos, last iterate; twenty seeds of split and order.
- SVM one-vs-all: C by hold-out; liblinear's hinge loss for libsvm's linear kernel, libsvm for rbf.
- boosting: decision stumps.

Beyond the paper: batch SC-SVM and SH-SVM with certified duality gaps (table "batch_svm"), linear
competitors at equal tuning effort ("peers"), cost against the number of classes ("classes");
whether any choice gives the printed digits of S-LS ("printed_choices"); and Caltech-101 with other
patches of HMAX ("dictionaries").

What the text leaves open is measured under the readings of ``printed.toml``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from data_fetch import Dataset
from reprolib.papers.simplex import beyond, image_sets, methods, printed_choices
from reprolib.papers.simplex.beyond import BATCH_SVMS, BY_CLASSES, HITS, N_ROUNDS, PEERS, READINGS
from reprolib.rerun.printed.schema import Reading
from reprolib.rerun.records import HEADLINE, Measurement, Task, derived_row, select
from reprolib.rerun.tasks.experiment import Count, Experiment, Grid, Setting

QUICK_SETS = ("uci/landsat", "uci/optdigits", "uci/pendigits")
SETS = (*QUICK_SETS, "uci/letter", "uci/isolet")
SIMULATED = ("embedded/optdigits",)
#: Sets on which an SVM takes the better part of a minute.
SLOW_SVMS = ("uci/letter", "uci/isolet")
#: Seeds of the quick profile.
QUICK = 1


def _seeded(task: Task, reading: Reading) -> dict[str, Any]:
    return {"seed": task.trial, **reading.changes_of_tasks(task.method)}


def _with_grids(task: Task, reading: Reading) -> dict[str, Any]:
    """With "also", readings by another grid of lambda: it needs no decomposition of its own."""
    others = READINGS.measured(task.method, reading.name)
    also = {name: changes["grid"] for name, changes in others.items() if name != reading.name}
    return {**_seeded(task, reading), "also": also}


ONLINE, SVMS = tuple(methods.ONLINE_LOSSES), ("svm ova", "svm rbf ova")
BATCH = ("s-ls", "s-ls rbf", *SVMS)
SEEDS, ONE = Count(20, QUICK), Count(1, quick=1)
SEEDS_OF_SVMS = Count(lambda dataset: 5 if dataset.name in SLOW_SVMS else 20, QUICK)
ROUNDS = {"seed": 0, "n_estimators": N_ROUNDS}
TABLE2 = (
    Grid("table2", ONLINE, SEEDS, params=_seeded, datasets=SETS),
    Grid("table2", ["s-ls"], ONE, params=_seeded, datasets=SETS),
    Grid("table2", ["s-ls rbf"], Count(1), params=_with_grids, datasets=SETS),
    Grid("table2", SVMS, SEEDS_OF_SVMS, params=_seeded, datasets=SETS),
    Grid("table2", ["boosting"], Count(1), params=ROUNDS, datasets=SETS),
    Grid(
        "table2",
        ["boosting"],
        Count(0, quick=1),
        (*SETS, *SIMULATED),
        params={**ROUNDS, "n_estimators": 30},
    ),
)


def _of_images(task: Task, reading: Reading) -> dict[str, Any]:
    """Features standardised; beside the headline, the same hits as a mean over classes.

    Standardised rows add up to zero: whoever has all but one has the last, so that leave-one-out at
    a small lambda would see it. A constant feature stops that. As all classes are equally large, it
    has weight zero.
    """
    params = {"standardise": True, **_seeded(task, reading)}
    if task.method == "s-ls" and params["standardise"]:
        params["intercept"] = True
    if reading.name == HEADLINE:
        params["also_by_class"] = True
    return params


#: One change of the headline each, of the images that are taken or of their features.
OF_IMAGES = ("15 a class", "limited C2", "sparse C2", "12 orientations", "patches of all images")
OF_IMAGES_BATCH = ("raw C2", "with background")
OF_IMAGES_ONLINE = ("library Pegasos, 4 passes", "averaged")
ON_IMAGES = (
    Grid(
        "table2",
        (*BATCH, *ONLINE),
        SEEDS,
        image_sets.IMAGE_SETS,
        [HEADLINE],
        params=_of_images,
    ),
    Grid("table2", (*BATCH, *ONLINE), ONE, ["caltech101"], OF_IMAGES, params=_of_images),
    Grid("table2", BATCH, ONE, ["caltech101"], OF_IMAGES_BATCH, params=_of_images),
    Grid("table2", ONLINE, ONE, ["caltech101"], OF_IMAGES_ONLINE, params=_of_images),
)
#: The headline draws the patches of HMAX once for all splits, by the seed 0: other seeds.
DICTIONARIES = [Setting(f"dictionary {seed}", seed) for seed in range(1, 5)]


def _of_dictionaries(task: Task, reading: Reading) -> dict[str, Any]:
    return {**_of_images(task, reading), "hmax": {"random_state": task.level}}


ON_DICTIONARIES = (
    Grid(
        "dictionaries",
        (*BATCH, *ONLINE),
        Count(4),
        ["caltech101"],
        [HEADLINE],
        DICTIONARIES,
        params=_of_dictionaries,
    ),
)
WIDTHS = [HEADLINE, "exp(-d^2/sigma^2)"]
ON_SIMULATED = (
    Grid("table2", ONLINE, SEEDS, SIMULATED, [HEADLINE], params=_seeded),
    Grid("table2", ["s-ls", *SVMS], ONE, SIMULATED, [HEADLINE], params=_seeded),
    Grid("table2", ["s-ls rbf"], Count(1), SIMULATED, WIDTHS, params=_seeded),
    Grid("table2", ["boosting"], Count(1), SIMULATED, [HEADLINE], params=ROUNDS),
)
KERNELS = [Setting("linear"), Setting("rbf")]
CLASSES = [Setting(f"{n} classes", n, {"n_classes": n}) for n in (2, 4, 8, 13, 20, 26)]
BEYOND = (
    Grid("disagreement", tuple(HITS), Count(1), readings=[HEADLINE], datasets=SETS),
    Grid("peers", PEERS, Count(1), (*SETS, *SIMULATED), params={"seed": 0}),
    Grid(
        "batch_svm",
        tuple(BATCH_SVMS),
        Count(1),
        (*SETS, *SIMULATED),
        settings=KERNELS,
        params={"seed": 0},
        where=beyond.is_affordable,
    ),
    Grid("classes", BY_CLASSES, Count(1), ["uci/letter"], settings=CLASSES, params={"seed": 0}),
)
ON_OFFICIAL_SPLITS = (
    Grid(
        "printed_choices",
        ["s-ls"],
        Count(1),
        SETS,
        [HEADLINE],
        printed_choices.linear_settings,
    ),
    Grid(
        "printed_choices",
        ["s-ls rbf"],
        Count(1),
        ["uci/landsat", "uci/optdigits"],
        [HEADLINE],
        printed_choices.RBF_SETTINGS,
    ),
)
RUN: Mapping[str, Callable[..., list[Measurement]]] = {
    "table2": methods.table2,
    "disagreement": beyond.run_disagreement,
    "batch_svm": beyond.run_batch_svm,
    "peers": beyond.run_peer,
    "classes": beyond.run_classes,
    "printed_choices": printed_choices.run,
    "dictionaries": image_sets.run,
}


#: Among these functions `run` chooses.
MEASURES: Mapping[Any, Callable[..., list[Measurement]]] = {
    **RUN,
    **{("table2", name): image_sets.run for name in image_sets.IMAGE_SETS},
}


def run(task: Task, dataset: Dataset) -> list[Measurement]:
    """Run one task on the official split; on images, on that of its trial."""
    if dataset.name in image_sets.IMAGE_SETS:
        return image_sets.run(task, dataset)
    train, test = dataset.splits[0]
    X, y = dataset.X[train], dataset.y[train]
    return RUN[task.table](task, X, y, dataset.X[test], dataset.y[test])


def derive(records: pd.DataFrame) -> list[dict[str, Any]]:
    """Table 2 on images, had another dictionary of patches been drawn.

    For every dictionary, the headline's own among them, the mean over the splits that all have.
    """
    others = select(records, table="dictionaries", metric="accuracy")
    own = select(records, table="table2", metric="accuracy", setting="")
    own = own.assign(setting="dictionary 0", level=0)
    means = []
    for (dataset, method, reading), group in others.groupby(["dataset", "method", "reading"]):
        alike = select(own, dataset=dataset, method=method, reading=reading)
        both = pd.concat([alike, group])
        by_split = both.pivot(index="trial", columns="level", values="value").dropna()
        record = {**group.iloc[0].to_dict(), "table": "table2", "setting": ""}
        means += [
            derived_row(record, "accuracy with another dictionary", mean, trial=int(dictionary))
            for dictionary, mean in zip(
                by_split.columns, by_split.to_numpy().mean(axis=0), strict=True
            )
            if len(by_split)
        ]
    return means


PROTOCOL = Experiment(
    "simplex",
    (*SETS, *SIMULATED, "caltech101"),
    (*TABLE2, *ON_SIMULATED, *ON_IMAGES, *ON_DICTIONARIES, *BEYOND, *ON_OFFICIAL_SPLITS),
    run,
    quick=QUICK_SETS,
    derive=derive,
    measures=MEASURES,
    brought=("pubfig83/features", "embedded/portraits"),
).protocol()
