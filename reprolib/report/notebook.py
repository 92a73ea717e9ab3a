"""Set-up of the notebooks: the same output on every machine."""

from __future__ import annotations

import os
import warnings

import pandas as pd
from threadpoolctl import threadpool_limits

from reprolib.report.style import use_style


def setup() -> None:
    """Pin BLAS to one thread, set the figure style, and show tables in full.

    Warnings of third-party libraries go unshown: their text holds paths and line numbers, which
    differ between machines.
    """
    os.environ["OMP_NUM_THREADS"] = "1"
    threadpool_limits(limits=1)
    warnings.filterwarnings("ignore", category=FutureWarning)
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    warnings.filterwarnings("ignore", message="IProgress not found")
    use_style()
    pd.set_option("display.max_rows", 200)
    pd.set_option("display.max_columns", 30)
    pd.set_option("display.width", 140)
    pd.set_option("display.max_colwidth", None)
