"""CatBoost, LightGBM and XGBoost on the study's splits: accuracy by set and trial, as a table.

    pip install -e '.[boosters]'
    which-method boosters which_method/boosters.csv

The libraries are no dependencies of the study, so that they are in no table of the study itself:
splits, columns and trials are the same. They run on their defaults, CatBoost at 300 rounds of depth
four; and tuned on the study's inner folds: small or large trees, learning rate 0.03 or 0.1, and 50,
100 or 300 rounds, of which one fit gives all; CatBoost only where there are at most four classes,
for time. A line that the file has already is not run again.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import data_fetch
from which_method.advice import SETS_FILE
from which_method.experiment import MORE_SETS, SETS
from which_method.splits import Split, make_split

KEY = ["dataset", "method", "trial"]


#: Sizes of trees (depth; leaves of LightGBM), learning rates and rounds of the tuned ones.
SIZES = {"catboost": (3, 6), "lightgbm": (7, 31), "xgboost": (2, 6)}
RATES = (0.03, 0.1)
ROUNDS = (50, 100, 300)


def catboost(**tuned: Any) -> Any:
    """Ordered boosting of symmetric trees."""
    from catboost import CatBoostClassifier

    quiet = {"verbose": False, "allow_writing_files": False}
    chosen = {"iterations": 300, "depth": 4, **tuned}
    return CatBoostClassifier(**chosen, thread_count=1, random_seed=0, **quiet)


def lightgbm(**tuned: Any) -> Any:
    """Boosting leaf by leaf."""
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, random_state=0, verbose=-1, **tuned)


def xgboost(**tuned: Any) -> Any:
    """Boosting level by level."""
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, random_state=0, **tuned)


def _parameters(key: str, size: int, rate: float) -> dict[str, Any]:
    """Parameters of the longest fit, in the words of the library."""
    rounds = "iterations" if key == "catboost" else "n_estimators"
    found = {rounds: max(ROUNDS), "learning_rate": rate}
    if key == "lightgbm":
        # Twenty rows a leaf, the default, leave hardly a split of two hundred rows.
        return {**found, "num_leaves": size, "min_child_samples": 5}
    return {**found, "depth" if key == "catboost" else "max_depth": size}


def _staged(key: str, model: Any, X: np.ndarray, rounds: int) -> np.ndarray:
    """Predictions after so many rounds."""
    if key == "catboost":
        found = model.predict(X, ntree_end=rounds)
    elif key == "lightgbm":
        found = model.predict(X, num_iteration=rounds)
    else:
        found = model.predict(X, iteration_range=(0, rounds))
    return np.ravel(found).astype(int)


def tuned_predictions(key: str, split: Split, codes: np.ndarray) -> np.ndarray:
    """Choose tree size, rate and rounds by the inner accuracy, refit, and predict the test rows."""
    hits = {}
    for size, rate in itertools.product(SIZES[key], RATES):
        for train, test in split.folds:
            # The libraries want classes without a gap; a fold may lack one.
            labels, inner = np.unique(codes[train], return_inverse=True)
            model = MAKERS[key](**_parameters(key, size, rate)).fit(split.X[train], inner)
            for rounds in ROUNDS:
                found = labels[_staged(key, model, split.X[test], rounds)]
                config = (size, rate, rounds)
                hits[config] = hits.get(config, 0) + np.sum(found == codes[test])
    size, rate, rounds = max(hits, key=lambda config: hits[config])
    model = MAKERS[key](**_parameters(key, size, rate)).fit(split.X, codes)
    return _staged(key, model, split.X_test, rounds)


MAKERS: dict[str, Callable[..., Any]] = {
    "catboost": catboost,
    "lightgbm": lightgbm,
    "xgboost": xgboost,
}
TUNED = {f"{key} tuned": key for key in MAKERS}


def line(name: str, key: str, trial: int) -> dict[str, Any]:
    """Fit one library in one trial of the study, tuned or not, and test it."""
    dataset = data_fetch.load(name)
    split = make_split(dataset, trial)
    labels, codes = np.unique(split.y, return_inverse=True)
    start = time.process_time()
    if key in TUNED:
        found = tuned_predictions(TUNED[key], split, codes)
    else:
        found = np.ravel(MAKERS[key]().fit(split.X, codes).predict(split.X_test)).astype(int)
    seconds, predicted = time.process_time() - start, labels[found]
    return {
        "dataset": name,
        "method": key,
        "trial": trial,
        "accuracy": np.mean(predicted == split.y_test),
        "n_test": len(predicted),
        "source": dataset.source,
        "seconds": round(seconds, 3),
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("output", type=Path, help="table to write or to complete (CSV)")
    parser.add_argument(
        "--sets", nargs="+", default=[*SETS, *MORE_SETS], help="data sets of the study"
    )
    parser.add_argument("--trials", type=int, default=1, help="the first ones of the study")
    parser.add_argument("--methods", nargs="+", default=[*MAKERS, *TUNED], help="libraries")


def run(options: argparse.Namespace) -> None:
    """Run what the table lacks, and write it after every line."""
    found = pd.read_csv(options.output) if options.output.is_file() else pd.DataFrame(columns=KEY)
    known = set(found[KEY].itertuples(index=False, name=None))
    few = set(pd.read_csv(SETS_FILE).query("classes <= 4")["dataset"])
    wanted = itertools.product(options.sets, options.methods, range(options.trials))
    missing = [
        (name, key, trial)
        for name, key, trial in wanted
        if (name, key, trial) not in known and (key != "catboost tuned" or name in few)
    ]
    lines = found.to_dict("records")
    for name, key, trial in missing:
        try:
            lines.append(line(name, key, trial))
        except ModuleNotFoundError as error:
            message = f"{error.name} is not installed: pip install -e '.[boosters]'"
            raise ValueError(message) from None
        _write(lines, options.output)
    print(f"{len(missing)} lines were run; {options.output} has {len(lines)}")


def _write(lines, path: Path) -> None:
    frame = pd.DataFrame(lines).sort_values(KEY)
    frame.to_csv(path, index=False, float_format="%.10g")
