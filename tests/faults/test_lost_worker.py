"""A worker process that the system kills: a clear error (what is stored is in `test_killed`)."""

from __future__ import annotations

import os

import pytest

from reprolib.rerun.tasks.worker import LocalWorkers, LostWorkError


def test_killed_worker_ends_the_run_with_advice():
    with pytest.raises(LostWorkError, match="worker process was killed.*--jobs"):
        list(LocalWorkers(2).results(os._exit, [(1,), (1,)]))
