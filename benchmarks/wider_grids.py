"""Grids with one more value at either end, on the first trial of every set: accuracy, as a table.

    python benchmarks/wider_grids.py reprolib/papers/across/wider.csv

The study's grids have three values of a hyperparameter, and an end is often chosen. The SVM has a
wider one in the records; here the kernel methods of the package have. Each keeps its end values.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

import data_fetch
from reprolib.papers.across.experiment import MORE_SETS, SETS
from reprolib.papers.across.methods import METHODS, WIDE_COSTS
from reprolib.papers.across.splits import make_split
from reprolib.papers.across.tuning import tune

#: The 25 configurations of the wider SVM, and the same with another one in the place of its cost.
WIDE = METHODS["svc wide"].grid


def _with(name: str, values: Sequence[int]) -> list[dict[str, float]]:
    place = dict(zip(WIDE_COSTS, values, strict=True))
    return [{"gamma": config["gamma"], name: place[config["C"]]} for config in WIDE]


WIDER = {
    "simplex rls": WIDE,
    "simplex rls constant": WIDE,
    "mkpm": _with("D", (2, 8, 32, 128, 512)),
    "kmmc": _with("k", (1, 3, 7, 20, 49)),
}


def line(name: str, key: str, trial: int = 0) -> dict[str, object]:
    """Test accuracy of a method with its wider grid in one trial."""
    split = make_split(data_fetch.load(name), trial)
    tuned = tune(replace(METHODS[key], grid=WIDER[key]), split)
    accuracy = np.mean(tuned.model.predict(split.X_test) == split.y_test)
    return {"dataset": name, "method": f"{key} wide", "trial": trial, "accuracy": accuracy}


def main(arguments=None) -> int:
    """Run every set, and write the table."""
    parser = argparse.ArgumentParser(prog="python benchmarks/wider_grids.py", description=__doc__)
    parser.add_argument("output", type=Path, help="table to write (CSV)")
    parser.add_argument("--sets", nargs="+", default=[*SETS, *MORE_SETS], help="data sets")
    options = parser.parse_args(arguments)
    lines = [line(name, key) for name in options.sets for key in WIDER]
    pd.DataFrame(lines).to_csv(options.output, index=False, float_format="%.10g")
    return 0


if __name__ == "__main__":
    sys.exit(main())
