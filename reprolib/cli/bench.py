"""``reprolib bench``: the speed comparisons of the checkout's ``benchmarks`` folder."""

from __future__ import annotations

import runpy
from pathlib import Path

#: Benchmark script by the name that the command line takes.
SCRIPTS = {
    "kpm": "bench_kpm_path.py",
    "mkmmc": "bench_mkmmc.py",
    "mkpm": "bench_mkpm.py",
    "simplex": "bench_simplex.py",
    "keops": "bench_keops.py",
    "large_n": "bench_large_n.py",
}


def run(arguments) -> int:
    """Run a benchmark script with its own arguments.

    Raises
    ------
    ValueError
        If there is no benchmark of that name.
    FileNotFoundError
        If the package is installed without its checkout.
    """
    if arguments.name not in SCRIPTS:
        raise ValueError(f"name is {arguments.name!r}; benchmarks: {', '.join(SCRIPTS)}.")
    script = Path(__file__).resolve().parents[2] / "benchmarks" / SCRIPTS[arguments.name]
    if not script.exists():
        raise FileNotFoundError(f"{script} does not exist: benchmarks need the project's checkout")
    main = runpy.run_path(str(script))["main"]
    return main(arguments.arguments) or 0
