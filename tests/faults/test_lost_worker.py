"""A worker process that the system kills: a clear error (what is stored is in `test_killed`)."""

from __future__ import annotations

import os

import joblib
import pytest

from reprolib.rerun.runner import finished, local_parallel


def test_killed_worker_ends_the_run_with_advice():
    jobs = [joblib.delayed(os._exit)(1) for _ in range(2)]
    with pytest.raises(OSError, match="worker process was killed.*goes on from there.*--jobs"):
        list(finished(local_parallel(2), jobs))
