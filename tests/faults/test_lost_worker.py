"""Workers and their parent, of which the system kills one; what is stored is in `test_killed`."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest

from reprolib.rerun.tasks.worker import LocalWorkers, LostWorkError
from tests.faults import tiny

#: Seconds within which all of a run is there, or gone, on a slow machine.
PATIENCE = 60


def test_killed_worker_ends_the_run_with_advice():
    with pytest.raises(LostWorkError, match="worker process was killed.*--jobs"):
        list(LocalWorkers(2).results(os._exit, [(1,), (1,)]))


def children(process: int) -> list[int]:
    return [int(c) for c in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def is_there(process: int) -> bool:
    """Whether a process runs; a dead one that nobody has asked for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def wait_for(condition) -> bool:
    end = time.monotonic() + PATIENCE
    while not (reached := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return bool(reached)


@pytest.mark.skipif(
    not Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists(),
    reason="finds the workers in Linux's /proc",
)
def test_workers_of_a_killed_run_end_and_leave_no_folders(tmp_path):
    places = {"TMPDIR": str(tmp_path / "tmp"), "JOBLIB_TEMP_FOLDER": str(tmp_path / "tmp")}
    (tmp_path / "tmp").mkdir()
    run = tiny.start(tmp_path / "run", environment=places, jobs=3)
    assert wait_for(lambda: len(children(run.pid)) >= 3 and any((tmp_path / "tmp").iterdir()))
    workers = children(run.pid)
    os.kill(run.pid, signal.SIGKILL)
    run.join()
    assert wait_for(lambda: not any(map(is_there, workers))), "workers are left"
    left = (tmp_path / "tmp").iterdir
    assert wait_for(lambda: not any(left())), f"folders are left: {[*left()]}"
    # The number alone: hashes in other runs' names contain it now and then.
    of_run = re.compile(rf"(?<![0-9a-f]){run.pid}(?![0-9a-f])")
    assert [path.name for path in Path("/dev/shm").iterdir() if of_run.search(path.name)] == []
