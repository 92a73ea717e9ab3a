"""A seeded sample of cosmic-ray's mutants of the package, each run against the tests of its part.

``python -m tests.mutants --seed 1 --size 100 [--part reprolib/papers]`` prints every survivor. It
works in a copy of the checkout.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("reprolib/methods", "reprolib/rerun", "reprolib/papers")
#: What is copied: the package, its tests, and what the tests read.
COPIED = ("reprolib", "data_fetch", "tests", "results", "conftest.py", "pyproject.toml")
COPIED += ("README.md", "notebooks", "benchmarks", "docs", "Makefile", "CONTRIBUTING.md")


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    path: str
    operator: str
    occurrence: int
    line: int

    def __str__(self):
        return f"{self.path}:{self.line} {self.operator.removeprefix('core/')} #{self.occurrence}"


def mutants_of(path: Path) -> Iterator[Mutant]:
    """All mutants of a file by the operators that take no arguments."""
    tree = get_ast(path.read_text(encoding="utf-8"))
    for name in operator_names():
        operator = get_operator(name)
        if operator.arguments():
            continue
        found = (at for node in ast_nodes(tree) for at in operator().mutation_positions(node))
        for occurrence, (start, _) in enumerate(found):
            yield Mutant(path.relative_to(ROOT).as_posix(), name, occurrence, start[0])


def tests_of(path: str) -> list[str]:
    """Tests of the part that a file belongs to."""
    _, house, *inner = Path(path).parts
    own = f"tests/{house}/{inner[0]}"
    if house == "papers":
        key = inner[0]
        general = ["tests/papers/test_golden.py", "tests/papers/test_protocol_values.py"]
        return [*([own] if (ROOT / own).is_dir() else []), *general, "-k", key]
    return [own if (ROOT / own).is_dir() else f"tests/{house}"]


def is_killed(mutant: Mutant, copy: Path, timeout: float) -> bool:
    """Whether a test fails, or takes too long, on the mutant."""
    file = copy / mutant.path
    source = file.read_text(encoding="utf-8")
    changed = mutate_code(source, get_operator(mutant.operator)(), mutant.occurrence)
    file.write_text(changed, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    environment["NUMBA_CACHE_DIR"] = str(copy / "numba")
    words = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests_of(mutant.path)]
    try:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=copy,
            env=environment,
            timeout=timeout,
            capture_output=True,
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        file.write_text(source, encoding="utf-8")
    return done.returncode != 0


def main() -> None:
    """Draw the sample, run it, print what survives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--part", nargs="+", default=PARTS)
    parser.add_argument("--timeout", type=float, default=1800.0)
    options = parser.parse_args()
    files = sorted(file for part in options.part for file in ROOT.glob(f"{part}/**/*.py"))
    files += [ROOT / part for part in options.part if part.endswith(".py")]
    mutants = [mutant for file in files for mutant in mutants_of(file)]
    sample = random.Random(options.seed).sample(mutants, min(options.size, len(mutants)))
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, Path(folder) / name)
        for number, mutant in enumerate(sample, start=1):
            killed = is_killed(mutant, Path(folder), options.timeout)
            survivors += [] if killed else [mutant]
            print(f"{number} {'killed' if killed else 'SURVIVED'} {mutant}", flush=True)
    rate = 1 - len(survivors) / max(len(sample), 1)
    print(f"{len(mutants)} mutants, {len(sample)} drawn, {rate:.0%} killed; survivors:")
    print("\n".join(map(str, survivors)))


if __name__ == "__main__":
    main()
