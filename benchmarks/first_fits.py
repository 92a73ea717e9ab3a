"""Processor seconds of every estimator's first fit, nothing compiled, here and elsewhere.

Every estimator is fitted in a process of its own with an empty cache of compiled code, then once
more; at the end all are fitted in one process. Checkouts take turns, so that a busy machine is as
unfair to one as to the other.

    python benchmarks/first_fits.py [CHECKOUT ...] [--only KEOPSClassifier ...]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
FIT = """
import sys, time, warnings
import numpy as np
import reprolib
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 12))
y = (X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(int)
models = [getattr(reprolib, name)() for name in sys.argv[1:]]
for _ in range(2):
    start = time.process_time()
    for model in models:
        model.fit(X, y)
    print(time.process_time() - start)
"""


def estimators() -> list[str]:
    """Names of what `reprolib` offers to fit to rows and labels."""
    import reprolib

    offered = {name: getattr(reprolib, name) for name in reprolib.__all__}
    return [name for name, value in offered.items() if hasattr(value, "predict")]


def seconds_of_two_fits(checkout: Path, *names: str) -> list[float]:
    """Seconds of the first and the second fits, in a new process with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(checkout)}
        command = [sys.executable, "-c", FIT, *names]
        done = subprocess.run(
            command, env=environment, cwd=cache, capture_output=True, text=True, check=True
        )
    return [float(line) for line in done.stdout.split()]


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line an estimator, two numbers a checkout."""
    parser = argparse.ArgumentParser(
        prog="python benchmarks/first_fits.py", description=__doc__.splitlines()[0]
    )
    parser.add_argument("checkouts", nargs="*", type=Path, help="other checkouts to compare with")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these estimators only")
    arguments = parser.parse_args(argv)
    checkouts = [*(path.resolve() for path in arguments.checkouts), HERE]
    print("processor seconds of the first fit (of the second) in " + ", ".join(map(str, checkouts)))
    totals = [0.0] * len(checkouts)
    names = arguments.only or estimators()
    for name in names:
        pairs = [seconds_of_two_fits(checkout, name) for checkout in checkouts]
        totals = [total + first for total, (first, _) in zip(totals, pairs, strict=True)]
        print(f"{name:28}" + "".join(f"{first:8.1f} ({then:.2f})" for first, then in pairs))
    print(f"{'all':28}" + "".join(f"{total:8.1f}       " for total in totals))
    together = [seconds_of_two_fits(checkout, *names) for checkout in checkouts]
    print(f"{'all in one process':28}" + "".join(f"{a:8.1f} ({b:.2f})" for a, b in together))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
