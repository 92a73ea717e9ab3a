"""``reprolib bench``: the speed comparisons of the checkout's ``benchmarks`` folder."""

from __future__ import annotations

import runpy
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


def names() -> list[str]:
    """Benchmarks of the checkout, by the names of their files; none in an installed package."""
    return sorted(path.stem for path in FOLDER.glob("*.py"))


def run(arguments) -> int:
    """Run a benchmark script with its own arguments.

    Raises
    ------
    ValueError
        If there is no benchmark of that name.
    FileNotFoundError
        If the package is installed without its checkout.
    """
    if not FOLDER.is_dir():
        raise FileNotFoundError(f"{FOLDER} does not exist: benchmarks need the project's checkout")
    if arguments.name not in names():
        raise ValueError(f"name is {arguments.name!r}; benchmarks: {', '.join(names())}.")
    main = runpy.run_path(str(FOLDER / f"{arguments.name}.py"))["main"]
    return main(arguments.arguments) or 0
