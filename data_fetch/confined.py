"""Read a file of unknown bytes in a child process with bounds on its memory, time and output.

The child gives numbers and nothing else. Their hash decides whether they are the ones that we know.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from data_fetch import storage
from data_fetch.errors import SourceError

#: Bounds of the child: bytes of memory, seconds of processor, seconds by the clock.
MEMORY = 2_000_000_000
PROCESSOR_SECONDS = 30
SECONDS = 60.0
#: The child knows its bounds before it imports a reader; labels stand before their features.
_CHILD = """
import sys
memory, seconds, size = map(int, sys.argv[1:])
try:
    import resource
except ImportError:  # Windows: the clock alone bounds it
    resource = None
else:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
import io
import numpy as np
from scipy.io import loadmat
content = loadmat(io.BytesIO(sys.stdin.buffer.read()), variable_names=["X", "Y"])
X, y = (np.asarray(content[name]) for name in ("X", "Y"))
if X.ndim != 2 or y.shape != (len(X), 1) or {X.dtype.kind, y.dtype.kind} - set("uif"):
    raise ValueError("X and Y are no table of real numbers and one label a row")
table = np.column_stack([y.astype("<f8"), X.astype("<f8")])
sys.stdout.buffer.write(np.ascontiguousarray(table).tobytes()[:size])
"""


def tabulate(part: Path, size: int) -> None:
    """Replace a MATLAB file of X and Y by the table of its numbers, label first, 8 bytes each.

    Raises
    ------
    SourceError
        If the file cannot be read within the bounds; ``size`` is that of the table, in bytes.
    """
    # -P, and no PYTHONPATH: nothing of the current folder is run.
    bounds = map(str, (MEMORY, PROCESSOR_SECONDS, size))
    command = [sys.executable, "-P", "-c", _CHILD, *bounds]
    content = part.read_bytes()
    # What an interpreter needs to start; no passwords, and one thread.
    kept = ("PATH", "HOME", "APPDATA", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
    alone = {name: value for name in kept if (value := os.environ.get(name))}
    alone |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with storage.opened_part(part) as table:
        try:
            done = subprocess.run(
                command,
                input=content,
                stdout=table,
                stderr=subprocess.PIPE,
                timeout=SECONDS,
                check=False,
                env=alone,
            )
        except subprocess.TimeoutExpired:
            raise SourceError(f"cannot be read within {SECONDS:.0f} s") from None
    if done.returncode != 0:
        last = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
        raise SourceError(f"cannot be read: {last or f'its reader ended by {done.returncode}'}")
