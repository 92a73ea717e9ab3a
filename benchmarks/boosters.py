"""CatBoost, LightGBM and XGBoost on the study's splits: accuracy by set and trial, as a table.

    pip install 'reprolib[boosters]'
    reprolib bench boosters reprolib/papers/across/boosters.csv

The libraries are no dependencies of the package, so that they are in no table of the study itself:
splits, columns and trials are the same. They run on their defaults, CatBoost at 300 rounds of depth
four. A line that the file has already is not run again.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import data_fetch
from reprolib.papers.across.experiment import SETS
from reprolib.papers.across.splits import make_split

N_TRIALS = 5
KEY = ["dataset", "method", "trial"]


def catboost() -> Any:
    """Ordered boosting of symmetric trees."""
    from catboost import CatBoostClassifier

    quiet = {"verbose": False, "allow_writing_files": False}
    return CatBoostClassifier(iterations=300, depth=4, thread_count=1, random_seed=0, **quiet)


def lightgbm() -> Any:
    """Boosting leaf by leaf."""
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, random_state=0, verbose=-1)


def xgboost() -> Any:
    """Boosting level by level."""
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, random_state=0)


MAKERS: dict[str, Callable[[], Any]] = {
    "catboost": catboost,
    "lightgbm": lightgbm,
    "xgboost": xgboost,
}


def line(name: str, key: str, trial: int) -> dict[str, Any]:
    """Fit one library in one trial of the study, and test it."""
    dataset = data_fetch.load(name)
    split = make_split(dataset, trial)
    labels, codes = np.unique(split.y, return_inverse=True)
    model, start = MAKERS[key](), time.process_time()
    model.fit(split.X, codes)
    seconds = time.process_time() - start
    predicted = labels[np.ravel(model.predict(split.X_test)).astype(int)]
    return {
        "dataset": name,
        "method": key,
        "trial": trial,
        "accuracy": np.mean(predicted == split.y_test),
        "n_test": len(predicted),
        "source": dataset.source,
        "seconds": round(seconds, 3),
    }


def main(arguments=None) -> int:
    """Run what the table lacks, and write it after every line."""
    parser = argparse.ArgumentParser(prog="reprolib bench boosters", description=__doc__)
    parser.add_argument("output", type=Path, help="table to write or to complete (CSV)")
    parser.add_argument("--sets", nargs="+", default=list(SETS), help="data sets of the study")
    parser.add_argument("--trials", type=int, default=N_TRIALS, help="the first ones of the study")
    options = parser.parse_args(arguments)
    found = pd.read_csv(options.output) if options.output.is_file() else pd.DataFrame(columns=KEY)
    known = set(found[KEY].itertuples(index=False, name=None))
    lines = found.to_dict("records")
    for trial in range(options.trials):
        for name in options.sets:
            for key in MAKERS:
                if (name, key, trial) not in known:
                    lines.append(line(name, key, trial))
                    _write(lines, options.output)
    return 0


def _write(lines, path: Path) -> None:
    frame = pd.DataFrame(lines).sort_values(KEY)
    frame.to_csv(path, index=False, float_format="%.10g")


if __name__ == "__main__":
    sys.exit(main())
